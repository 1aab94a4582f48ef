"""The table of a review without a browser: it receives and sends the messages of a notebook."""

from collections import Counter
from typing import Any

import comm
from comm.base_comm import BaseComm

from budgetframe import Review


class Comm(BaseComm):
    """A connection of a widget that keeps what the widget sends."""

    def __init__(self, **options: Any) -> None:
        self.sent: list[dict[str, Any]] = []
        super().__init__(**options)

    def publish_msg(self, msg_type: str, data: Any = None, *_rest: Any, **_options: Any) -> None:
        """Keep a message."""
        self.sent.append({"type": msg_type, "data": data})


class Table:
    """What a person sees and does in the table of a review, whose widget is displayed."""

    def __init__(self, review: Review) -> None:
        before, comm.create_comm = comm.create_comm, Comm
        try:
            self.widget = review._display_()
        finally:
            comm.create_comm = before
        self.rows: dict[int, dict[str, Any]] = {}
        self.progress: list[tuple[int, int]] = []
        self.phases: list[str] = []
        self.all: dict[str, Any] = {}
        self.send(type="ready")

    def send(self, **message: Any) -> list[dict[str, Any]]:
        """Send a message as the browser does, take the answers into account and return them."""
        sent = self.widget.comm.sent
        start, data = len(sent), {"method": "custom", "content": message}
        self.widget.comm.handle_msg({"content": {"data": data}, "buffers": []})
        answers = [
            each["data"]["content"]
            for each in sent[start:]
            if each["data"].get("method") == "custom"
        ]
        for answer in answers:
            if answer["type"] == "progress":
                self.progress.append((answer["done"], answer["total"]))
            else:
                self.rows |= {row["id"]: row for row in answer["rows"]}
                self.all |= answer
                self.summary = answer["summary"]
                self.phases.append(self.summary["phase"])
        return answers

    def edit(self, column: str, value: Any, *rows: int) -> None:
        """Set a value in rows; a category is given by its name."""
        if column == "category" and value is not None:
            (value,) = (each["value"] for each in self.all["categories"] if each["label"] == value)
        self.send(type="edit", rows=list(rows), column=column, value=value)

    def tick(self, *rows: int) -> None:
        """Tick rows."""
        self.send(type="tick", rows=list(rows), ticked=True)

    def press(self, button: str, *, stop: bool = False) -> None:
        """Press a button that is enabled; go on after each request, or stop after the first."""
        assert self.summary[button], (button, self.summary)
        self.send(type=button, revision=self.summary["revision"])
        while self.summary["phase"] == "sending":
            self.send(type="stop" if stop else "go_on", revision=self.summary["revision"])

    @property
    def outcomes(self) -> dict[str, int]:
        """How often each text is the first one in the column State."""
        return dict(Counter(state.partition(", ")[0] for state in self.column("state")))

    def column(self, name: str) -> list[Any]:
        """The cells of a column."""
        return [self.rows[number][name] for number in sorted(self.rows)]
