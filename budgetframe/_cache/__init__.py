"""The cache of the service's answers: in memory, or in an SQLite file."""
