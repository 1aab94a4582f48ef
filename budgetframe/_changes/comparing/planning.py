"""The changes of assigned amounts that plan a month, or that cover what is overspent in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from budgetframe._changes.collector import Collector
from budgetframe._changes.effects import KnownFigures
from budgetframe._changes.plan import Compared
from budgetframe._changes.plan_warnings import finished_plan
from budgetframe._milliunits import to_currency
from budgetframe._runtime.arguments import refused
from budgetframe.frames.rules import PlanRule

from .categories import READY_NAMES, add_assigned, move_together
from .month_figures import MonthFigures
from .planner import Cover, Line, Money, Planner

if TYPE_CHECKING:
    from budgetframe._session.session import Session


async def plan_of_month(
    session: Session,
    month: str,
    rules: Sequence[PlanRule] | None,
    limit: int | None,
    **_is_new: bool,
) -> Compared:
    """The amounts that targets or rules assign in a month, until its money is used up."""
    figures = MonthFigures(session, await KnownFigures.read(session, None, is_new=True), month)
    if figures.month < figures.current:
        cover = f"cover what is overspent with bf.cover({month[:7]!r})"
        raise refused(f"{month[:7]} is over: plan the current month or a later one, and {cover}")
    if rules is None:
        wanted = _targets(figures)
    else:
        wanted = [rule._replace(category=key) for rule in rules for key in _keys(figures, rule)]
    ready = min(figures.ready())
    limit = None if limit is None else limit - limit % figures.unit
    lines = Planner(figures, limit).plan(wanted)
    missing = sum(line.wanted - line.got for line in lines)
    warnings = {
        f"{figures.text(-ready)} more is assigned than there is: nothing is planned": ready < 0,
        f"{figures.text(missing)} could not be funded: .short has the categories": missing > 0,
        f"the {'targets' if rules is None else 'rules'} want no money in {month[:7]}": not lines,
    }
    amounts = {line.key: line.got for line in lines}
    return _prepared(figures, lines, amounts, (), warnings, is_move=False)


def _targets(figures: MonthFigures) -> list[PlanRule]:
    """The targets in the order in which they are funded; hidden categories are left out."""
    ranks = {}
    for key in filter(figures.is_shown, figures.state.names.categories):
        target = figures.target(key)
        if target.goal_type is not None:
            plan = target.plan(figures.day, figures.unit)
            is_later = plan.due is None or plan.due > figures.end
            ranks[key] = 0 if plan.is_over else 1 + is_later
    return [PlanRule(key) for key in sorted(ranks, key=ranks.__getitem__)]


def _keys(figures: MonthFigures, rule: PlanRule) -> list[str]:
    """The categories of a rule: one, or those of a group that are not hidden."""
    names, where = figures.state.names, f"rules, {rule.where}: category"
    if not rule.category.endswith(":") or names.has("category", rule.category):
        key = names.key_of("category", rule.category, where)
        if names.is_internal(key):
            raise refused(f"{where}: {rule.category!r} belongs to the service")
        return [key]
    group = names.key_of("category_group", rule.category[:-1].strip(), where)
    listed = filter(figures.is_shown, names.categories)
    return [key for key in listed if names.categories[key]["category_group_id"] == group]


async def coverage(
    session: Session,
    month: str,
    sources: Sequence[str],
    keep: int | Literal["target"],
    **_is_new: bool,
) -> Compared:
    """The moves from the named sources that cover what is overspent in a month."""
    figures = MonthFigures(session, await KnownFigures.read(session, None, is_new=True), month)
    names = figures.state.names
    if not figures.is_known:
        raise refused(f"the budget has no month {month[:7]}: nothing is overspent in it")
    spare = _spare(figures, keep)
    keys = {
        name: None if name in READY_NAMES else names.key_of("category", name, "sources")
        for name in sources
    }
    if unusable := [name for name, key in keys.items() if key not in spare]:
        raise refused(
            f"sources: {unusable[0]!r} gives no money, because it belongs to the service or to the"
            " payments of a card: name another category, or 'Ready to Assign'"
        )
    cover = Cover({key: spare[key] for key in keys.values()}, Money(figures))
    listed = [key for key in names.categories if not names.is_internal(key)]
    payments, moved = [*filter(names.is_payment, listed)], Counter[str]()
    for is_cash in (True, False):
        for key in listed:
            if key not in payments:
                cover.add(key, figures.overspent(key)[not is_cash])
    for line in cover.lines.values():
        moved += figures.moved_to_cards(line.key, line.got)
    for key in payments:  # what is covered on a card moves money there
        cover.add(key, figures.overspent(key)[0] - moved[key])
    lines, taken = [*cover.lines.values()], cover.taken
    left = sum(line.wanted - line.got for line in lines)
    from_categories = {key: amount for key, amount in taken.items() if key is not None}
    amounts = Counter({line.key: line.got for line in lines})
    amounts.subtract(from_categories)
    lines += [Line(key, ["source"]) for key, amount in from_categories.items() if amount]
    rows = []
    for source, least in spare.items():
        available = figures.ready()[0] if source is None else figures.of(source).available
        amount = max(least, taken[source])
        if source is None or available > 0:
            cells = (available, available - amount, amount, taken[source])
            rows.append((*figures.names_of(source), *map(to_currency, cells), source))
    warnings = {f"{figures.text(left)} stays overspent: .short has the categories": left > 0}
    is_move = any(from_categories.values())
    return _prepared(figures, lines, amounts, rows, warnings, is_move=is_move)


def _spare(figures: MonthFigures, keep: int | Literal["target"]) -> dict[str | None, int]:
    """What is ready to assign, and what each category can give; not those of the service."""
    names = figures.state.names
    found: dict[str | None, int] = {None: max(0, min(figures.ready()))}
    for key in names.categories:
        if names.is_internal(key) or names.is_payment(key):
            continue
        kept = figures.scheduled[key] if keep == "target" else keep
        spare = figures.least_available(key) - kept
        if keep == "target" and figures.target(key).goal_type is not None:
            unneeded = figures.of(key).assigned - figures.required(key)
            spare = min(spare, -figures.needed(key) or unneeded)  # a need is never a surplus
        found[key] = max(0, spare)
    return found


def _prepared(
    figures: MonthFigures,
    lines: Sequence[Line],
    amounts: Mapping[str, int],
    sources: Sequence[tuple[Any, ...]],
    warnings: Mapping[str, bool],
    *,
    is_move: bool,
) -> Compared:
    """The changes that add amounts to what is assigned."""
    found = Collector(figures.state, resource="month_categories")
    for line in lines:
        after = figures.of(line.key).assigned + amounts[line.key]
        add_assigned(found, line.key, figures.month, after)
    if is_move:
        move_together(found)
    shown: dict[str | None, dict[str, Any]] = {
        line.key: {"rule": ", ".join(line.rules), "wanted": line.wanted, "got": line.got}
        for line in lines
    }
    changes = [replace(each, shown={**each.shown, **shown[each.key]}) for each in found.changes]
    true = [text for text, is_true in warnings.items() if is_true]
    plan = finished_plan(figures.state, changes, warnings=true)
    wanted = [
        (
            *figures.names_of(line.key),
            ", ".join(line.rules),
            *map(to_currency, (line.wanted, line.got, line.wanted - line.got)),
            line.key,
        )
        for line in lines
        if line.wanted
    ]
    given = [f"{figures.month} {line.key}" for line in lines]
    plan = replace(plan, wanted=wanted, sources=sources)
    return Compared(plan, figures.state, given=given)
