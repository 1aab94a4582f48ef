"""Some thousands of random steps; ``python -m tests.stateful`` takes as many as are asked for."""

from hypothesis import HealthCheck, settings

from .state_machine import Trust

Trust.TestCase.settings = settings(
    max_examples=40,
    stateful_step_count=100,
    derandomize=True,  # the same steps each time; the long run takes others
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
test_what_the_client_gives_is_what_the_service_has = Trust.TestCase
