"""Every speed that the README claims, as a command: `python -m attnviz bench`."""
