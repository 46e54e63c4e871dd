"""Learning each site."""
