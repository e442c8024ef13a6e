# Everything a developer runs. `make demo` and `make test` set themselves up, in .venv, from the locks.
.DEFAULT_GOAL := help
.PHONY: help demo test lint types format bench lock clean

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
DEMO := $(BIN)/broadsheet
# Two workers: what the smallest machine has; each takes tests in a row, so that files share their servers.
# `make test PYTEST="-x tests/test_mail.py"` runs less.
PYTEST ?= -n 2 --dist worksteal

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 16

demo: $(VENV)/.run ## publish the sample issue into outbox/, with nothing but Python on the machine
	@$(DEMO) subscribers import config/sample-readers.csv --newsletter ai-papers --confirmed
	@$(DEMO) publish 2025-W17
	@$(DEMO) render 2025-W17 --out outbox/preview
	@echo
	@echo "Look into"
	@echo "  outbox/preview/email.html   the mail, in a browser"
	@echo "  outbox/maildir/new/         one mail per reader, as sent"
	@echo "  outbox/slack/               the Slack messages, as posted"
	@echo "Then try"
	@echo "  $(DEMO) preview 2025-W45    the curators' studio, with the next issue"
	@echo "  $(DEMO) serve               the archive and its feeds, on http://127.0.0.1:8000"

test: $(VENV)/.dev ## the whole test suite
	@sh tests/packages.sh
	@$(BIN)/python -m pytest $(PYTEST)

lint: $(VENV)/.dev ## format and lint, changing nothing
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(VENV)/.dev ## the strict type check
	$(BIN)/mypy

format: $(VENV)/.dev ## put every file into shape
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(VENV)/.dev ## 10,000 copies of a 40 KB issue beside Postfix's smtp-source, with the ratio
	@sh tests/packages.sh
	@$(BIN)/python -m tests.benchmarks.smtp

lock: ## write both locks anew: hashes, no index addresses
	$(PYTHON) -m venv build/lock && build/lock/bin/pip --quiet install uv
	build/lock/bin/uv pip compile pyproject.toml --group dev --universal --python-version 3.11 \
	  --generate-hashes --no-header --no-emit-index-url --quiet --upgrade -o requirements-dev.lock
	build/lock/bin/uv pip compile pyproject.toml --group run --universal --python-version 3.11 \
	  --generate-hashes --no-header --no-emit-index-url --quiet -c requirements-dev.lock -o requirements.lock

clean: ## remove what the other targets made
	rm -rf $(VENV) build dist var outbox .mypy_cache .pytest_cache .ruff_cache .hypothesis

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Broadsheet needs Python 3.11 or later: make demo PYTHON=python3.12" >&2; exit 2; }
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.run: requirements.lock pyproject.toml | $(VENV)/bin/python
	@echo "Installing into $(VENV) …"
	@$(PIP) install --require-hashes -r requirements.lock
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.dev: requirements-dev.lock pyproject.toml | $(VENV)/bin/python
	@echo "Installing what the tests need into $(VENV) …"
	@$(PIP) install --require-hashes -r requirements-dev.lock
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@ $(VENV)/.run
