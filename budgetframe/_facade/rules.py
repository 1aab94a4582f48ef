"""Rules of a CSV file, for frames and for the files of banks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from os import PathLike
from typing import BinaryIO, Protocol

import pandas as pd

from budgetframe._resources import TRANSFER_PREFIX
from budgetframe._runtime.short_traceback import shown_without_frames
from budgetframe._runtime.text import number_of
from budgetframe._session.names import KeysOfNames
from budgetframe.errors import ToolError
from budgetframe.frames.arrow_tables import ArrowTable, in_pandas
from budgetframe.frames.rules import RULE, Rule, edited_rows, first_rules, matches, read_rules
from budgetframe.frames.schema import Column

_COLUMNS = (RULE, Column("problem", "str", "", "what is wrong"))
_SHOWN = 3  # earlier rules that a problem names


class _Budget(Protocol):
    """What `Rules.check` reads of a `BudgetFrame`, whose module imports this one."""

    def accounts(self) -> pd.DataFrame:
        """The accounts."""

    def categories(self) -> pd.DataFrame:
        """The categories."""

    def ledger(self) -> pd.DataFrame:
        """The rows."""


class Rules:
    """What the rows that meet some conditions are set to; `rules` reads them from a CSV file.

    ``len`` is the number of rules.
    """

    def __init__(self, name: str, rules: list[Rule]) -> None:
        self._name = name
        self._rules = rules

    def __len__(self) -> int:
        """The number of rules."""
        return len(self._rules)

    def __repr__(self) -> str:
        """The name of the file, and the number of rules."""
        return f"Rules: {number_of(len(self), 'rule')} of {self._name}"

    @shown_without_frames
    def apply(self, frame: pd.DataFrame | ArrowTable) -> pd.DataFrame:
        r"""Return the rows that the rules change, changed; ``bf.changes`` takes them.

        The first rule that a row matches decides, also if it changes nothing. It replaces what a
        row has: pass only the rows that may change, as in the example. Rows that have the values
        already are left out. So are the remainder of a split, the payee of a transfer, and the
        category of a split, of a transfer between budget accounts and of a row of a tracking
        account. A part of a split only gets a category, for which `BudgetFrame.changes` needs
        ``splits="replace"``. Rows of ``bf.transactions()`` set payee, memo and flag of a split, but
        do not say which accounts are tracking accounts, and in which group a category is.

        Parameters
        ----------
        frame : DataFrame
            Rows of ``bf.ledger()``, ``bf.transactions()`` or ``bf.scheduled_transactions()``, or a
            bank's file with the columns ``payee_name``, ``memo`` and ``amount``, with any type of
            amounts.

        Returns
        -------
        DataFrame
            A part of the rows with their index and attrs, and with ``rule``, the name of the rule.
            Where payee or category are new, their keys and the category group are missing.

        Raises
        ------
        ToolError
            When the frame lacks ``payee_name`` or the amount, and a rule needs it.

        Examples
        --------
        >>> from io import BytesIO
        >>> text = "payee,amount,set_category,set_flag\n/kiosk|bakery/,..-15,Eating Out,red\n"
        >>> bf = BudgetFrame.sandbox()
        >>> found = rules(BytesIO(text.encode())).apply(bf.ledger().query("is_uncategorized"))
        >>> found[["payee_name", "category_name", "flag_color", "rule"]].values.tolist()
        [['Kiosk am Ring', 'Eating Out', 'red', 'row 2']]
        >>> len(bf.changes(found))
        1
        """
        rows = in_pandas(frame)
        if not isinstance(rows, pd.DataFrame):
            raise ToolError(f"frame is {type(frame).__name__}: pass a DataFrame")
        return edited_rows(self._rules, rows)

    @shown_without_frames
    def check(self, bf: _Budget) -> pd.DataFrame:
        r"""List what is wrong with the rules, as the whole ledger shows it.

        Parameters
        ----------
        bf : BudgetFrame
            The budget.

        Returns
        -------
        DataFrame
            One row per problem, in the order of the rules; the same columns and dtypes when there
            are none. A rule matches no row; or all its rows are taken by earlier rules; or the
            budget does not have its account or its category, or has several such categories.

            column   dtype  unit  meaning
            -------  -----  ----  ----------------
            rule     str          name of the rule
            problem  str          what is wrong

        Raises
        ------
        ToolError
            When ``bf`` is no `BudgetFrame`.

        Notes
        -----
        Source: ``GET /budgets/{budget_id}/{transactions, accounts, categories, payees}``.

        Cost: four requests, none while an export is fresh or within the time to live; then deltas.

        Examples
        --------
        >>> from io import BytesIO
        >>> text = "payee,set_category\nbakery,Grocries\nBakery Ø,Eating Out\n"
        >>> bf = BudgetFrame.sandbox()
        >>> for rule, problem in rules(BytesIO(text.encode())).check(bf).values.tolist():
        ...     print(f"{rule}: {problem}")
        row 2: set_category: the budget has no category 'Grocries'; the closest name is 'Groceries'
        row 3: 101 rows matched, all taken by earlier rules: 'row 2' (101)
        """
        if not hasattr(bf, "requests"):  # as `bf.aio`
            raise ToolError(f"bf is {type(bf).__name__}: pass a BudgetFrame")
        ledger, accounts = bf.ledger(), bf.accounts()
        masks = matches(self._rules, ledger)
        first = first_rules(masks)
        names = KeysOfNames.of_frame("account", accounts)
        categories = KeysOfNames.of_frame("category", bf.categories())
        found = []
        for number, rule in enumerate(self._rules):
            problems = [*filter(None, _of_sets(rule, names, categories))]
            takers = first[masks[number]]
            if not rule.may_be_in(accounts["account_name"]):
                problems.append(_unknown(names, rule.texts["account_name"].text, "account"))
            elif not len(takers):
                problems.append("no row of the ledger matches it")
            elif number not in takers:
                counts = Counter(self._rules[each].name for each in takers).most_common()
                shown = ", ".join(f"{name!r} ({count:,})" for name, count in counts[:_SHOWN])
                more = ", ..." if len(counts) > _SHOWN else ""
                matched = number_of(len(takers), "row")
                problems.append(f"{matched} matched, all taken by earlier rules: {shown}{more}")
            found += [(rule.name, each) for each in problems]
        return pd.DataFrame(
            {each.name: each.array([row[at] for row in found]) for at, each in enumerate(_COLUMNS)}
        )


def _of_sets(rule: Rule, accounts: KeysOfNames, categories: KeysOfNames) -> Iterator[str]:
    """What a rule sets that the budget does not have."""
    payee = rule.sets.get("payee_name", "")
    if payee.startswith(TRANSFER_PREFIX):
        yield _unknown(accounts, payee.removeprefix(TRANSFER_PREFIX), "set_payee")
    if "category_name" in rule.sets:
        yield _unknown(categories, rule.sets["category_name"], "set_category")


def _unknown(names: KeysOfNames, name: str, where: str) -> str:
    """Why a name means no row; empty if it means one."""
    try:
        names.key(name, where)
    except ToolError as error:
        return str(error)
    return ""


@shown_without_frames
def rules(file: str | PathLike[str] | BinaryIO) -> Rules:
    r"""Read rules from a CSV file that a person edits in a spreadsheet.

    Each row is a rule, whose conditions must all hold; of several rules, the first one counts. The
    cells are separated by commas or semicolons, in UTF-8. Empty cells mean any text or amount, and
    set nothing. The first row has names of these columns:

    ==================================  ========================================================
    ``name``                            by default ``row 5``, as the spreadsheet counts
    ``payee``, ``memo``, ``account``    a part of the text, in upper or lower case; or a regular
                                        expression between slashes: ``/^rent|^lease/``
    ``amount``                          ``-4.50``; or a range with its ends: ``-20..-5``,
                                        ``..-100``, ``50..``; outflows are negative
    ``set_payee``, ``set_memo``         the new text
    ``set_category``                    a category, with its group if several groups have one of
                                        this name: ``Home: Insurance``
    ``set_flag``                        ``red``, ``orange``, ``yellow``, ``green``, ``blue`` or
                                        ``purple``
    ==================================  ========================================================

    Amounts have at most three decimals, after a point or a comma. ``1,234`` is refused, because it
    can be a thousand.

    Parameters
    ----------
    file : path or binary file
        The file.

    Returns
    -------
    Rules
        ``apply(frame)`` returns the rows that change, for `BudgetFrame.changes`; ``check(bf)``
        lists rules without an effect and unknown names; ``bf.import_rows(..., rules=)`` sets new
        rows of a bank's file.

    Raises
    ------
    ToolError
        When the file is not UTF-8 or not CSV, when it has no rules or an unknown column, and when
        a rule has a wrong cell, no condition, or sets nothing; the message names the rows.
    OSError
        When the file cannot be read.

    Examples
    --------
    >>> from io import BytesIO
    >>> text = "name,payee,amount,set_category\nbread,bäckerei,-20..-1,Groceries\n"
    >>> rules(BytesIO(text.encode()))
    Rules: 1 rule of the file
    """
    return Rules(*read_rules(file))
