"""Reports on every budget: equal to those of each budget alone, and the summary."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from budgetframe import BudgetFrame, ToolError, reports
from budgetframe.lake import Lake, reports as lake_reports
from budgetframe.lake.summary import figures_of, summary
from budgetframe.lake.writer import create_lake
from tests.docs.docstrings import REPORTS
from tests.reports.rows import began, ledger_frame, row

from .service import EURO, YEN, Service, plain

OPTIONS: dict[str, dict[str, Any]] = {
    "forecast": {"typical": 3},
    "spending": {"by": "group", "freq": "month"},
}
NAMES = sorted(REPORTS.keys() - {"money_flow"})


@pytest.mark.slow  # it computes reports of two budgets in two ways
def test_each_report_equals_that_of_each_budget_alone(
    service: Service, lake: Lake, subtests: pytest.Subtests
) -> None:
    budgets = {service.id_of(name): name for name in (EURO, YEN)}
    for budget in (EURO, EURO, YEN, YEN):  # so that `duplicates` finds a pair in each budget
        service.spend(-4.5, budget)
    lake.sync([service.source()])
    alone = {
        key: BudgetFrame.connect(
            service.sandbox.token, base_url=service.url, budget=name, progress=False
        )
        for key, name in budgets.items()
    }
    for name in NAMES:
        with subtests.test(name=name):
            found = lake.report(getattr(reports, name), **OPTIONS.get(name, {}))
            assert found["budget_id"].unique().tolist() == sorted(budgets)
            for key, bf in alone.items():
                own = found[found["budget_id"] == key].reset_index(drop=True)
                code = "EUR" if budgets[key] == EURO else "JPY"
                assert own.pop("currency").unique().tolist() == [code]
                expected = pd.DataFrame(getattr(bf.reports, name)(**OPTIONS.get(name, {})))
                is_choice = expected.dtypes == "category"
                for column in expected.columns[is_choice]:  # those of all budgets
                    categories = own[column].cat.categories
                    expected[column] = expected[column].cat.set_categories(categories)
                assert_frame_equal(plain(own.drop(columns="budget_id")), plain(expected))
    for bf in alone.values():
        bf.close()


def test_a_budget_without_the_named_account_has_no_rows(service: Service, lake: Lake) -> None:
    message = "1 of 2 budgets have no report .first: .*Wallet"
    with pytest.warns(RuntimeWarning, match=message) as warned:
        found = lake.report(reports.net_worth, accounts="Wallet")
    assert warned[0].filename == __file__
    assert found["currency"].unique().tolist() == ["EUR"]
    assert [*found.attrs["refused"]] == [service.id_of(YEN)]


def test_what_a_lake_cannot_compute_is_refused_before_anything_is_read(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    lake = Lake(tmp_path / "none")
    refused: list[tuple[Any, dict[str, Any], str]] = [
        (reports.money_flow, {}, "money_flow needs money_movements, which the export of a budget"),
        (reports.side_by_side, {}, "side_by_side is not a report on one budget"),
        ("net_worth", {}, "function='net_worth': it must be a function"),
    ]
    for function, options, message in refused:
        with subtests.test(message=message), pytest.raises(ToolError, match=f"^{message}"):
            lake.report(function, **options)
    assert list(tmp_path.iterdir()) == []


def test_arguments_and_results_are_checked_with_frames_without_rows(new_lake: Lake) -> None:
    create_lake(new_lake._address, 1)
    with pytest.raises(ToolError, match="freq='all'"):
        new_lake.report(reports.net_worth, freq="all")
    with pytest.raises(TypeError, match="'sicne'"):
        new_lake.report(reports.net_worth, sicne="2026")
    with pytest.raises(ToolError, match=r"^the function must return a DataFrame, not int$"):
        new_lake.report(len)  # type: ignore[arg-type]
    with pytest.raises(ToolError, match="has the index 'account_name', which would be lost"):
        new_lake.report(lambda ledger: ledger.groupby("account_name")[["amount"]].sum())
    with pytest.raises(ToolError, match=r"has a column 'currency', which lake\.report adds"):
        new_lake.report(lambda ledger: ledger[["amount"]].assign(currency="EUR"))


def test_a_function_of_a_ledger_is_run_for_each_budget(service: Service, new_lake: Lake) -> None:
    def kinds(ledger: pd.DataFrame, least: int) -> pd.DataFrame:
        ledger["rows"] = 1  # does not change what other calls get
        counted = ledger.groupby("cleared", observed=False)["rows"].sum()
        return counted[counted >= least].reset_index()

    new_lake.sync([service.source()])
    for _ in range(2):
        found = new_lake.report(kinds, least=1)
    assert found.columns.tolist() == ["budget_id", "currency", "cleared", "rows"]
    assert found["rows"].sum() == sum(len(service.facade(name).ledger()) for name in (EURO, YEN))
    assert found["currency"].unique().tolist() == ["EUR", "JPY"]


def test_a_function_of_a_ledger_need_not_accept_a_ledger_without_rows(lake: Lake) -> None:
    def first(ledger: pd.DataFrame) -> pd.DataFrame:
        return pd.DataFrame({"first": [ledger["date"].iloc[0]]})

    def wrong(ledger: pd.DataFrame) -> pd.DataFrame:
        return pd.DataFrame({"first": [ledger.attrs["no such"]]})

    assert lake.report(first).columns.tolist() == ["budget_id", "currency", "first"]
    with pytest.raises(KeyError, match="no such") as caught:
        lake.report(wrong)
    assert caught.value.__notes__ == [
        "It was raised for a ledger without rows, and no budget has a report."
    ]


def test_a_budget_whose_report_fails_does_not_stop_the_others(
    service: Service, lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    unlucky = lake.frame("ledger", budget=EURO).attrs
    monkeypatch.setattr(lake_reports, "_TASKS", 2)  # several buckets for each

    def count(ledger: pd.DataFrame) -> pd.DataFrame:
        return pd.DataFrame({"count": [len(ledger)], "zero": [1 // (ledger.attrs != unlucky)]})

    with pytest.warns(RuntimeWarning, match="1 of 2 budgets have no report .*ZeroDivisionError"):
        found = lake.report(count)
    assert found["budget_id"].tolist() == [service.id_of(YEN)]
    assert found["count"].tolist() == [len(service.facade(YEN).ledger())]


def test_reports_end_at_the_service_s_balances(service: Service, new_lake: Lake) -> None:
    with service.sandbox.device.edit(EURO) as editor:
        account = next(iter(editor.budget.accounts.live()))
        account.cleared_balance += 1_000_000
        editor.budget.accounts.put(account, editor.budget.knowledge)
    new_lake.sync([service.source(verify=False)])
    text = f"^{account.name}: the service's balance differs by .*1.000,00"
    with pytest.warns(RuntimeWarning, match=text):
        found = new_lake.report(reports.net_worth, freq="year")
    of_euro = found[found["currency"] == "EUR"]
    net = service.facade(EURO).accounts()["balance"].sum()
    assert of_euro["net"].iloc[-1] == round(float(net), 3)
    assert of_euro["unexplained"].iloc[-1] == 1000.0


def test_reports_of_an_empty_lake_have_no_rows(service: Service, new_lake: Lake) -> None:
    new_lake.sync([service.source(token="wrong")])
    worth = new_lake.report(reports.net_worth)
    assert worth.columns.tolist()[:4] == ["budget_id", "currency", "date", "assets"]
    assert len(worth) == len(new_lake.summary()) == 0


@pytest.mark.slow  # it computes reports of two budgets in two ways
def test_a_summary_has_the_values_of_budgets(service: Service, lake: Lake, tmp_path: Path) -> None:
    frame = lake.summary()
    assert frame["currency"].tolist() == ["EUR"] * 5 + ["JPY"] * 5
    assert frame["share"].tolist() == [0.1, 0.25, 0.5, 0.75, 0.9] * 2
    assert frame["budgets"].unique().tolist() == [1]
    net = service.facade(EURO).accounts()["balance"].sum()
    assert frame["net_worth"].tolist()[:5] == [round(float(net), 3)] * 5
    assert len(frame.attrs["rules"]) == 5
    axes = frame.plot()
    assert axes.shape == (2, 3)
    assert [ax.get_ylabel() for ax in axes[:, 0]] == ["EUR\n1 budget", "JPY\n1 budget"]
    with pytest.raises(ToolError, match="a summary has three axes for each currency"):
        frame.plot(ax=axes[0][0])
    axes[0][0].get_figure().savefig(tmp_path / "summary.png")


def test_the_figures_of_a_budget() -> None:
    ledger = ledger_frame(
        began("2025-01-01", "checking", 1050.0),
        began("2025-01-01", "fund", 500.0),
        row("2025-05-31", 500.0, "ready"),  # before the 12 complete months
        row("2025-06-01", 1000.0, "ready"),
        row("2026-05-31", -180.0, "food"),
        row("2026-06-01", -90.0, "food"),  # this month is not complete
        as_of="2026-06-17",
    )
    # 270 in the last 90 days are 3 a day, and the budget accounts have 2,280.
    (found,) = figures_of(ledger).to_dict("records")
    assert found == {"net_worth": 2780.0, "savings_rate": 0.82, "runway_days": 760.0}


def test_the_picture_of_the_summary_can_be_read() -> None:
    figures = pd.DataFrame({
        "currency": ["", "", "EUR", "EUR"], "net_worth": [100.0, 200_000.0, 300.0, 400.0],
        "savings_rate": [0.1, 0.2, 0.3, 0.4], "runway_days": [3000.0, 4000.0, 30.0, 40.0],
    })  # fmt: skip
    report = summary(figures)
    assert report["net_worth"].isna().tolist() == [True] * 5 + [False] * 5
    axes = report.plot()
    labels = [ax.get_ylabel() for ax in axes[:, 0]]
    assert labels == ["currency unknown\n2 budgets", "EUR\n2 budgets"]
    assert [text.get_text() for text in axes[0][0].texts] == ["none"]
    assert axes[1][2].get_xlim()[1] < 50.0  # not that of the other currency
    for ax in axes[1]:
        assert min(line.get_zorder() for line in ax.lines) > ax.xaxis.get_zorder()


def test_a_share_has_the_value_of_a_budget_in_its_currency() -> None:
    figures = pd.DataFrame({
        "currency": ["EUR", "JPY", "EUR", "EUR", "EUR"],
        "net_worth": [300.0, 7.0, -100.0, 1000.5, 200.0],
        "savings_rate": [0.1, None, None, 0.4, 0.2],
        "runway_days": [40.0, 9.0, 10.0, 30.0, 20.0],
    })  # fmt: skip
    frame = pd.DataFrame(summary(figures))
    assert frame["savings_rate"].isna().tolist() == [False] * 5 + [True] * 5
    assert frame.fillna({"savings_rate": -1.0}).to_numpy().tolist() == [
        ["EUR", 0.1, 4, -100.0, 0.1, 10.0],
        ["EUR", 0.25, 4, -100.0, 0.1, 10.0],
        ["EUR", 0.5, 4, 200.0, 0.2, 20.0],
        ["EUR", 0.75, 4, 300.0, 0.4, 30.0],
        ["EUR", 0.9, 4, 1000.5, 0.4, 40.0],
        *(["JPY", share, 1, 7.0, -1.0, 9.0] for share in (0.1, 0.25, 0.5, 0.75, 0.9)),
    ]
