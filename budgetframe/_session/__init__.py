"""Read one budget: from the cache if the data are fresh, else from the service."""
