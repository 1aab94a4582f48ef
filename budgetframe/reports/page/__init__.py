"""Reports, frames and texts as one HTML page that loads no other file."""
