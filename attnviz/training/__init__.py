"""How the shipped weights were made: one script for each kind of model, that makes it again."""
