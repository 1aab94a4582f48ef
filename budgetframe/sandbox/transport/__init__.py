"""The transports of the embedded service: in process, or on a socket."""
