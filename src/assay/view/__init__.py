"""The pages of the whole store, on loopback and read only."""
