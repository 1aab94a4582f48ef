"""Changes of a budget: comparison with the service, effects, journal and sending."""
