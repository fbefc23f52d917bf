"""What is wrong with a text file that cannot be read, in words of its writer."""

import csv
import io

__all__ = ["fault"]

_UTF16 = (b"\xff\xfe", b"\xfe\xff")


def fault(raw: bytes, separator: str) -> str | None:
    r"""Says what is wrong with a table of text, and where; None if nothing is found.

    Example:
        >>> fault(b"site,level\na,1\nb,2,5\n", ",")
        'row 1 (line 3) has 3 entries, but there are 2 columns; mend or quote it'
        >>> fault("site\nÉvry\n".encode("latin-1"), ",")
        'line 2 is not written in UTF-8; save it as UTF-8 (spreadsheets offer "CSV UTF-8")'
    """
    if raw.startswith(_UTF16):
        return 'it is written in UTF-16; save it as UTF-8 (spreadsheets offer "CSV UTF-8")'
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        return (
            f"line {line} is not written in UTF-8; save it as UTF-8 "
            '(spreadsheets offer "CSV UTF-8")'
        )
    return _odd_row(text, separator)


def _odd_row(text: str, separator: str) -> str | None:
    """The first row that has too many entries, or no end."""
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    width, row, start = 0, -1, 1
    try:
        for entries in lines:
            if not width:
                width = len(entries)
            elif len(entries) > width:
                return (
                    f"row {row} (line {start}) has {len(entries)} entries, but there are "
                    f"{width} columns; mend or quote it"
                )
            row, start = row + any(entries), lines.line_num + 1  # blank lines are no rows
    except csv.Error:  # no end, or one beyond the longest field that the reader allows
        return f"the quotation mark in line {start} is not closed as it should be; mend that line"
    return None
