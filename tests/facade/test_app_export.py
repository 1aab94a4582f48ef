"""A budget from the budgeting app's own export, compared with the service and with literals."""

import math
import tracemalloc
import warnings
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any
from zipfile import ZIP_BZIP2, ZIP_DEFLATED

import pandas as pd
import pytest

from budgetframe import BudgetFrame, ToolError
from budgetframe.sandbox import Sandbox
from tests.app_export_files import (
    FORMATS,
    ORDERS,
    PLAN,
    REGISTER,
    app_export,
    table,
    whole_budget,
    write_zip,
)  # fmt: skip
from tests.cli import main
from tests.programs import programs
from tests.stateful.other_device import EDITS
from tests.stateful.writes import RandomChoices

COMPARED = [
    "date", "account_name", "payee_name", "category_group_name", "category_name", "memo", "amount",
    "cleared", "flag_color", "flag_name", "on_budget", "is_split_part", "is_transfer", "is_income",
    "is_spending", "is_uncategorized", "is_starting_balance", "transfer_account_name", "other_side",
]  # fmt: skip

REPORTS: dict[str, dict[str, Any]] = {
    "spending": {"freq": "month"}, "income_expense": {"freq": "month"},
    "balances": {"interest": False}, "net_worth": {"interest": False},
    "budget_vs_actual": {"freq": "month"},
}  # fmt: skip
UNKNOWN = ("account_type", "hidden", "target", "under_funded")


def ledger_of(bf: BudgetFrame) -> pd.DataFrame:
    """The rows of a ledger in an order of their own, without what an export does not state."""
    rows, whole = bf.ledger(), bf.transactions().set_index("transaction_id")
    rows["other_side"] = rows["transfer_transaction_id"].map(whole["account_name"])
    rows = pd.DataFrame(rows[COMPARED].astype(object).where(rows[COMPARED].notna(), ""))
    rows.loc[rows["flag_name"] != "", "flag_color"] = ""  # a flag is exported by its name
    return rows.astype(str).sort_values(COMPARED).reset_index(drop=True)


def make_knowable(sandbox: Sandbox, budget: str) -> None:
    """Give accounts and categories names of their own, and each account a row with a category.

    A row of a tracking account cannot have a category; a transfer to it has one.
    """
    state, device = sandbox.device.state(budget), sandbox.device
    for number, account in enumerate([*state.accounts.live()]):
        device.rename_account(account.id, f"{account.name} {number}", budget=budget)
    for number, each in enumerate([*state.categories.live()]):
        if not each.internal and each.payment_account_id is None:
            device.rename_category(each.id, f"{each.name} {number}", budget=budget)
    category = RandomChoices(state, 0, 0, 0).ordinary(0)
    checking = next(row for row in state.accounts.live() if row.on_budget)
    for row in [*state.accounts.live()]:
        own = row if row.on_budget else checking
        device.add_transaction(
            account_id=own.id, date=state.today, amount=-1000, category_id=category,
            payee_id=None if row.on_budget else row.transfer_payee_id, budget=budget,
        )  # fmt: skip


@pytest.mark.slow  # whole random budgets, and five reports of each
@pytest.mark.parametrize("seed", programs(2))
def test_a_random_budget_is_that_of_the_service(seed: int, tmp_path: Path) -> None:
    rng = Random(seed)  # noqa: S311 - reproducible test data
    name = [*FORMATS][seed % len(FORMATS)]
    sandbox = Sandbox(seed=seed, years=seed % 2, budgets=2, limit=10_000, lenient=True)
    budget = "東京の家計" if name == "yen" else "Household"
    for _ in range(30):
        numbers = rng.randrange(2**16), rng.randrange(2**16), rng.randrange(-300, 300) * 1000
        chosen = RandomChoices(sandbox.device.state(budget), *numbers)
        rng.choice(EDITS)(sandbox, chosen)  # type: ignore[arg-type]  # it has the same device
    make_knowable(sandbox, budget)
    texts = app_export(whole_budget(sandbox, budget), FORMATS[name], ORDERS[seed % len(ORDERS)])
    path = write_zip(tmp_path, dict(zip(("Register.csv", "Plan.csv"), texts, strict=True)))
    service = BudgetFrame.sandbox(sandbox, budget=budget, progress=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        file = BudgetFrame.from_export(path, as_of="2026-06-17")
        pd.testing.assert_frame_equal(ledger_of(service), ledger_of(file))
        for report, options in REPORTS.items():
            frames = [getattr(bf.reports, report)(**options) for bf in (service, file)]
            known = [c for c in frames[0] if not c.endswith("_id") and c not in UNKNOWN]
            keys = [c for c in known if frames[0][c].dtype != "float64"]
            one, two = (
                pd.DataFrame(frame)[known].sort_values(keys).reset_index(drop=True)
                for frame in frames
            )
            pd.testing.assert_frame_equal(one, two, obj=report)
        assert file.reconcile().ok


# A budget of literals

ROWS = [
    # account, flag, day, payee, group, category, memo, outflow, inflow, cleared
    ("Bank", "", "02/01/2026", "Starting Balance", "Inflow", "Ready to Assign", "", "", "1,000.00"),
    ("Fund", "", "02/01/2026", "Starting Balance", "", "", "", "0.00", "500.00"),
    ("Bank", "Red", "14/01/2026", "Shop", "Home", "Food", "Split (1/2) bread", "12.50", "0.00"),
    ("Bank", "Red", "14/01/2026", "Shop", "Home", "Toys", "Split (2/2)", "7.50", "0.00"),
    ("Bank", "Trip", "15/01/2026", "Transfer : Pot", "", "", "", "100.00", "0.00"),
    ("Pot", "", "15/01/2026", "Transfer : Bank", "", "", "", "0.00", "100.00"),
    ("Bank", "", "16/01/2026", "Transfer : Fund", "Home", "Old age", "", "50.00", "0.00"),
    ("Fund", "", "16/01/2026", "Transfer : Bank", "", "", "", "0.00", "50.00"),
    ("Bank", "", "17/01/2026", "Kiosk", "", "", "", "3.00", "0.00"),
]
FIGURES = [
    # month, group, category, assigned, activity, available
    ("Jan 2026", "Home", "Food", "20.00", "-12.50", "7.50"),
    ("Jan 2026", "Home", "Toys", "5.00", "-7.50", "-2.50"),
    ("Jan 2026", "Home", "Old age", "50.00", "-50.00", "0.00"),
    ("Feb 2026", "Home", "Food", "10.00", "0.00", "17.50"),
    ("Feb 2026", "Home", "Toys", "1.00", "0.00", "1.00"),
]
NAME = "Home as of 2026-02-03 10-15"
HIDDEN = "Hidden Categories"


def register(rows: Sequence[Sequence[str]] = ROWS, cleared: str = "Cleared", **more: Any) -> str:
    """The text of a register."""
    cells = [(*row[:4], f"{row[4]}: {row[5]}", *row[4:], cleared) for row in rows]
    return table(REGISTER, cells, **more)


def plan(rows: Sequence[Sequence[str]] = FIGURES, **more: Any) -> str:
    """The text of a plan."""
    return table(PLAN, [(row[0], f"{row[1]}: {row[2]}", *row[1:]) for row in rows], **more)


def opened(
    folder: Path, files: dict[str, str | bytes] | None = None, name: str = f"{NAME}.zip"
) -> tuple[BudgetFrame, str]:
    """A connection to an archive, and the warning at its opening."""
    files = {"Register.csv": register(), "Plan.csv": plan()} if files is None else files
    with pytest.warns(RuntimeWarning, match="does not state") as warned:
        bf = BudgetFrame.from_export(write_zip(folder, files, name))
    return bf, str(warned[0].message)


def test_a_ledger_has_splits_and_transfers(tmp_path: Path) -> None:
    bf, _ = opened(tmp_path)
    rows, whole = bf.ledger(), bf.transactions()
    of = dict(zip(whole["transaction_id"], whole["account_name"], strict=True))
    rows["other_side"] = rows["transfer_transaction_id"].map(of)
    columns = [
        "date", "account_name", "amount", "category_name", "memo", "flag_color", "flag_name",
        "other_side",
    ]  # fmt: skip
    shown = rows[columns].astype(object).where(rows[columns].notna(), "")
    assert [" | ".join(map(str, row[1:])) for row in sorted(shown.to_numpy().tolist())] == [
        "Bank | 1000.0 | Inflow: Ready to Assign |  |  |  | ", "Fund | 500.0 |  |  |  |  | ",
        "Bank | -12.5 | Food | bread | red |  | ", "Bank | -7.5 | Toys |  | red |  | ",
        "Bank | -100.0 |  |  |  | Trip | Pot", "Pot | 100.0 |  |  |  |  | Bank",
        "Bank | -50.0 | Old age |  |  |  | Fund", "Fund | 50.0 |  |  |  |  | Bank",
        "Bank | -3.0 | Uncategorized |  |  |  | ",
    ]  # fmt: skip
    assert whole.loc[whole["is_split"], "amount"].tolist() == [-20.0]


def test_figures_are_those_of_the_plan(tmp_path: Path) -> None:
    bf, said = opened(tmp_path)
    accounts = bf.accounts()[["account_name", "on_budget", "balance"]].to_numpy().tolist()
    assert accounts == [["Bank", True, 827.0], ["Fund", False, 550.0], ["Pot", True, 100.0]]
    assert bf.category("Food").balance == 17.5
    assert bf.categories().attrs["as_of"].startswith("2026-02-03")
    months = bf.month_categories().set_index(["month", "category_name"])["balance"]
    assert months["2026-01-01", "Toys"] == -2.5
    assert bf.budgets()["budget_name"].item() == "Home"
    assert bf.reconcile().summary == "3 accounts, 9 category months and 5 available amounts agree"
    assert "added up" not in said
    again = plan([*FIGURES, ("Jan 2026", "Home", "Food", "5.00", "0.00", "5.00")])
    twice, said = opened(tmp_path, {"Register.csv": register(), "Plan.csv": again}, "twice.zip")
    assert said.endswith("Rows of one category and month of the plan are added up: Home: Food")
    found = twice.month_categories().set_index(["month", "category_name"])["budgeted"]
    assert found["2026-01-01", "Food"] == 25.0
    with pytest.warns(RuntimeWarning, match="does not state"):
        earlier = BudgetFrame.from_export(tmp_path / f"{NAME}.zip", as_of="2026-01-31")
    assert earlier.category("Food").balance == 7.5


def test_reconcile_names_what_differs_from_the_rows(tmp_path: Path) -> None:
    wrong = [
        ("Jan 2026", "Home", "Food", "20.00", "-12.00", "8.00"),
        ("Jan 2026", "Home", "Toys", "5.00", "-7.50", "-2.40"),
        ("Feb 2026", "Home", "Toys", "1.00", "0.00", "1.00"),  # what was overspent is not carried
    ]
    bf, _ = opened(tmp_path, {"Register.csv": register(), "Plan.csv": plan(wrong)})
    named = r"Food 2026-01 by -0\.50, Old age 2026-01 by -50\.00, Toys 2026-01 \(available\) by"
    with pytest.warns(RuntimeWarning, match=rf"3 of 14 rows differ: {named} -0\.10\)"):
        assert not bf.reconcile().ok


# What is not known, and what is said of it


def test_the_opening_says_what_is_not_known(tmp_path: Path) -> None:
    lonely = ("Bank", "", "20/01/2026", "Transfer : Pot", "", "", "", "9.00", "0.00")
    gone = ("Bank", "", "21/01/2026", "Transfer : Gone", "", "", "", "1.00", "0.00")
    half = ("Bank", "", "22/01/2026", "Shop", "Home", "Food", "Split (1/2) half", "2.00", "0.00")
    out = ("Bank", "", "23/01/2026", "Transfer : Fund", "", "", "", "4.00", "0.00")
    in_ = ("Fund", "", "23/01/2026", "Transfer : Bank", "", "", "", "0.00", "4.00")
    own = ("Bank", "", "24/01/2026", "Transfer : Bank", "Home", "Food", "", "5.00", "0.00")
    rows = [*ROWS, lonely, gone, half, out, in_, own]  # the last transfer lacks its category
    bf, said = opened(tmp_path, {"Register.csv": register(rows)})
    assert bf.reconcile().summary == "3 accounts and 0 category months agree"
    assert said.removeprefix(str(tmp_path)) == (
        f"/{NAME}.zip does not state the types of accounts, loans, targets, scheduled transactions,"
        " deleted rows, other currencies, the age of money and the amount that is left to assign."
        " Every account counts as open, and"
        " every transaction as approved. These accounts without a category in any row count as"
        " tracking accounts:"
        " Fund. These accounts without a category in any row count as budget accounts, because"
        " transfers to them have no category: Pot. These transfers have no other side: 2026-01-20"
        " Transfer : Pot, 2026-01-21 Transfer : Gone. These rows are parts of a split without the"
        " others: 2026-01-22 Split (1/2) half. There is no plan: assigned and available amounts are"
        " missing"
    )


@pytest.mark.parametrize(("name", "missing"), {
    "age_of_money": "the age of money",
    **dict.fromkeys(("cards", "investments", "loans", "recurring"), "the types of accounts"),
    "forecast": "scheduled transactions: typical=6 adds typical amounts", "targets": "targets",
}.items())  # fmt: skip
def test_a_report_says_what_it_needs(name: str, missing: str, tmp_path: Path) -> None:
    bf, _ = opened(tmp_path)
    with pytest.warns(RuntimeWarning, match=f"{name}: the file does not state {missing}"):
        getattr(bf.reports, name)()


def test_types_and_the_money_left_to_assign_are_missing(tmp_path: Path) -> None:
    bf, _ = opened(tmp_path)
    assert math.isnan(bf.ready_to_assign())
    assert bf.accounts()["account_type"].isna().all()
    path = bf.save_export(tmp_path / "copy.json")
    for place, dates, problem in (
        (path, "dd/mm/yyyy", "is JSON, whose days have one order"),
        (tmp_path / f"{NAME}.zip", "day", "dates='day': it must be one of 'dd/mm/yyyy',"),
    ):
        with pytest.raises(ToolError, match=problem):
            BudgetFrame.from_export(place, dates=dates)
    copy = BudgetFrame.from_export(path)
    assert copy.months()["to_be_budgeted"].isna().all()
    with pytest.warns(RuntimeWarning, match="cards: the file does not state the types of accounts"):
        copy.reports.cards()


def test_memos_that_look_like_parts_join_no_rows(tmp_path: Path) -> None:
    memos = ("(2/2) own", "(1/2) own", "(1/2) a", "(2/2) b", "(1/2) red", "(2/2) blue", "(1/1) own")
    flags = ("", "", "", "", "Red", "Blue", "")
    payees = ("Shop", "Shop", "Shop", "", "Shop", "Shop", "Shop")
    rows = [
        ("Bank", flag, "17/01/2026", payee, HIDDEN, "Food", f"Split {memo}", f"{n}.00", "0.00")
        for n, (flag, payee, memo) in enumerate(zip(flags, payees, memos, strict=True), start=1)
    ]
    bf, said = opened(tmp_path, {"Register.csv": register(rows)})
    found = bf.transactions()
    assert sorted(found["amount"]) == [-7, -7, -6, -5, -2, -1]
    assert found.loc[found["is_split"], "amount"].tolist() == [-7]
    assert sorted(bf.ledger()["payee_name"].fillna("")) == ["", *["Shop"] * 6]
    assert bf.category("Food").hidden
    assert "(1/1) own, 2026-01-17 Split (1/2) own, 2026-01-17 Split (1/2) red" in said


# Formats


@pytest.mark.parametrize(("zero", "texts", "digits", "amounts"), [
    ("0,00€", ["1.234,56€", "5,00€", "-"], 2, [-1234.56, -5, 0]),
    ("¥0", ["¥1,234", "¥5", ""], 0, [-1234, -5, 0]),
    ("0,00 zł", ["1 234,56 zł", "1\u00a0234,56 zł", "0,50 zł"], 2, [-1234.56, -1234.56, -0.5]),
    ("kr.0,00", ["kr.1.234,56", "(kr.2,00)", "-kr.3,00"], 2, [-1234.56, 2, 3]),
    ("₹0.00", ["₹12,34,567.89", "₹1.00", "\u2212₹1.00"], 2, [-1234567.89, -1, 1]),
    ("0.000", ["1.500", "1,234.567", "0.001"], 3, [-1234.567, -1.5, -0.001]),
    ("", ["KD1.500", "KD0.250", "KD2.000"], 3, [-2, -1.5, -0.25]),
    ("Fr. 0", ["Fr. 1\u2019234", "Fr. 12", "Fr. 123"], 0, [-1234, -123, -12]),
    ("0.00 Fr.", ["1.50 Fr.", "2.00 Fr.", "-"], 2, [-2, -1.5, 0]),
    ("Rs.0", ["Rs.1,234,567,890", "Rs.1", ""], 0, [-1234567890, -1, 0]),
])  # fmt: skip
def test_amounts_are_in_the_format_of_the_budget(
    zero: str, texts: list[str], digits: int, amounts: list[float], tmp_path: Path
) -> None:
    rows = [("Bank", "", "31/01/2026", "Shop", "Home", "Food", "", text, zero) for text in texts]
    bf, _ = opened(tmp_path, {"Register.csv": register(rows)})
    assert sorted(bf.transactions()["amount"]) == amounts
    assert bf.ledger().attrs["currency_format"]["decimal_digits"] == digits
    assert bf.settings().date_format is None


@pytest.mark.parametrize(("texts", "dates"), [
    (("31.01.2026", "02.01.2026"), None), (("31/01/2026", "02/01/2026"), None),
    (("01/31/2026", "01/02/2026"), None), (("2026-01-31", "2026-01-02"), None),
    (("2026/01/31", "2026/01/02"), None), (("31-01-2026", "02-01-2026"), "dd/mm/yyyy"),
])  # fmt: skip
def test_the_order_of_days_is_decided_over_the_file(
    texts: tuple[str, str], dates: str | None, tmp_path: Path
) -> None:
    rows = [("Bank", "", text, "Shop", "Home", "Food", "", "1.00", "0.00") for text in texts]
    path = write_zip(tmp_path, {"Register.csv": register(rows)})
    with pytest.warns(RuntimeWarning, match="does not state"):
        bf = BudgetFrame.from_export(path, dates=dates)
    assert bf.transactions()["date"].dt.strftime("%Y-%m-%d").tolist() == [
        "2026-01-02", "2026-01-31",
    ]  # fmt: skip


FILES: dict[str, dict[str, str | bytes]] = {
    "tabs": {f"{NAME} - Register.tsv": register(delimiter="\t"), "Plan.tsv": plan(delimiter="\t")},
    "former names": {
        "Register.csv": register(), "Budget.csv": plan().replace("Assigned", "Budgeted"),
    },
    "odd names": {
        f"../Home/{NAME} - Register.csv": register(), "C:\\Plan.csv": plan(), "note.txt": "hello",
        "__MACOSX/._Register.csv": b"\0\1", "._Plan.csv": b"\0\1", ".DS_Store": b"\0",
    },
    "UTF-8 with BOM": {"Register.csv": "\ufeff" + register(), "Plan.csv": "\ufeff" + plan()},
    "semicolons": {"Register.csv": register(delimiter=";"), "Plan.csv": plan(delimiter=";")},
    "UTF-16": {"Register.csv": register().encode("utf-16"), "Plan.csv": plan().encode("utf-16")},
}  # fmt: skip


@pytest.mark.parametrize("kind", FILES)
def test_every_kind_of_archive_is_the_same_budget(kind: str, tmp_path: Path) -> None:
    bf, _ = opened(tmp_path, FILES[kind])
    expected, _ = opened(tmp_path, None)
    pd.testing.assert_frame_equal(bf.ledger(), expected.ledger())
    pd.testing.assert_frame_equal(bf.month_categories(), expected.month_categories())


@pytest.mark.parametrize("january", ["Jan 2026", "January 2026", "01/2026", "2026-01"])
def test_months_are_read_in_every_spelling(january: str, tmp_path: Path) -> None:
    texts = plan().replace("Jan 2026", january)
    bf, _ = opened(tmp_path, {"Register.csv": register(), "Plan.csv": texts})
    assert bf.months()["month"].dt.strftime("%Y-%m-%d").tolist() == ["2026-01-01", "2026-02-01"]


@pytest.mark.filterwarnings("ignore:.*does not state")
def test_a_folder_and_a_register_alone_are_read(tmp_path: Path) -> None:
    folder = tmp_path / "unpacked"
    folder.mkdir()
    (folder / f"{NAME} - Register.csv").write_text(register(), "utf-8")
    (folder / f"{NAME} - Plan.csv").write_text(plan(), "utf-8")
    expected, _ = opened(tmp_path)
    for path in (folder, folder / f"{NAME} - Register.csv"):
        pd.testing.assert_frame_equal(BudgetFrame.from_export(path).ledger(), expected.ledger())
    renamed = folder.rename(tmp_path / "copy") / "mine.csv"
    (tmp_path / "copy" / f"{NAME} - Register.csv").rename(renamed)
    bf = BudgetFrame.from_export(renamed)
    assert bf.ledger().attrs["as_of"].startswith("2026-01-17")  # its last day
    assert bf.budgets()["budget_name"].item() == "mine"


# What is refused

QUOTED = [("Bank", "", "31/01/2026", "Shop", "Home", "Food", "", "1.00", "0.00")]
WRONG: list[tuple[dict[str, str | bytes], str]] = [
    ({"Register.csv": register().replace("Outflow", "Out")}, "each of these columns once: Outflow"),
    ({"Register.csv": register().replace("Flag", "Inflow")}, "columns once: Flag, Inflow"),
    ({"Register.csv": register().replace("Shop", "Caf\xe9").encode("cp1252")}, "is not in UTF-8"),
    ({"Register.csv": register(QUOTED) + '"Bank","x"\r\n'}, "row 2 has 2 cells instead of 11"),
    ({"Register.csv": register(cleared="Maybe")}, "row 1: Cleared is 'Maybe', and not"),
    ({"Register.csv": register() + '"Bank'}, r"Register.csv, line 11: unexpected end of data"),
    ({"Register.csv": register([(*QUOTED[0][:7], "1,234", "")])}, "nothing shows it"),
    ({"Register.csv": register([(*QUOTED[0][:7], "1.0x", "0.00")])}, "'1.0x' is not an amount"),
    ({"Register.csv": register([("B", "", "01/02/2026", *QUOTED[0][3:])])}, "Pass the argument"),
    ({"Register.csv": register(), "Plan.csv": plan([("2026", *FIGURES[0][1:])])},
     "Plan.csv, row 1: '2026 1' is not"),
    ({"A/Register.csv": register(), "B/Register.csv": register()}, "A/Register.csv and"),
    ({"Plan.csv": plan()}, "no JSON document, and contains no register of the app"),
    ({}, "contains no register"),
]  # fmt: skip


@pytest.mark.parametrize(("files", "problem"), WRONG, ids=[problem for _, problem in WRONG])
def test_a_file_that_cannot_be_read_is_refused(
    files: dict[str, str | bytes], problem: str, tmp_path: Path
) -> None:
    path = write_zip(tmp_path, files or {"note.txt": "hello"})
    with pytest.raises(ToolError, match=problem):
        BudgetFrame.from_export(path)


def test_a_hostile_archive_is_refused(tmp_path: Path) -> None:
    path = write_zip(tmp_path, {"Register.csv": register()}, method=ZIP_DEFLATED)
    content, size = path.read_bytes(), len(register().encode())
    for stated, problem in ((size - 1, "Bad CRC"), (60_000_000, "at most 50,000,000 bytes")):
        path.write_bytes(content.replace(size.to_bytes(4, "little"), stated.to_bytes(4, "little")))
        with pytest.raises(ToolError, match=problem):
            BudgetFrame.from_export(path)
    path.write_bytes(content[:100])
    with pytest.raises(ToolError, match="cannot be unpacked: File is not a zip file"):
        BudgetFrame.from_export(path)
    large = register() + " " * 40_000_000
    content = write_zip(tmp_path, {"Register.csv": large}, method=ZIP_DEFLATED).read_bytes()
    path.write_bytes(content.replace(len(large).to_bytes(4, "little"), b"\0\4\0\0"))
    tracemalloc.start()
    with pytest.raises(ToolError, match="Bad CRC"):
        BudgetFrame.from_export(path)
    assert tracemalloc.get_traced_memory()[1] < 10_000_000
    tracemalloc.stop()
    write_zip(tmp_path, {"Register.csv": register()}, method=ZIP_BZIP2)  # it has no such limit
    with pytest.raises(ToolError, match="contains no register of the app"):
        BudgetFrame.from_export(path)
    for old in (tmp_path / "Home.ynab4", tmp_path / "Home.yfull"):
        old.mkdir()
        with pytest.raises(ToolError, match="a budget of YNAB 4, a former program"):
            BudgetFrame.from_export(old)


# Commands


@pytest.mark.slow  # a page of reports, and all checks of the doctor
@pytest.mark.filterwarnings("ignore")
def test_commands_read_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [(row[0], row[1], "05/01/2026", *row[3:]) for row in ROWS]
    files: dict[str, str | bytes] = {"Register.csv": register(rows), "Plan.csv": plan()}
    path = write_zip(tmp_path, files, f"{NAME}.zip")
    assert main(["report", "--text", "--export", str(path), "--dates", "mm/dd/yyyy"]) == 0
    assert "Net worth: 1,477.00" in capsys.readouterr().out
    assert main(["doctor", "--export", str(path), "--dates", "dd/mm/yyyy"]) == 0
    assert "reconcile() agrees                 agrees" in capsys.readouterr().out
    wrong = [*FIGURES[:4], ("Feb 2026", "Home", "Toys", "1.00", "0.00", "2.00")]
    files = {"Register.csv": register(), "Plan.csv": plan(wrong)}
    assert main(["doctor", "--export", str(write_zip(tmp_path, files))]) == 1
    problem = "reconcile(): 1 of 5 available amounts differ from the transactions without a reason"
    assert problem in capsys.readouterr().out
    assert (
        main(["anonymise", str(tmp_path / "Home.zip"), "--out", str(tmp_path / "copy.json")]) == 0
    )
    assert not BudgetFrame.from_export(tmp_path / "copy.json").reconcile().ok
    assert main(["report", "--text", "--sandbox", "--dates", "dd/mm/yyyy"]) == 1
    assert "--dates is the order of the days in the file of --export" in capsys.readouterr().err
