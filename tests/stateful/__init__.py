"""Random calls, edits, faults and restarts; the client must return what the service has."""
