"""Writes the table of families into the documentation: `python -m tests.recording.families`, or `make families`."""

import sys

from tests.recording.families import CASES
from tests.recording.families.measure import measure
from tests.recording.families.table import PAGE, page, row


def main() -> int:
    """Measures every case; says which do not hold, and then writes nothing."""
    rows, failed = [], 0
    for case in CASES:
        found = measure(case)
        rows.append(row(case, found))
        print(rows[-1], flush=True)
        failed += not found.holds
    if failed:
        print(f"{failed} of {len(CASES)} do not hold; the table was not written.", file=sys.stderr)
        return 1
    PAGE.write_text(page(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
