"""Stories: addresses with a sentence each, walked step by step before others."""
