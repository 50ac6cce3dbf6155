"""The questions of the Quiz page, and how an answer is checked."""
