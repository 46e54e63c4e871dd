"""What a method's verdict becomes: extraction, document, outputs, metadata, posts."""
