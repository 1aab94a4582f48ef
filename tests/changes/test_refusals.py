"""Changes that are refused before anything is sent, and warnings."""

import re
from typing import Any

import pandas as pd
import pytest

from budgetframe import BudgetFrame, ToolError
from budgetframe.sandbox import Sandbox

from .budget import connect, connected, plain_rows, rows_with, shown, small_sandbox, with_parts

CREATES_PAYEE = "creates the payee 'Baker'; .undo().apply() does not remove payees"
NO_PARTS = (
    ".undo().apply() cannot restore 1 split schedule: the service creates no parts of schedules"
)
RESTORED = (
    ".undo().apply() restores 1 deleted row under another key and without import_payee_name and"
    " import_id"
)
LOAN = "1 row is in loan accounts: the effects do not include the interest that the service books"


def refusal(bf: BudgetFrame, edited: Any = None, **more: Any) -> str:
    """The message of the error, without the sentence that nothing was sent."""
    with pytest.raises(ToolError) as caught:
        bf.changes(edited, **more)
    message = str(caught.value)
    assert message.endswith(". Nothing was sent")
    return message.removesuffix(". Nothing was sent")


def test_cells_that_cannot_be_sent_are_refused(bf: BudgetFrame, subtests: pytest.Subtests) -> None:
    cells: list[tuple[str, Any, str]] = [
        ("is_split", True, "is_split cannot be changed, but cells differ there (1 in is_split"),
        ("import_id", "x", "import_id cannot be changed"),
        ("deleted", True, "deleted cannot be changed (first: transaction_id"),
        ("category_name", "Grocerie", "no category 'Grocerie'; the closest name is 'Groceries'"),
        ("category_name", "Zzz", "bf.categories() lists the keys and names"),
        ("category_name", "Insurance", "write one of 'Car: Insurance', 'Home: Insurance'"),
        ("category_name", "Credit Card", "the category of the payments of a card"),
        ("category_id", "no-key", "has no category 'no-key'; bf.categories() lists"),
        ("account_name", "Chekking", "the closest name is 'Checking'"),
        ("account_id", "no-key", "has no account 'no-key'; bf.accounts() lists"),
        ("payee_id", "Grocerie", "has no payee 'Grocerie'; bf.payees() lists the keys and names"),
        ("payee_name", "Transfer : Nobody", "the payee of a transfer is in bf.payees()"),
        ("payee_name", "Transfer : Wallet", "a transfer to its own account"),
        ("payee_name", " ", "payee_name is empty: use None to remove the payee"),
        ("payee_name", "p" * 201, "payee_name has 201 characters; at most 200 are allowed"),
        ("memo", "m" * 501, "memo has 501 characters; at most 500 are allowed"),
        ("memo", 5, "memo=5 is not a text"),
        ("date", None, "date cannot be empty"),
        ("date", "soon", "date='soon' is not a day"),
        ("date", "2021-06-16", "date=2021-06-16 is over five years old"),
        ("amount", float("nan"), "amount cannot be empty"),
        ("amount", -4.0005, "is not an amount with at most three decimals"),
        ("amount", "much", "'much' is not an amount"),
        ("amount", 1e15, "amount=1000000000000000.0 is too large: an amount is below 9,007,199,2"),
        ("cleared", None, "cleared cannot be empty"),
        ("cleared", "maybe", "cleared='maybe': it must be one of"),
        ("approved", None, "approved cannot be empty"),
        ("flag_color", "pink", "flag_color='pink': it must be one of"),
    ]
    last = bf.transactions().tail(1)
    for name, cell, message in cells:
        with subtests.test(name=name, cell=cell):
            assert message in refusal(bf, last.assign(**{name: cell}))


@pytest.mark.parametrize("column", ["memo", "payee_name"])
def test_half_a_character_is_refused_with_its_row_and_column(bf: BudgetFrame, column: str) -> None:
    half = f"{column} has '\\ud83d' at position 1, which is half a character"
    both = bf.transactions().tail(2)
    both[column] = both[column].astype(object)
    both.loc[both.index[1], column] = "x\ud83d"
    assert refusal(bf, both).startswith(f"transaction {both['transaction_id'].iloc[1]!r}: {half}")
    new = {"date": "2026-05-17", "payee_name": "Baker", "amount": -1.5}
    rows = pd.DataFrame([new, {**new, column: "x\ud83d"}], dtype=object)
    with pytest.raises(ToolError, match="half a character and cannot be sent") as caught:
        bf.import_rows(rows, account="Checking")
    assert str(caught.value).startswith(f"row 1: {half}")
    with pytest.raises(ToolError, match=f"^row 1: {re.escape(half)}"):
        bf.statement("Checking", 1.0, on="2026-05-31", file=rows)
    with pytest.raises(ToolError, match="row 0: transaction_id has"):
        bf.changes(both.head(1), delete=["x\ud83d"])


def test_existing_splits_are_only_changed_by_a_deletion_and_a_creation(
    bf: BudgetFrame, subtests: pytest.Subtests
) -> None:
    split = rows_with(bf.transactions(), is_split=True).tail(1)
    part = bf.ledger()[bf.ledger()["is_split_part"]].tail(1)
    for name, cell, frame in (
        ("amount", -1.0, split), ("date", "2026-05-01", split), ("category_name", "Fuel", split),
        ("amount", -1.0, part), ("category_name", "Fuel", part), ("memo", "x", part),
    ):  # fmt: skip
        with subtests.test(name=name, cell=cell):
            message = refusal(bf, frame.assign(**{name: cell}))
            assert "1 of 1 changed row is a" in message
            assert 'splits="replace" deletes the split and creates it again' in message
    assert "change the parts, in a frame of ledger()" in refusal(
        bf, split.assign(amount=-1.0), splits="replace"
    )
    changes = bf.changes(part.assign(category_name="Fuel"), splits="replace")
    assert changes.frame["action"].tolist().count("delete") > 0
    assert changes.requests == 2
    assert "the category of the payments of a card" in refusal(
        bf, part.assign(category_name="Credit Card"), splits="replace"
    )
    assert len(bf.changes(split.assign(memo="x"))) == 1  # the service can change its memo
    assert "cleared was changed in 1 of its 2 rows: a split has one cleared" in refusal(
        bf,
        rows_with(bf.ledger(), transaction_id=part["transaction_id"].iloc[0]).assign(
            cleared=["uncleared", "cleared"]
        ),
    )


def test_new_parts_add_up_and_have_the_category(bf: BudgetFrame, subtests: pytest.Subtests) -> None:
    last = bf.transactions().tail(1)
    one: dict[str, Any] = {"amount": -7.8}
    saved = {**one, "payee_name": "Transfer : Savings", "category_name": "Fuel"}
    for parts, cells, message in (
        ([{"amount": -7.0}], {}, "the amounts of the parts do not add up to the amount"),
        ([one], {"category_name": "Fuel"}, "a split has no category; give each part"),
        ([{**one, "date": "2026-06-01"}], {}, "date cannot be written"),
        ([{"memo": "x"}], {}, "has no amount"),
        ([{**one, "category_name": "Fuell"}], {}, "the closest name is 'Fuel'"),
        ([one], {"payee_name": "Transfer : Savings"}, "cannot have the payee of a transfer"),
        ([one], {"account_name": "Index Fund"}, "a tracking account cannot be a split"),
        ([{**one, "payee_name": "Transfer : Wallet"}], {}, "a transfer to its own account"),
        ([saved], {}, "a part that is a transfer between two accounts of the budget has no cat"),
        ([{**one, "category_name": "Credit Card"}], {}, "the category of the payments of a card"),
    ):
        with subtests.test(parts=parts):
            assert message in refusal(bf, with_parts(last.assign(**cells), parts))


def test_incomparable_frames_are_refused(bf: BudgetFrame, subtests: pytest.Subtests) -> None:
    last = bf.transactions().tail(1)
    twice = pd.concat([last, last.assign(memo="x")])
    internal = rows_with(bf.categories(), category_name="Inflow: Ready to Assign")
    card = rows_with(bf.categories(), category_name="Credit Card")
    category = rows_with(bf.categories(), category_name="Fuel")
    schedule = rows_with(bf.scheduled_transactions(), payee_name="Linden Housing")
    split = rows_with(bf.scheduled_transactions(), payee_name="Weekly Market")
    month = bf.month("2026-05").head(1)
    of_category = bf.transactions_of_category(card["category_id"].iloc[0])
    new = {"date": "2026-06-16", "amount": -10.0, "account_name": "Wallet"}
    preview = bf.changes(last.assign(memo="x"))
    thousandths = last.assign(amount_milliunits="much")
    other = bf.with_budget("東京の家計").transactions()
    fuel = rows_with(bf.month("2026-06"), category_name="Fuel").assign(budgeted=1.0)
    assigned = {"month": "2026-06", "budgeted": 1.0}
    new_schedule: dict[str, Any] = {"frequency": "monthly", "subtransactions": [{"amount": -10.0}]}
    new_schedule |= {"date_next": "2026-07-01", "amount": -10.0, "account_name": "Wallet"}
    key = fuel["category_id"].iloc[0]
    sides = bf.transactions().tail(3).head(2)  # 150.00 to the Index Fund
    assert len(bf.changes(sides.assign(amount=[200.0, -200.0])).frame) == 2
    split_with_side = rows_with(bf.subtransactions(), payee_name="Transfer : Wallet").head(1)
    split_key = split_with_side["transaction_id"].iloc[0]
    side = rows_with(bf.transactions(), transfer_transaction_id=split_key)
    twice_new = pd.concat([fuel, fuel.assign(budgeted=2.0)]).assign(month="2026-09")
    cases: list[tuple[str, Any, str]] = [
        ("nothing", None, "pass an edited frame, or delete="),
        ("no frame", [new], "edited is list: pass a DataFrame: pd.DataFrame(rows) makes one"),
        ("a key", "t", "edited is str: pass a DataFrame; to delete rows, pass their keys as del"),
        ("a column", last["memo"], "edited is Series: pass a DataFrame: rows are frame[mask]"),
        ("changes", preview, "edited is Changes: call its .apply() to send the changes"),
        ("their frame", preview.frame, "the frame lists changes: call .apply() of the Changes"),
        ("a report", bf.reports.spending(), "the frame comes from the report spending(), whose"),
        ("another budget", other, "was read from the budget '東京の家計', but this is the budget"),
        ("only keys", last[["transaction_id"]], "the frame has no column that can be changed"),
        ("two amounts", thousandths, "the columns amount and amount_milliunits: keep one of them"),
        ("a text", thousandths.drop(columns="amount"), "amount_milliunits='much' is not a number"),
        ("another frame", bf.accounts(), "the columns are not those of a frame that can be"),
        ("parts of schedules", bf.scheduled_subtransactions(), "cannot change the parts of sched"),
        ("a key twice", twice, "2 rows with the key"),
        ("a column twice", pd.concat([last, last[["memo"]]], axis=1), "two columns named 'memo'"),
        ("rows of a category", of_category, "pass rows of ledger()"),
        ("no parts", pd.DataFrame([{**new, "subtransactions": "x"}]), "is not a list of parts"),
        ("several levels", pd.concat({"a": last}, axis=1), "has columns with several levels"),
        ("parts alone", bf.subtransactions().drop(columns="transaction_id"), "keep both"),
        ("a category's group", card.assign(category_group_name="Hom"), "closest name is 'Home'"),
        ("an internal category", internal.assign(note="x"), "belongs to the service"),
        ("an internal amount", internal.assign(budgeted=1.0), "nothing can be assigned to it"),
        ("a payment category", card.assign(category_name="x"), "its name and group cannot be"),
        ("no amount assigned", month.assign(budgeted=float("nan")), "budgeted cannot be empty"),
        ("activity", month.assign(activity=1.0), "activity cannot be changed"),
        ("balance", bf.categories().head(1).assign(balance=1.0), "balance cannot be changed"),
        ("a new category", bf.categories().head(1).assign(category_id=None), "bf.create_category"),
        ("no month", month.assign(month=None), "1 row without a month, or without a category_id"),
        ("an early month", fuel.assign(month="2019-01"), "no month 2019-01: its first month is 20"),
        ("a new month twice", twice_new, "they have different values: keep one of them"),
        ("an unknown name", pd.DataFrame([{**assigned, "category_name": "Fuell"}]), "is 'Fuel'"),
        ("a name twice", pd.DataFrame([{**assigned, "category_name": "Insurance"}]), "write one"),
        ("deleted amounts", fuel.assign(deleted=True), "deleted cannot be changed"),
        ("a schedule's first day", schedule.assign(date_first="2026-01-02"), "date_first cannot"),
        ("a split schedule", split.assign(amount=-1.0), "the service cannot change its amount"),
        ("a schedule's account", schedule.assign(payee_name="Transfer : Checking"), "its own acc"),
        ("a schedule's frequency", schedule.assign(frequency="often"), "it must be one of"),
        ("a new split schedule", pd.DataFrame([new_schedule]), "creates no parts of schedules"),
        ("two names", last.assign(category_id=key, category_name="Rent"), "key of 'Car: Fuel'"),
        ("both sides", sides.assign(amount=[200.0, -100.0]), "contradict each other: amount is 20"),
        ("a part's side", side.assign(amount=1.0), "is the other side of a part of the split"),
        ("no target", category.assign(goal_target_date="2027-01-01"), "but goal_target is empty"),
        ("a schedule's card", schedule.assign(category_name="Credit Card"), "category of the pay"),
    ]
    for name, edited, message in cases:
        with subtests.test(name=name):
            assert message in refusal(bf, edited)


def test_assigned_amounts_of_an_earlier_month_are_refused() -> None:
    sandbox, bf = connected()
    categories = bf.categories()
    sandbox.advance(31)
    message = refusal(bf, rows_with(categories, category_name="Fuel").assign(budgeted=1.0))
    assert "budgeted is the amount that was assigned in 2026-06" in message
    assert "the current month is 2026-07" in message


def test_impossible_deletions_are_refused(bf: BudgetFrame, subtests: pytest.Subtests) -> None:
    last = bf.transactions().tail(1)
    part = bf.ledger()[bf.ledger()["is_split_part"]].tail(1)
    key = last["transaction_id"].iloc[0]
    schedules = bf.scheduled_transactions()["scheduled_transaction_id"].tolist()
    cases: list[tuple[str, Any, Any, str]] = [
        ("a part", None, part, "1 row in delete= is a part of a split"),
        ("a part's key", None, part["subtransaction_id"].tolist(), "is the part of a split"),
        ("a category", None, bf.categories().head(1), "cannot delete rows of categories()"),
        ("amounts", None, bf.month("2026-06").head(1), "cannot delete rows of month_categories()"),
        ("a category's key", bf.categories().head(1), ["k"], "cannot delete rows of categories()"),
        ("other rows", last, bf.scheduled_transactions(), "pass them in two calls"),
        ("changed too", last.assign(memo="x"), key, "is both changed and deleted"),
        ("schedules", None, schedules, "delete_scheduled_transactions() deletes schedules"),
        ("no key", None, [5], "is not a key"),
        ("a mask", None, last["approved"], "is a mask of True and False: pass the rows, frame[mas"),
        ("another budget", None, bf.with_budget("東京の家計").transactions(), "from the budget"),
    ]
    for name, edited, delete, message in cases:
        with subtests.test(name=name):
            assert message in refusal(bf, edited, delete=delete)


def test_what_needs_attention_is_a_warning(bf: BudgetFrame, subtests: pytest.Subtests) -> None:
    rows, schedules = bf.transactions(), bf.scheduled_transactions().iloc[::-1]
    wallet = {"date": "2026-06-16", "amount": -4.5, "account_name": "Wallet"}

    def new(**cells: Any) -> pd.DataFrame:
        return pd.DataFrame([{**wallet, "approved": True, **cells}])

    transfers = rows_with(rows, account_name="Index Fund").tail(2)
    loan = rows_with(rows, account_name="Car Loan").tail(1)
    target = rows_with(bf.categories(), category_name="Groceries").assign(goal_target=None)
    plain = plain_rows(bf, 2, approved=True)
    split = with_parts(plain, *([{"amount": amount}] for amount in plain["amount"]))
    as_schedule = new(date="2026-07-01", frequency="weekly", cleared="cleared", import_id="x")
    as_schedule = as_schedule.drop(columns="approved")
    edited: list[tuple[pd.DataFrame, str]] = [
        (rows_with(rows, cleared="reconciled").head(2).assign(memo="x"),
         "2 reconciled rows are changed or deleted"),
        (rows_with(rows, approved=False).head(1).assign(approved=True),
         "1 unapproved row becomes approved"),
        (new(account_name="Old Savings"), "1 row is in closed accounts"),
        (new(approved=False), "1 new row is not approved"),
        (new(payee_name="Baker"), CREATES_PAYEE),
        (schedules.head(1).assign(payee_name="Baker"), CREATES_PAYEE),
        (rows.tail(1).assign(category_group_name="Car"),
         ("category_group_name is ignored in 1 row: a row gets another category by its"
          " category_name")),
        (transfers.tail(1).assign(amount=1.0), "the other side of 1 transfer changes too"),
        (transfers.assign(amount=[1.0, 2.0]), "the other sides of 2 transfers change too"),
        (loan.assign(flag_color="red"), LOAN),
        (split.head(1),
         (".undo().apply() deletes 1 new split and creates it again as one row, because the"
          " service cannot remove parts")),
        (split, (".undo().apply() deletes 2 new splits and creates them again as one row each,"
                 " because the service cannot remove parts")),
        (as_schedule, "cleared, import_id: these columns are ignored, because schedules have none"),
        (target, (".undo().apply() creates a removed or replaced target anew: its type, its"
                  " frequency, its goal_needs_whole_amount and its first month may be others")),
    ]  # fmt: skip
    for frame, text in edited:
        with subtests.test(text=text):
            assert bf.changes(frame).warnings == [text]
    assert bf.changes(rows.tail(1).assign(category_group_name="Everyday")).warnings == []
    deleted: list[tuple[pd.DataFrame, list[str]]] = [
        (transfers.tail(1), [RESTORED, "the other side of 1 transfer will be deleted too"]),
        (schedules.head(1), [".undo().apply() restores 1 deleted schedule under another key"]),
        (rows_with(schedules, payee_name="Weekly Market"), [NO_PARTS]),
    ]
    for frame, texts in deleted:
        with subtests.test(texts=texts):
            assert bf.changes(delete=frame).warnings == texts


def test_rows_that_the_service_cannot_create_again_are_a_warning() -> None:
    bf = connect(Sandbox(years=6, limit=1_000))
    assert bf.changes(delete=bf.transactions().head(1)).warnings[0] == (
        ".undo().apply() cannot restore 1 deleted row: the service creates no rows that are over"
        " five years old"
    )


def test_a_row_that_the_service_merges_with_a_present_one_is_a_warning() -> None:
    bf, row = connect(small_sandbox()), {"account_name": "Wallet", "amount": -7.77}
    bf.create_transactions([{**row, "date": "2026-05-20"}])
    merges = (
        "the service merges 1 new row with a row of the same amount that is up to 10 days apart and"
        " has no import_id; .undo().apply() does not separate them"
    )
    for day, amount, is_merged in (("30", -7.77, True), ("31", -7.77, False), ("30", -7.76, False)):
        new = pd.DataFrame([{**row, "date": f"2026-05-{day}", "amount": amount, "import_id": "x"}])
        assert (merges in bf.changes(new).warnings) is is_merged, (day, amount)
    new = pd.DataFrame([{**row, "date": "2026-05-30", "import_id": "x"}])
    assert bf.changes(new).apply().counts["conflicts"] == 1
    assert bf.changes(delete=bf.transactions().query("import_id == 'x'")).warnings[-2:] == [
        ".undo().apply() does not restore the matched_transaction_id of 1 deleted row",
        (
            "the service keeps the import id of 1 deleted row: a later import leaves this row out,"
            " also after .undo().apply()"
        ),
    ]


def test_undo_says_what_it_does_not_restore() -> None:
    bf = connect(small_sandbox())
    new = pd.DataFrame([{"date": "2026-06-16", "amount": -4.5, "account_name": "Wallet"}])
    assert bf.changes(new).apply().undo().warnings == [RESTORED]
    transfer = rows_with(bf.transactions(), account_name="Index Fund").tail(1)
    assert bf.changes(delete=transfer).apply().undo().warnings == [
        (
            "1 other side of a transfer comes back under another key, with the state and the memo"
            " of the side that is restored, and without a flag"
        ),
        "1 deleted row comes back under another key, without import_payee_name and import_id",
    ]


def test_missing_columns_and_keys_are_a_warning(bf: BudgetFrame, subtests: pytest.Subtests) -> None:
    last = bf.transactions().tail(1)
    for name, meant in (
        ("category", "category_name"), ("Memo", "memo"), ("categry_name", "category_name"),
        ("account name", "account_name"), ("flag", "flag_color"),
    ):  # fmt: skip
        with subtests.test(name=name):
            assert bf.changes(last.assign(**{name: "x"})).warnings == [
                f"the column {name!r} is ignored; {meant!r} can be changed"
            ]
    assert bf.changes(last.assign(mine=1, share=0.5, label="x")).warnings == []
    assert bf.changes(last.drop(columns="transaction_id")).warnings == [
        ("the frame has no transaction_id although it was read from the budget: all of its rows"
         " are created once more"),
        ("1 row without a transaction_id has the account, the date and the amount of a row that"
         " exists: a second row is created. To change the row that exists, set its"
         " transaction_id"),
    ]  # fmt: skip


@pytest.mark.parametrize("empty", [None, ""])
def test_rows_that_lost_their_key_in_a_left_join_are_a_warning(bf: BudgetFrame, empty: Any) -> None:
    last = rows_with(bf.transactions(), transfer_account_id=None, is_split=False).tail(5)
    joined = last.merge(
        last[["transaction_id"]].head(2).assign(is_found=True), how="left", on="transaction_id"
    )
    keys = joined["transaction_id"].where(joined["is_found"].notna()).astype(object)
    edited = joined.assign(memo="x", transaction_id=keys.fillna(empty) if empty == "" else keys)
    changes = bf.changes(edited)
    assert (
        shown(changes.frame[changes.frame["field"] == "memo"])[2:]
        == [("create", "memo", None, "x")] * 3
    )
    assert (
        "3 rows without a transaction_id have the account, the date and the amount of rows that"
        " exist: second rows are created. To change the rows that exist, set their transaction_id"
    ) in changes.warnings


def test_parts_and_schedules_without_key_warn(bf: BudgetFrame, subtests: pytest.Subtests) -> None:
    ledger, schedules = bf.ledger(), bf.scheduled_transactions()
    part = ledger[ledger["subtransaction_id"].notna()].head(1)
    whole = schedules.query("not is_split and frequency == 'monthly'").tail(1)
    for edited, name in (
        (part.assign(transaction_id=None, subtransaction_id=None), "transaction_id"),
        (whole.assign(scheduled_transaction_id=None), "scheduled_transaction_id"),
    ):
        with subtests.test(name=name):
            assert (
                f"1 row without a {name} has the account, the date and the amount of a row that"
                " exists: a second row is created. To change the row that exists, set its"
                f" {name}"
            ) in bf.changes(edited).warnings


def test_a_new_row_unlike_all_is_no_warning(bf: BudgetFrame, subtests: pytest.Subtests) -> None:
    plain = rows_with(bf.transactions(), transfer_account_id=None, is_split=False)
    last = rows_with(plain, account_name="Checking").tail(1).assign(transaction_id=None)
    for cells in (
        {"date": "2026-06-03"}, {"amount": -0.07}, {"account_id": None, "account_name": "Wallet"},
    ):  # fmt: skip
        with subtests.test(cells=cells):
            warnings = bf.changes(last.assign(**cells)).warnings
            assert [text for text in warnings if "that exists" in text] == []
