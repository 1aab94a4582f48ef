"""What the scheduler of a Dask cluster shows."""

from typing import Any

from distributed.diagnostics.plugin import SchedulerPlugin


class Watcher(SchedulerPlugin):
    """Writes down what the scheduler shows of each task, and where it runs."""

    name = "watcher"

    def __init__(self, scheduler: Any) -> None:
        self.scheduler = scheduler
        self.texts: list[str] = []
        self.workers: dict[str, str] = {}

    def transition(self, key: Any, start: str, finish: str, *_: Any, **more: Any) -> None:
        task = self.scheduler.tasks[key]
        state = {name: getattr(task, name, None) for name in type(task).__slots__}
        self.texts.append(f"{key!r} {start} {finish} {task!r} {state!r} {more!r}")
        if finish == "processing":
            self.workers[str(key)] = task.processing_on.address
