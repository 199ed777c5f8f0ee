"""WHERE THE ROWS LIE: `interface.py` says what a tier may ask of them."""
