"""Doubles for suite authors: a scripted model server on loopback."""
