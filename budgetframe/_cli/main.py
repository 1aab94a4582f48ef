"""The command ``budgetframe``."""

from __future__ import annotations

import argparse
import errno
import getpass
import os
import re
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime
from functools import partial
from importlib.metadata import version
from io import StringIO, TextIOWrapper
from pathlib import Path
from types import ModuleType
from typing import NoReturn

import httpx
import pandas as pd

from budgetframe._client.credentials import (
    BASE_URL,
    check_keyring,
    checked_base_url,
    delete_token,
    store_token,
)
from budgetframe._facade.sync import BudgetFrame
from budgetframe._runtime.output_file import output_file, replace_file
from budgetframe._session.anonymise import anonymise
from budgetframe._session.export_file import read_export, write_export
from budgetframe.errors import BudgetFrameError, ServiceAPIError, ToolError
from budgetframe.frames.number_text import in_currency

from .doctor.diagnosis import examine_export, examine_service
from .lake_command import add_lake, run_lake
from .options import add_number
from .report_page import render_page
from .sync_command import add_sync, run_sync

_SANDBOX_TOKEN = "sandbox-token"  # noqa: S105 - valid for the embedded service only
_DEFAULT_PORT = 8000
_MAX_PORT = 65_535
_YEARS = range(2000, 2101)  # of the date of the embedded service
_NOT_ASKED = 2  # exit status of `doctor` if it could not ask the service
_CREDENTIALS_HELP = (
    " The token comes from the environment variable BUDGETFRAME_TOKEN or from 'budgetframe login';"
    " otherwise the command asks for it."
)
_FAULTS_HELP = """\
faults: KIND[=SECONDS][:METHOD][:PATH][@WHEN]
  KIND    latency, reset-before, reset-after, cut, html, html-503, or an error by its id or name
          (500, 503, 429, 404.2, conflict, ...); with the suffix -after, html and errors are
          sent after the service has carried out the request. drop-field:FIELD, drop-row,
          drop-first-row, drop-half: a write is accepted without a field or some rows; with -after,
          the answer lacks these rows; repeat-rows: it has each row twice
  SECONDS delay before the fault
  METHOD  GET, POST, PUT, PATCH or DELETE (default: any)
  PATH    pattern for the path after /v1; * matches any text (default: *)
  WHEN    which of the matching requests: 1,3 or 2-4 or 2- or a probability, 10% (default: all)

  --faults 'reset-after:POST:*/transactions@1' --faults 'latency=2:GET' --faults 'html@10%'
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command with these arguments, by default those of the process.

    The exit status is 0 for success, 1 for an error (its message is on standard error), 130 if the
    user interrupts the command. A mistake in the arguments exits with status 2. The command
    ``doctor`` returns 1 for differences and 2 for an error; ``sync`` returns 3 if some budgets
    failed, and 75 if only the limit of requests stopped some.
    """
    # Without a console, as under pythonw, Python has none.
    sys.stdout, sys.stderr = sys.stdout or StringIO(), sys.stderr or StringIO()
    if isinstance(sys.stdout, TextIOWrapper):  # a code page of Windows lacks most letters
        sys.stdout.reconfigure(errors="replace")
    options = _parser().parse_args(arguments)
    status = 0
    try:
        status = _COMMANDS[options.command](options) or 0
        sys.stdout.flush()
    except httpx.RequestError as error:
        return _failed(options, f"no connection to the service: {error}")
    except (BudgetFrameError, OSError) as error:
        if not _is_closed_pipe(error):
            return _failed(options, _message(error))
        # `| head` has closed the pipe: the flush at exit must not fail too.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        return 130
    return status


def _is_closed_pipe(error: Exception) -> bool:
    """Whether nobody reads the output any more, which Windows reports as an invalid argument."""
    if sys.platform == "win32" and isinstance(error, OSError) and error.errno == errno.EINVAL:
        return error.filename is None
    return isinstance(error, BrokenPipeError)


def _message(error: Exception) -> str:
    """The message of an error with its notes, which say what to do, in one line."""
    return ". ".join([str(error), *getattr(error, "__notes__", ())])


def _failed(options: argparse.Namespace, message: str) -> int:
    line = " ".join(message.split())
    print(f"budgetframe {options.command}: {line}", file=sys.stderr)
    return _NOT_ASKED if options.command == "doctor" else 1


class _Parser(argparse.ArgumentParser):
    """A parser whose errors do not repeat what it does not know, because that can be a token."""

    def error(self, message: str) -> NoReturn:
        """Print the usage and the message, and exit with status 2."""
        message = re.sub(r"(invalid \w+)( value)?: .*?(?= \(choose|$)", r"\1\2", message)
        before, found, unknown = message.partition("unrecognized arguments: ")
        if found:
            names = [word.partition("=")[0] for word in unknown.split()]
            shown = [name for name in names if re.fullmatch("--[a-z-]{1,15}", name)]
            message = (
                f"{before}unrecognized arguments{': ' if shown else ''}{', '.join(shown)}. See"
                " 'budgetframe COMMAND --help'; an argument that can be a token is not shown"
            )
        super().error(message)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="budgetframe", description="Read a budget as typed pandas DataFrames.")
    parser.add_argument("--version", action="version", version=f"%(prog)s {version('budgetframe')}")
    commands = parser.add_subparsers(dest="command", required=True)
    _add_sandbox(
        commands.add_parser("sandbox", help="run the embedded service until it is stopped")
    )
    commands.add_parser("demo", help="print example frames from the embedded service")
    login = commands.add_parser("login", help="store a token in the system's keyring")
    login.description = (
        "Ask for an access token without echo, check it with one request, and store it in the"
        " system's keyring, where BudgetFrame.connect() and the other commands find it."
    )
    logout = commands.add_parser("logout", help="delete the token from the system's keyring")
    logout.description = (
        "Delete the stored token from the system's keyring. The token remains valid until you"
        " revoke it in the settings of the service."
    )
    for parser_with_token in (login, logout):
        _add_base_url(parser_with_token)
    _add_report(commands.add_parser("report", help="write the main reports as one HTML page"))
    _add_doctor(commands.add_parser("doctor", help="compare a service with what is expected of it"))
    add_sync(commands.add_parser("sync", help="update a lake: the budgets of many tokens"))
    add_lake(commands.add_parser("lake", help="look after a lake"))
    anonymise_file = commands.add_parser(
        "anonymise", help="write a copy of a budget in which nobody recognises it"
    )
    _add_anonymise(anonymise_file)
    notebooks = commands.add_parser("notebooks", help="copy the example notebooks into a folder")
    notebooks.add_argument(
        "folder", type=Path, metavar="DIR", help="folder; it is created if it does not exist"
    )
    return parser


def _add_sandbox(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.description = (
        "Run the embedded service on 127.0.0.1 until it is stopped.\n"
        "When the service is ready, the command prints its base URL as one line."
    )
    parser.epilog = _FAULTS_HELP
    add_number(parser, "--port", "port; 0 takes a free port", kind=_port, default=_DEFAULT_PORT)
    parser.add_argument(
        "--token", default=_SANDBOX_TOKEN, help="token that it accepts (default: %(default)s)"
    )
    add_number(parser, "--seed", "random seed of all data", default=1)
    parser.add_argument(
        "--today",
        type=_day,
        metavar="DAY",
        help="date of the service, YYYY-MM-DD (default: the current day in UTC)",
    )
    answered = "requests that it answers in one hour"
    add_number(parser, "--limit", answered, kind=_limit, default=200)
    years = "full years before the current one (default: 3, and 1 for the other budgets)"
    add_number(parser, "--years", years)
    rows = "number of transactions of the first budget; 100000 take some seconds"
    add_number(parser, "--transactions", rows)
    add_number(parser, "--budgets", "number of budgets", default=2)
    parser.add_argument(
        "--faults",
        action="append",
        default=[],
        metavar="SPEC",
        help="fault to inject, see below; can be repeated",
    )


def _add_report(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Write net worth, income and spending, plan, recurring payments, forecast and runway as"
        " one HTML page that loads no other file." + _CREDENTIALS_HELP
    )
    _add_budget(parser)
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="file to write")
    months = "number of months, including the current one; net worth covers twice as many"
    add_number(parser, "--months", months, default=12)
    parser.add_argument(
        "--sandbox", action="store_true", help="report on the embedded service, without a token"
    )
    _add_export(parser)
    parser.add_argument("--quiet", action="store_true", help="show no progress bar")


def _add_doctor(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Send at most 15 requests, which change nothing, and compare the answers with the published"
        " description and with what this package relies on. The output has no name, memo, amount,"
        " id or token of the budget." + _CREDENTIALS_HELP
    )
    parser.epilog = (
        "Exit status: 0 if everything agrees, 1 if there are differences, 2 if the service did not"
        " answer or refused the requests."
    )
    _add_budget(parser)
    _add_export(parser)
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help="also write the tables, and all shapes, to a file"
    )


def _add_anonymise(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Read the file of a whole budget, as bf.save_export() writes it, and write a copy that can"
        " be shown to others. Names, memos, notes, ids and places are replaced, equal ones by equal"
        " ones. All amounts are multiplied by one random whole number, so that all sums still"
        " agree; only the balances of loans are adjusted to the rounded interest. Days, interest"
        " rates, the names that the service itself gives, and the format of the currency stay."
        " Unknown fields are left out. The amounts are hidden from a reader, not from a program:"
        " the number divides all amounts."
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="file to read")
    parser.add_argument(
        "--out", type=Path, required=True, metavar="OTHER", help="file to write, also *.json.gz"
    )


def _add_budget(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--budget", metavar="NAME", help="name or id; not needed if there is only one budget"
    )
    _add_base_url(parser)


def _add_export(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--export", type=Path, metavar="FILE", help="read this file of a budget, and no service"
    )


def _add_base_url(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--base-url", default=BASE_URL, metavar="URL", help="base URL (default: %(default)s)"
    )


def _port(text: str) -> int:
    if not (text.isdecimal() and int(text) <= _MAX_PORT):
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a port: use a number from 0 to {_MAX_PORT}"
        )
    return int(text)


def _day(text: str) -> date:
    try:
        day = date.fromisoformat(text)
    except ValueError:
        day = date.min
    if day.year not in _YEARS or day.isoformat() != text:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a day: use YYYY-MM-DD, in the years {_YEARS[0]} to {_YEARS[-1]}"
        )
    return day


def _limit(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of requests: use 0 or more")
    return int(text)


def _run_sandbox(options: argparse.Namespace) -> None:
    sandbox = _sandbox_package()
    try:
        service = sandbox.Sandbox(
            token=options.token,
            seed=options.seed,
            today=options.today or datetime.now(UTC).date(),
            limit=options.limit,
            years=options.years,
            transactions=options.transactions,
            budgets=options.budgets,
            faults=sandbox.FaultPlan(options.faults, seed=options.seed),
        )
    except ValueError as error:
        raise ToolError(str(error)) from None
    try:
        sandbox.run(service, port=options.port, on_ready=lambda url: print(url, flush=True))
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            raise
        raise ToolError(
            f"port {options.port} is in use: name another one with --port, or take a free one with"
            " --port 0"
        ) from None


def _log_in(options: argparse.Namespace) -> None:
    base_url = checked_base_url(options.base_url)
    check_keyring(base_url)  # before the user enters a token
    if sys.stdin is not None and sys.stdin.isatty():
        token = getpass.getpass("Access token of the budgeting service: ").strip()
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
    keyring = store_token(token, base_url)
    print(f"The service accepts the token. It is stored in the keyring {keyring!r}.")


def _log_out(options: argparse.Namespace) -> None:
    delete_token(checked_base_url(options.base_url))
    print("The token is deleted from the system's keyring. The service still accepts it.")


def _examine_service(options: argparse.Namespace) -> int:
    out = None if options.out is None else output_file(options.out)
    try:
        if options.export is not None:
            _check_alone(options)
            diagnosis = examine_export(options.export)
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
    others = {
        "--sandbox": getattr(options, "sandbox", False),
        "--budget": options.budget is not None,
        "--base-url": options.base_url != BASE_URL,
    }
    given = [name for name, is_given in others.items() if is_given]
    if options.export is not None and given:
        raise ToolError(f"--export reads a file alone: leave out {' and '.join(given)}")


def _write_report(options: argparse.Namespace) -> None:
    out = output_file(options.out)
    _check_alone(options)
    # A log file that a scheduler keeps should have no progress bars.
    progress = not options.quiet and sys.stderr.isatty()
    if options.sandbox:
        _sandbox_package()
        connection = BudgetFrame.sandbox(budget=options.budget or "Household", progress=progress)
    elif options.export is not None:
        connection = BudgetFrame.from_export(options.export)
    else:
        connection = BudgetFrame.connect(
            budget=options.budget, base_url=options.base_url, progress=progress
        )
    with connection as bf:
        text = render_page(bf, months=options.months, progress=progress)
        replace_file(out, text)
        print(f"{out}: {len(text) / 1e6:.1f} MB. {bf.requests!r}.")


def _anonymise(options: argparse.Namespace) -> None:
    export, out = read_export(options.file), output_file(options.out)
    if out.exists() and out.samefile(export.path):  # names can differ in case on some systems
        raise ToolError(f"{out} is the file to read: name another one, nothing was written")
    content = anonymise(export)
    write_export(out, content, export.as_of)
    print(f"{out}: {out.stat().st_size / 1e6:.1f} MB. Look at it before you show it to others.")


def _sync(options: argparse.Namespace) -> int:
    return run_sync(options, None if options.sandbox is None else _sandbox_package())


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
    service = sandbox.Sandbox(token=_SANDBOX_TOKEN)
    since = f"{service.now():%Y}-01-01"
    with (
        sandbox.serve(service) as url,
        BudgetFrame.connect(_SANDBOX_TOKEN, base_url=url, budget="Household") as bf,
    ):
        print(f"The embedded service answers at {url}; its date is {service.now():%Y-%m-%d}.")
        for title, frame in _demo_frames(bf, since).items():
            print(f"\n{title} ({len(frame)} rows)")
            money = partial(in_currency, currency_format=frame.attrs.get("currency_format"))
            print(frame.to_string(index=False, na_rep="", float_format=money))
        first = bf.requests.used
        _demo_frames(bf, since)
        print(f"\nRequests for these frames: {first}, including the list of budgets.")
        print(f"The same frames a second time: {bf.requests.used - first} requests.")
        print(f"{bf.requests!r}.")


def _demo_frames(bf: BudgetFrame, since: str) -> dict[str, pd.DataFrame]:
    months = bf.months()
    transactions = bf.transactions(since=since)
    return {
        "Accounts": bf.accounts()[["account_name", "account_type", "on_budget", "balance"]],
        "Months of this year": months[months["month"] >= since],
        "Last transactions": transactions[
            ["date", "account_name", "payee_name", "category_name", "amount"]
        ].tail(8),
        "Money movements by category": bf.money_movements(),
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
    "anonymise": _anonymise,
    "demo": _demo,
    "doctor": _examine_service,
    "lake": run_lake,
    "login": _log_in,
    "logout": _log_out,
    "notebooks": _copy_notebooks,
    "report": _write_report,
    "sandbox": _run_sandbox,
    "sync": _sync,
}
