"""The embedded service, asked by the vendor's own client over a real socket."""
