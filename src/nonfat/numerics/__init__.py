"""Numerical pieces without any notion of a model."""
