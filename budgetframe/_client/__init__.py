"""The asynchronous client of the service: requests, limit, errors, delta reads."""
