"""A bank's statement beside the rows of an account, for synchronous code and notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from .changes import Changes
from .display import Shown
from .methods.base import Methods

if TYPE_CHECKING:
    from .aio.statement import AsyncStatement


class Statement(Methods, Shown):
    """What a bank states beside the rows of an account: which rows explain the difference.

    `BudgetFrame.statement` returns it. The display is one line if the two agree. A statement lists
    what is possible, and never chooses: ``changes(0)`` prepares the changes of set 0.

    Examples
    --------
    >>> bf = BudgetFrame.sandbox()
    >>> bf.statement("Wallet", 344.25, "2026-06-17")
    Statement: Wallet agrees with the bank on 2026-06-17: 344,25 €; .changes() marks 6 cleared rows as reconciled
    """  # noqa: E501 - the line of the display is not wrapped

    _aio: AsyncStatement

    @property
    def difference(self) -> float:
        """The balance of the bank minus `cleared`, to the milliunit; 0.0 if they agree.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.statement("Checking", 8243.70, "2026-06-17").difference
        -49.3
        """
        return self._aio.difference

    @property
    def cleared(self) -> float:
        """The sum of the cleared and reconciled rows of the account up to the day.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.statement("Checking", 8243.70, "2026-06-17").cleared
        8293.0
        """
        return self._aio.cleared

    @property
    def frame(self) -> pd.DataFrame:
        """The rows of the account that are not reconciled, also those after the day.

        The columns are ``date``, ``payee_name``, ``category_name``, ``memo``, ``amount``,
        ``cleared``, ``is_later`` (whether the row is after the day) and ``transaction_id``; the
        order is that of `BudgetFrame.transactions`.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.statement("Checking", 8243.70, "2026-06-15").frame["is_later"].tail(2).tolist()
        [False, True]
        """
        return self._aio.frame

    @property
    def explanations(self) -> pd.DataFrame:
        """The sets of rows that make the difference zero: cleared, or not cleared any more.

        ``set`` is the number of the set, from 0 on, and ``becomes`` is the state of the row in it.
        A row that is not cleared becomes cleared, and a cleared one uncleared. The other columns
        are those of `frame` without ``is_later``.

        Rows up to the day that are not reconciled and whose amount is not zero can be in a set. All
        sets of them are compared, and the first ten are here: the fewest rows first, then the
        smallest sum of the days between the rows and the day of the statement, then the first rows
        in the order of `frame`. A set that contains one of these has no more to say and is left
        out; after 500 sets, these included, the search ends. If there are more than 40 such rows,
        only the newest 40 are searched. `warnings` says so, and whether there are more than ten.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> found = bf.statement("Checking", 8243.70, "2026-06-17").explanations
        >>> found[found["set"] == 0][["amount", "becomes"]].values.tolist()
        [[-49.3, 'cleared']]
        """
        return self._aio.explanations

    @property
    def typing_errors(self) -> pd.DataFrame:
        """The rows whose amount, if it is corrected, makes the difference zero.

        ``kind`` is ``wrong sign``, ``shifted decimal point`` (by one or two places: also a zero too
        many or too few) or ``two digits swapped`` (beside each other, as the amount is written in
        the currency); ``corrected_amount`` is the amount without the error. Rows up to the day that
        are not reconciled are compared; one that is not cleared must be corrected and cleared. The
        other columns are those of `frame` without ``is_later``, in the same order of the rows.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> last = bf.transactions().query("account_name == 'Wallet'").tail(1)
        >>> _ = bf.changes(last.assign(amount=-last["amount"])).apply()
        >>> bf.statement("Wallet", 344.25, "2026-06-17").typing_errors["kind"].tolist()
        ['wrong sign']
        """
        return self._aio.typing_errors

    @property
    def only_bank(self) -> pd.DataFrame:
        """The rows of the file up to the day that no row of the account is.

        The columns are ``date``, ``amount``, ``payee_name`` and ``memo``, and the index is that of
        the file. ``bf.import_rows`` of the file prepares the new rows.

        Rows are recognised as `BudgetFrame.import_rows` does it: by import ids, ids of the bank and
        the journal, otherwise by the amount, up to five days apart. A statement without a file has
        neither this frame nor `only_here` and `differing`.

        Examples
        --------
        >>> import pandas as pd
        >>> bf = BudgetFrame.sandbox()
        >>> file = pd.DataFrame({"date": ["2026-06-12"], "amount": -3.33, "payee_name": "Kiosk"})
        >>> bf.statement("Wallet", 340.92, "2026-06-17", file).only_bank["amount"].tolist()
        [-3.33]
        """
        return self._aio.only_bank

    @property
    def only_here(self) -> pd.DataFrame:
        """The rows of the account, up to the day, that no row of the file is.

        Rows before the first day of the file are not compared. The columns are ``date``,
        ``payee_name``, ``memo``, ``amount``, ``cleared`` and ``transaction_id``; the rows are
        sorted by date.

        Examples
        --------
        >>> import pandas as pd
        >>> bf = BudgetFrame.sandbox()
        >>> file = pd.DataFrame({"date": ["2026-05-12"], "amount": -3.33, "payee_name": "Kiosk"})
        >>> bf.statement("Wallet", 340.92, "2026-06-17", file).only_here["amount"].tolist()
        [-21.77, -6.3, -7.62, -9.42, 54.89]
        """
        return self._aio.only_here

    @property
    def differing(self) -> pd.DataFrame:
        """The rows of the file that are rows of the account with another amount or day.

        The columns are ``date``, ``amount`` and ``payee_name`` of the row of the file, and
        ``existing_date``, ``existing_amount``, ``existing_payee_name`` and
        ``existing_transaction_id`` of the row of the account. The rows are sorted by date.

        Only a row with a known id can have another amount: a row that was typed with a wrong amount
        is in `only_here`, and the one of the bank in `only_bank`.

        Examples
        --------
        >>> import pandas as pd
        >>> bf = BudgetFrame.sandbox()
        >>> file = bf.transactions(since="2026-06").query("account_name == 'Wallet'")
        >>> late = file.assign(date=file["date"] + pd.Timedelta(days=1))
        >>> len(bf.statement("Wallet", 344.25, "2026-06-17", late).differing) == len(file)
        True
        """
        return self._aio.differing

    @property
    def warnings(self) -> list[str]:
        """What to know about the comparison, as sentences.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.statement("Wallet", 344.25, "2026-06-18").warnings
        ['2026-06-18 is after today (2026-06-17): rows that are dated up to that day count']
        """
        return self._aio.warnings

    def changes(self, number: int | None = None) -> Changes:
        """Prepare the changes that accept the statement with a set; ``apply`` sends them.

        The rows of the set get their states, and all rows up to the day that are cleared then are
        marked as reconciled. Other uncleared rows and later rows stay as they are.

        This costs one request for the present rows, and one for each list of names that is not
        fresh.

        Parameters
        ----------
        number : int, optional
            The number of the set in `explanations`; by default no set, if the statement agrees.

        Returns
        -------
        Changes
            The changed states, as from `BudgetFrame.changes`.

        Raises
        ------
        ToolError
            When the difference is not zero then: the message states what is missing. Also when
            rows that count were changed since the statement was made.

        Examples
        --------
        >>> bf = BudgetFrame.sandbox()
        >>> bf.statement("Checking", 8243.70, "2026-06-17").changes(0).apply().counts["done"]
        25
        >>> bf.statement("Checking", 8243.70, "2026-06-17").difference
        0.0
        """
        return Changes(self._wait_for(self._aio.changes(number)), self._wait_for)
