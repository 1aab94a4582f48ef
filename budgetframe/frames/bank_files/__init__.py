"""The files of a bank as frames."""
