"""CSV, TSV and Excel files in the shapes of banks of many countries, with sums by hand."""

import re
import sys
from datetime import datetime
from decimal import Decimal
from io import BytesIO
from typing import Any

import pandas as pd
import pytest
from openpyxl import Workbook

from budgetframe import ToolError, read_bank_file
from budgetframe.frames import milliunits
from tests.frames.bank_files import FILES

SMALL = [part.partition("\n") for part in FILES.split("### ")[1:]]


def read(text: str, encoding: str = "utf-8", **arguments: Any) -> pd.DataFrame:
    return read_bank_file(BytesIO(text.encode(encoding)), **arguments)


def amounts(text: str, **arguments: Any) -> list[float]:
    return read(text, **arguments)["amount"].tolist()


@pytest.mark.parametrize(
    ("head", "text"), [(head, text) for head, _, text in SMALL],
    ids=[head.partition(" |")[0] for head, _, _ in SMALL],
)  # fmt: skip
def test_the_rows_and_the_balance_of_a_file_are_right(head: str, text: str) -> None:
    _, days, total, closing = head.split(" | ")
    frame = read(text)
    assert f"{frame['date'].min():%Y-%m-%d} {frame['date'].max():%Y-%m-%d}" == days
    assert milliunits(frame["amount"]).sum() == Decimal(total) * 1000
    assert frame.attrs["closing_balance"] == (None if closing == "-" else float(closing))


def test_the_names_and_texts_of_a_row_are_those_of_the_file() -> None:
    frame = read(
        "Buchung;Auftraggeber/Empfänger;Buchungstext;Verwendungszweck;Betrag;Währung;Auftragskonto\n"
        "31.05.2026;Beispiel GmbH;Gehalt;Mai 2026;+1.000,00;EUR;DE02120300000000202051\n"
    )
    texts = ["Beispiel GmbH", "Mai 2026 Gehalt", "EUR", "DE02120300000000202051"]
    assert frame.iloc[0][["payee_name", "memo", "currency", "account"]].tolist() == texts
    assert frame.attrs["reading"] == [
        "the delimiter is ';'", "day and amount are in 'Buchung', 'Betrag'",
        "order of the days: dd/mm/yyyy, as in 31.05.2026", "decimal separator: +1.000,00 occurs",
        "a column, a word or a plus sign says whether an amount is an inflow",
    ]  # fmt: skip


def test_without_a_payee_the_description_is_the_payee_and_ids_are_kept() -> None:
    frame = read("Transaction ID,Date,Description,Amount\nt7,2026-05-31,Corner shop,-2.50\n")
    assert frame.iloc[0][["payee_name", "bank_row_id"]].tolist() == ["Corner shop", "t7"]
    assert frame["memo"].isna().all()


def test_a_number_that_several_rows_have_is_no_id() -> None:
    frame = read("Transaction ID,Date,Amount\n1,2026-05-30,-2.50\n1,2026-05-31,-3.50\n")
    assert frame["bank_row_id"].isna().all()


@pytest.mark.parametrize(("encoding", "found"), [
    ("utf-8", "utf-8"), ("utf-8-sig", "utf-8-sig"), ("utf-16", "utf-16"),
    ("utf-16-le", "utf-16-le"), ("cp1252", "cp1252"), ("iso8859-15", "iso8859-15"),
])  # fmt: skip
def test_the_encoding_is_found(encoding: str, found: str) -> None:
    frame = read("Datum;Empfänger;Betrag\n31.05.2026;Käse Löhr 5 €;-12,50 €\n", encoding)
    assert frame["payee_name"].tolist() == ["Käse Löhr 5 €"]
    assert (frame["amount"].tolist(), frame["currency"].tolist()) == ([-12.5], ["EUR"])
    assert frame.attrs["encoding"] == found


@pytest.mark.parametrize(("text", "amount"), [
    ("1.234,56", 1234.56), ("1,234.56", 1234.56), ("1 234,56", 1234.56), ("1\u00a0234,56", 1234.56),
    ("1\u202f234,56", 1234.56), ("1'234.56", 1234.56), ("1\u2019234.56", 1234.56),
    ("1,23,456.00", 123456.0), ("(12.50)", -12.5), ("(12.50) EUR", -12.5), ("($12.50)", -12.5),
    ("12.50-", -12.5), ("\u221212.50", -12.5), ("+12,50", 12.5), ("- 12,50", -12.5),
    ("12,50 €", 12.5), ("EUR 12.50", 12.5), ("-CHF 12.50", -12.5), ("R$ 1.234,50", 1234.5),
    ("12,50 H", 12.5), ("12.50 DR", -12.5), (".5", 0.5), ("0.125", 0.125),
])  # fmt: skip
def test_a_notation_of_amounts(text: str, amount: float) -> None:
    # The second row has the other sign, because a file without a sign is a question.
    assert (
        amounts(f"Date\tAmount\n2026-05-31\t{text}\n2026-05-31\t-1\n2026-05-31\t+1\n")[0] == amount
    )


@pytest.mark.parametrize("text", [
    "31.05.2026", "31/05/26", "05/31/2026", "2026-05-31", "20260531", "31052026", "31 May 2026",
    "31. Mai 2026", "31 mai 2026", "31 mayo 2026", "31 maggio 2026", "31 mei 2026", "May 31, 2026",
    "31-May-26", "31MAY2026", "5/31'26", "2026.05.31.", "2026-05-31T23:59:59Z", "31/05/2026 08:15",
    "31.05.2026 8.15", "20260531120000",
])  # fmt: skip
def test_a_notation_of_days(text: str) -> None:
    frame = read(f"Date|Amount\n{text}|-1\n")
    assert frame["date"].tolist() == [pd.Timestamp("2026-05-31")]


QUESTIONS = {
    "days": ("Date;Amount\n05/06/2026;-1,00\n",
             "05/06/2026 is 2026-06-05 with dates='dd/mm/yyyy', and 05/06/2026 is 2026-05-06 with",
             {"dates='dd/mm/yyyy'": ("2026-06-05", -1), "dates='mm/dd/yyyy'": ("2026-05-06", -1)}),
    "years of two digits": ("Date;Amount\n26-05-12;-1,00\n26-05-28;-1,00\n",
        "26-05-12 is 2012-05-26 with dates='dd/mm/yyyy', and 26-05-12 is 2026-05-12 with dates",
        {"dates='yyyy/mm/dd'": ("2026-05-12", -2)}),
    "decimal separator": ("Date;Amount\n2026-05-12;-1.234\n",
        "-1.234 is -1.234 with decimal='.', and -1.234 is -1234.0 with decimal=','",
        {"decimal='.'": ("2026-05-12", -1.234), "decimal=','": ("2026-05-12", -1234)}),
    "no sign": ("Date;Amount\n2026-05-12;24.75\n",
        "the amount is 24.75 with sign='inflow', and the amount is -24.75 with sign='outflow'",
        {"sign='inflow'": ("2026-05-12", 24.75), "sign='outflow'": ("2026-05-12", -24.75)}),
    "a plus in some rows": ("Date;Amount\n2026-05-12;24.75\n2026-05-13;+100.00\n",
        "the amount is 24.75 with sign='inflow', and the amount is -24.75 with sign='outflow'",
        {"sign='inflow'": ("2026-05-12", 124.75)}),
    "a card": ("Date;Amount;Type\n2026-05-12;24.75;Sale\n2026-05-13;-100.00;Payment\n",
        "the amount is 24.75 with sign='inflow', and the amount is -24.75 with sign='outflow'",
        {"sign='outflow'": ("2026-05-12", 75.25)}),
    "debits with both signs": ("Date;Amount;Type\n2026-05-12;5.00;debit\n2026-05-13;-2.00;debit\n",
        "the amount is 5.00 with sign='inflow', and the amount is -5.00 with sign='type'",
        {"sign='type'": ("2026-05-12", -7), "sign='inflow'": ("2026-05-12", 3)}),
    "a column of debits with both signs": (
        "Date;Debit;Credit\n2026-05-12;5.00;\n2026-05-13;-2.00;\n2026-05-13;;1.00\n",
        "the amount is 5.00 with sign='inflow', and the amount is -5.00 with sign='type'",
        {"sign='type'": ("2026-05-12", -6)}),
}  # fmt: skip


@pytest.mark.parametrize(("text", "message", "answers"), QUESTIONS.values(), ids=QUESTIONS)
def test_two_readings_are_a_question(
    text: str, message: str, answers: dict[str, tuple[str, float]]
) -> None:
    with pytest.raises(ToolError, match=re.escape(message)):
        read(text)
    for answer, (day, total) in answers.items():
        argument, _, value = answer.partition("=")
        frame = read(text, **{argument: value.strip("'")})
        assert frame["date"].min() == pd.Timestamp(day)
        assert milliunits(frame["amount"]).sum() == round(total * 1000)


@pytest.mark.parametrize(("text", "message"), [
    ("Day;Sum\n2026-05-31;1,50\n", "no header with known names .*'Day, Sum / 2026-05-31"),
    ("Date;Amount\n2026-05-30;-1\n2026-05-31;12..34\n", "row 3: '12..34' is not an amount"),
    ("Date;Amount\n2026-05-31;1,2345\n", "the amount -?1.2345 has more than three decimals"),
    ("Date;Amount\n31/05/2026;-1\n05/31/2026;-1\n", "row 3: '05/31/2026' is not a day"),
    ("Date;Amount\n2026-05-31;-1\n2026-06-31;-2\n", "row 3: the amount '-2' has no day"),
    ("Date,Amount,Text\n01/13/2026,-100,50,Shop\n", "row 2: it has more cells than"),
    ('Date,Text,Amount\n2026-05-30,"a,-1\n2026-05-31,b,-1\n', "row 2: a quote is not closed"),
    ("Date,Text,Amount\n2026-05-31,-1.00\n", "no header with known names"),
    ("Date;Debit;Credit\n2026-05-31;1,00;2,00\n", "row 2: it has a debit and a credit"),
    ("Date;Amount;Amount\n2026-05-31;-1;-2\n", "two columns have the name 'Amount'"),
    ("Date;Amount\n2026-05-31;-1\nDay;Date;Betrag\n", "row 3: a second header"),
])  # fmt: skip
def test_what_is_no_statement_is_an_error(text: str, message: str) -> None:
    with pytest.raises(ToolError, match=message):
        read(text)


def test_columns_names_what_the_columns_of_a_file_are() -> None:
    text = "Päivä;Selitys;Määrä;Summa2\n31.05.2026;Kahvila;-3,50;7\n"
    columns = {"Päivä": "date", "Selitys": "payee_name", "Määrä": "amount"}
    frame = read(text, columns=columns)
    assert frame.iloc[0][["payee_name", "amount"]].tolist() == ["Kahvila", -3.5]


def test_without_a_header_the_columns_have_numbers() -> None:
    text = "31.05.2026\tHofer\t\t33,87\n30.05.2026\tLohn\t100,00\t\n"
    columns = {"1": "date", "2": "payee_name", "3": "credit", "4": "debit"}
    assert amounts(text, columns=columns) == [-33.87, 100.0]


def test_an_unknown_meaning_of_a_column_is_an_error() -> None:
    with pytest.raises(ToolError, match="columns=: 'day' is none of date, value, amount"):
        read("A;B\n", columns={"A": "day"})


def test_rows_that_are_no_bookings_are_left_out_with_a_reason() -> None:
    frame = read(
        "Date,Posted,Description,Amount,Status\n2026-05-28,2026-05-29,Shop,-10.00,Cleared\n"
        "2026-05-30,,Cafe,-3.00,Cleared\n2026-05-30,2026-05-30,Fuel,-60.00,PENDING\n"
        "2026-05-27,2026-05-27,Note,,Cleared\n,,Opening balance,100.00,\n,,Total,-73.00,\nEnd\n",
        columns={"Posted": "date", "Date": "value"},
    )
    assert frame["amount"].tolist() == [-10.0]
    assert [(each["row"], each["reason"]) for each in frame.attrs["left_out"]] == [
        (3, "not booked: no booking day"), (4, "not booked: PENDING"), (5, "no amount"),
        (6, "a balance or a total"), (7, "a balance or a total"), (8, "no day and no amount"),
    ]  # fmt: skip


@pytest.mark.parametrize(("text", "bookings"), [
    ("Kontostand", 1), ("Neuer Saldo", 1), ("Saldo contabile", 1),
    ("Solde au 31.05.2026", 1), ("Balance forward", 1), ("Closing Balance", 1),
    ("Beginning balance as of 06/30/2026", 1), ("Likutis pabaigai", 1),
    ("SOLDE AUTO SARL", 2), ("Turnover Books Ltd", 2), ("Total", 2), ("Closing balance fee", 2),
])  # fmt: skip
def test_a_row_with_a_day_is_a_balance_only_by_the_whole_text(text: str, bookings: int) -> None:
    frame = read(f"Date;Description;Amount\n2026-05-30;Shop;-1\n2026-05-31;{text};987,50\n")
    assert len(frame) == bookings
    assert len(frame.attrs["left_out"]) == 2 - bookings


def test_a_fee_that_is_not_in_the_amount_is_a_warning() -> None:
    text = (
        "Date,Description,Amount,Fee\n2026-05-30,Exchange,-50.00,2.00\n2026-05-31,Shop,-1.00,0.00\n"
    )
    with pytest.warns(RuntimeWarning, match="1 row has a fee, first in row 2, which is not in"):
        assert read(text)["amount"].tolist() == [-50.0, -1.0]


def test_rows_that_are_left_out_stay_beside_the_chosen_account() -> None:
    text = "Account,Date,Amount\n11,2026-05-28,-10.00\n22,2026-05-29,-2.50\n22,2026-05-29,\n"
    left_out = read(text, account="22").attrs["left_out"]
    assert [(row["row"], row["reason"]) for row in left_out] == [(4, "no amount")]


def test_balances_show_that_all_signs_are_reversed() -> None:
    frame = read(
        "Date,Amount,Balance\n2026-05-28,10.00,90.00\n2026-05-29,-25.00,115.00\n"
        "2026-05-30,5.00,110.00\n"
    )
    assert frame["amount"].tolist() == [-10.0, 25.0, -5.0]
    assert "positive amounts are outflows, as the balances show" in frame.attrs["reading"]
    assert (frame.attrs["opening_balance"], frame.attrs["closing_balance"]) == (100.0, 110.0)


def test_balances_decide_about_the_sign_of_positive_amounts() -> None:
    text = "Date,Amount,Balance\n2026-05-29,3.00,13.00\n2026-05-28,1.00,16.00\n"
    assert amounts(text) == [-3.0, -1.0]  # the newest is first: 16.00 - 3.00 is 13.00


def test_one_balance_that_fits_by_chance_reverses_no_signs() -> None:
    with pytest.warns(RuntimeWarning, match="1 balance differs in 'Balance' from"):
        frame = read("Date,Amount,Balance\n2026-05-28,5.00,10.00\n2026-05-29,-3.00,13.00\n")
    assert frame["amount"].tolist() == [5.0, -3.0]


def test_a_balance_that_the_rows_do_not_explain_is_a_warning() -> None:
    with pytest.warns(RuntimeWarning, match="1 balance differs in 'Saldo' .* first in row 4"):
        frame = read(
            "Datum;Betrag;Saldo\n2026-05-28;-10,00;90,00\n2026-05-29;-20,00;70,00\n"
            "2026-05-30;-5,00;60,00\n2026-05-31;-1,00;59,00\n"
        )
    assert (frame.attrs["opening_balance"], frame.attrs["closing_balance"]) == (None, 59.0)


TWO = (
    "Account,Date,Amount,Currency,Balance\n1111,2026-05-28,-10.00,EUR,90.00\n"
    "2222,2026-05-28,-2.50,USD,7.50\n1111,2026-05-29,-40.00,EUR,50.00\n"
)


@pytest.mark.parametrize(
    ("account", "total", "closing"), [("1111", -50.0, 50.0), ("USD", -2.5, 7.5), ("222", -2.5, 7.5)]
)
def test_an_account_of_several_is_chosen(account: str, total: float, closing: float) -> None:
    frame = read(TWO, account=account)
    assert (frame["amount"].sum(), frame.attrs["closing_balance"]) == (total, closing)


def test_amounts_with_different_currencies_are_not_one_account() -> None:
    frame = read("Date;Amount\n2026-05-28;-10.00 EUR\n2026-05-29;-5.00 USD\n")
    assert frame["currency"].tolist() == ["EUR", "USD"]


def test_a_header_states_the_currency_and_a_preamble_the_account() -> None:
    frame = read("IBAN: DE02 1203 0000 0000 2020 51\n\nDatum;Betrag (EUR)\n31.05.2026;-1,50\n")
    assert (frame.attrs["account"], frame.attrs["currency"]) == (
        "DE02 1203 0000 0000 2020 51", "EUR",
    )  # fmt: skip


def workbook(*sheets: list[list[Any]]) -> BytesIO:
    book = Workbook()
    book.remove(book.active)
    for rows in sheets:
        sheet = book.create_sheet()
        for row in rows:
            sheet.append(row)
    content = BytesIO()
    book.save(content)
    content.seek(0)
    return content


ROWS: list[list[Any]] = [
    ["Kontoauszug", None, None],
    ["Buchungstag", "Empfänger", "Betrag"],
    [datetime(2026, 5, 30, 8, 15), "Café", -3.5],  # noqa: DTZ001 - a cell has no zone
    [46173, "Lohn", 1234.567],
    ["01.06.2026", "Bus", "-1.002,40"],
    [None, "Summe", 228.667],
]


def test_the_cells_of_a_workbook_are_read_like_those_of_a_csv_file() -> None:
    frame = read_bank_file(workbook([["Notes"]], ROWS))
    days = [pd.Timestamp(day) for day in ("2026-05-30", "2026-05-31", "2026-06-01")]
    assert frame["date"].tolist() == days
    assert frame["amount"].tolist() == [-3.5, 1234.567, -1002.4]
    assert milliunits(frame["amount"]).sum() == 228_667
    assert frame.attrs["format"] == "Excel"
    assert [each["reason"] for each in frame.attrs["left_out"]] == ["a balance or a total"]


def test_a_number_with_three_decimals_in_a_cell_is_no_question() -> None:
    frame = read_bank_file(workbook([["Date", "Amount"], ["2026-05-31", -123.456]]))
    assert frame["amount"].tolist() == [-123.456]


def test_a_workbook_with_transactions_in_two_sheets_is_an_error() -> None:
    with pytest.raises(ToolError, match="transactions in the sheets Sheet, Sheet1"):
        read_bank_file(workbook(ROWS, ROWS))


def test_without_openpyxl_a_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    content = workbook(ROWS)
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(ToolError, match=r"pip install 'budgetframe\[excel\]'"):
        read_bank_file(content)


def test_an_old_workbook_is_one_sentence() -> None:
    with pytest.raises(ToolError, match=r"old Excel file .* save it as \.xlsx"):
        read_bank_file(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
