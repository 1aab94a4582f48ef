"""The kinds of faults, their short form, and the requests that they hit."""

import pytest

from budgetframe.sandbox import Fault, FaultPlan, Sandbox

PATH = "/budgets/last-used/transactions"


def kinds(plan: FaultPlan, count: int, method: str = "GET", path: str = PATH) -> list[str | None]:
    drawn = [plan.draw(method, path) for _ in range(count)]
    return [None if fault is None else fault.kind for fault in drawn]


# -- numbers of requests -----------------------------------------------------------------------


@pytest.mark.parametrize(("faults", "expected"), [
    (["500"], ["500", "500", "500", "500"]),
    ([Fault("503", on=(2, 3))], [None, "503", "503", None]),
    ([Fault("500", on=(2,)), Fault("503", on=(2, 3))], [None, "500", "503", None]),
    (["429@2-"], [None, "429", "429", "429"]),
    ([Fault("500", probability=0.0)], [None, None, None, None]),
    ([Fault("500", probability=1.0)], ["500", "500", "500", "500"]),
])  # fmt: skip
def test_the_first_due_row_hits(faults: list[Fault | str], expected: list[str | None]) -> None:
    assert kinds(FaultPlan(faults), 4) == expected


def test_only_matching_requests_are_counted() -> None:
    plan = FaultPlan([Fault("503", "*/transactions", method="POST", on=(2,))])
    assert kinds(plan, 3, "GET") == [None, None, None]
    assert kinds(plan, 3, "POST", "/budgets/last-used/accounts") == [None, None, None]
    assert kinds(plan, 3, "POST") == [None, "503", None]


@pytest.mark.parametrize(("pattern", "path", "expected"), [
    ("*", "/user", True), ("/user", "/user", True), ("user", "/user", True),
    ("/user", "/users", False), ("*/transactions", "/budgets/1/transactions", True),
    ("*/transactions", "/budgets/1/transactions/2", False),
    ("*/transactions*", "/budgets/1/transactions/2", True),
    ("/budgets/*", "/plans/1/accounts", False), ("/budgets/?", "/budgets/1", True),
    ("*/Transactions", "/budgets/1/transactions", False),
])  # fmt: skip
def test_a_pattern_must_match_the_whole_path(pattern: str, path: str, *, expected: bool) -> None:
    assert Fault("500", pattern).matches("GET", path) is expected


# -- probability -------------------------------------------------------------------------------


def test_random_faults_depend_on_the_seed_only() -> None:
    def hits(seed: int) -> list[int]:
        plan = FaultPlan([Fault("500", probability=0.2)], seed=seed)
        return [index for index, kind in enumerate(kinds(plan, 200)) if kind]

    assert hits(1) == hits(1)
    assert hits(1) != hits(2)
    assert 20 <= len(hits(1)) <= 60


def test_a_probability_applies_to_the_given_numbers_only() -> None:
    plan = FaultPlan([Fault("500", on=range(11, 31), probability=0.5)])
    hits = [index for index, kind in enumerate(kinds(plan, 60), 1) if kind]
    assert 3 <= len(hits) <= 17
    assert set(hits) <= set(range(11, 31))


def test_each_row_has_its_own_random_generator() -> None:
    row = Fault("500", PATH, probability=0.3)
    alone = kinds(FaultPlan([row]), 100)
    plan = FaultPlan([row, Fault("503", "/user", probability=0.3)])
    mixed = []
    for _ in range(100):
        mixed += kinds(plan, 1)
        plan.draw("GET", "/user")
    assert mixed == alone


def test_two_rows_with_the_same_probability_hit_different_requests() -> None:
    plan = FaultPlan([Fault("500", probability=0.3), Fault("503", probability=0.3)])
    assert {"500", "503"} < set(kinds(plan, 100))


# -- the record --------------------------------------------------------------------------------


def test_faults_that_happened_are_recorded() -> None:
    plan = FaultPlan(["500:POST@2", "503:/user"])
    for method, path in (("POST", "/a"), ("GET", "/user"), ("GET", "/a"), ("POST", "/b")):
        plan.draw(method, path)
    assert [(each.fault.kind, each.method, each.path, each.turn) for each in plan.injected] == [
        ("503", "GET", "/user", 1), ("500", "POST", "/b", 2),
    ]  # fmt: skip


def test_a_sandbox_accepts_a_plan_or_rows_and_they_can_be_replaced() -> None:
    plan = FaultPlan(["500"])
    sandbox = Sandbox(budgets=1, years=1, faults=plan)
    assert sandbox.faults is plan
    sandbox.faults = [Fault("cut"), "503:/user"]
    assert [fault.kind for fault in sandbox.faults.faults] == ["cut", "503"]


# -- the short form ----------------------------------------------------------------------------


@pytest.mark.parametrize(("text", "fault"), [
    ("500", Fault("500")),
    ("cut:*/transactions", Fault("cut", "*/transactions")),
    ("html:GET", Fault("html", method="GET")),
    ("html-503:GET:/user", Fault("html-503", "/user", method="GET")),
    ("reset-after:POST:*/transactions@1",
     Fault("reset-after", "*/transactions", method="POST", on=range(1, 2))),
    ("reset-before@1,3", Fault("reset-before", on=(1, 3))),
    ("409@5,2-3", Fault("409", on=(2, 3, 5))),
    ("too_many_requests@2-4", Fault("too_many_requests", on=range(2, 5))),
    ("html:*@10%", Fault("html", probability=0.1)),
    ("503-after:PATCH:*@0.5%", Fault("503-after", method="PATCH", probability=0.005)),
    ("latency=2.5:/user", Fault("latency", "/user", seconds=2.5)),
    ("500=30", Fault("500", seconds=30.0)),
    ("drop-field:memo:PUT:*@2", Fault("drop-field:memo", method="PUT", on=range(2, 3))),
])  # fmt: skip
def test_the_short_form(text: str, fault: Fault) -> None:
    assert Fault.parse(text) == fault


_WHEN = "use 1,3 or 2-4 or 2- or 10%"


@pytest.mark.parametrize(("text", "message"), [
    ("504", "'504' is not a kind of fault: use latency=SECONDS, reset-before, "),
    ("", "'' is not a kind of fault: use "),
    ("reset", "'reset' is not a kind of fault: use "),
    ("cut-after", "'cut-after' is not a kind of fault: use "),
    ("drop-field", "'drop-field' is not a kind of fault: use "),
    ("500:get:*", "'get' is not a method: use one of GET, POST, PUT, PATCH, DELETE"),
    ("500:", "path is empty: use * for all paths"),
    ("500@", f"the part after @ is missing: {_WHEN}"),
    ("500@x", f"'x' is not a valid list of requests: {_WHEN}"),
    ("500@1,,2", f"'1,,2' is not a valid list of requests: {_WHEN}"),
    ("500@-3", f"'-3' is not a valid list of requests: {_WHEN}"),
    ("500@4-2", "the range '4-2' ends before it begins"),
    ("500@0", "on contains 0: requests are counted from 1"),
    ("500@0-", "on contains 0: requests are counted from 1"),
    ("500@1,5-", "'1,5-' is a list with a range of more than 10,000: use two rows"),
    ("500@200%", "probability is 2.0: it must be 0 to 1"),
    ("500@nan%", "probability is nan: it must be 0 to 1"),
    ("500@x%", "the percentage is 'x': it must be a number"),
    ("latency", "latency needs seconds, as in latency=2.5"),
    ("latency=0", "latency needs seconds, as in latency=2.5"),
    ("latency=soon", "seconds is 'soon': it must be a number"),
    ("latency=-1", "seconds is -1.0: it must be 0 or more"),
    ("latency=inf", "seconds is inf: it must be 0 or more"),
])  # fmt: skip
def test_an_invalid_short_form_is_an_error_that_says_what_is_valid(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=r"^fault ") as caught:
        Fault.parse(text)
    assert str(caught.value).startswith(f"fault {text!r}: {message}")


def test_the_error_for_an_unknown_kind_lists_all_kinds() -> None:
    with pytest.raises(ValueError, match="is not a kind of fault") as caught:
        Fault("teapot")
    assert str(caught.value) == (
        "'teapot' is not a kind of fault: use latency=SECONDS, reset-before, reset-after, cut, "
        "html, html-503, drop-field:FIELD, drop-row, drop-first-row, drop-half, repeat-rows or an "
        "error: 400 (bad_request), 401 (not_authorized), "
        "403.1 (subscription_lapsed), 403.2 (trial_expired), 403.3 (unauthorized_scope), "
        "403.4 (data_limit_reached), 404.1 (not_found), 404.2 (resource_not_found), "
        "409 (conflict), 429 (too_many_requests), 500 (internal_server_error), "
        "503 (service_unavailable); dropped rows, pages and errors also with -after"
    )


def test_an_unknown_method_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^method is 'HEAD': it must be one of GET, POST, PUT,"):
        Fault("500", method="HEAD")


def test_a_number_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^on contains -1: requests are counted from 1$"):
        Fault("500", on=(2, -1, 0))
