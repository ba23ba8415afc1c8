"""tl - sheets, findings and SQL of tl-tools in Python. Only the standard library; with pandas, frames.

    import tl
    tl.sheet('trace.json.gz', 'ops_summary')                     # a frame; without pandas a list of dicts
    tl.sheets('trace.json.gz', 'kernels', 'ops_summary')         # several in one run: a dict of them
    tl.sql('trace.json.gz', 'SELECT name, sum(dur) AS ns FROM kernel GROUP BY 1')
    tl.findings('trace.json.gz')                                 # a list of dicts

Options of the programs are keywords: --kernel_std is kernel_std=True, --arch auto is arch='auto'. Columns have the keys that
tl.describe tells. An integer stays an integer where others of its column are missing (Int64). The programs are looked for in
PATH, then in the folder of the environment's TL_BIN.

Copyright (c) 2026 the tl-tools authors. SPDX-License-Identifier: MIT
"""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile

try:
    import pandas
except ImportError:
    pandas = None


class Error(Exception):
    """A program of tl-tools failed; the text is its message."""


def run(program, *words):
    """Runs a program of tl-tools; returns its standard output, a text."""
    path = shutil.which(program) or os.path.join(os.environ.get("TL_BIN", ""), program)
    done = subprocess.run([path, *map(str, words)], capture_output=True)
    if done.returncode:
        message = done.stderr.decode("utf8", "replace").strip()
        raise Error(message or f"{program}: exit status {done.returncode}")
    return done.stdout.decode("utf8", "replace")


def _options(keywords):
    words = []
    for name, value in keywords.items():
        for item in value if isinstance(value, (list, tuple)) else [value]:
            if item is True:
                words.append(f"--{name}")
            elif item is not None and item is not False:
                words += [f"--{name}", str(item)]
    return words


def _traces(trace):
    return [trace] if isinstance(trace, (str, os.PathLike)) else list(trace)


def _column(cells):
    whole = all(cell is None or type(cell) is int for cell in cells)
    return pandas.array(cells, dtype="Int64") if whole and None in cells and any(cell is not None for cell in cells) else cells


def _frame(rows, columns=None):
    """Rows as a frame, or as they are without pandas."""
    if pandas is None:
        return rows
    columns = columns if columns is not None else list(rows[0]) if rows else []
    return pandas.DataFrame({key: _column([row[key] for row in rows]) for key in columns})


def describe(sheet):
    """The columns of a sheet: a dict of key -> name, type, unit, role, text."""
    first = run("tl-sheets", "--describe", sheet, "--format", "json").splitlines()[0]
    return {column["key"]: column for column in json.loads(first)["columns"]}


def sheet(trace, name, **options):
    """One sheet of a trace."""
    made = json.loads(run("tl-sheets", "-q", "--sheets", name, "--format", "json", *_options(options), trace))
    return _frame(made["rows"], made["columns"])


def sheets(trace, *names, program="tl-sheets", **options):
    """Several sheets in one run, a dict; without names all that the program makes. tl-ranks and others take a list of traces."""
    with tempfile.TemporaryDirectory() as folder:
        only = ["--sheets", ",".join(names)] if names else []
        run(program, "-q", "-d", folder, *only, *_options(options), *_traces(trace))
        files = sorted(pathlib.Path(folder).glob("*.tsv"))
        made = json.loads(run("tl-json", "--all", "-", *files)) if files else {"sheets": {}}
    return {name: _frame(rows) for name, rows in made["sheets"].items()}


def sql(trace, query, **options):
    """The answer to a query about a trace, several or a database."""
    made = json.loads(run("tl-sql", "-q", "--format", "json", *_options(options), *_traces(trace), query))
    return _frame(made["rows"], made["columns"])


def findings(trace, **options):
    """The findings, most at stake first, each a dict; those of rules that could not be asked, too."""
    return [json.loads(line) for line in run("tl-findings", "-q", "--format", "json", *_options(options), trace).splitlines()]
