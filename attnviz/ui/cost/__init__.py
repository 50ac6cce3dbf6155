"""The page Cost: from an input to pairs, operations, bytes and milliseconds."""
