"""Random steps: every result of the client must equal the data of the service.

The profile "default" runs about 600 steps, the same ones in each run, and the profile "thorough"
about 2,500 other ones: ``pytest --hypothesis-profile thorough tests/stateful``. For more steps, use
``python -m tests.stateful``.
"""

import pytest
from hypothesis import HealthCheck, Phase, settings

from .state_machine import NotebookStateMachine

pytestmark = pytest.mark.posix  # steps interrupt a thread with a signal

NotebookStateMachine.TestCase.settings = settings(
    max_examples=settings().max_examples // 3,
    stateful_step_count=60,
    phases=[Phase.reuse, Phase.generate],  # without shrinking, which takes minutes
    suppress_health_check=list(HealthCheck),  # the examples are large and slow on purpose
)
# Each of ten examples has up to 60 steps.
test_results_equal_the_data_of_the_service = pytest.mark.slow(NotebookStateMachine.TestCase)
