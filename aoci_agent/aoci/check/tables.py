"""D: whether the table entries are what the code defines."""

import re
from collections.abc import Iterator

from aoci_agent.aoci.check.case import Case
from aoci_agent.aoci.check.finding import Finding, Severity
from aoci_agent.aoci.layers import is_test
from aoci_agent.aoci.schema.tables import schema_of, unknown_tables
from aoci_agent.aoci.write import table_line

_UPDATE = "aoci-agent index update"
# What every database brings along.
_SYSTEM = re.compile(
    r"(?:pg_|sqlite_|sys|mysql|information_schema|user_|all_|v\$)\w*\Z|(?:dual|tables|columns|statistics"
    r"|processlist|schemata|key_column_usage|referential_constraints|table_constraints|views|routines)\Z",
    re.IGNORECASE,
)


def tables(case: Case) -> Iterator[Finding]:
    """All of them. A table line a person wrote is the present one; only what is missing is behind."""
    now = {(t.schema, t.name): t for t in case.present.merged.index.tables}
    disk = {(t.schema, t.name): t for t in case.disk.tables}
    for key in sorted(now.keys() | disk.keys()):
        wanted, stands = now.get(key), disk.get(key)
        if wanted is None or stands is None:
            told = "is defined nowhere any more" if wanted is None else "has no entry"
        elif table_line(wanted) != table_line(stands):
            told = "is not what the code defines now"
        else:
            continue
        path = f"@db:{key[1]}"
        yield Finding("D1", Severity.ERROR, path, f"{told}: {_UPDATE}", repairable=True)
    unknown: dict[str, list[str]] = {}
    for path, name in unknown_tables(case.world, case.present.merged.index.tables):
        if not is_test(path) and not _SYSTEM.match(name):
            unknown.setdefault(path, []).append(name)
    for path, names in unknown.items():
        told = f"SQL names tables nothing defines: {', '.join(dict.fromkeys(names))}"
        yield Finding("D2", Severity.WARN, path, told, case.lines.get(path, 0))
    for told in schema_of(case.world).findings:
        yield Finding("D3", Severity.WARN, "", told)
