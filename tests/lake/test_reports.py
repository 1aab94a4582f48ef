"""Reports on every budget: equal to those of each budget alone."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from budgetframe import BudgetFrame, ToolError, reports
from budgetframe.lake import Lake, reports as lake_reports
from budgetframe.lake.writer import create_lake
from tests.docs.docstrings import REPORTS

from .service import EURO, YEN, Service, plain

OPTIONS: dict[str, dict[str, Any]] = {
    "forecast": {"typical": 3},
    "spending": {"by": "group", "freq": "month"},
}
NAMES = sorted(REPORTS.keys() - {"money_flow"})


@pytest.mark.slow  # it computes reports of two budgets in two ways
def test_each_report_equals_that_of_each_budget_alone(
    service: Service, lake: Lake, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    keeping = Lake(lake._address.uri, cache_dir=tmp_path)
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
            function, options = getattr(reports, name), OPTIONS.get(name, {})
            found = lake.report(function, **options)
            for kept in (keeping.report(function, **options), keeping.report(function, **options)):
                assert_frame_equal(kept, found)
                assert [
                    each.cat.categories.tolist()
                    for _, each in kept.select_dtypes("category").items()
                ] == [
                    each.cat.categories.tolist()
                    for _, each in found.select_dtypes("category").items()
                ]
            assert found["budget_id"].unique().tolist() == sorted(budgets)
            for key, bf in alone.items():
                own = found[found["budget_id"] == key].reset_index(drop=True)
                code = "EUR" if budgets[key] == EURO else "JPY"
                assert own.pop("currency").unique().tolist() == [code]
                expected = pd.DataFrame(getattr(bf.reports, name)(**options))
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


ODD: dict[str, Callable[[pd.DataFrame], Any]] = {
    "must return a DataFrame, not int": len,
    "must return a DataFrame, not NoneType": lambda _: None,
    "must return a DataFrame, not Series": lambda rows: rows["rows"],
    "has a column 'budget_id', which lake.report adds": lambda rows: rows.assign(budget_id="a"),
    "has the index 'x', which would be lost": lambda rows: rows.rename_axis("x"),
    "must each have one name": lambda rows: pd.concat([rows, rows], axis=1),
    "each have one name of their own": lambda rows: rows.set_axis([None], axis=1),
    "of the function must each have": lambda rows: pd.concat({"a": rows}, axis=1),
    "unexpected KeyError: 'b'": lambda rows: rows["b"],
}  # fmt: skip


@pytest.mark.parametrize("with_rows", [False, True])
def test_a_budget_whose_result_cannot_be_joined_is_refused(
    lake: Lake, service: Service, subtests: pytest.Subtests, *, with_rows: bool
) -> None:
    of_yen = lake.frame("ledger", budget=YEN).attrs
    for reason, odd in ODD.items():

        def count(ledger: pd.DataFrame, odd: Callable[..., Any] = odd) -> Any:
            rows = pd.DataFrame({"rows": [len(ledger)]})
            is_odd = ledger.attrs != of_yen and (len(ledger) or with_rows)
            return odd(rows) if is_odd else rows

        with subtests.test(reason=reason):
            with pytest.warns(RuntimeWarning, match="1 of 2 budgets have no report"):
                found = lake.report(count)
            assert found["rows"].tolist() == [len(service.facade(YEN).ledger())]
            (refused,) = found.attrs["refused"].items()
            assert refused[0] == service.id_of(EURO)
            assert reason in refused[1]


def test_parts_of_categories_and_columns_need_not_be_the_same(lake: Lake) -> None:
    of_yen = lake.frame("ledger", budget=YEN).attrs

    def differing(ledger: pd.DataFrame) -> pd.DataFrame:
        if ledger.attrs == of_yen:
            return pd.DataFrame({"a": pd.Categorical([1, "x"]), "b": [1, 1]})
        return pd.DataFrame({"b": [0.5]} if len(ledger) else {"a": pd.Categorical([2])})

    found = lake.report(differing)
    assert found["a"].astype(object).where(found["a"].notna(), None).tolist() == [None, 1, "x"]
    assert found["b"].tolist() == [0.5, 1.0, 1.0]


def test_a_report_that_no_budget_has_is_an_error_with_the_reason(lake: Lake) -> None:
    with pytest.raises(ToolError, match=r"none of 2 budgets has a report \(first: .*'Nowhere'"):
        lake.report(reports.net_worth, accounts="Nowhere")


def test_a_budget_whose_report_fails_does_not_stop_the_others(
    service: Service, lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    unlucky = lake.frame("ledger", budget=EURO).attrs
    monkeypatch.setattr(lake_reports, "_TASKS", 2)  # several buckets for each
    threads = set[threading.Thread]()  # one, because pandas changes the filters of warnings

    def count(ledger: pd.DataFrame) -> pd.DataFrame:
        threads.add(threading.current_thread())
        return pd.DataFrame({"count": [len(ledger)], "zero": [1 // (ledger.attrs != unlucky)]})

    with pytest.warns(RuntimeWarning, match="1 of 2 budgets have no report .*ZeroDivisionError"):
        found = lake.report(count)
    assert found["budget_id"].tolist() == [service.id_of(YEN)]
    assert found["count"].tolist() == [len(service.facade(YEN).ledger())]
    assert threads == {threading.main_thread()}


def test_reports_end_at_the_service_s_balances(service: Service, new_lake: Lake) -> None:
    account = service.unbalance(1_000_000)
    new_lake.sync([service.source(verify=False)])
    text = f"^{account}: the service's balance differs by .*1.000,00"
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
    assert len(worth) == 0
