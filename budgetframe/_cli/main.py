"""The command ``budgetframe``."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import httpx
import pandas as pd

from budgetframe._facade.credentials import BASE_URL
from budgetframe._facade.sync import BudgetFrame
from budgetframe.errors import BudgetFrameError, ToolError

from .report_page import page

__all__ = ["main"]

_TOKEN = "sandbox-token"  # noqa: S105 - it opens the embedded service alone
_LAST_PORT = 65_535
_FAULTS = """\
faults: KIND[=SECONDS][:METHOD][:PATH][@WHEN]
  KIND    latency, reset-before, reset-after, cut, html, html-503, or an error by id or name
          (500, 503, 429, 404.2, conflict, ...); html and errors with -after let the service do
          first what was asked
  SECONDS wait that long first
  METHOD  GET, POST, PUT, PATCH or DELETE (default: any)
  PATH    pattern for the path behind /v1, * for any text (default: *)
  WHEN    which of the matching requests: 1,3 or 2-4 or 2- or by chance 10% (default: all)

  --faults 'reset-after:POST:*/transactions@1' --faults 'latency=2:GET' --faults 'html@10%'
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Parameters
    ----------
    arguments : sequence of str, optional
        By default those of the process.

    Returns
    -------
    int
        Exit status: 0, or 1 with a message on standard error.
    """
    options = _parser().parse_args(arguments)
    try:
        _COMMANDS[options.command](options)
        sys.stdout.flush()
    except BrokenPipeError:  # `| head` has seen enough: nothing more goes out, at exit neither
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except httpx.RequestError as error:
        print(f"budgetframe {options.command}: no way to the service: {error}", file=sys.stderr)
        return 1
    except (BudgetFrameError, OSError) as error:
        print(f"budgetframe {options.command}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="budgetframe", description="A budget in a notebook, as typed pandas DataFrames."
    )
    commands = parser.add_subparsers(dest="command", required=True)
    _add_sandbox(commands.add_parser("sandbox", help="serve the embedded service until stopped"))
    commands.add_parser("demo", help="show what the package does, on the embedded service")
    _add_report(commands.add_parser("report", help="write the main reports as one HTML page"))
    notebooks = commands.add_parser("notebooks", help="copy the example notebooks into a folder")
    notebooks.add_argument("folder", type=Path, metavar="DIR", help="made if it is not there")
    return parser


def _add_sandbox(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.description = (
        "Serve the embedded service on 127.0.0.1 until stopped.\n"
        "One line on standard output, once it listens: its base address."
    )
    parser.epilog = _FAULTS
    parser.add_argument(
        "--port", type=_port, required=True, metavar="N", help="port; 0 takes a free one"
    )
    parser.add_argument("--token", default=_TOKEN, help="token it accepts (default: %(default)s)")
    parser.add_argument(
        "--seed",
        type=int,
        default=1,
        metavar="N",
        help="what everything is drawn from (default: 1)",
    )
    parser.add_argument(
        "--years", type=int, metavar="N", help="full years before this one (default: 3, others 1)"
    )
    parser.add_argument(
        "--transactions", type=int, metavar="N", help="rows of the first budget, 100000 in seconds"
    )
    parser.add_argument(
        "--budgets", type=int, default=2, metavar="N", help="number of budgets (default: 2)"
    )
    parser.add_argument(
        "--faults",
        action="append",
        default=[],
        metavar="SPEC",
        help="what goes wrong on purpose, see below; may be given many times",
    )


def _add_report(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Write net worth, income and spending, plan, forecast and runway as one HTML page that"
        " loads nothing from anywhere. The token is read from the environment variable"
        " BUDGETFRAME_TOKEN, or asked for."
    )
    parser.add_argument("--budget", metavar="NAME", help="name or id; not needed for an only one")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="where to write it")
    parser.add_argument(
        "--months",
        type=int,
        default=12,
        metavar="N",
        help="months to look back, this one included (default: %(default)s)",
    )
    parser.add_argument("--base-url", default=BASE_URL, metavar="URL", help="another address")
    parser.add_argument(
        "--sandbox", action="store_true", help="of the embedded service, without a token"
    )
    parser.add_argument("--quiet", action="store_true", help="no progress bar")


def _port(text: str) -> int:
    if not (text.isdecimal() and int(text) <= _LAST_PORT):
        raise argparse.ArgumentTypeError(f"{text!r} is no port: it must be 0 to {_LAST_PORT}")
    return int(text)


def _serve(options: argparse.Namespace) -> None:
    sandbox = _sandbox_package()
    try:
        service = sandbox.Sandbox(
            token=options.token,
            seed=options.seed,
            years=options.years,
            transactions=options.transactions,
            budgets=options.budgets,
            faults=sandbox.FaultPlan(options.faults, seed=options.seed),
        )
    except ValueError as error:
        raise ToolError(str(error)) from None
    sandbox.run(service, port=options.port, on_ready=lambda url: print(url, flush=True))


def _report(options: argparse.Namespace) -> None:
    out: Path = options.out.resolve()  # a link stays, and what it leads to is written
    if not out.parent.is_dir():
        raise ToolError(f"there is no folder {out.parent}: make it first, nothing was written")
    if out.exists() and not out.is_file():
        raise ToolError(f"{out} is there and no file: name a file, nothing was written")
    progress = not options.quiet and sys.stderr.isatty()  # not into the log of a scheduler
    if options.sandbox:
        _sandbox_package()
        connection = BudgetFrame.sandbox(budget=options.budget or "Household", progress=progress)
    else:
        connection = BudgetFrame.connect(
            budget=options.budget, base_url=options.base_url, progress=progress
        )
    with connection as bf:
        text = page(bf, months=options.months, progress=progress)
        _write(out, text)
        print(f"{out}: {len(text) / 1e6:.1f} MB. {bf.requests!r}.")


def _write(out: Path, text: str) -> None:
    """Put a text in the place of a file, for the user alone; the old one stays until then."""
    handle, name = tempfile.mkstemp(dir=out.parent, prefix=out.name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as unfinished:
            unfinished.write(text)
        Path(name).replace(out)
    except BaseException:
        Path(name).unlink()
        raise


def _notebooks(options: argparse.Namespace) -> None:
    folder: Path = options.folder
    inside = Path(__file__).parents[1] / "notebooks"  # in the wheel; in a checkout they are above
    source = inside if inside.is_dir() else Path(__file__).parents[2] / "notebooks"
    examples = sorted(each for each in source.iterdir() if each.suffix in {".ipynb", ".py"})
    there = [each.name for each in examples if (folder / each.name).exists()]
    if there:
        raise ToolError(
            f"{folder} has {', '.join(there)} already: name another folder, nothing was copied"
        )
    folder.mkdir(parents=True, exist_ok=True)
    for each in examples:
        shutil.copyfile(each, folder / each.name)
        print(folder / each.name)


def _demo(_options: argparse.Namespace) -> None:
    sandbox = _sandbox_package()
    service = sandbox.Sandbox(token=_TOKEN)
    with (
        sandbox.serve(service) as url,
        BudgetFrame.connect(_TOKEN, base_url=url, budget="Household") as bf,
    ):
        print(f"The embedded service answers at {url}, as {service.now():%Y-%m-%d}.")
        _show(bf, since=f"{service.now():%Y}-01-01")
        first = bf.requests.used
        _read(bf, since=f"{service.now():%Y}-01-01")
        print(f"\nRequests for these frames: {first}, the list of budgets among them.")
        print(f"The same frames a second time: {bf.requests.used - first} requests.")
        print(f"{bf.requests!r}.")


def _read(bf: BudgetFrame, since: str) -> dict[str, pd.DataFrame]:
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


def _show(bf: BudgetFrame, since: str) -> None:
    for title, frame in _read(bf, since).items():
        print(f"\n{title} ({len(frame)} rows)")
        print(frame.to_string(index=False, na_rep="", float_format="{:,.2f}".format))


def _sandbox_package() -> ModuleType:
    try:
        import uvicorn  # noqa: F401, PLC0415 - asked for here, to say what is missing

        from budgetframe import sandbox  # noqa: PLC0415 - its framework is an extra
    except ModuleNotFoundError as error:
        raise ToolError(
            f"the embedded service needs {error.name}: pip install 'budgetframe[sandbox]'"
        ) from None
    return sandbox


_COMMANDS = {"demo": _demo, "notebooks": _notebooks, "report": _report, "sandbox": _serve}
