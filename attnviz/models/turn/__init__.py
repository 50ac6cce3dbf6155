"""Models that learnt whether the ego comes into conflict if it turns now."""
