"""How good the ranking is, measured on what later turned out to belong together."""
