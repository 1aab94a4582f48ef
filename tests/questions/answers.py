"""Questions that people bring to a notebook, each answered in at most three lines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pandas as pd

from budgetframe import BudgetFrame, Changes, to_excel, to_page
from budgetframe.frames import totals
from budgetframe.reports import Report, side_by_side

_BANK = {"Buchung": "date", "Name": "payee_name", "Betrag": "amount"}


def top_payees_of_this_year(bf: BudgetFrame) -> Report:
    return bf.reports.spending("payee", transfers="none", since="2026")


def groceries_by_month_with_a_trend(bf: BudgetFrame) -> tuple[Report, Any]:
    groceries = bf.reports.spending(categories="Groceries", freq="month", since="2024-06")
    return groceries, groceries.plot(trend="linear")


def share_of_income_that_goes_to_rent(bf: BudgetFrame) -> float:
    income = bf.reports.income_expense(freq="year", since="2025", until="2025")["income"].sum()
    rent = bf.reports.spending(categories="Rent", since="2025", until="2025")["spent"].sum()
    return float(rent / income)


def this_month_against_the_same_days_of_last_month(bf: BudgetFrame) -> Report:
    return bf.reports.same_period(count=1)


def largest_overspendings_by_category(bf: BudgetFrame) -> pd.DataFrame:
    plan = bf.reports.budget_vs_actual(freq="all", since="2025", until="2025")
    return plan.nsmallest(3, "difference")


def what_recurs(bf: BudgetFrame) -> pd.DataFrame:
    recurring = bf.reports.recurring()
    return recurring[recurring["kind"] == "subscription"]


def net_worth_with_debts(bf: BudgetFrame) -> Report:
    return bf.reports.net_worth(debts="type")


def savings_rate_by_quarter(bf: BudgetFrame) -> Report:
    return bf.reports.income_expense(freq="quarter", since="2025")


def parts_of_one_split(bf: BudgetFrame, transaction_id: str) -> pd.DataFrame:
    parts = bf.subtransactions()
    return parts[parts["transaction_id"] == transaction_id]


def everything_with_a_hashtag(bf: BudgetFrame) -> pd.DataFrame:
    ledger = bf.ledger()
    return ledger[ledger["memo"].str.contains("#", na=False)]


def what_is_uncategorised_or_unapproved(bf: BudgetFrame) -> pd.DataFrame:
    return bf.ledger().query("is_uncategorized or not approved")


def transfers_between_accounts(bf: BudgetFrame) -> pd.DataFrame:
    paid = bf.ledger(since="2026").query("is_transfer and amount < 0")
    return totals(paid, ["account_name", "transfer_account_name"])


def card_payments_against_spending_on_the_card(bf: BudgetFrame) -> tuple[float, float]:
    card = bf.ledger(since="2025", until="2025").query("account_name == 'Credit Card'")
    paid = totals(card[card["is_transfer"]], "account_name")["amount"]
    return paid.item(), -totals(card[card["is_spending"]], "account_name")["amount"].item()


def plan_and_outcome_of_one_category(bf: BudgetFrame) -> Report:
    return bf.reports.budget_vs_actual(categories="Groceries", since="2024-07", until="2026-06")


def bills_and_the_lowest_point_of_checking(bf: BudgetFrame) -> tuple[Any, Any]:
    forecast = bf.reports.forecast(accounts="Checking", days=30, income=False)
    return forecast[forecast["change"] < 0], forecast[forecast["is_lowest"]]


def year_end_workbook(bf: BudgetFrame, path: Path) -> None:
    spent = bf.reports.spending(freq="month", since="2025", until="2025")
    names = ["category_group_name", "category_name"]
    to_excel(path, {"Spending 2025": spent.pivot_table("spent", names, "period", aggfunc="sum")})


def spending_by_a_mapping_from_a_file(bf: BudgetFrame, path: Path) -> Report:
    rows = pd.read_csv(path)
    mapping = dict(zip(rows["category"], rows["label"], strict=True))
    return bf.reports.spending(mapping, since="2025", until="2025")


def two_budgets_side_by_side(bf: BudgetFrame) -> Report:
    other = bf.with_budget("東京の家計")
    return side_by_side({"Home": bf.reports.net_worth(), "Tokyo": other.reports.net_worth()})


def balances_from_parquet(bf: BudgetFrame, folder: Path) -> dict[str, Any]:
    bf.ledger(money="decimal").to_parquet(folder / "ledger.parquet")
    rows = duckdb.read_parquet(str(folder / "ledger.parquet"))
    return dict(rows.aggregate("account_name, sum(amount)").fetchall())


def recategorise_look_and_take_back(bf: BudgetFrame) -> Changes:
    rows = bf.transactions().query("payee_name == 'Corner Market' and not is_split").tail(20)
    changes = bf.changes(rows.assign(category_name="Fuel"))  # look at it before it is sent
    return changes.apply().undo()


def groceries_by_week_and_their_average(bf: BudgetFrame) -> tuple[Report, float]:
    weeks = bf.reports.spending(categories="Groceries", freq="week", since="2026-03-30")
    return weeks, weeks.loc[weeks["is_complete"], "spent"].mean()


def overspent_categories_and_those_that_could_cover_them(
    bf: BudgetFrame,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    month = bf.month().query("category_group_name != 'Internal Master Category'")
    return month[month["balance"] < 0], month.nlargest(3, "balance")


def cost_of_the_holidays_by_category(bf: BudgetFrame) -> Report:
    return bf.reports.spending(hashtags="holiday", since="2025", until="2025")


def average_monthly_cost_of_the_car(bf: BudgetFrame) -> float:
    car = bf.reports.spending("group", categories="Car", since="2024-06", until="2026-05")
    return float(car["average"].item())


def subscriptions_that_became_more_expensive(bf: BudgetFrame) -> pd.DataFrame:
    found = bf.reports.recurring().query("kind == 'subscription' and change_rate > 0")
    return found[["payee_name", "change_rate", "changed_on"]]


def rows_that_look_like_the_same_payment_twice(bf: BudgetFrame) -> tuple[Report, Any]:
    twice = bf.reports.duplicates()
    return twice, twice.changes([0])


def rows_that_are_not_cleared_after_thirty_days(bf: BudgetFrame) -> pd.DataFrame:
    old = bf.transactions(until="2026-05-18").query("cleared == 'uncleared'")
    return totals(old, "account_name")


def month_end_balances_with_accounts_as_columns(bf: BudgetFrame) -> pd.DataFrame:
    return bf.reports.balances(since="2026").wide(columns="group", index=True)


def this_year_so_far_against_last_year_by_group(bf: BudgetFrame) -> pd.Series[Any]:
    so_far = bf.reports.same_period("group", freq="year", count=1).query("date == date.max()")
    return so_far.set_index("category_group_name")["change_rate"]


def eating_out_by_day_of_the_week(bf: BudgetFrame) -> pd.DataFrame:
    rows = bf.ledger().query("category_name == 'Eating Out'")
    return totals(rows.assign(day=rows["date"].dt.day_name()), "day")


def interest_of_last_year_and_the_end_with_higher_payments(
    bf: BudgetFrame,
) -> tuple[float, pd.Timestamp]:
    loan = bf.reports.loans(accounts="Car Loan", payment=380)
    return loan[loan["month"].dt.year == 2025]["interest"].sum(), loan["month"].max()


def targets_on_track_their_cost_and_when_they_are_due(bf: BudgetFrame) -> pd.DataFrame:
    return bf.reports.targets().set_index("category_name")[["on_track", "monthly", "due"]]


def what_is_owed_on_each_card_and_not_covered(bf: BudgetFrame) -> pd.Series[Any]:
    return bf.reports.cards().groupby("account_name").last()["unfunded"]


def contributions_gain_and_yearly_return_of_the_fund(bf: BudgetFrame) -> pd.Series[Any]:
    fund = bf.reports.investments(accounts="Index Fund")
    return fund[["contributed", "gain", "yearly_return"]].iloc[-1]


def what_can_be_assigned(bf: BudgetFrame) -> float:
    return bf.ready_to_assign()


def cover_the_overspent_category_look_send_and_take_back(bf: BudgetFrame) -> Changes:
    return bf.move("current", "Emergency Fund", "Sport", 50.0, preview=True).apply().undo()


def recategorise_a_payee_with_a_split_among_its_rows(bf: BudgetFrame) -> Changes:
    rows = bf.transactions(since="2025-12-18").query("payee_name == 'Corner Market'")
    return bf.changes(rows.assign(category_name="Household Goods"), splits="skip").apply()


def import_a_german_csv(bf: BudgetFrame, path: Path) -> Changes:
    rows = pd.read_csv(path, sep=";", decimal=",", thousands=".", dtype={"Buchung": str})
    rows["Buchung"] = pd.to_datetime(rows["Buchung"], format="%d.%m.%Y")
    return bf.import_rows(rows, account="Checking", columns=_BANK)


def which_rows_explain_what_the_bank_says(bf: BudgetFrame) -> pd.DataFrame:
    return bf.statement("Checking", 8243.70, "2026-06-17").explanations


def a_page_with_my_own_reports(bf: BudgetFrame, path: Path) -> None:
    spent = bf.reports.spending("group", freq="month", since="2026").wide(total=True)
    to_page(path, {"Hello": "For you.", "Spent": spent, "Worth": bf.reports.net_worth()})


def the_same_reports_from_a_file_of_last_year(path: Path) -> tuple[Report, Report]:
    file = BudgetFrame.from_export(path).reports  # what bf.save_export(path) wrote
    return file.net_worth(freq="year"), file.spending("group", since="2025", until="2025")


def eating_out_on_weekends_against_weekdays(bf: BudgetFrame) -> pd.DataFrame:
    out = bf.ledger(since="2026").query("category_name == 'Eating Out'")
    out = out.assign(month=out["date"].dt.month, weekend=out["date"].dt.day_of_week >= 5)
    return totals(out, ["month", "weekend"])["amount"].unstack(fill_value=0)


def categories_that_grew_most_against_last_year(bf: BudgetFrame) -> pd.DataFrame:
    grown = bf.reports.same_period("category", freq="year", count=1).query("date == date.max()")
    return grown.nlargest(3, "change")


def share_of_fixed_costs(bf: BudgetFrame, names: list[str]) -> float:
    labels = dict.fromkeys(names, "fixed")
    spent = bf.reports.spending(labels, since="2025", until="2025").set_index("label")
    return float(spent["share"]["fixed"])


def balance_day_by_day_and_its_lowest_day(bf: BudgetFrame) -> tuple[Report, pd.DataFrame]:
    days = bf.reports.balances(accounts="Checking", freq="day", since="2026")
    return days, days.nsmallest(1, "balance")


def median_basket_and_number_of_trips(bf: BudgetFrame) -> pd.DataFrame:
    trips = bf.transactions(since="2026").query("payee_name == 'Haus & Hof'")
    return trips.groupby(trips["date"].dt.month)["amount"].agg(["median", "count"])


def assigned_less_spent_as_a_heatmap(bf: BudgetFrame) -> Any:
    plan = bf.reports.budget_vs_actual(since="2026-01", until="2026-05")
    table = plan.pivot_table("difference", "category_group_name", "period", aggfunc="sum")
    return table.style.background_gradient("RdYlGn", axis=None).format("{:,.2f}")


def ten_largest_expenses_without_rent(bf: BudgetFrame) -> pd.DataFrame:
    paid = bf.ledger(since="2025").query("is_spending and not is_transfer")
    return paid[paid["category_name"] != "Rent"].nsmallest(10, "amount")


def cash_withdrawn_and_cash_recorded(bf: BudgetFrame) -> tuple[float, float]:
    wallet = bf.ledger(since="2025", until="2025").query("account_name == 'Wallet'")
    moved = totals(wallet, "is_transfer")["amount"]
    return moved[True], -moved[False]


def cost_of_my_partners_flag_and_what_is_owed_to_me(bf: BudgetFrame) -> tuple[float, float]:
    spent = bf.reports.spending("flag").set_index("flag_name")["spent"]
    return spent["Partner"], spent["Partner"] + spent["Shared"] / 2  # below zero: I owe it


def income_and_expense_as_in_the_app(bf: BudgetFrame) -> Report:
    return bf.reports.income_statement(since="2025", until="2025")


def what_i_cancelled_and_what_it_saves(bf: BudgetFrame) -> pd.DataFrame:
    return bf.reports.recurring(include_ended=True).query("saved > 0")


def payday_and_the_cash_until_then(bf: BudgetFrame) -> pd.DataFrame:
    return bf.reports.runway().tail(1)[["payday", "until_payday", "balance"]]


def can_i_buy_a_car_if_the_rent_falls(bf: BudgetFrame) -> pd.DataFrame:
    car = {"date": "2027-03-15", "account_name": "Checking", "amount": -9000}
    rent = {**car, "date": "2027-05-01", "amount": 250, "frequency": "monthly"}
    return bf.reports.forecast(typical=6, until="2027", events=[car, rent]).compare()


def when_could_i_stop_working_with_four_per_cent(bf: BudgetFrame) -> pd.DataFrame:
    return bf.reports.independence(withdrawal=0.04).query("is_reached").head(1)


def when_the_fund_of_the_new_laptop_reaches_its_target(bf: BudgetFrame) -> Any:
    return bf.reports.targets(categories="New Laptop")["reached_on"].item()


def which_debt_first_and_what_200_more_a_month_save(bf: BudgetFrame) -> tuple[list[str], float]:
    debts = bf.reports.loans(extra=200, order="avalanche")
    return debts.attrs["order"], debts["interest_saved"].sum()


def fund_all_targets_of_next_month(bf: BudgetFrame) -> Changes:
    return bf.plan("next")


def refill_groceries_and_the_rest_to_holidays(bf: BudgetFrame) -> Changes:
    rules = [("Groceries", "refill", 500), ("Holiday", "rest", None)]
    return bf.plan("next", pd.DataFrame(rules, columns=["category", "kind", "value"]))


def cover_what_is_overspent_from_a_buffer(bf: BudgetFrame) -> Changes:
    return bf.cover(sources="Home: Repairs")


def what_must_i_do_before_i_trust_a_month(bf: BudgetFrame) -> pd.DataFrame:
    return bf.checklist("2026-05").frame


def import_soll_and_haben_and_does_the_balance_agree(bf: BudgetFrame, path: Path) -> float:
    bf.import_rows(path, account="Checking").apply()
    return bf.statement("Checking", file=path).difference


def spending_by_group_from_the_zip_of_the_app(path: Path) -> Report:
    return BudgetFrame.from_export(path).reports.spending("group", since="2025", until="2025")


def monthly_average_without_outliers(bf: BudgetFrame) -> Report:
    return bf.reports.spending("group", average="trimmed", since="2024-06", until="2026-05")


def spending_of_each_day_as_a_calendar(bf: BudgetFrame) -> tuple[Report, Any]:
    days = bf.reports.spending(freq="day", since="2025", until="2025")
    return days, days.plot(kind="calendar")


def payments_that_are_unusual_for_their_payee(bf: BudgetFrame) -> Report:
    return bf.reports.unusual(since="2025")
