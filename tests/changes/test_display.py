"""The display of changes and of the journal, and the async methods."""

from __future__ import annotations

import asyncio

import pandas as pd

from tests.changes.budget import connect, small_sandbox

NEW = {
    "date": "2026-06-16",
    "amount": -4.5,
    "account_name": "Wallet",
    "category_name": "Fuel",
    "payee_name": "<b>\x1b[31m",
}


def test_the_text_shows_changes_effects_cost_the_limit_and_warnings() -> None:
    bf = connect(small_sandbox(limit=200))
    bf.ledger()
    changes = bf.changes(pd.DataFrame([NEW]))
    assert [" ".join(line.split()) for line in repr(changes).splitlines()] == [
        "Changes: 1 row will be created",
        "action date account_name payee_name category_name field before after",
        r"create 2026-06-16 Wallet <b>\x1b[31m Fuel amount -4.5",
        "cost: 1 write request; the limit leaves 194 now and 193 after them",
        "effects: .effects shows them, for one request",
        "warning: 1 new row is not approved",
        r"warning: creates the payee '<b>\x1b[31m'; undo does not remove payees",
        "next: .apply() sends the changes",
    ]
    assert changes.effects["quantity"].tolist() == ["balance", "activity", "available"]
    text = repr(changes)
    assert "  effects:\n" in text
    assert ".effects shows them" not in text
    done = repr(changes.apply())
    assert done.startswith("Changes: 1 row was created")
    assert done.endswith("next: .undo() returns the reverse changes")
    assert repr(bf.changes(bf.transactions())) == "Changes: nothing is changed"
    assert repr(bf.journal()).startswith("Journal: 1 entry\n")


def test_the_page_shows_the_same_without_markup_of_names() -> None:
    bf = connect(small_sandbox())
    html = bf.changes(pd.DataFrame([NEW]))._repr_html_()
    assert "&lt;b&gt;\\x1b[31m" in html
    assert "<b>" not in html
    assert "\x1b" not in html
    for text in ("1 row will be created", "1 write request", "1 new row is not approved"):
        assert text in html
    assert "Journal" in bf.journal()._repr_html_()


def test_long_changes_show_the_first_rows() -> None:
    bf = connect(small_sandbox())
    rows = bf.transactions()
    plain = rows[rows["transfer_account_id"].isna()].tail(160)
    text = repr(bf.changes(plain.assign(memo="checked")))
    assert "Changes: 160 rows will be updated" in text
    assert "... 150 more rows" in text
    assert len(text.splitlines()) < 25


def test_the_async_methods_do_the_same() -> None:
    bf = connect(small_sandbox())

    async def main() -> list[int]:
        changes = await bf.aio.changes(pd.DataFrame([NEW]))
        effects = await changes.effects()
        await (await (await changes.apply()).undo()).apply()
        journal = await bf.aio.journal()
        reverse = await journal.undo()
        return [changes.requests, len(effects), *journal.frame["created"], len(reverse.frame)]

    assert asyncio.run(main()) == [0, 3, 1, 0, 1]
