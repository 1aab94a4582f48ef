"""Ask a service, check its answers, and report the result."""

from __future__ import annotations

import platform
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import httpx

from budgetframe._client.client import ServiceClient
from budgetframe._client.credentials import Token
from budgetframe._client.responses import invalid_response, read_json, with_first_keys
from budgetframe._client.target import path_of
from budgetframe._facade.connect import Connection, Options, connect_export, connect_service
from budgetframe._resources import RESOURCES
from budgetframe._runtime.deferred_warnings import collected_warnings
from budgetframe._runtime.gc_pause import paused_gc
from budgetframe._runtime.text import number_of
from budgetframe._session.budget_choice import Budget, budget_from, choose
from budgetframe._session.export_file import NOT_IN_FILE
from budgetframe.errors import ServiceAPIError

from .answers import Answer, Run
from .checks import CHECKS, MALFORMED, NOT_STRICT, OF_SERVICE, SHAPES, Finding
from .questions import QUESTIONS

_TIMEOUT = 30.0  # seconds
_REFUSALS = {401, 403, 429}  # with these the service refuses every request
_CURSOR = "last_knowledge_of_server"


class Request(NamedTuple):
    """One request: the kind of its answer, its parameters, and its name if it is not the kind."""

    kind: str
    params: Mapping[str, str | int] = {}
    name: str = ""


_OF_EXPORT = "knowledge of the export"  # as a cursor: nothing has changed since then
_REQUESTS = (
    Request("export"),
    Request("months", {_CURSOR: _OF_EXPORT}),
    # The day is the one that `BudgetFrame` sends.
    Request("transactions", {"since_date": "1900-01-01", _CURSOR: 1},
        "transactions since the beginning"),
    Request("transactions", {}, "transactions of the last year"),
    Request("payees", {_CURSOR: 1}),
    *map(Request, ("accounts", "categories", "month", "scheduled_transactions")),
    *map(Request, ("payee_locations", "money_movements", "money_movement_groups", "settings")),
)  # fmt: skip
"""The requests after those for the user and the list of budgets: 15 in all.

The export has the full lists of months and payees, with the same fields as the single lists. So
these two lists are only requested as deltas.
"""


class ResponseBody:
    """The body of the last response; the client converts its amounts only in its own copy."""

    def __init__(self) -> None:
        self._content = b""
        self.header_names: set[str] = set()  # the names of the headers of all responses

    async def __call__(self, response: httpx.Response) -> None:
        """Store the body: a response hook of httpx."""
        self._content = await response.aread()
        self.header_names.update(response.headers.keys())

    @property
    def data(self) -> dict[str, Any]:
        """The data object of the body."""
        data: dict[str, Any] = read_json(self._content)[0]["data"]
        return with_first_keys(data)


@dataclass(frozen=True)
class Diagnosis:
    """The result of one run."""

    run: Run
    findings: Mapping[str, list[Finding]]  # the findings of each check
    answers: Mapping[str, str | None]  # the answer to each open question; None: this run has none

    @property
    def differences(self) -> list[Finding]:
        """All differences, each of them once."""
        return [finding for finding in self._all if finding.is_difference]

    @property
    def remarks(self) -> list[Finding]:
        """All findings that are no differences."""
        return [finding for finding in self._all if not finding.is_difference]

    @property
    def _all(self) -> list[Finding]:
        return list(dict.fromkeys(each for found in self.findings.values() for each in found))

    def report(self) -> str:
        """Return the tables of what agrees, what does not, and which questions are answered."""
        python, count = platform.python_version(), len(self.run.answers)
        title = f"budgetframe doctor {version('budgetframe')}, Python {python}, {count} answers"
        lines = [title, "", *_table(["answer", "records", "result"], self._answers()), ""]
        lines += _table(["check", "result"], self._checks())
        for title, found in (("Differences", self.differences), ("Remarks", self.remarks)):
            if found:
                lines += ["", title, *(f"{each.resource}: {each.text}" for each in found)]
        lines += ["", "Open questions that this run answered"]
        lines += [f"{question} {answer}" for question, answer in self.answers.items() if answer]
        lines += ["", "Open questions that this run did not answer"]
        lines += [question for question, answer in self.answers.items() if not answer]
        lines += ["", "Fields that had no value in any row, so that this run says nothing of them"]
        lines += [f"{name}: {', '.join(fields)}" for name, fields in self._fields_without_value()]
        lines += ["", "Names of the response headers", ", ".join(sorted(self.run.header_names))]
        return "\n".join(lines) + "\n"

    def shapes(self) -> str:
        """Return the types of all fields that were sent, with the number of rows."""
        lines = ["", "Shapes: fields, types and number of rows"]
        for name, answer in self.run.answers.items():
            lines += ["", name]
            for path, place in answer.places.items():
                lines.append(f"  {path}: {place.rows:,}")
                for field, types in place.types.items():
                    shown = ", ".join(f"{kind} {count:,}" for kind, count in sorted(types.items()))
                    lines.append(f"    {field}: {shown}")
        return "\n".join(lines) + "\n"

    def _fields_without_value(self) -> Iterator[tuple[str, list[str]]]:
        """The lists and objects with the published fields that were missing or null in all rows."""
        # A list is the same one in the export and in its own answer.
        counts: dict[str, Counter[str]] = {}
        for answer in self.run.answers.values():
            for path, place in answer.places.items():
                name = answer.kind if path == "data" else path.rpartition(".")[2].removesuffix("[]")
                values = counts.setdefault(name, Counter())
                values.update(dict.fromkeys(place.unsent, 0))
                for field, types in place.types.items():
                    values[field] += types.total() - types["null"]
        for name, values in counts.items():
            empty = [field for field, count in values.items() if not count]
            if empty:
                yield name, empty

    def _answers(self) -> Iterator[tuple[str, ...]]:
        counts = Counter(finding.resource for finding in self.differences)
        for name, answer in self.run.answers.items():
            places = [place for path, place in answer.places.items() if path != "data"]
            records = sum(place.rows for place in places)
            yield name, f"{records:,}", _result(counts[answer.kind])

    def _checks(self) -> Iterator[tuple[str, ...]]:
        for check, found in self.findings.items():
            differences = sum(finding.is_difference for finding in found)
            remarks = len(found) - differences
            more = f", {number_of(remarks, 'remark')}" if remarks else ""
            yield check, _result(differences) + more


def _result(differences: int) -> str:
    return number_of(differences, "difference") if differences else "agrees"


def _table(header: list[str], rows: Iterable[tuple[str, ...]]) -> list[str]:
    cells = [tuple(header), *rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    cells.insert(1, tuple("-" * width for width in widths))
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in cells]


def examine_service(*, budget: str | None, base_url: str) -> Diagnosis:
    """Ask the service, with at most 15 requests that change nothing, and check its answers."""
    body = ResponseBody()
    options = Options(
        budget=budget, ttl=0.0, on_limit="raise", verify=False, progress=False, read_only=True
    )
    connection = connect_service(
        Token(), base_url, options, timeout=_TIMEOUT, cache_dir=None, on_response=body
    )
    return _diagnosed(connection, body, budget)


def examine_export(path: Path, dates: str | None = None) -> Diagnosis:
    """Check the budget in a file: nothing of the service, and no shapes that this package made."""
    body = ResponseBody()
    with collected_warnings() as damage:
        connection = connect_export(path, dates=dates, on_response=body)
    found = _diagnosed(connection, body, None)
    left_out = (*OF_SERVICE, SHAPES) if connection.session.unknown else OF_SERVICE
    findings = {name: each for name, each in found.findings.items() if name not in left_out}
    if damage and SHAPES in findings:
        findings[SHAPES].append(Finding("export", NOT_STRICT))
    return Diagnosis(found.run, findings, dict.fromkeys(found.answers))


def _diagnosed(connection: Connection, body: ResponseBody, budget: str | None) -> Diagnosis:
    async def ask() -> Diagnosis:
        return await diagnose(connection.session.reads.client(), body, budget)

    try:
        return connection.runner.run(ask())
    finally:
        connection.runner.close()


async def diagnose(client: ServiceClient, body: ResponseBody, budget: str | None) -> Diagnosis:
    """Send the requests and check the answers; `body` is a response hook of the HTTP client."""

    async def ask(kind: str, path: str, params: Mapping[str, Any]) -> Answer:
        params = {name: value for name, value in params.items() if value is not None}
        cursor = params.get(_CURSOR)
        try:
            with collected_warnings() as found:  # they contain texts of the budget
                converted = await client.request("GET", path, params=params)
        except ServiceAPIError as error:
            if error.status_code in _REFUSALS:
                raise
            return Answer(kind, {}, {}, cursor, error)
        return Answer(kind, body.data, converted, cursor, is_strict=not found)

    answers = {name: await ask(name, f"/{name}", {}) for name in ("user", "budgets")}
    for answer in answers.values():
        if answer.error is not None and not _is_in_no_file(answer):
            raise answer.error
    chosen = _chosen(answers["budgets"], budget)
    for kind, params, name in _REQUESTS:
        is_unchanged = params.get(_CURSOR) == _OF_EXPORT
        known = {_CURSOR: answers["export"].knowledge} if is_unchanged else params
        path = f"{RESOURCES['months'].path}/current" if kind == "month" else RESOURCES[kind].path
        answers[name or kind] = await ask(kind, path_of(path, budget_id=chosen.id), known)
    found = {name: each for name, each in answers.items() if not _is_in_no_file(each)}
    return check_answers(Run(found, body.header_names))


def _is_in_no_file(answer: Answer) -> bool:
    return answer.error is not None and answer.error.name == NOT_IN_FILE


def _chosen(answer: Answer, budget: str | None) -> Budget:
    rows = answer.converted.get("budgets")
    if not isinstance(rows, list):
        raise invalid_response(httpx.codes.OK, "has no list of budgets")
    return choose(budget, list(map(budget_from, rows)), answer.converted.get("default_budget"))


def check_answers(run: Run) -> Diagnosis:
    """Carry out all checks, and answer the open questions."""
    findings: dict[str, list[Finding]] = {}
    answers: dict[str, str | None] = {}
    with paused_gc(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a warning about an irregular row names the row
        for statement, check in CHECKS.items():
            findings[statement] = []
            try:
                findings[statement] += check(run)
            except MALFORMED as error:
                text = f"the check '{statement}' failed: {type(error).__name__}"
                findings[statement].append(Finding("export", text))
        for question, answer in QUESTIONS.items():
            try:
                answers[question] = answer(run)
            except MALFORMED:
                answers[question] = None
    return Diagnosis(run, findings, answers)
