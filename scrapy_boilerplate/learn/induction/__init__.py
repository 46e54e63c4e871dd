"""Steps of wrapper induction: what the pages of a site have in common."""
