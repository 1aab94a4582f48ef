"""MT940 files of banks as frames. The samples were written from the published formats."""

from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from budgetframe import read_bank_file
from tests.changes.budget import connect, small_sandbox
from tests.frames.test_bank_reader import refusal
from tests.reports.rows import lines

SAMPLES = Path(__file__).parent / "mt940"
TEXTS = ("payee_name", "memo", "amount", "bank_row_id")

ONE = b""":20:STARTUMS
:25:10020030/1
:60F:C260614EUR0,00
:61:2606150615D4,50NMSCNONREF
:86:Bread
:62F:D260615EUR4,50
-
"""


def sample(name: str, *columns: str) -> list[tuple[Any, ...]]:
    return lines(read_bank_file(SAMPLES / name), *columns)


def changed(old: bytes, new: bytes) -> bytes:
    """The file of one row with one text replaced."""
    assert ONE.count(old) == 1
    return ONE.replace(old, new)


def test_the_fields_of_german_banks_are_read() -> None:
    found = read_bank_file(SAMPLES / "german.sta")
    memo = "Invoice 77 customer 4711, part of a text that goes on and on"
    payee = "Haus & Hof Handelsgesellschaft mbH"
    assert lines(found, "date", *TEXTS) == [
        ("2026-06-15", payee, memo, -18.4, "A-0001"),
        ("2026-06-16", "Muster AG", "Salary June", 2500.0, "A-0002"),
        ("2026-06-16", "Small Shop", "Shop order 5", -5.0, "A-0003"),
        ("2026-06-16", "Aunt Emma", "Gift", 1.0, None),
    ]
    assert (found.attrs["account"], found.attrs["currency"]) == ("10020030/0000000001", "EUR")


def test_texts_before_the_words_of_german_banks_and_the_posting_text_are_memos() -> None:
    assert sample("german_without_words.sta", *TEXTS) == [
        ("Vera Vermieter", "Rent June flat 3", -600.0, "B-1"),
        ("Stadtwerke", "Gas and water", -20.0, "B-2"), (None, "ABSCHLUSS", -2.5, None),
    ]  # fmt: skip


def test_the_code_words_of_dutch_banks_are_read(subtests: pytest.Subtests) -> None:
    cases = {
        "dutch_benm.sta": [("J. de Vries", "Boodschappen 5/6 en meer", -45.0, "C-1"),
            ("Bakker B.V.", "Factuur 9", 100.1, "C-2")],
        "dutch_cntp.sta": [("ING Testrekening", "EV12341REP1231456T1234", -1.56, "00000000001005"),
            ("A. Jansen", "9001123412341234", 2.0, "00000000001006")],
        "dutch_trtp.sta": [("Gym Plus", "Membership June", -12.9, None),
            (None, "BEA NR:NND130 15.06.26/15.33 COFFEE/BAR AMSTERDAM,PAS590", -3.0, None),
            ("M. Visser", "SEPA OVERBOEKING", -4.0, None)],
    }  # fmt: skip
    for name, rows in cases.items():
        with subtests.test(name=name):
            assert sample(name, *TEXTS) == rows


def test_the_number_of_an_account_is_without_its_currency_and_its_bank() -> None:
    assert sample("dutch_benm.sta", "account") == [("NL99RABO0000000001",)] * 2
    file = changed(b":25:10020030/1", b":25P:DE1EUR\nMUSTDEFF")
    assert read_bank_file(file)["account"].tolist() == ["DE1"]


def test_a_reversed_receipt_is_negative_and_a_reversed_payment_positive() -> None:
    assert sample("reversal.sta", "memo", "amount") == [
        ("Credit taken back", -40.0), ("Direct debit returned", 25.0), (None, -1.0),
    ]  # fmt: skip


def test_a_file_has_the_rows_and_currencies_of_all_its_statements() -> None:
    found = read_bank_file(SAMPLES / "two_accounts.sta")
    assert lines(found, "memo", "amount", "account", "bank_row_id") == [
        ("Page 1", -10.0, "DE99100200300000000001", "E-1"),
        ("Page 2", 20.0, "DE99100200300000000001", "E-2"),
        (None, -30.0, "CH9900700000000000002", "E-1"),
    ]
    assert found.attrs["account"] is None


def test_the_day_is_the_entry_date_in_the_year_next_to_the_value_date() -> None:
    assert sample("days.sta", "date", "amount") == [
        ("2026-01-02", -1.0),  # the value date is 2025-12-31
        ("2025-12-31", -2.0),  # 2026-01-02
        ("2026-01-15", -3.0),
        ("2026-01-16", -4.0),
        ("2026-03-02", 5.0),  # February 30, as for interest
    ]


def test_texts_that_are_not_utf_8_are_read_as_windows_1252() -> None:
    expected = [("Bäckerei Größe", "Brötchen für 5")]
    assert sample("iso_8859_1.sta", "payee_name", "memo") == expected
    text = (SAMPLES / "iso_8859_1.sta").read_bytes().decode("iso-8859-1")
    file = BytesIO(b"\xef\xbb\xbf" + text.encode())
    assert lines(read_bank_file(file), "payee_name", "memo") == expected


def test_a_row_without_field_86_has_the_details_of_field_61() -> None:
    assert sample("without_field_86.sta", *TEXTS) == [
        (None, "Cheque 17", -3.0, "H-1"),
        (None, None, -4.0, None),
        (None, "The last row", -5.0, "H-3"),  # without the text of the statement
    ]


def test_a_long_memo_is_complete() -> None:
    memo = "A long text of a bank. " * 100
    assert read_bank_file(changed(b"Bread", memo.encode()))["memo"].tolist() == [memo.strip()]


def test_amounts_are_exact() -> None:
    assert sample("decimals.sta", "amount") == [(-480.0,), (1.234,), (12.5,)]


def test_a_file_that_cannot_be_read_is_refused(subtests: pytest.Subtests) -> None:
    row = "the file, row 1 of account 10020030/1: {}"
    not_exact = row.format("{} has no exact amount such as D12,34 (:61:)")
    cases = {
        **{
            not_exact.format(f"'{text}'"): changed(b"2606150615D4,50NMSCNONREF", text.encode())
            for text in ("260615X4,50NMSC", "260615D1.018,40NMSC", "260615D1.018N", "260615D1#8,4N")
        },
        row.format("'20260631' is not a day (:61:)"): changed(b"0615D", b"0631D"),
        row.format("the amount 4,5001 has more than three decimals (:61:)"): changed(
            b"D4,50", b"D4,5001"
        ),
        "the file: 'X260614EUR0,00' is not a balance (:60F:)": changed(b"C260614", b"X260614"),
        "the file is incomplete: a closing balance is missing. Download it again": ONE[
            : ONE.index(b":62F:")
        ],
    }
    for message, file in cases.items():
        with subtests.test(message=message):
            assert refusal(file) == message


def test_an_amount_without_a_comma_is_decided_by_the_balances(subtests: pytest.Subtests) -> None:
    for closing, amount in (("D260615EUR500,00", -500.0), ("D260615EUR5,00", -5.0)):
        with subtests.test(closing=closing):
            file = ONE.replace(b"D4,50", b"D500").replace(b"D260615EUR4,50", closing.encode())
            assert read_bank_file(file)["amount"].tolist() == [amount]
    unclear = ONE.replace(b"D4,50", b"D500")
    assert refusal(unclear).endswith("Pass decimal=',' if it is in units")
    with pytest.warns(RuntimeWarning, match=r"differ by 495\.5 more than its rows"):
        assert read_bank_file(unclear, decimal=",")["amount"].tolist() == [-500.0]
    other = b":61:2606150615C500NMSCNONREF\n:62F:C260615EUR0,00"
    cancelled = unclear.replace(b":62F:D260615EUR4,50", other)
    for file in (cancelled, unclear.replace(b"4,50", b"500").replace(b"0,00", b"0")):
        with subtests.test(file=file):
            assert refusal(file).endswith("Pass decimal=',' if it is in units")


def page(number: int, opening: str, closing: str) -> str:
    """A page of a statement, whose two rows add up to 0."""
    rows = f":61:2606150615D{number},00NMSCNONREF\n:61:2606150615C{number},00NMSCNONREF"
    balances = f":{opening}:C260614EUR9,00\n{rows}\n:{closing}:C260615EUR9,00"
    return f":20:S\n:25:10020030/1\n:28C:7/{number}\n{balances}\n-\n"


def test_a_page_that_is_missing_is_a_warning(subtests: pytest.Subtests) -> None:
    first, second, last = page(1, "60F", "62M"), page(2, "60M", "62M"), page(3, "60M", "62F")
    assert len(read_bank_file((first + second + last).encode())) == 6
    for next_to, pages in ((2, second + last), (2, first + second), (1, first + last)):
        message = f"a page of account 10020030/1 is missing next to page {next_to}: download"
        with subtests.test(pages=pages), pytest.warns(RuntimeWarning, match=message):
            assert len(read_bank_file(pages.encode())) == 4


INTERIM = b""":20:REPORT
:25:10020030/1
:28C:7
:34F:EUR0,
:13D:2606151200+0200
:61:2606150615D4,50NMSCNONREF
:61:2606150615C20,00NMSCNONREF
:90D:1EUR4,50
:90C:1EUR20,00
-}
"""


def test_mt942_has_no_balances_but_the_sums_of_its_rows() -> None:
    found = read_bank_file(INTERIM)
    assert (found.attrs["format"], found.attrs["currency"]) == ("MT942", "EUR")
    assert (found["amount"].tolist(), found.attrs["closing_balance"]) == ([-4.5, 20.0], None)
    without_sums = read_bank_file(INTERIM[: INTERIM.index(b":90D:")])
    assert (without_sums.attrs["format"], without_sums.attrs["currency"]) == ("MT942", "EUR")
    with pytest.warns(RuntimeWarning, match=r"90C states 2 rows of 30,00, but there are 1 of 20"):
        read_bank_file(INTERIM.replace(b"1EUR20", b"2EUR30"))


def test_a_file_that_is_imported_again_has_no_new_rows() -> None:
    bf = connect(small_sandbox())
    for count in (4, 0):
        changes = bf.import_rows(read_bank_file(SAMPLES / "german.sta"), account="Wallet")
        assert len(changes) == count
        changes.apply()
