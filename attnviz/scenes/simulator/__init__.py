"""A small street whose truth is known: every scene is drawn from a seed, and runs again with anything taken away."""
