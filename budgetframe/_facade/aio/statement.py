"""A bank's statement beside the rows of an account: ``await statement.changes(0)``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

from budgetframe._changes.bank.file import frame_of
from budgetframe._changes.bank.imports import file_rows
from budgetframe._changes.bank.statement import BankFile, bank_file, reconciling
from budgetframe._facade.display import Shown
from budgetframe._facade.preview import Preview, preview_of_statement
from budgetframe._milliunits import to_currency
from budgetframe._session.names import KeysOfNames, check_text
from budgetframe.errors import ToolError
from budgetframe.frames.dates import Day, day_of
from budgetframe.frames.request_bodies import milliunits_of
from budgetframe.reports.statement import ComparedBalance

from .base import checked_on_loop

if TYPE_CHECKING:
    from budgetframe._changes.plan import Compared
    from budgetframe._runtime.event_loop import OnLoop
    from budgetframe._session.session import Session

    from .changes import AsyncChanges
else:  # the check of arguments evaluates all annotations, and this would lengthen the imports
    AsyncChanges = object


class BankStatement(NamedTuple):
    """What a bank states of an account, beside the rows of the account."""

    compared: ComparedBalance
    account_id: str
    file: BankFile | None  # the rows of the bank's file beside those of the account


@checked_on_loop
class AsyncStatement(Shown):
    """The async counterpart of `Statement`: ``await statement.changes(0)``."""

    def __init__(
        self,
        session: Session,
        statement: BankStatement,
        changes_of: Callable[[Compared], AsyncChanges],
        on_loop: OnLoop,
    ) -> None:
        self._session = session
        self._changes_of = changes_of
        self._on_loop = on_loop
        self.compared, self.account_id, self.file = statement

    @property
    def difference(self) -> float:
        """What the bank has beyond the cleared balance."""
        return to_currency(self.compared.difference)

    @property
    def cleared(self) -> float:
        """The sum of the cleared and reconciled rows up to the day."""
        return to_currency(self.compared.cleared)

    @property
    def frame(self) -> pd.DataFrame:
        """The rows that are not reconciled."""
        return self.compared.frame.copy()

    @property
    def explanations(self) -> pd.DataFrame:
        """The rows of the sets that explain the difference."""
        return self.compared.explanations.copy()

    @property
    def typing_errors(self) -> pd.DataFrame:
        """The rows whose correction explains the difference."""
        return self.compared.typing_errors.copy()

    @property
    def only_bank(self) -> pd.DataFrame:
        """The rows of the file that the account does not have."""
        return self._beside_file().only_bank.copy()

    @property
    def only_here(self) -> pd.DataFrame:
        """The rows of the account that the file does not have."""
        return self._beside_file().only_here.copy()

    @property
    def differing(self) -> pd.DataFrame:
        """The pairs of rows whose amount or day differs."""
        return self._beside_file().differing.copy()

    @property
    def warnings(self) -> list[str]:
        """What to know about the comparison, as sentences."""
        return [*self.compared.warnings(), *(self.file.warnings if self.file else ())]

    async def changes(self, number: int | None = None) -> AsyncChanges:
        """Prepare the changes that accept the statement with one of the sets."""
        found = await reconciling(self._session, self.compared, self.account_id, number)
        return self._changes_of(found)

    def _beside_file(self) -> BankFile:
        if self.file is None:
            raise ToolError(
                "this statement was made without the file of the bank: pass file= to bf.statement()"
            )
        return self.file

    def preview(self, name: str) -> Preview:
        """What is shown of the statement, under the name of a class."""
        return preview_of_statement(name, self)


async def statement_of(
    session: Session,
    account: str,
    balance: float | None,
    on: Day | None,
    *,
    file: Any,
    columns: Mapping[str, str] | None,
) -> BankStatement:
    """Read the rows of an account, and compare them with the balance and the file of a bank."""
    if file is not None:
        file, columns = frame_of(file, columns)
        closing = file.attrs.get("closing_date")
        other_day = (
            on is not None and closing and day_of(on, "on") != day_of(closing, "closing_date")
        )
        if balance is None and not other_day:
            balance = file.attrs.get("closing_balance")
        on = closing if on is None else on
    if balance is None or on is None:
        what = "balance" if balance is None else "on"
        source = "is not given" if file is None else "is in no closing balance of the file"
        raise ToolError(f"{what} {source}: pass balance= and on= as the bank states them")
    account, day = check_text(account, "account"), day_of(on, "on")
    amount = milliunits_of(balance, "balance")
    beside = None
    if file is not None:
        found = await file_rows(session, file, account, columns)
        beside = bank_file(found, file.index, day.date(), session.budget_attrs())
    accounts = await session.frame_of("accounts")
    account_id = KeysOfNames.of_frame("account", accounts).key_of(account, "account")
    name = accounts.set_index("account_id")["account_name"][account_id]
    rows = await session.frame_of("transactions")
    own = rows[(rows["account_id"] == account_id).to_numpy(bool)].reset_index(drop=True)
    return BankStatement(ComparedBalance(own, str(name), amount, day), account_id, beside)
