"""Reads for one budget: from the cache while it is fresh, else from the service."""
