"""What each page shows, as one frozen value: the content of its address."""
