"""Whatever happens, in whatever order: what the client gives is what the service has."""
