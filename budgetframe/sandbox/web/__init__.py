"""The HTTP interface of the embedded service."""
