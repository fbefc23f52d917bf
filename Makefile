# Everything is set up on first use: `make demo` and `make test` need Python 3.11+ and a package index.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
# The build backend runs on its own; older versions of pip look at the first, newer at the second.
CONSTRAINED := PIP_CONSTRAINT=constraints.txt PIP_BUILD_CONSTRAINT=constraints.txt

.PHONY: demo test setup lint types layers unit results format clean

demo: setup
	$(BIN)/nonfat demo --overwrite

test: setup lint types layers unit

setup: $(VENV)/.ready

$(VENV)/.ready: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit("nonfat needs Python 3.11 or later; set PYTHON=...") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)
	$(CONSTRAINED) $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[all,dev]'
	touch $@

lint:
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types:
	$(BIN)/mypy

layers:
	$(BIN)/lint-imports

unit:
	$(BIN)/python -m pytest -q -n 2 --dist loadgroup

# The committed tables, from the committed records.
results: setup
	cd docs/results && for form in markdown:md latex:tex csv:csv; do \
		../../$(BIN)/nonfat bench table . --format $${form%:*} --out tables.$${form#*:} --overwrite; done
	cd docs/results && ../../$(BIN)/nonfat bench table . --out spread.md --overwrite \
		--scores crps,mae,coverage_50,coverage_80,coverage_95,width_95

format:
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) nonfat-demo
