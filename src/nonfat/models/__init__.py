"""Models: the three axes put together, and the methods as presets of them."""
