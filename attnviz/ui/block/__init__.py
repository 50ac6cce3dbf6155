"""The page Block: one token's vector through a Transformer block."""
