"""QIF files: sections, accounts, splits, and days and amounts in several notations."""

import pytest

from budgetframe import read_bank_file
from tests.frames.test_bank_reader import refusal
from tests.reports.rows import lines

TWO_ACCOUNTS = b"""!Option:AutoSwitch
!Account
NChecking
TBank
^
!Type:Bank
D1/31'26
T1,000.00
POpening Balance
L[Checking]
^
D2/3'26
U-1,018.40
T-1,018.40
PHaus & Hof
MNails
LHome:Repairs
SHome:Repairs
$-1,000.00
SHome:Tools
$-18.40
^
!Account
NCard
TCCard
^
!Type:CCard
D2/14'26
T25.00
PRefund
L[Checking]
^
!Type:Cat
NHome
^
!Type:Invst
D2/15'26
NBuy
YFund
T100.00
^
"""


def test_sections_of_accounts_are_read_and_others_are_not() -> None:
    found = read_bank_file(TWO_ACCOUNTS)
    assert lines(found, "date", "amount", "payee_name", "memo", "account") == [
        ("2026-02-03", -1018.4, "Haus & Hof", "Nails", "Checking"),
        ("2026-02-14", 25.0, "Refund", "[Checking]", "Card"),
    ]
    assert [row["reason"] for row in found.attrs["left_out"]] == [
        "the balance before the first row", "an investment (Buy)",
    ]  # fmt: skip
    checking = read_bank_file(TWO_ACCOUNTS, account="Checking").attrs
    assert (checking["opening_balance"], checking["opening_date"]) == (1000.0, "2026-01-31")


@pytest.mark.parametrize(("day", "amount", "expected"), [
    ("31.05.2026", "-1.234,50", ("2026-05-31", -1234.5)),
    ("5/31/26", "-1,234.5", ("2026-05-31", -1234.5)),
    ("2026-05-31", "-12", ("2026-05-31", -12.0)),
    ("31/05'2026", "-0,05", ("2026-05-31", -0.05)),
])  # fmt: skip
def test_days_and_amounts_have_the_notation_of_their_country(
    day: str, amount: str, expected: tuple[str, float]
) -> None:
    for section in ("Bank", "Cash", "CCard", "Oth A", "Oth L"):
        file = f"!Type:{section}\nD{day}\nT{amount}\n^\n".encode()
        assert lines(read_bank_file(file), "date", "amount") == [expected]


def test_parts_that_do_not_add_up_are_a_warning() -> None:
    with pytest.warns(RuntimeWarning, match=r"row 2: the parts of the split lack -1\.6 of its"):
        read_bank_file(TWO_ACCOUNTS.replace(b"$-18.40", b"$-16.80"))


def test_a_day_with_two_readings_is_a_question() -> None:
    unclear = TWO_ACCOUNTS.replace(b"1/31'26", b"1/3'26").replace(b"2/14'26", b"2/4'26")
    unclear = unclear.replace(b"2/15'26", b"2/5'26")
    assert refusal(unclear) == (
        "the file, row 1 can be read in two ways: 1/3'26 is 2026-03-01 with dates='dd/mm/yyyy', and"
        " 1/3'26 is 2026-01-03 with dates='mm/dd/yyyy'. Pass the argument that is right,"
        " to read_bank_file for the file of a bank"
    )
    found = read_bank_file(unclear, dates="mm/dd/yyyy", sign="outflow")
    assert lines(found, "date", "amount")[0] == ("2026-02-03", 1018.4)


def test_a_file_without_a_negative_amount_is_a_question() -> None:
    file = b"!Type:CCard\nD31.05.2026\nT12.50\nPShop\n^\n"
    assert refusal(file).startswith("the file can be read in two ways: 12.5 with sign='inflow'")
    for sign, amount in (("inflow", 12.5), ("outflow", -12.5)):
        assert read_bank_file(file, sign=sign)["amount"].tolist() == [amount]


def test_a_file_without_a_row_of_an_account_is_refused(subtests: pytest.Subtests) -> None:
    cases = {
        "the file has no section of an account": b"!Type:Cat\nNHome\n^\n",
        "the file, row 1: 'Shop' has no day or no amount": b"!Type:Bank\nPShop\n^\n",
        "the file has rows in the section 'banque', which is none of !Type:bank, !Type:cash,": (
            b"!Type:Banque\nD31.05.2026\nT-4.50\n^\n!Type:Bank\nD31.05.2026\nT1.00\n^\n"
        ),
        "the file is damaged: the line ^ is missing before 'D2/14'": (
            b"!Type:Bank\nD1/31\nT-4.50\nD2/14\nT1.00\n^\n"
        ),
        "the file has !Type:bank and !Type:ccard without the names of their accounts": (
            b"!Type:Bank\nD31/1/26\nT-4.50\n^\n!Type:CCard\nD31/1/26\nT1.00\n^\n"
        ),
        "the file, row 1: '1.2.3' is not an amount": b"!Type:Bank\nD31.05.2026\nT1.2.3\n^\n",
    }
    for message, file in cases.items():
        with subtests.test(message=message):
            assert refusal(file).startswith(message)
