"""MT940 files of banks as frames. The samples were written from the published formats."""

from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from budgetframe import read_mt940
from tests.changes.budget import connect, small_sandbox
from tests.facade.scripts import run_script
from tests.frames.test_bank_files import refusal
from tests.reports.rows import lines

SAMPLES = Path(__file__).parent / "mt940"
TEXTS = ("payee_name", "memo", "amount", "bank_row_id", "reference")

ONE = b""":20:STARTUMS
:25:10020030/1
:60F:C260614EUR0,00
:61:2606150615D4,50NMSCNONREF
:86:Bread
:62F:D260615EUR4,50
-
"""


def sample(name: str, *columns: str) -> list[tuple[Any, ...]]:
    return lines(read_mt940(SAMPLES / name), *columns)


def changed(old: bytes, new: bytes) -> BytesIO:
    """The file of one row with one text replaced."""
    assert ONE.count(old) == 1
    return BytesIO(ONE.replace(old, new))


def test_the_fields_of_german_banks_are_read() -> None:
    found = read_mt940(SAMPLES / "german.sta")
    memo = "Invoice 77 customer 4711, part of a text that goes on and on"
    payee = "Haus & Hof Handelsgesellschaft mbH"
    assert lines(found, "date", "value_date", *TEXTS) == [
        ("2026-06-15", "2026-06-16", payee, memo, -18.4, "A-0001", "INV-77"),
        ("2026-06-16", "2026-06-16", "Muster AG", "Salary June", 2500.0, "A-0002", "KREF-8"),
        ("2026-06-16", "2026-06-16", "Small Shop", "Shop order 5", -5.0, "A-0003", None),
        ("2026-06-16", "2026-06-16", "Aunt Emma", "Gift", 1.0, None, None),
    ]
    assert set(found["bank_account_id"]) == {"10020030/0000000001"}
    assert found.attrs == {"currencies": ["EUR"]}


def test_texts_before_the_words_of_german_banks_and_the_posting_text_are_memos() -> None:
    assert sample("german_without_words.sta", *TEXTS) == [
        ("Vera Vermieter", "Rent June flat 3", -600.0, "B-1", None),
        ("Stadtwerke", "Gas and water", -20.0, "B-2", "G-1"),
        (None, "ABSCHLUSS", -2.5, None, None),
    ]


def test_the_code_words_of_dutch_banks_are_read(subtests: pytest.Subtests) -> None:
    cases = {
        "dutch_benm.sta": [
            ("J. de Vries", "Boodschappen 5/6 en meer", -45.0, "C-1", "E-45"),
            ("Bakker B.V.", "Factuur 9", 100.1, "C-2", "T-9"),
        ],
        "dutch_cntp.sta": [
            ("ING Testrekening", "EV12341REP1231456T1234", -1.56, "00000000001005", "E-1"),
            ("A. Jansen", "9001123412341234", 2.0, "00000000001006", None),
        ],
        "dutch_trtp.sta": [
            ("Gym Plus", "Membership June", -12.9, None, "G-6"),
            (None, "BEA NR:NND130 15.06.26/15.33 COFFEE/BAR AMSTERDAM,PAS590", -3.0, None, None),
            ("M. Visser", "SEPA OVERBOEKING", -4.0, None, None),
        ],
    }
    for name, rows in cases.items():
        with subtests.test(name=name):
            assert sample(name, *TEXTS) == rows


def test_the_number_of_an_account_is_without_its_currency() -> None:
    assert sample("dutch_benm.sta", "bank_account_id") == [("NL99RABO0000000001",)] * 2


def test_a_reversed_receipt_is_negative_and_a_reversed_payment_positive() -> None:
    assert sample("reversal.sta", "memo", "amount") == [
        ("Credit taken back", -40.0),
        ("Direct debit returned", 25.0),
        (None, -1.0),
    ]


def test_a_file_has_the_rows_and_currencies_of_all_its_statements() -> None:
    found = read_mt940(SAMPLES / "two_accounts.sta")
    assert lines(found, "memo", "amount", "bank_account_id", "bank_row_id") == [
        ("Page 1", -10.0, "DE99100200300000000001", "E-1"),
        ("Page 2", 20.0, "DE99100200300000000001", "E-2"),
        (None, -30.0, "CH9900700000000000002", "E-1"),
    ]
    assert found.attrs == {"currencies": ["CHF", "EUR", "USD"]}


def test_the_day_is_the_entry_date_in_the_year_next_to_the_value_date() -> None:
    assert sample("days.sta", "date", "value_date", "amount") == [
        ("2026-01-02", "2025-12-31", -1.0),
        ("2025-12-31", "2026-01-02", -2.0),
        ("2026-01-15", "2026-01-15", -3.0),
        ("2026-01-16", "2026-01-16", -4.0),
        ("2026-03-02", "2026-02-28", 5.0),  # the value date of interest is the 30th
    ]


def test_texts_that_are_not_utf_8_are_read_as_windows_1252() -> None:
    expected = [("Bäckerei Größe", "Brötchen für 5")]
    assert sample("iso_8859_1.sta", "payee_name", "memo") == expected
    text = (SAMPLES / "iso_8859_1.sta").read_bytes().decode("iso-8859-1")
    file = BytesIO(b"\xef\xbb\xbf" + text.encode())
    assert lines(read_mt940(file), "payee_name", "memo") == expected


def test_a_row_without_field_86_has_the_details_of_field_61() -> None:
    assert sample("without_field_86.sta", *TEXTS) == [
        (None, "Cheque 17", -3.0, "H-1", "CHECK-17"),
        (None, None, -4.0, None, None),
        (None, "The last row", -5.0, "H-3", None),  # without the text of the statement
    ]


def test_a_long_memo_is_complete() -> None:
    memo = "A long text of a bank. " * 100
    assert read_mt940(changed(b"Bread", memo.encode()))["memo"].tolist() == [memo.strip()]


def test_amounts_are_exact() -> None:
    assert sample("decimals.sta", "amount") == [(-480.0,), (1.234,), (12.5,)]


def test_a_file_without_rows_has_the_same_columns() -> None:
    head, _, rest = ONE.partition(b":61:")
    closing = rest[rest.index(b":62F:") :].replace(b"4,50", b"0,00")
    empty = read_mt940(BytesIO(head + closing))
    assert len(empty) == 0
    assert dict(empty.dtypes) == dict(read_mt940(BytesIO(ONE)).dtypes)


def test_a_file_that_cannot_be_read_is_refused(subtests: pytest.Subtests) -> None:
    no_file = "the file is not an MT940 file: it starts with {}. Download it again"
    not_read = "the file cannot be read as MT940: {}. Download it again"
    cases = {
        no_file.format("''"): BytesIO(b""),
        no_file.format("'Date,Amount'"): BytesIO(b"Date,Amount\n"),
        not_read.format("'260615X4,50NMSCNONREF' is not a field 61"): changed(
            b"2606150615D", b"260615X"
        ),
        not_read.format("a day does not exist"): changed(b"0615D", b"0631D"),
        not_read.format("an amount is not a number"): changed(b"D4,50", b"D4,5,0"),
        **{
            f"the file: ':61:2606150615{amount}NMSCNONREF' has no exact amount such as D12,34"
            " (:61:)": changed(b"D4,50", amount.encode())
            for amount in ("D1.018,40", "D1018.40", "D1x8,40")
        },
        "the file is incomplete: a closing balance is missing. Download it again": BytesIO(
            ONE[: ONE.index(b":62F:")]
        ),
        "the file is damaged: 1 row was read, but it has 2. Download it again": changed(
            b"NMSCNONREF", b"\n:61:2606150615D1,00NMSCNONREF"
        ),
        "the file, row 1 of account 10020030/1: the amount -4.5001 has more than three decimals"
        " (:61:)": changed(b"D4,50", b"D4,5001"),
    }
    for message, file in cases.items():
        with subtests.test(message=message):
            assert refusal(file, read_mt940) == message


def test_balances_that_the_rows_do_not_explain_are_a_warning() -> None:
    with pytest.warns(RuntimeWarning, match=r"differ by -1\.00 more than its rows"):
        read_mt940(changed(b"EUR4,50", b"EUR5,50"))


def test_the_rows_of_a_damaged_file_are_not_printed() -> None:
    script = """
        from io import BytesIO
        from budgetframe import ToolError, read_mt940
        try:
            read_mt940(BytesIO(b":20:1\\n:61:260615X4,50"))
        except ToolError:
            print("refused")
    """
    ran = run_script(script)
    assert (ran.out, ran.err) == ("refused\n", "")


def test_a_file_that_is_imported_again_has_no_new_rows() -> None:
    bf = connect(small_sandbox())
    for count in (4, 0):
        changes = bf.import_rows(read_mt940(SAMPLES / "german.sta"), account="Wallet")
        assert len(changes) == count
        changes.apply()
