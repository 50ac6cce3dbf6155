"""Attention over windows: where the slots of each window lie in the input, and the attention in these positions."""
