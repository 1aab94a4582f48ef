"""Random edits: the service then contains what was shown, once, and undo restores it.

``BUDGETFRAME_EDITS`` sets the number of edits, and ``BUDGETFRAME_SEED`` the first one.
"""

from __future__ import annotations

import os
import random
import warnings
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx
import pandas as pd
import pytest

from budgetframe import BudgetFrame, Changes, ServiceAPIError, ToolError
from budgetframe._changes.state import wire_row
from budgetframe.sandbox import Sandbox
from tests.case import case
from tests.changes.budget import Content, connect, content, small_sandbox
from tests.changes.random_edits import random_deletion, random_edit, random_rows
from tests.changes.test_effects import frames, stated

EDITS = int(os.environ.get("BUDGETFRAME_EDITS", "16"))
SEED = int(os.environ.get("BUDGETFRAME_SEED", "0"))
FAULTS = ("reset-after", "reset-before", "cut", "503-after", "500", "html")


def line(sandbox: Sandbox, row: Mapping[str, Any]) -> tuple[Any, ...]:
    """A row as `content` has it, from the fields of the service."""
    state = sandbox.device.state()

    def payee(each: Mapping[str, Any]) -> str | None:
        key = each.get("payee_id")
        return each.get("payee_name") or (None if key is None else state.payees[key].name)

    key, parts = row.get("payee_id"), row.get("subtransactions") or ()
    target = None if key is None or parts else state.payees[key].transfer_account_id
    return (
        row["date"],
        row["amount"],
        state.accounts[row["account_id"]].name,
        payee(row),
        row.get("category_id"),
        row.get("memo"),
        row.get("cleared", "uncleared"),
        row.get("approved", False),
        row.get("flag_color"),
        tuple(
            sorted(
                (
                    part["amount"],
                    payee(part) or "",
                    part.get("category_id") or "",
                    part.get("memo"),
                )
                for part in parts
            )
        ),
        None if target == row["account_id"] else target,
    )


def expected(sandbox: Sandbox, changes: Changes) -> Content:
    """The transactions after the changes, as they are shown."""
    application = changes._aio._application
    assert application.state is not None
    rows = {key: wire_row(raw, "transactions") for key, raw in application.state.rows.items()}
    created: list[Mapping[str, Any]] = []
    for change in application.plan.changes:
        key = change.key or ""
        match change.action:
            case "update":
                payee = {"payee_id": None} if "payee_name" in change.after else {}
                rows[key] = {**rows[key], **payee, **change.after}
            case "delete":
                del rows[key]
            case "create":
                created.append(change.after)
    return Counter(line(sandbox, row) for row in (*rows.values(), *created))


def without_state_of_transfers(rows: Content) -> Content:
    """The rows, without what undo cannot restore on the other side of a deleted transfer."""
    found: Content = Counter()
    for row, count in rows.items():
        if row[-1] is not None:
            found[*row[:6], None, None, None, *row[9:]] += count
        else:
            found[row] += count
    return found


def changes_of(rng: random.Random, bf: BudgetFrame, sandbox: Sandbox) -> Changes | None:
    """Random changes; None if they are refused."""
    edited, rows = random_edit(rng, bf, sandbox), random_rows(rng, sandbox)
    if rows:
        attrs = edited.attrs
        edited = pd.concat([edited, pd.DataFrame(rows)], ignore_index=True)
        edited.attrs = rng.choice([attrs, {}])
    try:
        return bf.changes(
            edited, delete=random_deletion(rng, bf), replace_splits=rng.random() < 0.6
        )
    except ToolError:
        return None


def apply_with_faults(rng: random.Random, sandbox: Sandbox, changes: Changes, path: Path) -> None:
    """Apply changes, with a fault, and continue in the same connection or in a new one."""
    method = rng.choice(["POST", "PATCH", "DELETE"])
    sandbox.faults = [f"{rng.choice(FAULTS)}:{method}:*@{rng.randint(1, 2)}"]
    try:
        changes.apply()
    except (ServiceAPIError, httpx.TransportError):
        sandbox.faults = []
        if rng.random() < 0.5 and connect(sandbox, cache_dir=path).journal().frame["left"].any():
            connect(sandbox, cache_dir=path).journal().resume()
        changes.apply()
    sandbox.faults = []
    counts = changes.counts
    assert (counts["left"], counts["unknown"], counts["conflicts"]) == (0, 0, 0)


@pytest.mark.slow  # a budget is compared as a whole after each of many edits
@pytest.mark.filterwarnings("ignore:.*")
def test_after_random_edits_the_service_contains_what_was_shown_and_undo_restores_it(
    tmp_path: Path,
) -> None:
    applied = 0
    for seed in range(SEED, SEED + EDITS):
        rng = random.Random(seed)  # noqa: S311 - for tests
        if seed % 15 == 0 or seed == SEED:
            sandbox = small_sandbox(seed=seed % 3 + 1)
            bf = connect(sandbox, cache_dir=tmp_path, ttl=rng.choice([0, 300]))
        with case(seed), warnings.catch_warnings():
            changes = changes_of(rng, bf, sandbox)
            if changes is None:
                continue
            before, figures = content(sandbox), frames(connect(sandbox))
            effects, wanted = changes.effects, expected(sandbox, changes)
            apply_with_faults(rng, sandbox, changes, tmp_path)
            assert content(sandbox) == wanted
            known = effects.astype(object).where(effects.notna(), None)
            keys = zip(*(known[name] for name in ("kind", "key", "month", "quantity")), strict=True)
            after = zip(effects["before"], effects["after"], strict=True)
            assert dict(zip(keys, after, strict=True)) == stated(figures, frames(connect(sandbox)))
            reverse = changes.undo()
            assert len(reverse.conflicts) == 0
            reverse.apply()
            restored = content(sandbox)
            made = changes._aio._application.plan.changes
            if any(change.cause or change.action == "delete" for change in made):
                restored, before = map(without_state_of_transfers, (restored, before))
            assert restored == before
            if rng.random() < 0.5:
                reverse.undo().apply()
            applied += len(changes) > 0
    assert applied >= EDITS // 3
