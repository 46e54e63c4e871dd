"""Turns a method's verdict into an answer: extraction, document, outputs, metadata, posts."""
