"""The accounts, categories and habits of the generated household, as tables."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from budgetframe.sandbox.state.rows import Currency

EUR = Currency(
    iso_code="EUR", example_format="123.456,78", decimal_digits=2, decimal_separator=",",
    symbol_first=False, group_separator=".", currency_symbol="€",
)  # fmt: skip
JPY = Currency(
    iso_code="JPY", example_format="123,457", decimal_digits=0, decimal_separator=".",
    symbol_first=True, group_separator=",", currency_symbol="¥",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class StartingAccount:
    """An account and its starting balance in euros."""

    name: str
    type: str
    balance: float = 0.0
    note: str | None = None
    loan: bool = False


ACCOUNTS = (
    StartingAccount("Checking", "checking", 2_430.17, "Salary arrives here"),
    StartingAccount("Savings", "savings", 6_500.00),
    StartingAccount("Wallet", "cash", 85.40),
    StartingAccount("Credit Card", "creditCard"),
    StartingAccount("Car Loan", "autoLoan", -12_116.31, "Paid on the 10th", loan=True),
    StartingAccount("Index Fund", "otherAsset", 8_250.00, "Tracking only"),
    StartingAccount("Old Savings", "savings", 310.00, "Closed in the second month"),
    StartingAccount("Gift Card", "cash"),
)


@dataclass(frozen=True, slots=True)
class BudgetLine:
    """A category and the amount assigned to it each month, in euros at first-month prices."""

    name: str
    monthly: float = 0.0
    refilled: bool = False  # whether the balance is topped up to the amount, not increased by it
    is_bill: bool = False  # whether the assigned amount is exactly the spending of the month
    months: tuple[int, ...] = ()
    hidden: bool = False
    note: str | None = None


GROUPS: dict[str, tuple[BudgetLine, ...]] = {
    "Home": (
        BudgetLine("Rent", 1_150, is_bill=True, note="Due on the 1st"),
        BudgetLine("Electricity", 75), BudgetLine("Internet", 35, is_bill=True),
        BudgetLine("Insurance", 20), BudgetLine("Repairs", 15),
    ),
    "Everyday": (
        BudgetLine("Groceries", 430, refilled=True), BudgetLine("Eating Out", 110, refilled=True),
        BudgetLine("Café & Kuchen", 35, refilled=True),
        BudgetLine("Household Goods", 45, refilled=True),
        BudgetLine("Clothing", 45),
    ),
    "Car": (
        BudgetLine("Fuel", 110, refilled=True),
        BudgetLine("Insurance", 45, note="Paid each quarter"),
        BudgetLine("Repairs", 25), BudgetLine("Loan Payment", 280, is_bill=True),
    ),
    "Health & Fun": (
        BudgetLine("Pharmacy", 25), BudgetLine("Sport", 30, is_bill=True),
        BudgetLine("Books & Music", 30, refilled=True),
        BudgetLine("Gifts 🎁", 45, months=(10, 11, 12)),
        BudgetLine("Holiday", 140),
    ),
    "Savings": (
        BudgetLine("Emergency Fund", note="What is left over each month"),
        BudgetLine("New Laptop", 30), BudgetLine("Investing", 150, is_bill=True),
        BudgetLine("Rücklagen"),
    ),
    "Old Plans": (BudgetLine("Piano Lessons", hidden=True), BudgetLine("Gym", hidden=True)),
}  # fmt: skip
"""Groups of categories; a group is hidden if all its categories are."""


@dataclass(frozen=True, slots=True)
class Habit:
    """A transaction that repeats every month or in some months; the amount is in euros."""

    amount: float
    account: str
    payees: tuple[str, ...] = ()
    category: tuple[str, str] | None = None
    days: tuple[int, ...] = ()
    times: int = 0  # number of random days in a month, if `days` is empty
    months: tuple[int, ...] = ()
    spread: float = 0.0
    seasons: dict[int, float] = field(default_factory=dict)
    inflation: Literal["monthly", "yearly"] | None = "monthly"
    """Whether the amount rises with the prices every month, or every January."""
    income: bool = False
    to: str | None = None
    settles: bool = False  # whether it pays a debt: at most what is owed, all if `amount` is 0
    debt: Literal["interest"] | None = None
    """Whether it is the interest on the debt at the beginning of the day instead of `amount`."""
    memos: tuple[str | None, ...] = ()


_MARKETS = ("Corner Market", "Grüner Markt", "Bakery Østergård", "Weekly Market")
_HOLIDAY_SEASONS = {4: 1.08, 7: 0.9, 8: 0.85, 11: 1.06, 12: 1.35}
_HEATING_SEASONS = {1: 1.5, 2: 1.4, 3: 1.2, 6: 0.75, 7: 0.7, 8: 0.7, 11: 1.2, 12: 1.4}
_QUARTERS = (1, 4, 7, 10)

HABITS = (
    Habit(2_870, "Checking", ("Brightside Studio",), days=(1,), inflation="yearly", income=True),
    Habit(1_500, "Checking", ("Brightside Studio",), days=(20,), months=(11,), inflation="yearly",
          income=True, memos=("Year-end pay",)),
    Habit(-1_150, "Checking", ("Linden Housing",), ("Home", "Rent"), days=(1,), inflation="yearly"),
    Habit(-68, "Checking", ("Northlight Power",), ("Home", "Electricity"), days=(5,), spread=0.1,
          seasons=_HEATING_SEASONS),
    Habit(-34.9, "Checking", ("Fernline",), ("Home", "Internet"), days=(7,), inflation=None),
    Habit(-212.4, "Checking", ("Anchor Mutual",), ("Home", "Insurance"), days=(12,), months=(2,)),
    Habit(-48, "Credit Card", _MARKETS, ("Everyday", "Groceries"), times=7, spread=0.5,
          seasons=_HOLIDAY_SEASONS, memos=(None, None, None, "#weekend", "#shared")),
    Habit(-13, "Wallet", _MARKETS, ("Everyday", "Groceries"), times=2, spread=0.5,
          seasons=_HOLIDAY_SEASONS),
    Habit(-31, "Credit Card", ("Osteria Già", "Noodle Bar Ōkami", "The Blue Door"),
          ("Everyday", "Eating Out"), times=3, spread=0.5, seasons={12: 1.3}),
    Habit(-6.2, "Wallet", ("Café Zur Mühle",), ("Everyday", "Café & Kuchen"), times=3, spread=0.4),
    Habit(-21, "Checking", ("Haus & Hof",), ("Everyday", "Household Goods"), times=2, spread=0.6),
    Habit(-85, "Credit Card", ("Loden & Söhne", "Second Season"), ("Everyday", "Clothing"),
          times=1, months=(3, 5, 9, 10, 11), spread=0.4),
    Habit(-52, "Checking", ("Station West",), ("Car", "Fuel"), times=2, spread=0.25),
    Habit(-135, "Checking", ("Anchor Mutual",), ("Car", "Insurance"), days=(15,), months=_QUARTERS),
    Habit(-14.5, "Checking", ("Adler Pharmacy",), ("Health & Fun", "Pharmacy"), times=1),
    Habit(-29, "Checking", ("Climbing Hall",), ("Health & Fun", "Sport"), days=(3,),
          inflation=None),
    Habit(-11.9, "Credit Card", ("Tonspur",), ("Health & Fun", "Books & Music"), days=(18,)),
    Habit(-19, "Credit Card", ("Bücherstube",), ("Health & Fun", "Books & Music"), times=1,
          months=(1, 2, 4, 6, 8, 10, 12), spread=0.5),
    Habit(-38, "Credit Card", ("Spielzeugland", "Bücherstube"), ("Health & Fun", "Gifts 🎁"),
          times=3, months=(12,), spread=0.5, memos=("#gifts", None)),
    Habit(-140, "Credit Card", ("Pension Seeblick", "Trattoria Al Porto", "Island Ferries"),
          ("Health & Fun", "Holiday"), times=9, months=(8,), spread=0.6, memos=("#holiday",)),
    Habit(-185, "Credit Card", ("Rail Desk",), ("Health & Fun", "Holiday"), days=(6,), months=(4,),
          memos=("#holiday",)),
    Habit(-48, "Checking", to="Wallet", days=(2,)),
    Habit(-300, "Checking", to="Savings", days=(29,), inflation=None),
    Habit(0, "Checking", to="Credit Card", days=(25,), settles=True),
    Habit(-280, "Checking", category=("Car", "Loan Payment"), to="Car Loan", days=(10,),
          inflation=None, settles=True),
    Habit(0, "Car Loan", ("Loan Interest",), days=(10,), debt="interest"),
    Habit(-150, "Checking", category=("Savings", "Investing"), to="Index Fund", days=(16,),
          inflation=None),
    Habit(190, "Index Fund", ("Market Value",), days=(28,), months=(3, 6, 9, 12), spread=2.2,
          inflation=None),
)  # fmt: skip

LOCATIONS = (
    ("Corner Market", "52.5200066", "13.4049540"),
    ("Café Zur Mühle", "48.1371079", "11.5753822"),
    ("Island Ferries", "-41.2864603", "174.7762360"),
)
