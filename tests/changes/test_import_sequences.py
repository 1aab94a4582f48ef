"""Random sequences of files of a bank: each row of the bank is in the account exactly once."""

import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import NamedTuple

import httpx
import pandas as pd
import pytest

from budgetframe import BudgetFrame, Changes
from budgetframe.sandbox import Sandbox
from tests.changes.budget import connect, small_sandbox
from tests.programs import programs

END = date(2026, 6, 17)  # the day of the embedded service
DAYS = 60


class Row(NamedTuple):
    """One row of the bank; the amount is in milliunits."""

    day: int
    amount: int
    number: int

    @property
    def date(self) -> date:
        """The day of the row."""
        return date_of(self.day)


def date_of(day: int) -> date:
    """The date of a day of the program, which ends on the day of the service."""
    return END - timedelta(DAYS - 1 - day)


class Program:
    """A bank, an account, and the notebooks that import its files, all determined by the seed."""

    def __init__(self, sandbox: Sandbox, folder: Path, seed: int) -> None:
        self.chance = random.Random(seed)  # noqa: S311 - not for secrets
        self.sandbox, self.folder = sandbox, folder
        self.amounts = [-(1_000_000 + 10 * seed + n) for n in range(self.chance.randint(1, 3))]
        self.bank = sorted(
            Row(self.chance.randrange(DAYS), self.chance.choice(self.amounts), number)
            for number in range(self.chance.randint(8, 30))
        )
        (self.account_id,) = (
            row.id for row in sandbox.device.state().accounts.live() if row.name == "Wallet"
        )
        share = self.chance.choice([0.1, 0.3, 0.6])
        self.untyped = [row for row in self.bank if self.chance.random() < share]
        self.typed: list[tuple[date, int]] = []
        self.seen: set[Row] = set()
        self.bf = self.connect()

    def connect(self) -> BudgetFrame:
        """A new notebook with the journal of the folder."""
        return connect(self.sandbox, cache_dir=self.folder)

    def restart(self) -> None:
        """End the notebook, and begin another one."""
        self.bf.close()
        self.bf = self.connect()

    def type_rows(self, rows: Iterable[Row]) -> None:
        """Enter rows by hand, up to five days apart, if they are to be entered."""
        for row in [row for row in self.untyped if row in set(rows)]:
            self.untyped.remove(row)
            day = min(max(row.day + self.chance.randint(-5, 5), 0), DAYS - 1)
            self.typed.append((date_of(day), row.amount))
            self.sandbox.device.add_transaction(
                account_id=self.account_id, date=date_of(day), amount=row.amount
            )

    def windows(self) -> list[list[Row]]:
        """Files that overlap by 0 to 12 days, in the order of their days."""
        found, start = [], 0
        while start < DAYS:
            end = start + self.chance.randint(5, 25)
            found.append([row for row in self.bank if start <= row.day < end])
            start = end if end >= DAYS else max(start + 1, end - self.chance.randint(0, 12))
        return found

    def file(self, rows: Sequence[Row], **cells: Sequence[object]) -> pd.DataFrame:
        """A file of the bank, from before whose rows some are entered by hand."""
        self.type_rows(rows)
        self.seen.update(rows)
        return pd.DataFrame({
            "date": [f"{row.date}" for row in rows], "amount": [row.amount / 1000 for row in rows],
            "payee_name": "Bakery", **cells,
        })  # fmt: skip

    def import_file(self, file: pd.DataFrame, bf: BudgetFrame | None = None) -> Changes:
        """The plan of a file."""
        return (bf or self.bf).import_rows(file, account="Wallet")

    def apply(self, plan: Changes) -> bool:
        """Apply a plan; return whether the answer has arrived."""
        if self.chance.random() < 0.2:
            kind = self.chance.choice(["reset-after", "reset-before"])
            self.sandbox.faults = [f"{kind}:POST:*@1"]
        try:
            plan.apply()
        except httpx.TransportError:
            return False
        finally:
            self.sandbox.faults = []
        return True

    def check(self) -> None:
        """Check that each row of the bank that was in a file is in the account once."""
        stored = [
            row
            for row in self.sandbox.device.state().transactions.live()
            if row.amount in self.amounts
        ]
        assert Counter(row.amount for row in stored) == Counter(row.amount for row in self.seen)
        created = Counter((row.date, row.amount) for row in stored) - Counter(self.typed)
        assert created <= Counter((row.date, row.amount) for row in self.seen)
        assert not any(row.matched_transaction_id for row in stored)


def run(tmp_path: Path, subtests: pytest.Subtests, program: Callable[[Program], None]) -> None:
    """Run programs with different seeds."""
    sandbox = small_sandbox()
    for seed in programs(2):
        with subtests.test(seed=seed):
            if seed % 20 == 0:  # the rows of earlier programs cost time
                sandbox = small_sandbox()
            each = Program(sandbox, tmp_path / str(seed), seed)
            program(each)
            each.bf.close()


@pytest.mark.slow  # each program imports about ten files
def test_each_row_of_the_bank_is_imported_once_beside_rows_that_were_typed(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    def program(each: Program) -> None:
        for rows in each.windows():
            each.import_file(each.file(rows)).apply()
            each.check()
            if each.chance.random() < 0.3:
                each.restart()
            if each.chance.random() < 0.3:
                each.import_file(each.file([row for row in rows if row.day % 7])).apply()
                each.check()
        assert len(each.import_file(each.file(each.bank))) == 0
        each.check()

    run(tmp_path, subtests, program)


@pytest.mark.slow  # each program imports about ten files
def test_overlapping_plans_import_each_row_once(tmp_path: Path, subtests: pytest.Subtests) -> None:
    def program(each: Program) -> None:
        windows = each.windows()
        while windows:
            number = min(len(windows), each.chance.randint(1, 3))
            files = [each.file(windows.pop(0)) for _ in range(number)]
            other = each.connect() if each.chance.random() < 0.5 else each.bf
            plans = [each.import_file(file, each.chance.choice([each.bf, other])) for file in files]
            interrupted = [
                at for at in each.chance.sample(range(number), number) if not each.apply(plans[at])
            ]
            for at in interrupted:
                plans[at].apply()
            for file, plan in zip(files, plans, strict=True):
                again = plan
                while again.counts["conflicts"]:
                    again = each.import_file(file).apply()
            each.check()
            if other is not each.bf:
                other.close()
        assert len(each.import_file(each.file(each.bank))) == 0

    run(tmp_path, subtests, program)


@pytest.mark.slow  # each program imports about ten files
def test_each_id_of_the_bank_is_imported_once(tmp_path: Path, subtests: pytest.Subtests) -> None:
    def part(each: Program) -> pd.DataFrame:
        """A file that may begin and end within a day, and repeat rows."""
        start = each.chance.randrange(len(each.bank))
        rows = each.bank[start : start + each.chance.randint(1, 12)]
        rows = [row for row in rows for _ in range(each.chance.choice([1, 1, 1, 1, 2]))]
        file = each.file(rows, bank_row_id=[f"id {row.number}" for row in rows])
        return file.sample(frac=1, random_state=each.chance.randrange(1000))

    def program(each: Program) -> None:
        for _ in range(8):
            file = pd.concat([part(each) for _ in range(each.chance.randint(1, 3))])
            plan = each.import_file(file)
            twice = len(file) - file["bank_row_id"].nunique()
            assert (plan.skipped["reason"] == "bank_row_id twice in the file").sum() == twice
            plan.apply()
            each.check()
            if each.chance.random() < 0.3:
                each.restart()
        rows = sorted(each.seen)
        numbers = [f"id {row.number}" for row in rows]
        assert len(each.import_file(each.file(rows, bank_row_id=numbers))) == 0

    run(tmp_path, subtests, program)


@pytest.mark.slow  # each program imports about ten files
def test_numbered_rows_are_imported_once_each(tmp_path: Path, subtests: pytest.Subtests) -> None:
    def file(each: Program, rows: Sequence[Row]) -> pd.DataFrame:
        numbers = [str(number) for number in range(1, len(rows) + 1)]
        payees = [f"Payee {row.number}" for row in rows]
        return each.file(rows, bank_row_id=numbers, payee_name=payees)

    def program(each: Program) -> None:
        windows = each.windows()
        for rows in windows:
            each.import_file(file(each, rows)).apply()
            each.check()
            if each.chance.random() < 0.3:
                each.restart()
        for rows in windows:
            assert len(each.import_file(file(each, rows))) == 0

    run(tmp_path, subtests, program)
