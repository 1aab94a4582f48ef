"""The files of a bank as frames."""

import inspect
from collections.abc import Callable
from io import BytesIO, StringIO
from pathlib import Path

import pytest

from budgetframe import ToolError, read_camt, read_ofx
from tests.docs.docstrings import Line, tables_in
from tests.facade.scripts import run_script
from tests.frames.columns import TEXT
from tests.reports.rows import lines

COLUMNS = ("date", "payee_name", "memo", "amount", "bank_account_id", "bank_row_id")

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
        <FITID>j2</FITID><NAME>Shop</NAME><CURRENCY><CURRATE>1</CURRATE><CURSYM>USD</CURSYM>
        </CURRENCY>
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


def changed(old: str, new: str, content: bytes = SGML) -> BytesIO:
    """The file with one text replaced."""
    assert content.count(old.encode()) == 1
    return BytesIO(content.replace(old.encode(), new.encode()))


def refusal(file: BytesIO, read: Callable[[BytesIO], object] = read_ofx) -> str:
    with pytest.raises(ToolError) as raised:
        read(file)
    return str(raised.value)


def test_read_ofx_reads_sgml() -> None:
    found = read_ofx(BytesIO(SGML))
    assert lines(found, *COLUMNS) == [
        ("2026-06-05", "Bücherstube & Café", None, -1234.56, "DE02 1203", "a-1"),
        ("2026-06-04", None, "Zinsen  Mai", 0.1, "DE02 1203", "a-2"),
    ]
    assert found.attrs == {"currencies": ["EUR"]}


def test_a_statement_without_an_account_number_has_none() -> None:
    assert lines(read_ofx(changed("<ACCTID>DE02 1203", "")), "bank_account_id") == [(None,)] * 2
    both = SGML.replace(b"<ACCTID>DE02 1203", b"").replace(b"<TRNAMT>+0.1", b"")
    assert refusal(BytesIO(both)) == "the file, row 2: None is not an amount (TRNAMT)"


def test_read_ofx_reads_xml_with_several_accounts() -> None:
    found = read_ofx(BytesIO(XML))
    assert lines(found, *COLUMNS) == [
        ("2026-05-01", "喫茶店", None, -480.0, "111", "j1"),
        ("2026-05-02", "Shop", None, -1.234, "111", "j2"),
        ("2026-05-03", "Refund", None, 2251799813685.247, "4111", "j1"),
    ]
    assert found.attrs == {"currencies": ["JPY", "USD"]}


def test_read_ofx_reads_a_path_and_a_file_with_a_byte_order_mark(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    path = tmp_path / "download.QFX"
    path.write_bytes(b"\xef\xbb\xbf" + XML)
    for file in (path, str(path), BytesIO(path.read_bytes())):
        with subtests.test(file=file):
            assert read_ofx(file)["bank_row_id"].tolist() == ["j1", "j2", "j1"]
    with path.open("rb") as opened:
        assert len(read_ofx(opened)) == 3


@pytest.mark.parametrize(
    ("content", "stated", "encoding"),
    [
        *((SGML, "CHARSET:1252", encoding) for encoding in ("cp1252", "utf-8")),
        *((SGML, "CHARSET:ISO-8859-1", encoding) for encoding in ("cp1252", "utf-8")),
        (SGML, "CHARSET:1250", "cp1250"),
        *((SGML, f"CHARSET:{stated}", "utf-8") for stated in ("NONE", "CSUNICODE")),
        (XML, 'encoding="UTF-8"', "utf-8"),
        *((XML, 'encoding="windows-1252"', encoding) for encoding in ("cp1252", "utf-8")),
        *((XML, 'encoding="ISO-8859-1"', encoding) for encoding in ("cp1252", "utf-8")),
        (XML, 'encoding="ISO-8859-15"', "iso-8859-15"),
    ],
    ids=lambda value: "" if isinstance(value, bytes) else value,
)
def test_texts_are_read_in_utf_8_or_as_stated(content: bytes, stated: str, encoding: str) -> None:
    text = content.decode("cp1252" if content is SGML else "utf-8")
    for old in ("CHARSET:1252", 'encoding="UTF-8"'):
        text = text.replace(old, stated)
    for old in ("Bücherstube &amp; Café", "喫茶店"):
        text = text.replace(old, "Café 5 € für Öl")
    found = read_ofx(BytesIO(text.replace("東京", "").encode(encoding)))
    assert found["payee_name"].iloc[0] == "Café 5 € für Öl"


def test_the_columns_are_those_of_the_docstring() -> None:
    head, _, rest = SGML.partition(b"<STMTTRN>")
    empty = read_ofx(BytesIO(head + rest[rest.index(b"</BANKTRANLIST>") :]))
    assert len(empty) == 0
    for frame in (empty, read_ofx(BytesIO(SGML))):
        assert dict(frame.dtypes) == {
            "date": "datetime64[us]",
            "payee_name": TEXT,
            "memo": TEXT,
            "amount": "float64",
            "bank_account_id": TEXT,
            "bank_row_id": TEXT,
        }
    assert "`read_camt` except ``value_date`` and ``reference``" in (inspect.getdoc(read_ofx) or "")
    ((*table,),) = tables_in(inspect.getdoc(read_camt) or "")
    assert [line.column for line in table] == [*empty.columns, "value_date", "reference"]
    assert table[3] == Line("amount", "float64", "currency", "negative: outflow")


def test_a_file_that_is_no_ofx_file_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    monkeypatch.chdir(tmp_path)  # messages shorten the long path of a temporary folder
    Path("rows.csv").write_text("Date,Amount\n2026-05-01,-4.5\n", encoding="utf-8")
    with pytest.raises(ToolError) as raised:
        read_ofx("rows.csv")
    assert str(raised.value) == (
        "'rows.csv' is not an OFX file: it starts with 'Date,Amount 2026-05-01,-4.5'."
        " pandas.read_csv reads a CSV file"
    )
    cases = {
        "an empty file": b"",
        "a page": b"<html><body>Log in</body></html>",
        "another encoding": XML.decode().encode("utf-16"),
    }
    for name, content in cases.items():
        with subtests.test(name=name):
            assert refusal(BytesIO(content)).startswith("the file is not an OFX file: it starts")


def test_an_unreadable_ofx_file_is_refused_with_the_reason(subtests: pytest.Subtests) -> None:
    cases = {
        "OFX header is malformed": SGML[SGML.index(b"<OFX>") :],
        "its first element is not <OFX>": SGML.replace(b"OFX>", b"QIF>"),
        "pop from empty stack": SGML.replace(b"</OFX>", b"</X></OFX></OFX>"),
        "'charmap' codec can't decode byte 0x81": SGML.replace(b"+0.1", b"\x81"),
        "unknown encoding: no-such": SGML.replace(b"CHARSET:1252", b"CHARSET:no-such"),
        "'utf-8' codec can't decode byte 0xfc": SGML.replace(b"CHARSET:1252", b"CHARSET:UTF-8"),
        "Invalid OFX header - '999' is not OneOf": XML.replace(b'"211"', b'"999"'),
    }
    for reason, content in cases.items():
        with subtests.test(reason=reason):
            message = refusal(BytesIO(content))
            assert message.startswith(f"the file cannot be read as OFX: {reason}")
            assert message.endswith(". Download it again, as OFX 1 or 2")


def test_a_file_that_lost_a_part_is_refused(subtests: pytest.Subtests) -> None:
    for end in (b"</OFX>", b"</STMTTRN>", b"<FITID>a-2"):
        with subtests.test(end=end):
            assert refusal(BytesIO(SGML[: SGML.index(end)])) == (
                "the file is incomplete: it does not end with </OFX>. Download it again"
            )
    two = changed("<CCSTMTRS>", "<CCSTMTRS><STMTRS>", XML)
    assert refusal(two).startswith("the file is damaged: 4 rows were read, but it has 3. Download")
    none = BytesIO(SGML.replace(b"STMTRS>", b"ACCTRS>"))
    assert refusal(none) == (
        "the file has no statement of an account: download the transactions again"
    )


def test_a_row_without_a_day_or_an_exact_amount_is_refused(subtests: pytest.Subtests) -> None:
    first, second = (
        f"the file, row {number} of account DE02 1203: {{}} (TRNAMT)" for number in (1, 2)
    )
    cases = {
        ("+0.1", "0.0001"): second.format("the amount 0.0001 has more than three decimals"),
        ("-1234,56", "-1.234,56"): first.format("'-1.234,56' is not an amount"),
        ("-1234,56", "NaN"): first.format("'NaN' is not an amount"),
        ("-1234,56", ""): first.format("None is not an amount"),
        ("20260604", "20260631"): (
            "the file, row 2 of account DE02 1203: '20260631' is not a day (DTPOSTED)"
        ),
        ("<DTPOSTED>20260604", ""): (
            "the file, row 2 of account DE02 1203: None is not a day (DTPOSTED)"
        ),
    }
    for (old, new), message in cases.items():
        with subtests.test(old=old, new=new):
            assert refusal(changed(old, new)) == message
    assert refusal(changed("247<", "249<", XML)).startswith("an amount of 2,251,799,813,685 is too")


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path, subtests: pytest.Subtests) -> None:
    with pytest.raises(FileNotFoundError):
        read_ofx(tmp_path / "none.ofx")
    for file in (StringIO(XML.decode()), 7):
        with subtests.test(file=file), pytest.raises(ToolError, match="opened with mode 'rb'"):
            read_ofx(file)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("library", "function", "message"),
    [
        ("ofxtools", "read_ofx", "an OFX file needs ofxtools: pip install 'budgetframe[ofx]'"),
        ("mt940", "read_mt940", "an MT940 file needs mt-940: pip install 'budgetframe[mt940]'"),
    ],
)
def test_without_the_library_the_error_names_the_extra(
    library: str, function: str, message: str
) -> None:
    script = f"""
        import sys
        sys.modules[{library!r}] = None
        from io import BytesIO
        import budgetframe
        try:
            budgetframe.{function}(BytesIO(b""))
        except Exception as error:
            print(repr(error))
    """
    assert run_script(script).out.strip() == f'ToolError("{message}")'
