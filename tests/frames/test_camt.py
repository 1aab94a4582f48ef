"""CAMT files of banks as frames. The samples were written from the published format."""

import inspect
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import pytest

from budgetframe import ToolError, read_camt, read_mt940
from tests.changes.budget import connect, connected, content, small_sandbox
from tests.docs.docstrings import tables_in
from tests.frames.columns import TEXT
from tests.frames.test_bank_files import changed, refusal
from tests.reports.rows import lines

SAMPLES = Path(__file__).parent / "camt"
OWN = "DE99100200300000000001"
SHORT = ("payee_name", "memo", "amount", "bank_row_id")

EMPTY = b"""<Document><BkToCstmrStmt><Stmt><Acct><Id><IBAN>DE1</IBAN></Id><Ccy>EUR</Ccy></Acct>
</Stmt></BkToCstmrStmt></Document>"""
ENTRY = b"""<Ntry><Amt Ccy="EUR">4.50</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts>BOOK</Sts>
<BookgDt><Dt>2026-06-15</Dt></BookgDt></Ntry>"""
ONE = EMPTY.replace(b"</Stmt>", ENTRY + b"</Stmt>")


def sample(name: str, *columns: str) -> list[tuple[Any, ...]]:
    return lines(read_camt(SAMPLES / name), *columns)


def test_each_booked_entry_is_a_row() -> None:
    found = read_camt(SAMPLES / "single_02.xml")
    salary = ("Muster AG", "Salary June", 2500.0, OWN, "A-0002", "2026-06-16", None)
    assert lines(found, *found.columns) == [
        (
            "2026-06-15",
            "Haus & Hof GmbH",
            "Invoice 77 customer 4711",
            -18.4,
            OWN,
            "A-0001",
            "2026-06-16",
            "INV-77",
        ),
        ("2026-06-16", *salary),
    ]
    assert found.attrs == {"currencies": ["EUR"]}


def test_parties_and_states_of_version_8_are_read_and_days_stay_those_of_the_bank() -> None:
    assert sample("nested_parties_08.xml", "date", *SHORT, "value_date") == [
        ("2026-06-15", "Stadtwerke Musterstadt", "Electricity", -49.99, "B-0001", "2026-06-16"),
        ("2026-06-16", "Musterbank", "Interest", 7.0, None, None),
    ]


def test_namespaces_with_a_prefix_are_ignored() -> None:
    assert sample("prefix_10.xml", "date", *SHORT, "bank_account_id") == [
        ("2026-06-15", "Corner Kiosk", None, -3.05, "C-0001", "1234567")
    ]


def test_a_batch_whose_details_add_up_is_one_row_for_each_of_them() -> None:
    assert sample("batch_04.xml", "date", *SHORT, "reference") == [
        ("2026-06-15", "Anna Muster", "Wages", -60.1, "D-1a", "S-1"),
        ("2026-06-15", "Bernd Muster", "SAMMLER", -39.9, "D-1b", "S-2"),
        ("2026-06-16", "Clara Muster", None, 50.0, "D-2/1", None),
        ("2026-06-16", "Dora Muster", None, -20.0, "D-2/2", None),
    ]


def test_another_batch_is_one_row_with_a_warning_if_its_details_do_not_add_up() -> None:
    with pytest.warns(
        UserWarning, match=r": 1 batch is one row: the details do not add up to the amount$"
    ) as warned:
        found = sample("batch_as_one_row_02.xml", *SHORT)
    assert found == [
        (None, "Cards, less 0.50 of charges", 99.5, "E-1"),
        (None, "Two payments without amounts", -12.0, "E-2"),
        (None, "Details in another file", -8.0, "E-3"),
    ]
    assert [each.filename for each in warned] == [__file__]


def test_a_reversal_has_the_stated_direction_and_the_payee_of_the_payment_it_reverses() -> None:
    assert sample("reversal_02.xml", *SHORT) == [
        ("Fitness Muster", "Direct debit returned", 25.0, "F-1"),
        ("Gerd Muster", None, -40.0, "F-2"),
        ("Hotel Muster", None, 15.0, "F-3"),  # its creditor has the number of the account
        ("Imbiss Muster", None, -5.0, "F-4"),
    ]


def test_amounts_in_another_currency_do_not_change_the_amount_of_the_account() -> None:
    assert sample("foreign_currency_04.xml", *SHORT) == [
        ("Diner, New York", "USD 100.00 at 1.0833", -92.31, "G-1"),
        (None, "Two payments to Switzerland", -50.0, "G-2"),
    ]
    assert read_camt(SAMPLES / "foreign_currency_04.xml").attrs == {"currencies": ["EUR"]}


def test_what_the_bank_does_not_state_is_missing() -> None:
    columns = ("date", *SHORT, "bank_account_id", "value_date", "reference")
    assert sample("missing_02.xml", *columns) == [
        ("2026-06-15", None, "Account fee", -1.5, None, None, None, None),
        ("2026-06-15", "Online Shop Muster", None, -2.5, None, None, None, None),
        ("2026-06-15", None, None, 3.5, "H-3", None, None, None),
        ("2026-06-18", None, None, 4.5, None, None, "2026-06-18", None),
    ]


def test_a_file_has_the_rows_and_currencies_of_all_its_accounts() -> None:
    found = read_camt(SAMPLES / "two_accounts_08.xml")
    assert lines(found, "amount", "bank_account_id", "bank_row_id") == [
        (-10.0, OWN, "I-1"),
        (20.0, OWN, "I-2"),
        (-30.0, "CH9900700000000000002", "I-1"),
    ]
    assert found.attrs == {"currencies": ["CHF", "EUR", "USD"]}


def test_entries_that_are_not_booked_are_left_out_with_a_warning() -> None:
    with pytest.warns(
        UserWarning, match=r": 2 entries are left out: the bank has not booked them$"
    ) as warned:
        assert sample("pending_052_02.xml", *SHORT) == [(None, None, -20.0, "K-2")]
    assert [each.filename for each in warned] == [__file__]


def test_structured_references_follow_the_text() -> None:
    assert sample("structured_remittance_04.xml", "memo", "amount") == [
        ("RF18539007547034", -120.0),
        ("Rent June flat 3 210000000003139471430009017 R-9", 80.0),
    ]


def test_amounts_are_exact() -> None:
    amounts = [-480.0, 1.234, -12.34, 2251799813685.247, 0.1, 0.0]
    assert sample("decimals_02.xml", "amount") == [(each,) for each in amounts]


@pytest.mark.parametrize("encoding", ["ISO-8859-1", "UTF-8", "UTF-16", "windows-1252"])
def test_texts_are_read_in_the_declared_encoding(encoding: str) -> None:
    text = (SAMPLES / "iso_8859_1_02.xml").read_bytes().decode("iso-8859-1")
    file = BytesIO(text.replace("ISO-8859-1", encoding).encode(encoding))
    assert lines(read_camt(file), "payee_name", "memo") == [("Bäckerei Größe", "Brötchen & Café")]


def test_read_camt_reads_a_path_and_a_file_with_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "download.c53"
    path.write_bytes(b"\xef\xbb\xbf" + ONE)
    for file in (path, str(path), BytesIO(path.read_bytes())):
        assert read_camt(file)["amount"].tolist() == [-4.5]


def test_the_columns_are_those_of_the_docstring() -> None:
    for frame in (read_camt(BytesIO(EMPTY)), read_camt(BytesIO(ONE))):
        assert dict(frame.dtypes) == {
            "date": "datetime64[us]",
            "payee_name": TEXT,
            "memo": TEXT,
            "amount": "float64",
            "bank_account_id": TEXT,
            "bank_row_id": TEXT,
            "value_date": "datetime64[us]",
            "reference": TEXT,
        }
    ((*table,),) = tables_in(inspect.getdoc(read_camt) or "")
    assert [line.column for line in table] == list(frame.columns)
    assert "with the columns of\n    `read_camt`" in (inspect.getdoc(read_mt940) or "")


def test_an_entry_needs_a_day_a_direction_and_an_exact_amount(subtests: pytest.Subtests) -> None:
    cases = {
        ("2026-06-15", "2026-06-31"): "'2026-06-31' is not a day (BookgDt)",
        ("<BookgDt><Dt>2026-06-15</Dt></BookgDt>", ""): "None is not a day (BookgDt)",
        ("DBIT", "DEBIT"): "'DEBIT' is neither CRDT nor DBIT (CdtDbtInd)",
        ("4.50", "0.00012"): "the amount 0.00012 has more than three decimals (Amt)",
        ("4.50", "-4.50"): "the amount -4.50 has a sign besides its direction (Amt)",
        ("4.50", "1.234,50"): "'1.234,50' is not an amount (Amt)",
        ("4.50", ""): "None is not an amount (Amt)",
    }
    for (old, new), message in cases.items():
        with subtests.test(new=new, message=message):
            refused = refusal(changed(old, new, ONE), read_camt)
            assert refused == f"the file, row 1 of account DE1: {message}"


def test_a_file_that_is_no_camt_file_is_refused(subtests: pytest.Subtests) -> None:
    cases = {
        "no element found: line 1, column 0; it starts with ''": b"",
        "syntax error: line 1, column 0; it starts with 'Date,Amount'": b"Date,Amount\n",
        "its elements are html, body; it starts with '<html> <body/></html>'": (
            b"<html>\n<body/></html>"
        ),
        "its elements are Document, BkToCstmrDbtCdtNtfctn;": ONE.replace(
            b"BkToCstmrStmt", b"BkToCstmrDbtCdtNtfctn"
        ),
        "it starts with 'PK": b"PK\x03\x04\x14\x00",
        "unclosed token": ONE[:-3],
        "no element found": ONE[: ONE.index(b"</Stmt>")],
        "unknown encoding: X-1; it starts with": b'<?xml version="1.0" encoding="X-1"?>' + ONE,
    }
    for reason, file in cases.items():
        with subtests.test(reason=reason):
            message = refusal(BytesIO(file), read_camt)
            assert message.startswith("the file is not a complete CAMT.053 or CAMT.052 file: ")
            assert reason in message
            assert message.endswith(". Download it again, and unpack an archive first")
            assert "\n" not in message


def test_a_document_type_and_very_deep_elements_are_refused(subtests: pytest.Subtests) -> None:
    bomb = '<!DOCTYPE Document [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]>'
    link = '<!DOCTYPE Document SYSTEM "file:///etc/hostname">'
    text = ONE.decode().replace("DE1", "&b;")
    cases = {
        "a bomb": (bomb + text).encode(),
        "a bomb in UTF-16": (bomb + text).encode("utf-16"),
        "a link": (link + ONE.decode()).encode(),
    }
    for name, file in cases.items():
        with subtests.test(name=name):
            assert refusal(BytesIO(file), read_camt) == (
                "the file has a document type declaration, which no CAMT file has"
            )
    deep = refusal(BytesIO(b"<a>" * 10_000_000), read_camt)
    assert deep == "the file has elements in more than 100 others"


@pytest.mark.parametrize("read", [read_camt, read_mt940])
def test_a_very_large_file_is_refused_before_it_is_read(read: Any, tmp_path: Path) -> None:
    path = tmp_path / "blanks"
    with path.open("wb") as file:
        file.truncate(10**9)
    with pytest.raises(ToolError, match="has more than 50,000,000 bytes: download the"):
        read(path)


def test_a_file_that_was_opened_as_text_is_refused() -> None:
    with pytest.raises(ToolError, match="opened with mode 'rb'"):
        read_camt(StringIO(ONE.decode()))  # type: ignore[arg-type]


def test_a_file_that_is_imported_again_has_no_new_rows() -> None:
    sandbox, bf = connected()
    file = read_camt(SAMPLES / "batch_04.xml")
    before = content(sandbox)
    assert bf.import_rows(file, account="Wallet").apply().counts["done"] == 4
    new = sorted((row[0], row[1], row[3], row[5]) for row in (content(sandbox) - before))
    assert new == [
        ("2026-06-15", -60_100, "Anna Muster", "Wages"),
        ("2026-06-15", -39_900, "Bernd Muster", "SAMMLER"),
        ("2026-06-16", -20_000, "Dora Muster", None),
        ("2026-06-16", 50_000, "Clara Muster", None),
    ]
    again = bf.import_rows(read_camt(SAMPLES / "batch_04.xml"), account="Wallet")
    assert len(again) == 0
    assert again.skipped["reason"].tolist() == ["imported before"] * 4


def test_a_statement_compares_the_rows_of_a_camt_file() -> None:
    bf = connect(small_sandbox())
    file = read_camt(SAMPLES / "single_02.xml")
    bf.import_rows(file.head(1), account="Wallet").apply()
    statement = bf.statement("Wallet", 2481.6, "2026-06-16", file=file)
    assert statement.only_bank["amount"].tolist() == [2500.0]
