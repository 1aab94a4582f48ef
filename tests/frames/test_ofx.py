"""OFX and QFX files: headers, encodings, corrections, currencies, and signs."""

import re

import pytest

from budgetframe import read_bank_file
from tests.frames.test_bank_reader import refusal
from tests.reports.rows import lines

COLUMNS = ("date", "payee_name", "memo", "amount", "account", "bank_row_id")

# Without closing tags, as banks write OFX 1; CHECKNUM and one MEMO are empty.
SGML = """\
OFXHEADER:100
DATA:OFXSGML
VERSION:102
SECURITY:NONE
ENCODING:USASCII
CHARSET:1252
COMPRESSION:NONE
OLDFILEUID:NONE
NEWFILEUID:NONE

<OFX>
<SIGNONMSGSRSV1><SONRS>
<STATUS><CODE>0<SEVERITY>INFO</STATUS>
<DTSERVER>20260617120000<LANGUAGE>GER<INTU.BID>3000
</SONRS></SIGNONMSGSRSV1>
<BANKMSGSRSV1><STMTTRNRS>
<TRNUID>1<STATUS><CODE>0<SEVERITY>INFO</STATUS>
<STMTRS>
<CURDEF>EUR
<BANKACCTFROM><BANKID>12030000<ACCTID>DE02 1203<ACCTTYPE>CHECKING</BANKACCTFROM>
<BANKTRANLIST><DTSTART>20260601<DTEND>20260617
<STMTTRN>
<TRNTYPE>DEBIT
<DTPOSTED>20260605233000.000[-5:EST]
<TRNAMT>-1234,56
<FITID>a-1
<CHECKNUM>
<NAME>Bücherstube &amp; Café
<MEMO>
</STMTTRN>
<STMTTRN>
<TRNTYPE>XFER
<DTPOSTED>20260604
<TRNAMT>+0.1
<FITID>a-2
<BANKACCTTO><BANKID>1<ACCTID>other<ACCTTYPE>SAVINGS</BANKACCTTO>
<MEMO>  Zinsen  Mai
</STMTTRN>
</BANKTRANLIST>
<LEDGERBAL><BALAMT>77.70<DTASOF>20260617</LEDGERBAL>
</STMTRS></STMTTRNRS></BANKMSGSRSV1>
</OFX>
""".encode("cp1252")

XML = """\
<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<?OFX OFXHEADER="200" VERSION="211" SECURITY="NONE" OLDFILEUID="NONE" NEWFILEUID="NONE"?>
<OFX>
  <BANKMSGSRSV1><STMTTRNRS><TRNUID>1</TRNUID><STMTRS>
    <CURDEF>JPY</CURDEF>
    <BANKACCTFROM><BANKID>1</BANKID><ACCTID>111</ACCTID></BANKACCTFROM>
    <BANKTRANLIST>
      <STMTTRN>
        <TRNTYPE>DEBIT</TRNTYPE><DTPOSTED>20260501</DTPOSTED><TRNAMT>-480</TRNAMT>
        <FITID>j1</FITID><PAYEE><NAME>喫茶店</NAME><CITY>東京</CITY></PAYEE><MEMO></MEMO>
      </STMTTRN>
      <STMTTRN>
        <TRNTYPE>DEBIT</TRNTYPE><DTPOSTED>20260502</DTPOSTED><TRNAMT>-1.2340</TRNAMT>
        <FITID>j2</FITID><NAME>Shop</NAME>
      </STMTTRN>
    </BANKTRANLIST>
    <BANKTRANLISTP><DTASOF>20260617</DTASOF><STMTTRNP>
      <TRNTYPE>DEBIT</TRNTYPE><DTTRAN>20260616</DTTRAN><TRNAMT>-9</TRNAMT><NAME>Pending</NAME>
    </STMTTRNP></BANKTRANLISTP>
  </STMTRS></STMTTRNRS></BANKMSGSRSV1>
  <CREDITCARDMSGSRSV1><CCSTMTTRNRS><TRNUID>2</TRNUID><CCSTMTRS>
    <CURDEF>JPY</CURDEF>
    <CCACCTFROM><ACCTID>4111</ACCTID></CCACCTFROM>
    <BANKTRANLIST>
      <STMTTRN>
        <TRNTYPE>CREDIT</TRNTYPE><DTPOSTED>20260503</DTPOSTED><TRNAMT>2251799813685.247</TRNAMT>
        <FITID>j1</FITID><NAME>Refund</NAME>
      </STMTTRN>
    </BANKTRANLIST>
  </CCSTMTRS></CCSTMTTRNRS></CREDITCARDMSGSRSV1>
</OFX>
""".encode()


BODY = SGML[SGML.index(b"<OFX>") :]


def changed(old: str, new: str, content: bytes = SGML) -> bytes:
    """The file with one text replaced."""
    assert content.count(old.encode()) == 1
    return content.replace(old.encode(), new.encode())


def with_rows(*rows: str) -> bytes:
    """A file with these rows of an account in euros."""
    inner = "".join(f"<STMTTRN><DTPOSTED>20260605{row}</STMTTRN>" for row in rows)
    return f"<OFX><STMTRS><CURDEF>EUR{inner}</STMTRS></OFX>".encode()


def test_version_1_is_read_without_closing_tags() -> None:
    found = read_bank_file(SGML)
    assert lines(found, *COLUMNS) == [
        ("2026-06-05", "Bücherstube & Café", None, -1234.56, "DE02 1203", "a-1"),
        ("2026-06-04", None, "Zinsen  Mai", 0.1, "DE02 1203", "a-2"),
    ]
    attrs = found.attrs
    assert (attrs["currency"], attrs["closing_balance"], attrs["closing_date"]) == (
        "EUR", 77.7, "2026-06-17",
    )  # fmt: skip
    assert attrs["reading"] == ["the encoding is cp1252: the header says so"]


def test_version_2_is_read_with_several_accounts_and_pending_rows() -> None:
    found = read_bank_file(XML)
    assert lines(found, *COLUMNS) == [
        ("2026-05-01", "喫茶店", None, -480.0, "111", "j1"),
        ("2026-05-02", "Shop", None, -1.234, "111", "j2"),
        ("2026-05-03", "Refund", None, 2251799813685.247, "4111", "j1"),
    ]
    assert found.attrs["left_out"] == [
        {"row": 3, "reason": "the bank has not booked it", "date": "2026-06-16", "amount": -9.0,
         "payee_name": "Pending"},
    ]  # fmt: skip


@pytest.mark.parametrize(
    "header",
    [b"", b"\n\n \n", b"DATA:OFXSGML\nENCODING:ISO-8859-1\n\n",
     b"CHARSET:NONE\nOFXHEADER:100\nDATA:OFXSGML\n\n",
     b"OFXHEADER:100DATA:OFXSGMLVERSION:102SECURITY:NONEENCODING:USASCIICHARSET:1252",
     b'<?OFX OFXHEADER="200" VERSION="999" NEWFILEUID="' + b"x" * 60 + b'"?>',
     b'<?xml version="1.0"?>\n<!-- OFXHEADER:100 <OFX> -->\n'],
    ids=["none", "empty lines", "short", "other order", "one line", "OFX 2", "comment"],
)  # fmt: skip
@pytest.mark.parametrize("body", [
    BODY,
    BODY.replace(b"<OFX>", b"<OFX >"),
    BODY.replace(b"\n", b"").replace(b"<MEMO></STMTTRN>", b"</STMTTRN>"),
    re.sub(rb"</?[A-Z]+", lambda tag: tag[0].lower(), BODY),
], ids=["as it is", "a blank", "no line ends", "small letters"])  # fmt: skip
def test_files_with_unusual_headers_are_read(header: bytes, body: bytes) -> None:
    assert read_bank_file(header + body)["amount"].tolist() == [-1234.56, 0.1]


@pytest.mark.parametrize(("stated", "encoding"), [
    *(("CHARSET:1252", encoding) for encoding in ("cp1252", "utf-8", "utf-8-sig")),
    *(("CHARSET:ISO-8859-1", encoding) for encoding in ("cp1252", "utf-8")),
    ("CHARSET:1250", "cp1250"),
    *((f"CHARSET:{stated}", "utf-8") for stated in ("NONE", "CSUNICODE")),
    ("CHARSET:NONE", "cp1252"), ("ENCODING:UNICODE", "utf-16"),
    ('<?xml version="1.0" encoding="windows-1252"?>', "cp1252"),
    ('<?xml version="1.0" encoding="ISO-8859-15"?>', "iso-8859-15"),
])  # fmt: skip
def test_texts_are_read_in_utf_8_or_as_stated(stated: str, encoding: str) -> None:
    text = SGML.decode("cp1252").replace("CHARSET:1252", stated)
    if stated.startswith("<"):
        text = stated + BODY.decode("cp1252")
    text = text.replace("Bücherstube &amp; Café", "Café 5 € für Öl")
    found = read_bank_file(text.encode(encoding))
    assert found["payee_name"].iloc[0] == "Café 5 € für Öl"


def test_signs_of_comparison_and_entities_in_texts_are_texts() -> None:
    found = read_bank_file(
        with_rows("<TRNAMT>-1.50<NAME>A &lt;B&gt; &amp; C<MEMO>5 < 6 > 4 <- here")
    )
    assert lines(found, "payee_name", "memo") == [("A <B> & C", "5 < 6 > 4 <- here")]


def test_a_corrected_row_is_left_out(subtests: pytest.Subtests) -> None:
    first = "<TRNAMT>-10.00<FITID>1<NAME>Shop"
    for action, amounts in (("REPLACE", [-12.0]), ("DELETE", [])):
        second = f"<TRNAMT>-12.00<FITID>2<CORRECTFITID>1<CORRECTACTION>{action}"
        with subtests.test(action=action):
            found = read_bank_file(with_rows(first, second))
            assert found["amount"].tolist() == amounts
            reasons = [row["reason"] for row in found.attrs["left_out"]]
            assert reasons[0] == f"the bank corrected it: {action}"
            assert reasons[1:] == ["it deletes the row with the id 1"][: action == "DELETE"]
    with pytest.warns(RuntimeWarning, match="a row corrects one of an earlier file, with the id 1"):
        assert len(read_bank_file(with_rows(second))) == 0


def test_investments_are_left_out_with_their_amounts() -> None:
    inner = (
        "<INVBANKTRAN><STMTTRN><DTPOSTED>20260605<TRNAMT>50.00<FITID>1</STMTTRN></INVBANKTRAN>"
        "<INCOME><INVTRAN><FITID>2<DTTRADE>20260606</INVTRAN><TOTAL>41.20</INCOME>"
        "<BUYMF><INVBUY><INVTRAN><DTTRADE>20260607</INVTRAN><TOTAL>-93.20976</INVBUY></BUYMF>"
    )
    file = f"<OFX><INVSTMTRS><CURDEF>EUR<INVTRANLIST>{inner}</INVTRANLIST></INVSTMTRS></OFX>"
    found = read_bank_file(file.encode())
    assert found["amount"].tolist() == [50.0]
    left_out = [(row["date"], row["amount"], row["reason"]) for row in found.attrs["left_out"]]
    assert left_out == [
        ("2026-06-06", 41.2, "an investment (INCOME)"),
        ("2026-06-07", None, "an investment (BUYMF)"),
    ]


def test_an_amount_in_another_currency_is_converted_by_the_rate(subtests: pytest.Subtests) -> None:
    row = "<TRNAMT>-20.97<{}><CURRATE>0.93896<CURSYM>USD</{}>"
    with pytest.warns(
        RuntimeWarning, match=r"1 amount was converted .*row 1: -20\.97 became -19\.69 EUR"
    ):
        assert read_bank_file(with_rows(row.format(*["CURRENCY"] * 2)))["amount"].item() == -19.69
    for element, old, new in (
        ("ORIGCURRENCY", "", ""), ("CURRENCY", "USD", "EUR"), ("CURRENCY", "0.93896", "1"),
    ):  # fmt: skip
        with subtests.test(element=element, new=new):
            same = row.format(element, element).replace(old, new)
            assert read_bank_file(with_rows(same))["amount"].item() == -20.97
    without = row.format(*["CURRENCY"] * 2).replace("<CURRATE>0.93896", "")
    assert refusal(with_rows(without)) == (
        "the file, row 1: the amount is in USD, and there is no rate (CURRATE)"
    )


def test_payments_without_a_sign_are_a_question() -> None:
    unsigned = with_rows("<TRNTYPE>Debit<TRNAMT>12.00", "<TRNTYPE>CREDIT<TRNAMT>20.00")
    assert refusal(unsigned) == (
        "the file, row 1 (DEBIT) can be read in two ways: 12.0 with sign='inflow', and -12.0 with"
        " sign='type'. Pass the argument that is right, to"
        " read_bank_file for the file of a bank"
    )
    for sign, amounts in (("inflow", [12, 20]), ("type", [-12, 20]), ("outflow", [-12, -20])):
        assert read_bank_file(unsigned, sign=sign)["amount"].tolist() == amounts
    mixed = with_rows("<TRNTYPE>DEBIT<TRNAMT>-12.00", "<TRNTYPE>DEBIT<TRNAMT>5.00")
    with pytest.warns(RuntimeWarning, match=r"1 amount has another sign than the type says, such"):
        assert read_bank_file(mixed)["amount"].tolist() == [-12.0, 5.0]


def test_a_file_that_lost_a_part_is_refused(subtests: pytest.Subtests) -> None:
    for end in (b"</OFX>", b"</STMTTRN>", b"<FITID>a-2"):
        with subtests.test(end=end):
            assert refusal(SGML[: SGML.index(end)]) == (
                "the file is incomplete: it has no end (</OFX>). Download the transactions again"
            )
    assert refusal(SGML.replace(b"STMTRS>", b"ACCTRS>")) == (
        "the file is incomplete: it has no statement of an account. Download the transactions again"
    )
    assert refusal(SGML.replace(b"</STMTTRN>", b"</STMTRN>", 1)) == (
        "the file is damaged: the <STMTTRN> of line 22 is not closed before the <STMTTRN> of line"
        " 31. Download it again"
    )
    outside = BODY.replace(b"<STMTTRN>", b"", 1).replace(b"</STMTTRN>", b"", 1)
    assert refusal(outside).startswith("the file is damaged: 1 row was read, but it has 2.")


def test_a_row_without_a_day_or_an_exact_amount_is_refused(subtests: pytest.Subtests) -> None:
    where = "the file, row 2 of account DE02 1203: "
    cases = {
        ("+0.1", "0.0001"): "the amount 0.0001 has more than three decimals (amount)",
        ("+0.1", "NaN"): "'NaN' is not an amount",
        ("<TRNAMT>+0.1", ""): "the amount is missing (TRNAMT)",
        ("20260604", "20260631"): "'20260631' is not a day (DTPOSTED)",
        ("<DTPOSTED>20260604", ""): "None is not a day (DTPOSTED)",
    }
    for (old, new), message in cases.items():
        with subtests.test(old=old, new=new):
            assert refusal(changed(old, new, changed("-1234,56", "-1234.56"))) == where + message
    assert refusal(changed("247<", "249<", XML)).startswith("an amount of 2,251,799,813,685 is too")
