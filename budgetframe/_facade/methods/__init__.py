"""The synchronous methods of the facade: the texts that people read."""
