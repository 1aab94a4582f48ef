"""The command ``budgetframe``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from types import ModuleType

import pandas as pd

from ._facade import BudgetFrame
from .errors import BudgetFrameError, ToolError

__all__ = ["main"]

_TOKEN = "sandbox-token"  # noqa: S105 - it opens the embedded service alone


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
        if options.command == "demo":
            _demo()
        else:
            _serve(options.port, options.token)
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
    sandbox = commands.add_parser("sandbox", help="serve the embedded service until stopped")
    sandbox.add_argument("--port", type=int, required=True, help="port on 127.0.0.1; 0: a free one")
    sandbox.add_argument("--token", default=_TOKEN, help="token it accepts (default: %(default)s)")
    commands.add_parser("demo", help="show what the package does, on the embedded service")
    return parser


def _serve(port: int, token: str) -> None:
    sandbox = _sandbox_package()
    sandbox.run(
        sandbox.Sandbox(token=token), port=port, on_ready=lambda url: print(url, flush=True)
    )


def _demo() -> None:
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

        from . import sandbox  # noqa: PLC0415 - its framework is an extra
    except ModuleNotFoundError as error:
        raise ToolError(
            f"the embedded service needs {error.name}: pip install 'budgetframe[sandbox]'"
        ) from None
    return sandbox
