"""The page Kinds: kinds of attention side by side on the same tokens."""
