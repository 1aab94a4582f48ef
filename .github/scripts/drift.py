"""Compare the service's published description with what this project knows of it.

    PYTHONPATH=. python .github/scripts/drift.py DESCRIPTION

prints nothing if the text is the known one, and otherwise the differences in operations and fields,
as Markdown. The known operations and the fields of requests are those of the embedded service. The
fields of answers and the hash of the text are in tests/models/test_published_fields.py.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from budgetframe.sandbox.web import validation
from budgetframe.sandbox.web.app import ENDPOINTS
from tests.models.test_published_fields import PUBLISHED, SHA_256, VERSION, is_described

_METHODS = {"get", "post", "put", "patch", "delete"}
_ON_BUDGET = "/plans/{plan_id}"
# Each repeats an amount in another form. The package uses none of them.
_DISPLAY_SUFFIXES = ("_formatted", "_currency")
_PARTS = "subtransactions"


class Description(NamedTuple):
    """The operations, and the fields of each record."""

    operations: set[str]
    fields: Mapping[str, set[str]]


def parsed(text: str) -> Description:
    """What a description in YAML states."""
    document = yaml.safe_load(text)
    operations = {
        f"{method.upper()} {path}"
        for path, item in document["paths"].items()
        for method in item.keys() & _METHODS
    }
    schemas = document["components"]["schemas"]

    def names(schema: Mapping[str, Any]) -> set[str]:
        if "$ref" in schema:
            return names(schemas[schema["$ref"].rpartition("/")[2]])
        properties = schema.get("properties", ())
        own = {name for name in properties if not name.endswith(_DISPLAY_SUFFIXES)}
        return own.union(*map(names, schema.get("allOf", ())))

    return Description(operations, {name: names(schema) for name, schema in schemas.items()})


def known() -> Description:
    """What this project knows."""
    operations = {f"{each.method} {_ON_BUDGET}{each.path}" for each in ENDPOINTS}
    requests = {
        "SaveAccount": {*validation.ACCOUNT},
        "PostPayee": {*validation.PAYEE},
        "SavePayee": {*validation.PAYEE},
        "SaveCategoryGroup": {*validation.GROUP},
        "NewCategory": {*validation.CATEGORY},
        "ExistingCategory": {*validation.CATEGORY},
        "SaveMonthCategory": {*validation.MONTH_CATEGORY},
        "SaveTransactionWithIdOrImportId": {*validation.TRANSACTION, "id", _PARTS},
        "SaveSubTransaction": {*validation.PART},
        "SaveScheduledTransaction": {*validation.SCHEDULED},
    }
    answers = {name: set(published.fields.split()) for name, published in PUBLISHED.items()}
    return Description(operations | {"GET /user", "GET /plans"}, answers | requests)


def differences(before: Description, after: Description) -> list[str]:
    """The operations, and the fields of the records of `before`, that are different."""
    new, gone = after.operations - before.operations, before.operations - after.operations
    lines = [f"- new operation: `{each}`" for each in sorted(new)]
    lines += [f"- operation gone: `{each}`" for each in sorted(gone)]
    for name, fields in sorted(before.fields.items()):
        if name not in after.fields:
            lines.append(f"- record gone: `{name}`")
            continue
        lines += [f"- new field: `{name}.{each}`" for each in sorted(after.fields[name] - fields)]
        lines += [f"- field gone: `{name}.{each}`" for each in sorted(fields - after.fields[name])]
    return lines


def main(path: Path) -> None:
    """Print the differences, if the text is another one."""
    if is_described(path):
        return
    lines = differences(known(), parsed(path.read_text("utf-8"))) or [
        "No operation and no field of a known record is different: texts, types or others are."
    ]
    start = (
        "The text of the published description is no longer the one that this project was compared"
        f" with (version {VERSION}, SHA-256 `{SHA_256[:12]}`)."
    )
    end = (
        "When the package agrees with the new text, change `VERSION`, `SHA_256` and `PUBLISHED` in"
        " `tests/models/test_published_fields.py`."
    )
    sys.stdout.write("\n".join([start, "", *lines, "", end, ""]))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
