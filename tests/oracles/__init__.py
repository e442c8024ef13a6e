"""Judges of mail that are not ours: what they say of every theme and of real newsletters."""
