"""Scenes: road users over time, and how a model sees them."""
