"""Small random models and what they should give; used by tests of recording and by the table of families."""
