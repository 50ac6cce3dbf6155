"""What attention costs: tokens, multiplications, memory, time on a chip, and what would make it fit."""
