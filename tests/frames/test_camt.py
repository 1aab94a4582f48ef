"""CAMT files of banks as frames. The samples were written from the published format."""

from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

from budgetframe import read_bank_file
from tests.changes.budget import connect, connected, content, small_sandbox
from tests.frames.test_bank_reader import refusal
from tests.reports.rows import lines

SAMPLES = Path(__file__).parent / "camt"
OWN = "DE99100200300000000001"
SHORT = ("payee_name", "memo", "amount", "bank_row_id")

EMPTY = b"""<Document><BkToCstmrStmt><Stmt><Acct><Id><IBAN>DE1</IBAN></Id><Ccy>EUR</Ccy></Acct>
</Stmt></BkToCstmrStmt></Document>"""
ENTRY = b"""<Ntry><Amt Ccy="EUR">4.50</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts>BOOK</Sts>
<BookgDt><Dt>2026-06-15</Dt></BookgDt></Ntry>"""
ONE = EMPTY.replace(b"</Stmt>", ENTRY + b"</Stmt>")
REPORT = ONE.replace(b"BkToCstmrStmt", b"BkToCstmrAcctRptV01").replace(b"Stmt>", b"Rpt>")


def sample(name: str, *columns: str) -> list[tuple[Any, ...]]:
    return lines(read_bank_file(SAMPLES / name), *columns)


def test_each_booked_entry_is_a_row() -> None:
    found = read_bank_file(SAMPLES / "single_02.xml")
    invoice = ("Haus & Hof GmbH", "Invoice 77 customer 4711", "A-0001", "EUR", OWN)
    assert lines(found, *found.columns) == [
        ("2026-06-15", -18.4, *invoice),
        ("2026-06-16", 2500.0, "Muster AG", "Salary June", "A-0002", "EUR", OWN),
    ]


def test_parties_and_states_of_version_8_are_read_and_days_stay_those_of_the_bank() -> None:
    assert sample("nested_parties_08.xml", "date", *SHORT) == [
        ("2026-06-15", "Stadtwerke Musterstadt", "Electricity", -49.99, "B-0001"),
        ("2026-06-16", "Musterbank", "Interest", 7.0, None),
    ]


def test_namespaces_with_a_prefix_are_ignored() -> None:
    assert sample("prefix_10.xml", "date", *SHORT, "account") == [
        ("2026-06-15", "Corner Kiosk", None, -3.05, "C-0001", "1234567")
    ]


def test_a_batch_whose_details_add_up_is_one_row_for_each_of_them() -> None:
    assert sample("batch_04.xml", "date", *SHORT) == [
        ("2026-06-15", "Anna Muster", "Wages", -60.1, "D-1a"),
        ("2026-06-15", "Bernd Muster", "SAMMLER", -39.9, "D-1b"),
        ("2026-06-16", "Clara Muster", None, 50.0, "D-2/1"),
        ("2026-06-16", "Dora Muster", None, -20.0, "D-2/2"),
    ]


def test_another_batch_is_one_row_if_its_details_do_not_add_up() -> None:
    found = read_bank_file(SAMPLES / "batch_as_one_row_02.xml")
    sentence = "batches as one row, whose details do not add up to the amount: 1"
    assert found.attrs["reading"] == [sentence]
    assert lines(found, *SHORT) == [
        (None, "Cards, less 0.50 of charges", 99.5, "E-1"),
        (None, "Two payments without amounts", -12.0, "E-2"),
        (None, "Details in another file", -8.0, "E-3"),
    ]


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


def test_what_the_bank_does_not_state_is_missing() -> None:
    assert sample("missing_02.xml", "date", *SHORT, "account") == [
        ("2026-06-15", None, "Account fee", -1.5, None, None),
        ("2026-06-15", "Online Shop Muster", None, -2.5, None, None),
        ("2026-06-15", None, None, 3.5, "H-3", None),
        ("2026-06-18", None, None, 4.5, None, None),  # the value date
    ]


def test_a_file_has_the_rows_and_currencies_of_all_its_accounts() -> None:
    found = read_bank_file(SAMPLES / "two_accounts_08.xml")
    assert lines(found, "amount", "account", "bank_row_id") == [
        (-10.0, OWN, "I-1"), (20.0, OWN, "I-2"), (-30.0, "CH9900700000000000002", "I-1"),
    ]  # fmt: skip
    assert found["currency"].tolist() == ["EUR", "EUR", "CHF"]


def test_entries_that_are_not_booked_are_left_out_with_the_reason() -> None:
    found = read_bank_file(SAMPLES / "pending_052_02.xml")
    assert lines(found, *SHORT) == [(None, None, -20.0, "K-2")]
    assert found.attrs["format"] == "CAMT.052"
    assert [(row["row"], row["amount"], row["reason"]) for row in found.attrs["left_out"]] == [
        (1, -10.0, "pending: the bank has not booked it"),
        (3, -30.0, "only for information: the bank has not booked it"),
    ]


def test_structured_references_follow_the_text() -> None:
    assert sample("structured_remittance_04.xml", "memo", "amount") == [
        ("RF18539007547034", -120.0), ("Rent June flat 3 210000000003139471430009017 R-9", 80.0),
    ]  # fmt: skip


def test_amounts_are_exact() -> None:
    amounts = [-480.0, 1.234, -12.34, 2251799813685.247, 0.1, 0.0]
    assert sample("decimals_02.xml", "amount") == [(each,) for each in amounts]


def in_account_currency(kind: str) -> bytes:
    """An entry of 20.97 dollars on an account in euros, with another amount of this kind."""
    details = f"<AmtDtls><{kind}><Amt Ccy='EUR'>19.69</Amt></{kind}></AmtDtls></Ntry>"
    return ONE.replace(b'"EUR">4.50', b'"USD">20.97').replace(b"</Ntry>", details.encode())


def test_an_entry_in_another_currency_has_the_charged_amount(subtests: pytest.Subtests) -> None:
    for kind in ("TxAmt", "CntrValAmt", "AnncdPstngAmt"):
        with subtests.test(kind=kind):
            assert read_bank_file(in_account_currency(kind))["amount"].tolist() == [-19.69]
    assert refusal(in_account_currency("Other")) == (
        "the file, row 1 of account DE1: the amount is 20.97 USD, and the file does not state it in"
        " EUR, the currency of the account. Remove the entry from the file, and enter it by hand"
    )


def test_all_messages_and_several_documents_in_a_file_are_read(subtests: pytest.Subtests) -> None:
    notice = ONE.replace(b"BkToCstmrStmt", b"BkToCstmrDbtCdtNtfctn").replace(b"Stmt>", b"Ntfctn>")
    for kind, file in (("CAMT.052", REPORT), ("CAMT.054", notice)):
        with subtests.test(kind=kind):
            found = read_bank_file(file)
            assert (found.attrs["format"], found["amount"].tolist()) == (kind, [-4.5])
    second = ONE.replace(b"4.50", b"1.25")
    for separator in (b"", b'\n<?xml version="1.0" encoding="UTF-8"?>\n'):
        with subtests.test(separator=separator):
            assert read_bank_file(ONE + separator + second)["amount"].tolist() == [-4.5, -1.25]


def test_a_page_in_another_file_is_a_warning(subtests: pytest.Subtests) -> None:
    pages = "<GrpHdr><MsgPgntn><PgNb>{}</PgNb><LastPgInd>{}</LastPgInd></MsgPgntn></GrpHdr><Stmt>"
    first, last = (
        ONE.replace(b"<Stmt>", pages.format(*page).encode()) for page in ((1, "false"), (2, "true"))
    )
    assert len(read_bank_file(first + last.replace(b"4.50", b"1.25"))) == 2
    for missing, file in ((2, first), (1, last)):
        message = f"page {missing} is missing: its rows are in another file"
        with subtests.test(missing=missing), pytest.warns(RuntimeWarning, match=message):
            assert len(read_bank_file(file)) == 1


def test_entries_without_a_status_are_booked_and_counted() -> None:
    found = read_bank_file(ONE.replace(b"<Sts>BOOK</Sts>", b""))
    assert found["amount"].tolist() == [-4.5]
    assert found.attrs["reading"] == ["entries without a status, which are read as booked: 1"]


def test_not_provided_is_no_name_of_a_payee() -> None:
    party = "<NtryDtls><TxDtls><RltdPties><Cdtr><Nm>{}</Nm></Cdtr><UltmtCdtr><Nm>Shop</Nm>"
    party += "</UltmtCdtr></RltdPties></TxDtls></NtryDtls></Ntry>"
    for name, payee in (("NOTPROVIDED", "Shop"), ("Till 4", "Till 4")):
        file = ONE.replace(b"</Ntry>", party.format(name).encode())
        assert read_bank_file(file)["payee_name"].tolist() == [payee]


def archive(**files: bytes) -> bytes:
    written = BytesIO()
    with ZipFile(written, "w", ZIP_DEFLATED) as opened:
        for name, content in files.items():
            opened.writestr(".".join(name.rsplit("_", 1)), content)
    return written.getvalue()


def test_an_archive_of_camt_files_is_read_as_one_file(subtests: pytest.Subtests) -> None:
    others = {"c_txt": b"x", "__MACOSX/_a_xml": b"\0"}  # a Mac adds the second one
    found = read_bank_file(archive(a_xml=ONE, b_xml=ONE.replace(b"4.50", b"1.25"), **others))
    assert found["amount"].tolist() == [-4.5, -1.25]
    cases = {
        "the file is an archive of 1 files, but only": archive(a_txt=b"x"),
        "the file is an archive of 2 files, but only": archive(a_xml=b" " * 50_000_000, b_xml=b" "),
        "the file is an export of the budgeting app": archive(Register_csv=b"x"),
        "the file has CAMT.052 and CAMT.053 files": archive(a_xml=ONE, b_xml=REPORT),
        "the file cannot be unpacked: ": archive(a_xml=ONE)[:-30],
        "the file cannot be unpacked: 'utf-8' codec": archive(ä_xml=ONE).replace(b"\xc3", b"\xff"),
        "the file: a.xml is not a complete CAMT file": archive(a_xml=b"<Document/>"),
    }
    for message, file in cases.items():
        with subtests.test(message=message):
            assert refusal(file).startswith(message)


@pytest.mark.parametrize("encoding", ["ISO-8859-1", "UTF-8", "UTF-16", "windows-1252"])
def test_texts_are_read_in_the_declared_encoding(encoding: str) -> None:
    text = (SAMPLES / "iso_8859_1_02.xml").read_bytes().decode("iso-8859-1")
    file = BytesIO(text.replace("ISO-8859-1", encoding).encode(encoding))
    assert lines(read_bank_file(file), "payee_name", "memo") == [
        ("Bäckerei Größe", "Brötchen & Café")
    ]


def test_an_entry_needs_a_day_a_direction_and_an_exact_amount(subtests: pytest.Subtests) -> None:
    cases = {
        ("2026-06-15", "2026-06-31"): "'2026-06-31' is not a day (BookgDt)",
        ("<BookgDt><Dt>2026-06-15</Dt></BookgDt>", ""): "None is not a day (BookgDt)",
        ("DBIT", "DEBIT"): "'DEBIT' is neither CRDT nor DBIT (CdtDbtInd)",
        ("4.50", "0.00012"): "the amount 0.00012 has more than three decimals (Amt)",
        ("4.50", "-4.50"): "the amount -4.50 has a sign or a comma, which no amount has (Amt)",
        ("4.50", "4,500"): "the amount 4,500 has a sign or a comma, which no amount has (Amt)",
        ("4.50", "1.234,50"): "'1.234,50' is not an amount (Amt)",
        ("4.50", ""): "None is not an amount (Amt)",
    }
    for (old, new), message in cases.items():
        with subtests.test(new=new, message=message):
            assert ONE.count(old.encode()) == 1
            refused = refusal(ONE.replace(old.encode(), new.encode()))
            assert refused == f"the file, row 1 of account DE1: {message}"


def test_an_incomplete_camt_file_is_refused(subtests: pytest.Subtests) -> None:
    cases = {
        "unclosed token": ONE[:-3],
        "no element found": ONE[: ONE.index(b"</Stmt>")],
        "its elements are Document, CstmrCdtTrfInitn;": ONE.replace(
            b"BkToCstmrStmt", b"CstmrCdtTrfInitn"
        ),
        "unknown encoding: X-1; it starts with": b'<?xml version="1.0" encoding="X-1"?>' + ONE,
    }
    for reason, file in cases.items():
        with subtests.test(reason=reason):
            message = refusal(file)
            assert message.startswith("the file is not a complete CAMT file (052, 053 or 054): ")
            assert reason in message
            assert message.endswith(". Download it again")
            assert "\n" not in message


def test_a_document_type_and_very_deep_elements_are_refused(subtests: pytest.Subtests) -> None:
    bomb = '<!DOCTYPE Document [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]>'
    link = '<!DOCTYPE Document SYSTEM "file:///etc/hostname">'
    text = ONE.decode().replace("DE1", "&b;")
    cases = {
        "a bomb": (bomb + text).encode(), "a bomb in UTF-16": (bomb + text).encode("utf-16"),
        "a link": (link + ONE.decode()).encode(),
    }  # fmt: skip
    for name, file in cases.items():
        with subtests.test(name=name):
            assert refusal(file) == (
                "the file has a document type declaration, which no CAMT file has"
            )
    deep = refusal(b"<Document>" + b"<a>" * 10_000_000)
    assert deep == "the file has elements in more than 100 others"


def test_a_file_that_is_imported_again_has_no_new_rows() -> None:
    sandbox, bf = connected()
    file = read_bank_file(SAMPLES / "batch_04.xml")
    before = content(sandbox)
    assert bf.import_rows(file, account="Wallet").apply().counts["done"] == 4
    new = sorted((row[0], row[1], row[3], row[5]) for row in (content(sandbox) - before))
    assert new == [
        ("2026-06-15", -60_100, "Anna Muster", "Wages"),
        ("2026-06-15", -39_900, "Bernd Muster", "SAMMLER"),
        ("2026-06-16", -20_000, "Dora Muster", None),
        ("2026-06-16", 50_000, "Clara Muster", None),
    ]
    again = bf.import_rows(read_bank_file(SAMPLES / "batch_04.xml"), account="Wallet")
    assert len(again) == 0
    assert again.skipped["reason"].tolist() == ["imported before"] * 4


def test_a_statement_compares_the_rows_of_a_camt_file() -> None:
    bf = connect(small_sandbox())
    file = read_bank_file(SAMPLES / "single_02.xml")
    bf.import_rows(file.head(1), account="Wallet").apply()
    statement = bf.statement("Wallet", 2481.6, "2026-06-16", file=file)
    assert statement.only_bank["amount"].tolist() == [2500.0]
