"""The limits of requests that this process remembers."""

from budgetframe._client.limiter import _limiters


def forget_limits() -> None:
    """Forget the requests of other tests: all embedded services have the same token."""
    _limiters.clear()
