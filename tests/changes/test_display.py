"""The display of changes and of the journal, and the async methods."""

import asyncio

import pandas as pd

from budgetframe.frames.display import layout_of, one_line_text

from .budget import connect, connected, interrupted, plain_rows, small_sandbox, with_parts

NEW = {
    "date": "2026-06-16", "amount": -4500.5, "account_name": "Wallet", "category_name": "Fuel",
    "payee_name": "<b>\x1b[31m",
}  # fmt: skip


def lines_of(shown: object) -> list[str]:
    """The lines that IPython shows, with single spaces."""
    text = repr(shown)
    if isinstance(shown, pd.DataFrame):
        layout = layout_of(shown)
        assert layout is not None
        text = one_line_text(shown, layout) or ""
    return [" ".join(line.split()) for line in text.splitlines()]


def test_the_text_shows_changes_effects_cost_the_limit_and_warnings() -> None:
    bf = connect(small_sandbox(years=1, limit=200))
    bf.ledger()
    changes = bf.changes(pd.DataFrame([NEW]))
    assert lines_of(changes) == [
        "Changes: 1 row will be created", "cannot be undone in full:",
        r"- creates the payee '<b>\x1b[31m'; .undo().apply() does not remove payees",
        "action date account_name payee_name category_name field before after",
        r"create 2026-06-16 Wallet <b>\x1b[31m Fuel amount -4.500,50 €",
        ("cost: 1 write request, and 1 read if more than ten seconds pass; the limit leaves 194"
         " now and 192 after them"),
        "effects: .effects shows them, for at most one request",
        "warning: 1 new row is not approved", "next: .apply() sends the changes",
    ]  # fmt: skip
    assert changes.effects["quantity"].tolist() == ["balance", "activity", "available"]
    assert lines_of(changes)[5:8] == [
        "effects:", "kind name month quantity before after difference",
        "account Wallet balance 218,64 € -4.281,86 € -4.500,50 €",
    ]  # fmt: skip
    assert "effects: .effects shows" not in repr(changes)
    done = lines_of(changes.apply())
    assert done[0] == "Changes: 1 row was created"
    assert not any(line.startswith(("warning", "cannot be undone")) for line in done)
    assert done[-1] == "next: .undo() prepares the reverse changes, .undo().apply() sends them"
    assert lines_of(changes.undo())[0] == "Changes: undo: 1 row will be deleted"
    assert repr(bf.changes(bf.transactions())) == "Changes: nothing to change"


def test_the_page_shows_the_same_without_markup_of_names() -> None:
    bf = connect(small_sandbox())
    changes = bf.changes(pd.DataFrame([NEW]))
    html = changes._repr_html_()
    assert "&lt;b&gt;\\x1b[31m" in html
    assert "<b>" not in html
    assert "\x1b" not in html
    texts = (
        "1 row will be created", "cannot be undone in full", "<td>create</td>",
        "1 write request", "1 new row is not approved",
    )  # fmt: skip
    places = [html.index(text) for text in texts]
    assert places == sorted(places)
    assert bf.journal()._repr_html_().endswith("Journal: nothing was applied</strong></p>")
    changes.apply()
    assert "<td>2026-06-17 12:00</td>" in bf.journal()._repr_html_()


def test_long_changes_show_the_first_rows_and_the_number_of_each_field() -> None:
    bf = connect(small_sandbox())
    rows = bf.transactions()
    plain = rows[rows["transfer_account_id"].isna()].tail(160)
    edited = plain.assign(memo="checked", flag_color=["red"] * 4 + list(plain["flag_color"][4:]))
    text = repr(bf.changes(edited))
    assert "Changes: 160 rows will be updated" in text
    assert "... and 154 more: .frame has all changed fields" in text
    assert "fields: memo 160, flag_color 4" in text
    assert len(text.splitlines()) < 25


def test_a_short_line_leaves_out_the_account_and_the_category_first() -> None:
    bf = connect(small_sandbox())
    changes = bf.changes(bf.transactions().tail(1).assign(memo="checked at the end of June"))
    with pd.option_context("display.width", 70):
        assert lines_of(changes)[1] == "action date payee_name field before after"
        assert max(map(len, repr(changes).splitlines())) <= 70


def test_each_part_of_a_split_is_shown_with_the_decimals_of_the_currency() -> None:
    bf = connect(small_sandbox(years=1))
    parts = [{"amount": -5.0, "payee_name": "Kiosk", "memo": "x"}, {"amount": -2.8}]
    changes = bf.changes(with_parts(bf.transactions().tail(1), parts))
    shown = [line for line in lines_of(changes) if "subtransactions -" in line]
    assert [line.split("subtransactions ")[1] for line in shown] == [
        "-5,00 € · Kiosk · x", "-2,80 €",
    ]  # fmt: skip
    yen = bf.with_budget("東京の家計")
    row = yen.transactions()[yen.transactions()["transfer_account_id"].isna()].tail(1)
    amount = row["amount"].iloc[0]
    changes = yen.changes(with_parts(row, [{"amount": amount + 500}, {"amount": -500.0}]))
    assert "-¥500" in changes.frame["after"].tolist()


def test_an_amount_with_more_decimals_than_the_currency_is_shown_as_it_is_sent() -> None:
    bf = connect(small_sandbox(years=1))
    yen = bf.with_budget("東京の家計")
    row = yen.transactions()[yen.transactions()["transfer_account_id"].isna()].tail(1)
    changes = yen.changes(row.assign(amount=-1.5))
    assert lines_of(changes)[2].endswith(" amount -¥4,741 -¥1.5")
    assert "1 amount has more decimals than the currency (first: -¥1.5)" in changes.warnings
    changes = bf.changes(bf.transactions().tail(1).assign(amount=-1.234))
    assert lines_of(changes)[2].endswith(" amount -7,80 € -1,234 €")
    assert lines_of(changes.frame)[1].endswith(" amount -7,80 € -1,234 €")
    assert changes.warnings == ["1 amount has more decimals than the currency (first: -1,234 €)"]
    assert bf.changes(bf.transactions().tail(1).assign(amount=-1.23)).warnings == []
    file = pd.DataFrame([{"date": "2026-06-16", "amount": -1.234, "payee_name": None}])
    assert any("more decimals" in text for text in bf.import_rows(file, account="Wallet").warnings)


def test_conflicts_name_their_rows_and_what_can_be_done() -> None:
    sandbox, bf = connected(years=1)
    edited = bf.transactions().iloc[[-1, -4]].assign(memo="mine")
    sandbox.device.edit_transaction(edited["transaction_id"].iloc[0], memo="theirs")
    sandbox.device.delete_transaction(edited["transaction_id"].iloc[1])
    assert lines_of(bf.changes(edited)) == [
        "Changes: nothing to change",
        "conflicts:",
        "action date payee_name field before after problem",
        "update 2026-06-16 Grüner Markt memo theirs mine changed since the frame was read: memo",
        "update 2026-06-15 Café Zur Mühle memo mine deleted since the frame was read",
        (
            "conflicts: 2 rows are not written; read the frame again, or .apply(overwrite=True)"
            " overwrites later changes"
        ),
    ]
    assert lines_of(bf.changes(edited.tail(1)))[-1] == "conflicts: 1 row is not written"


def test_interrupted_changes_say_what_is_known_and_how_to_continue() -> None:
    sandbox, bf = connected()
    changes = bf.changes(plain_rows(bf, 120).assign(memo="checked"))
    interrupted(sandbox, "reset-after:PATCH:*@2", changes.apply)
    lines = lines_of(changes)
    assert lines[0] == (
        "Changes: interrupted: of 120 changes, 50 were made, 50 may have been made, and 20 are left"
    )
    assert any(line.startswith("cost: 2 write requests, and 1 read first") for line in lines)
    assert lines[-1] == "next: .apply() finds out what was made, and sends the rest"
    assert lines_of(bf.journal()) == [
        "Journal: 1 entry",
        "number applied_at created updated deleted left conflicts",
        "0 2026-06-17 12:00 0 50 0 70 0",
        "interrupted: entry 0, 70 of its changes are left: .resume() continues",
        (
            "next: .undo() prepares the reverse changes of the newest entry, .undo(number) others;"
            " .undo().apply() sends them"
        ),
    ]
    assert "interrupted" not in repr(changes.apply())
    assert "interrupted" not in repr(bf.journal())


def test_changes_that_the_limit_does_not_allow_say_so() -> None:
    bf = connect(small_sandbox(years=1, limit=12))
    lines = lines_of(bf.changes(plain_rows(bf, 400).assign(memo="checked")))
    assert any(line.endswith("the limit leaves 6 now, which is not enough") for line in lines)
    assert lines[-1] == "next: .apply() sends nothing before the limit leaves 9 requests"


def test_the_frames_show_each_row_on_one_line() -> None:
    bf = connect(small_sandbox())
    changes = bf.changes(pd.DataFrame([{**NEW, "payee_name": "Kiosk"}]))
    assert lines_of(changes.frame)[1] == "0 create 2026-06-16 Wallet Kiosk Fuel amount -4.500,50 €"
    assert lines_of(changes.effects)[-1] == "3 rows × 8 columns; not shown: key"
    changes.apply()
    assert lines_of(bf.journal().frame)[1] == "0 2026-06-17 12:00 1 0 0 0 0"


def test_the_async_methods_do_the_same() -> None:
    bf = connect(small_sandbox())

    async def main() -> list[int]:
        changes = await bf.aio.changes(pd.DataFrame([NEW]))
        assert len(changes) == 1
        assert "effects: await .effects() shows them" in repr(changes)
        effects = await changes.effects()
        await (await (await changes.apply()).undo()).apply()
        journal = await bf.aio.journal()
        reverse = await journal.undo()
        return [changes.requests, len(effects), *journal.frame["created"], len(reverse.frame)]

    assert asyncio.run(main()) == [0, 3, 1, 0, 1]


def test_what_cannot_be_undone_comes_first_in_the_preview_of_a_deletion() -> None:
    bf = connect(small_sandbox())
    changes = bf.changes(delete=bf.scheduled_transactions())
    lines = lines_of(changes)
    assert lines[:3] == [
        "Changes: 6 rows will be deleted",
        "cannot be undone in full:",
        (
            "- .undo().apply() cannot restore 1 split schedule: the service creates no parts of"
            " schedules"
        ),
    ]
    assert lines[5] == "- .undo().apply() restores 3 deleted schedules under another key"
    assert (
        changes.not_undone[-1] == ".undo().apply() restores 3 deleted schedules under another key"
    )
    assert changes.warnings == changes.not_undone
    html = changes._repr_html_()
    assert html.index("creates no parts of schedules") < html.index("<td>delete</td>")
    assert lines_of(changes.apply().undo())[1:3] == [
        "not restored in full:", "- 3 deleted schedules come back under another key",
    ]  # fmt: skip
