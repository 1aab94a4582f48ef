"""Ways to reach the embedded service: in process, or on a socket."""
