"""The command ``budgetframe``: its arguments, which need no other part of the package."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from datetime import date
from importlib.metadata import version
from io import StringIO, TextIOWrapper
from pathlib import Path
from typing import Any, NoReturn

from budgetframe._resources import BASE_URL
from budgetframe._runtime.arguments import closest_names

from .lake_command import add_lake
from .options import add_number, at_least
from .sync_command import add_sync

_SANDBOX_TOKEN = "sandbox-token"  # noqa: S105 - valid for the embedded service only
_DEFAULT_PORT = 8000
_MAX_PORT = 65_535
_port = at_least(0, f"a port: use a number from 0 to {_MAX_PORT}", most=_MAX_PORT)
_requests = at_least(0, "a number of requests: use 0 or more")
_YEARS = range(2000, 2101)  # of the date of the embedded service
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
    ``checklist`` returns 4 if something is to do; ``doctor`` returns 1 for differences and 2 for an
    error; ``sync`` returns 3 if some budgets failed, and 75 if only the limit of requests stopped
    some; ``lake status --max-age`` returns 4 if a budget is too old; ``sync`` and ``lake`` return
    75 if another process is changing the lake.
    """
    # Without a console, as under pythonw, Python has none.
    sys.stdout, sys.stderr = sys.stdout or StringIO(), sys.stderr or StringIO()
    if isinstance(sys.stdout, TextIOWrapper):  # a code page of Windows lacks most letters
        sys.stdout.reconfigure(errors="replace")
    options = _parser().parse_args(arguments)
    try:
        from .commands import run  # noqa: PLC0415 - slow, and help needs none of it

        return run(options)
    except KeyboardInterrupt:
        line_end = "\n" if sys.stderr.isatty() else ""  # the terminal shows ^C or a question
        sys.stderr.write(f"{line_end}budgetframe {options.command}: interrupted\n")
        return 130


class _Parser(argparse.ArgumentParser):
    """A parser whose errors do not repeat what it does not know, because that can be a token."""

    def parse_known_args(self, *arguments: Any, **options: Any) -> Any:
        """Parse arguments; an unknown one is an error of the command that does not know it."""
        namespace, unknown = super().parse_known_args(*arguments, **options)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return namespace, unknown

    def every_argument(self) -> Iterator[argparse.Action]:
        """The arguments of this parser and of its commands."""
        yield from self._actions
        for action in self._actions:
            for command in action.choices.values() if isinstance(action.choices, dict) else ():
                yield from command.every_argument()

    def error(self, message: str) -> NoReturn:
        """Print the usage and the message, and exit with status 2."""
        choice = re.search(r"invalid choice: '(.*)' \(choose from (.*)\)", message)
        message = re.sub(r"(invalid \w+)( value)?: .*?(?= \(choose|$)", r"\1\2", message)
        if choice is not None:
            close = closest_names(choice[1], re.findall(r"[\w-]+", choice[2]), count=1)
            message += f"; did you mean {close[0]!r}?" if close else ""
        _, found, unknown = message.partition("unrecognized arguments: ")
        if found:
            names = [word.partition("=")[0] for word in unknown.split()]
            shown = [name for name in names if re.fullmatch("--[a-z-]{1,15}", name)]
            known = [name for action in self._actions for name in action.option_strings]
            close = [near for name in shown for near in closest_names(name, known, count=1)]
            message = f"unrecognized arguments{': ' if shown else ''}{', '.join(shown)}"
            message += f"; did you mean {', '.join(close)}?" if close else "."
            message += f" See '{self.prog} --help'; an argument that can be a token is not shown"
        super().error(message)


class _Completion(argparse.Action):
    """Prints the script with which a shell completes the command, and exits."""

    def __call__(self, parser: Any, _: object, shell: Any, *_more: object) -> None:
        """Print the script, in which arguments that are paths are completed by those of files."""
        try:
            import shtab  # noqa: PLC0415 - an extra
        except ModuleNotFoundError:
            parser.error("--completion needs shtab: pip install 'budgetframe[completion]'")
        for action in parser.every_argument():
            if action.type is Path:
                action.complete = shtab.FILE
        sys.stdout.write(shtab.complete(parser, shell))
        parser.exit()


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="budgetframe", description="Read a budget as typed pandas DataFrames.")
    parser.add_argument("--version", action="version", version=f"%(prog)s {version('budgetframe')}")
    shells, script = ["bash", "zsh", "fish", "tcsh", "powershell"], "print the script of a shell"
    parser.add_argument("--completion", action=_Completion, choices=shells, help=script)
    commands = parser.add_subparsers(dest="command", required=True)
    runs = "run the embedded service until it is stopped"
    _add_sandbox(commands.add_parser("sandbox", help=runs))
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
    trusted = "list what is to do before a month can be trusted"
    _add_checklist(commands.add_parser("checklist", help=trusted))
    _add_import(commands.add_parser("import", help="show or send the new rows of a bank's file"))
    _add_doctor(commands.add_parser("doctor", help="compare a service with what is expected of it"))
    add_sync(commands.add_parser("sync", help="update a lake: the budgets of many tokens"))
    add_lake(commands.add_parser("lake", help="look after a lake"))
    unrecognised = "write a copy of a budget in which nobody recognises it"
    _add_anonymise(commands.add_parser("anonymise", help=unrecognised))
    notebooks = commands.add_parser("notebooks", help="copy the example notebooks into a folder")
    folder = "folder; it is created if it does not exist"
    notebooks.add_argument("folder", type=Path, metavar="DIR", help=folder)
    return parser


def _add_sandbox(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.description = (
        "Run the embedded service on 127.0.0.1 until it is stopped.\n"
        "When the service is ready, the command prints its base URL as one line."
    )
    parser.epilog = _FAULTS_HELP
    add_number(parser, "--port", "port; 0 takes a free port", kind=_port, default=_DEFAULT_PORT)
    accepted = "token that it accepts (default: %(default)s)"
    parser.add_argument("--token", default=_SANDBOX_TOKEN, help=accepted)
    add_number(parser, "--seed", "random seed of all data", default=1)
    today = "date of the service, YYYY-MM-DD (default: the current day in UTC)"
    parser.add_argument("--today", type=_day, metavar="DAY", help=today)
    answered = "requests that it answers in one hour"
    add_number(parser, "--limit", answered, kind=_requests, default=200)
    years = "full years before the current one (default: 3, and 1 for the other budgets)"
    add_number(parser, "--years", years)
    rows = "number of transactions of the first budget; 100000 take some seconds"
    add_number(parser, "--transactions", rows)
    add_number(parser, "--budgets", "number of budgets", default=2)
    fault = "fault to inject, see below; can be repeated"
    parser.add_argument("--faults", action="append", default=[], metavar="SPEC", help=fault)


def _add_report(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Write what is to do, net worth, income and spending, plan, recurring payments, forecast"
        " and runway as one HTML page that loads no other file." + _CREDENTIALS_HELP
    )
    _add_budget(parser)
    parser.add_argument("--out", type=Path, metavar="FILE", help="file to write")
    sentences = "write the sentences of the page as text, for an e-mail; without --out, print them"
    parser.add_argument("--text", action="store_true", help=sentences)
    months = "number of months, including the current one; net worth covers twice as many"
    add_number(parser, "--months", months, default=12)
    _add_source(parser)
    parser.add_argument("--quiet", action="store_true", help="show no progress bar")


def _add_checklist(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "List what is to do before the figures of a month can be trusted, in the order to do it,"
        " with the call of Python for each step. Nothing is sent." + _CREDENTIALS_HELP
    )
    parser.epilog = "Exit status: 0 if nothing is to do, 4 if something is, 1 for an error."
    _add_budget(parser)
    _add_source(parser)
    month = "2026-05, last, current or next (default: %(default)s)"
    parser.add_argument("--month", default="last", metavar="MONTH", help=month)
    add_number(parser, "--days", "days after which an uncleared row counts", default=14)
    parser.add_argument("--json", action="store_true", help="one JSON object for each step")


def _add_import(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Compare the file of a bank with an account, and show the rows that are new, those that are"
        " left out, and how the file was read. Nothing is sent without --apply." + _CREDENTIALS_HELP
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="CSV, Excel, OFX, QIF, CAMT, MT940")
    parser.add_argument("--account", required=True, metavar="NAME", help="account of the budget")
    parser.add_argument("--apply", action="store_true", help="send the new rows")
    _add_budget(parser)
    of_bank = "account at the bank, if the file has several: its number, or the end of it"
    parser.add_argument("--bank-account", metavar="NUMBER", help=of_bank)
    parser.add_argument("--encoding", metavar="NAME", help="encoding of the file, such as cp1250")
    _add_dates(parser)
    parser.add_argument("--decimal", choices=[",", "."], help="decimal separator in the file")
    signs = ["inflow", "outflow", "type"]
    parser.add_argument("--sign", choices=signs, help="what a positive amount in the file is")


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
    tables = "also write the tables, and all shapes, to a file"
    parser.add_argument("--out", type=Path, metavar="FILE", help=tables)


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
    written = "file to write, also *.json.gz"
    parser.add_argument("--out", type=Path, required=True, metavar="OTHER", help=written)


def _add_budget(parser: argparse.ArgumentParser) -> None:
    name = "name or id; not needed if there is only one budget"
    parser.add_argument("--budget", metavar="NAME", help=name)
    _add_base_url(parser)


def _add_source(parser: argparse.ArgumentParser) -> None:
    embedded = "read the embedded service, without a token"
    parser.add_argument("--sandbox", action="store_true", help=embedded)
    _add_export(parser)


def _add_export(parser: argparse.ArgumentParser) -> None:
    file = "read this file of a budget, also the app's own export, and no service"
    parser.add_argument("--export", type=Path, metavar="FILE", help=file)
    _add_dates(parser)


def _add_dates(parser: argparse.ArgumentParser) -> None:
    orders = ["dd/mm/yyyy", "mm/dd/yyyy", "yyyy/mm/dd"]
    parser.add_argument("--dates", choices=orders, help="order of day, month and year in the file")


def _add_base_url(parser: argparse.ArgumentParser) -> None:
    url = "base URL (default: %(default)s)"
    parser.add_argument("--base-url", default=BASE_URL, metavar="URL", help=url)


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
