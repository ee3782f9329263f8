"""Records and decisions rendered for people and machines."""
