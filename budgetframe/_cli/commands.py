"""What the commands do."""

from __future__ import annotations

import argparse
import errno
import getpass
import os
import sys
import warnings
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import ModuleType

import httpx
import pandas as pd

from budgetframe import BudgetFrame
from budgetframe._client import credentials
from budgetframe._resources import BASE_URL
from budgetframe._runtime.output_file import output_file, replace_file
from budgetframe._session.anonymise import anonymise
from budgetframe._session.export_file import read_export, write_export
from budgetframe.errors import BudgetFrameError, ServiceAPIError, ToolError
from budgetframe.frames.bank_files.reader import read_bank_file
from budgetframe.frames.number_text import in_currency

from .doctor.diagnosis import examine_export, examine_service
from .lake_command import run_lake
from .options import json_lines
from .report_page import render_page
from .sync_command import run_sync


def run(options: argparse.Namespace) -> int:
    """Run the command with its arguments; return the exit status."""
    status = 0
    try:
        status = _COMMANDS[options.command](options) or 0
        sys.stdout.flush()
    except httpx.RequestError as error:
        return _failed(options, f"no connection to the service: {_message(error)}")
    except (BudgetFrameError, OSError) as error:
        if not _is_closed_pipe(error):
            is_early = options.command in {"sync", "lake"} and getattr(error, "retry_after", None)
            return _failed(options, _message(error), 75 if is_early else 1)
        # `| head` has closed the pipe: the flush at exit must not fail too.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return status


def _is_closed_pipe(error: Exception) -> bool:
    """Whether nobody reads the output any more, which Windows reports as an invalid argument."""
    if sys.platform == "win32" and isinstance(error, OSError) and error.errno == errno.EINVAL:
        return error.filename is None
    return isinstance(error, BrokenPipeError)


def _message(error: Exception) -> str:
    """The message of an error with its notes, which say what to do, in one line."""
    return ". ".join([str(error), *getattr(error, "__notes__", ())])


def _failed(options: argparse.Namespace, message: str, status: int = 1) -> int:
    line = " ".join(message.split())
    print(f"budgetframe {options.command}: {line}", file=sys.stderr)
    return 2 if options.command == "doctor" else status  # doctor could not ask the service


def _run_sandbox(options: argparse.Namespace) -> None:
    sandbox = _sandbox_package()
    try:
        names = ("token", "seed", "limit", "years", "transactions", "budgets")
        given = {name: getattr(options, name) for name in names}
        today = options.today or datetime.now(UTC).date()
        faults = sandbox.FaultPlan(options.faults, seed=options.seed)
        service = sandbox.Sandbox(today=today, faults=faults, **given)
    except ValueError as error:
        raise ToolError(str(error)) from None
    try:
        sandbox.run(service, port=options.port, on_ready=lambda url: print(url, flush=True))
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            raise
        advice = "name another one with --port, or take a free one with --port 0"
        raise ToolError(f"port {options.port} is in use: {advice}") from None


def _log_in(options: argparse.Namespace) -> None:
    base_url = credentials.checked_base_url(options.base_url)
    credentials.check_keyring(base_url)  # before the user enters a token
    if sys.stdin is not None and sys.stdin.isatty():
        try:
            token = getpass.getpass("Access token of the budgeting service: ").strip()
        except EOFError:  # Ctrl+D, which leaves the cursor in the line of the question
            token = ""
            print()
    else:  # a password manager can write the token into the standard input
        token = sys.stdin.readline().strip() if sys.stdin is not None else ""
    if not token:
        raise ToolError("no token was entered. Nothing was stored")
    # No time to live: an answer in a cache file would not check the token.
    with BudgetFrame.connect(
        token, base_url=base_url, ttl=0, on_limit="raise", progress=False
    ) as bf:
        try:
            bf.user()
        except ServiceAPIError as error:
            error.add_note("Nothing was stored")
            raise
    keyring = credentials.store_token(token, base_url)
    print(f"The service accepts the token. It is stored in the keyring {keyring!r}.")


def _log_out(options: argparse.Namespace) -> None:
    credentials.delete_token(credentials.checked_base_url(options.base_url))
    print("The token is deleted from the system's keyring. The service still accepts it.")


def _examine_service(options: argparse.Namespace) -> int:
    out = None if options.out is None else output_file(options.out)
    try:
        if options.export is not None:
            _check_alone(options)
            diagnosis = examine_export(options.export, options.dates)
        else:
            diagnosis = examine_service(budget=options.budget, base_url=options.base_url)
    except ServiceAPIError as error:
        if error.name == "invalid_response":
            raise
        raise ToolError(f"the service answered {error.status_code}: {_message(error)}") from None
    report = diagnosis.report()
    if out is not None:
        replace_file(out, report + diagnosis.shapes())
    print(report, end="")
    if out is not None:
        print(f"\n{out} has no name, memo, amount, id or token: it can be attached to a report.")
    return 1 if diagnosis.differences else 0


def _check_alone(options: argparse.Namespace) -> None:
    """Check that a file is not named together with what else could be read."""
    others = {"--sandbox": getattr(options, "sandbox", False)}
    others |= {"--budget": options.budget is not None, "--base-url": options.base_url != BASE_URL}
    given = [name for name, is_given in others.items() if is_given]
    if options.export is not None and given:
        raise ToolError(f"--export reads a file alone: leave out {' and '.join(given)}")
    if options.export is None and options.dates is not None:
        raise ToolError("--dates is the order of the days in the file of --export: name it")


def _write_report(options: argparse.Namespace) -> None:
    if options.out is None and not options.text:
        raise ToolError("name the file of the page with --out FILE, or print its text with --text")
    out = None if options.out is None else output_file(options.out)
    _check_alone(options)
    # A log file that a scheduler keeps should have no progress bars.
    progress = not options.quiet and sys.stderr.isatty()
    with _connection(options, progress=progress) as bf:
        text = render_page(bf, months=options.months, progress=progress, as_text=options.text)
        if out is None:
            print(text, end="")
        else:
            replace_file(out, text)
            size = f"{len(text):,} letters" if options.text else f"{len(text) / 1e6:.1f} MB"
            print(f"{out}: {size}. {bf.requests!r}.")


def _connection(options: argparse.Namespace, *, progress: bool) -> BudgetFrame:
    """A connection to the service, the embedded one, or a file."""
    if options.sandbox:
        _sandbox_package()
        return BudgetFrame.sandbox(budget=options.budget or "Household", progress=progress)
    if options.export is not None:
        return BudgetFrame.from_export(options.export, dates=options.dates)
    return BudgetFrame.connect(budget=options.budget, base_url=options.base_url, progress=progress)


def _print_checklist(options: argparse.Namespace) -> int:
    _check_alone(options)
    with _connection(options, progress=sys.stderr.isatty()) as bf:
        found = bf.checklist(options.month, days=options.days)
        lines = json_lines(found.frame) if options.json else repr(found)
        print(lines, end="\n" if lines else "")
        return 4 if len(found) else 0


def _import_rows(options: argparse.Namespace) -> None:
    names = ("encoding", "dates", "decimal", "sign")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # the preview has them too
        more = {name: getattr(options, name) for name in names}
        file = read_bank_file(options.file, account=options.bank_account, **more)
    progress = sys.stderr.isatty()
    with BudgetFrame.connect(
        budget=options.budget, base_url=options.base_url, progress=progress
    ) as bf:
        changes = bf.import_rows(file, account=options.account)
        # What comes next names methods of Python, also in lines that are wrapped.
        lines = repr(changes).partition("\n  next:")[0].splitlines()
        print("\n".join(line for line in lines if not line.startswith("  effects:")))
        if options.apply:
            counts = changes.apply().counts
            print(", ".join(f"{name}: {number:,}" for name, number in counts.items()))
            if counts["conflicts"]:
                raise ToolError("; ".join(changes.conflicts["problem"].unique()))
        else:
            print("Nothing was sent: --apply sends the new rows.")


def _anonymise(options: argparse.Namespace) -> None:
    export, out = read_export(options.file), output_file(options.out)
    if out.exists() and out.samefile(export.path):  # names can differ in case on some systems
        raise ToolError(f"{out} is the file to read: name another one, nothing was written")
    content = anonymise(export)
    write_export(out, content, export.as_of)
    print(f"{out}: {out.stat().st_size / 1e6:.1f} MB. Look at it before you show it to others.")


def _copy_notebooks(options: argparse.Namespace) -> None:
    folder: Path = options.folder
    in_wheel = Path(__file__).parents[1] / "notebooks"
    in_checkout = Path(__file__).parents[2] / "notebooks"
    source = in_wheel if in_wheel.is_dir() else in_checkout
    examples = sorted(path for path in source.iterdir() if path.suffix in {".ipynb", ".py"})
    existing = [path.name for path in examples if os.path.lexists(folder / path.name)]
    if existing:
        raise ToolError(
            f"{folder} already has {', '.join(existing)}: name another folder, nothing was copied"
        )
    folder.mkdir(parents=True, exist_ok=True)
    for path in examples:
        with (folder / path.name).open("xb") as copy:  # never through a link
            copy.write(path.read_bytes())
        print(folder / path.name)


def _demo(_options: argparse.Namespace) -> None:
    sandbox = _sandbox_package()
    service = sandbox.Sandbox()
    with (
        sandbox.serve(service) as url,
        BudgetFrame.connect(service.token, base_url=url, budget="Household") as bf,
    ):
        print(f"The embedded service: {url}; its date is {service.now():%Y-%m-%d}.")
        print("Some columns of five frames, with the calls that return them:")
        for call, frame in _demo_frames(bf).items():
            print(f"\n>>> {call}")
            money = partial(in_currency, currency_format=frame.attrs.get("currency_format"))
            shown = frame[[name for name in frame if not str(name).endswith("_id")]]
            print(shown.to_string(index=False, na_rep="", float_format=money))
        first = bf.requests.used
        _demo_frames(bf)
        print(f"\nRequests for these frames: {first}, including the list of budgets.")
        print(f"The same frames a second time: {bf.requests.used - first} requests.")
        print(f"{bf.requests!r}.")


def _demo_frames(bf: BudgetFrame) -> dict[str, pd.DataFrame]:
    """Some columns of frames, by the calls that return them."""
    spent = bf.reports.spending("group", freq="month", since="2026-03").wide(total=True)
    recurring, rows = bf.reports.recurring().head(), bf.transactions(since="2026-06").tail()
    of_series = ["payee_name", "frequency", "last_amount", "yearly_cost", "next_date"]
    of_rows = ["date", "account_name", "payee_name", "category_name", "amount"]
    return {
        "bf.accounts()": bf.accounts()[["account_name", "account_type", "balance"]],
        "bf.reports.spending('group', freq='month', since='2026-03').wide(total=True)": spent,
        "bf.reports.net_worth(since='2026')": bf.reports.net_worth(since="2026").iloc[:, :5],
        "bf.reports.recurring().head()": recurring[of_series],
        "bf.transactions(since='2026-06').tail()": rows[of_rows],
    }


def _sandbox_package() -> ModuleType:
    try:
        import uvicorn  # noqa: F401, PLC0415 - an extra; without it the message names it

        from budgetframe import sandbox  # noqa: PLC0415 - its web framework is an extra
    except ModuleNotFoundError as error:
        raise ToolError(
            f"the embedded service needs {error.name}: pip install 'budgetframe[sandbox]'"
        ) from None
    return sandbox


_COMMANDS: dict[str, Callable[[argparse.Namespace], int | None]] = {
    "anonymise": _anonymise, "checklist": _print_checklist, "demo": _demo,
    "doctor": _examine_service, "import": _import_rows, "lake": run_lake, "login": _log_in,
    "logout": _log_out, "notebooks": _copy_notebooks, "report": _write_report,
    "sandbox": _run_sandbox,
    "sync": lambda options: run_sync(options, options.sandbox and _sandbox_package()),
}  # fmt: skip
