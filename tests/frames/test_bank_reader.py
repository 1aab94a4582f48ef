"""What `read_bank_file` does with a file of any format: how it is found, chosen and checked."""

import inspect
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import pytest

from budgetframe import ToolError, read_bank_file
from tests.docs.docstrings import Line, tables_in
from tests.frames.columns import TEXT
from tests.reports.rows import lines

CSV = b"Date;Payee;Amount\n31/05/2026;Bakery;-4,20\n01/06/2026;Salary;1.000,00\n"


def camt(*statements: str) -> bytes:
    return f"<Document><BkToCstmrStmt>{''.join(statements)}</BkToCstmrStmt></Document>".encode()


def statement(account: str, opening: str, closing: str, *amounts: str, day: str = "01") -> str:
    """A statement of a day in June; amounts without a sign are receipts."""
    balances = "".join(
        f"<Bal><Tp><CdOrPrtry><Cd>{code}</Cd></CdOrPrtry></Tp><Amt Ccy='EUR'>{amount}</Amt>"
        f"<CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>2026-06-{day}</Dt></Dt></Bal>"
        for code, amount in (("OPBD", opening), ("CLBD", closing))
    )
    entries = "".join(
        f"<Ntry><Amt Ccy='EUR'>{amount.lstrip('-')}</Amt>"
        f"<CdtDbtInd>{'DBIT' if amount[0] == '-' else 'CRDT'}</CdtDbtInd><Sts>BOOK</Sts>"
        f"<BookgDt><Dt>2026-06-{day}</Dt></BookgDt></Ntry>"
        for amount in amounts
    )
    owner = f"<Acct><Id><IBAN>{account}</IBAN></Id><Ccy>EUR</Ccy></Acct>"
    return f"<Stmt>{owner}{balances}{entries}</Stmt>"


def refusal(content: bytes, **arguments: Any) -> str:
    with pytest.raises(ToolError) as raised:
        read_bank_file(content, **arguments)
    return str(raised.value)


def test_a_path_bytes_and_a_file_are_read(tmp_path: Path, subtests: pytest.Subtests) -> None:
    path = tmp_path / "download.xml"  # the name says nothing
    path.write_bytes(CSV)
    for file in (path, str(path), CSV, BytesIO(CSV)):
        with subtests.test(file=file):
            found = read_bank_file(file)
            assert lines(found, "date", "amount", "payee_name") == [
                ("2026-05-31", -4.2, "Bakery"), ("2026-06-01", 1000.0, "Salary"),
            ]  # fmt: skip
    with pytest.raises(FileNotFoundError):
        read_bank_file(tmp_path / "none.csv")
    for wrong in (StringIO(CSV.decode()), 7):
        with subtests.test(wrong=wrong), pytest.raises(ToolError, match="with mode 'rb'"):
            read_bank_file(wrong)  # type: ignore[arg-type]


def test_the_columns_are_those_of_the_docstring() -> None:
    for frame in (read_bank_file(CSV), read_bank_file(camt(statement("DE1", "5.00", "5.00")))):
        assert dict(frame.dtypes) == {
            "date": "datetime64[us]", "amount": "float64",
            **dict.fromkeys(("payee_name", "memo", "bank_row_id", "currency", "account"), TEXT),
        }  # fmt: skip
    ((*table,),) = tables_in(inspect.getdoc(read_bank_file) or "")
    assert [line.column for line in table] == [*frame.columns]
    assert table[1] == Line("amount", "float64", "currency", "negative: outflow")


def test_the_attrs_say_what_the_file_states() -> None:
    found = read_bank_file(camt(statement("DE1", "100.00", "81.60", "-18.40")))
    assert found.attrs == {
        "format": "CAMT.053", "encoding": "utf-8", "account": "DE1", "currency": "EUR",
        "opening_balance": 100.0, "opening_date": "2026-06-01", "closing_balance": 81.6,
        "closing_date": "2026-06-01", "left_out": [], "reading": [],
    }  # fmt: skip


def test_one_account_of_several_is_chosen_by_its_number(subtests: pytest.Subtests) -> None:
    both = camt(
        statement("DE02 1203", "10.00", "12.50", "2.50"),
        statement("DE99 7788", "5.00", "4.00", "-1.00"),
    )
    assert lines(read_bank_file(both), "account", "amount") == [
        ("DE02 1203", 2.5), ("DE99 7788", -1.0),
    ]  # fmt: skip
    for account in ("DE02 1203", "DE021203", "1203"):
        with subtests.test(account=account):
            assert read_bank_file(both, account=account)["amount"].tolist() == [2.5]
    known = "its accounts are: DE02 1203 in EUR, DE99 7788 in EUR. Pass the number of one, its end"
    for account, number in (("7777", "0 accounts"), ("EUR", "2 accounts")):
        with subtests.test(account=account):
            message = refusal(both, account=account)
            assert f"account={account!r} is {number} of the file" in message
            assert known in message


@pytest.mark.parametrize(
    ("statements", "warning"),
    [
     # 100.00 - 18.40 = 81.60
     ([statement("A", "100.00", "81.50", "-18.40")],
      "balances of a statement of account A from 2026-06-01 differ by -0.1 more"),
     # The statement of June 2, from 7.00 to 9.00, is missing.
     ([statement("A", "9.00", "8.00", "-1.00", day="03"), statement("A", "5.00", "7.00", "2.00")],
      "statement of account A from 2026-06-03 begins with 9.0, but the one before")],
    ids=["rows", "statements"],
)  # fmt: skip
def test_balances_that_no_rows_explain_are_a_warning(statements: list[str], warning: str) -> None:
    with pytest.warns(RuntimeWarning) as warned:
        found = read_bank_file(camt(*statements))
    (message,) = (str(each.message) for each in warned)
    assert message.startswith(f"the file: the {warning}")
    assert found.attrs["reading"] == [message.removeprefix("the file: ")]


def test_a_statement_that_the_file_repeats_counts_once() -> None:
    page = statement("A", "5.00", "7.00", "2.00")
    later = statement("A", "7.00", "9.00", "2.00", day="02")
    found = read_bank_file(camt(page, page, later))
    assert found["amount"].tolist() == [2.0, 2.0]
    assert found.attrs["reading"] == ["a statement of 1 row that the file repeats counts once"]
    assert (found.attrs["opening_balance"], found.attrs["closing_balance"]) == (5.0, 9.0)
    without = page.partition("<Bal>")[0] + page.rpartition("</Bal>")[2]
    assert read_bank_file(camt(without, without))["amount"].tolist() == [2.0, 2.0]


@pytest.mark.parametrize(
    ("content", "problem"),
    [(b"", "is empty: download"), (b"%PDF-1.7\n", "is a PDF file: download"),
     (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0", "is an old Excel file (.xls): open it and save"),
     (b"\n<!DOCTYPE html><html><body>Log in", "is an HTML page, whatever its name says"),
     (b'{"data": {"budget": {}}}', "is a JSON file: BudgetFrame.from_export reads an export"),
     (b'\xef\xbb\xbf"Account","Flag","Date","Payee","Memo","Outflow","Inflow"\n',
      "is the register of the budgeting app, whose rows are in a budget already")],
    ids=["empty", "PDF", "xls", "HTML", "JSON", "register"],
)  # fmt: skip
def test_what_is_no_file_of_a_bank_is_refused_by_its_name(content: bytes, problem: str) -> None:
    assert refusal(content).startswith(f"the file {problem}")


def test_an_unknown_argument_is_refused_with_the_known_ones(subtests: pytest.Subtests) -> None:
    for arguments, known in (
        ({"dates": "dmy"}, "'dd/mm/yyyy', 'mm/dd/yyyy', 'yyyy/mm/dd'"),
        ({"decimal": ";"}, "'.', ','"), ({"sign": "debit"}, "'inflow', 'outflow', 'type'"),
    ):  # fmt: skip
        with subtests.test(arguments=arguments):
            ((name, value),) = arguments.items()
            assert refusal(CSV, **arguments) == f"{name}={value!r} is none of {known}"
    file = camt(statement("DE1", "5.00", "5.00"))
    assert refusal(file, decimal=",") == "decimal= decides nothing in the file: leave it out"
