"""The files of a bank as frames."""

from .camt import read_camt
from .mt940 import read_mt940
from .ofx import read_ofx

__all__ = ["read_camt", "read_mt940", "read_ofx"]
