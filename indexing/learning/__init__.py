"""A FINISHED LOOP BECOMES PATTERNS: what failed, what mended it, and what only looked like it."""
