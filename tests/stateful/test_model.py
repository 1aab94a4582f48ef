"""Situations that the model of the cache must allow; random steps seldom reach them."""

from collections.abc import Iterator

import pytest

from . import other_device
from .expected_frames import MOVEMENT_RECORDS
from .reads import client_read, export_read, frame_read
from .state_machine import NotebookStateMachine

TTL = 300.0


@pytest.fixture
def machine() -> Iterator[NotebookStateMachine]:
    """A state machine with one budget and one notebook."""
    machine = NotebookStateMachine()
    machine.begin(
        seed=0, budgets=1, thresholds=[200], prefix="either", bursts=0, has_schedules=True,
        has_file=False, notebook={"ttl": TTL, "on_limit": "raise", "has_retries": False},
    )  # fmt: skip
    yield machine
    machine.runner.finish_all()
    machine._close()


def test_a_frame_shows_movements_read_under_another_spelling(machine: NotebookStateMachine) -> None:
    (notebook,) = machine.notebooks
    for name in MOVEMENT_RECORDS:
        url = f"/plans/{machine.service.ids[0]}/{name}"
        machine.runner.run(frame_read(notebook, 0, name, two=1))  # not that of one month
        machine.runner.run(client_read(notebook, url, resource=name))
        machine.runner.run(frame_read(notebook, 0, name, two=1))
    # The list of budgets; each list by its frame and by the client; nothing for the last frame.
    assert notebook.transport.request_count == 5


def test_a_read_of_the_export_shares_the_request_of_a_list(machine: NotebookStateMachine) -> None:
    (notebook,) = machine.notebooks
    machine.runner.run(export_read(notebook, 0))
    machine.service.clock.advance(TTL)
    machine._run(frame_read(notebook, 0, "accounts"), "hold", 0)
    (held,) = machine.runner.held
    machine.runner.release(held)  # the service has answered; the answer is held
    other_device.edit(machine.service, 0, 0, 0, -5_000)
    machine._run(export_read(notebook, 0), "hold", 0)
    machine.runner.finish_all()
    assert notebook.transport.request_count == 3  # the list of budgets, and the export twice
