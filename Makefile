# Everything a developer runs. Each target does its own set-up; `make help` lists them.
#
# Needed: Python 3.11+, make, and a package index that pip can reach as this machine has it
# configured. Variables: PYTHON, VENV, PORT, DATA, TESTERS, SECONDS, ARGS (handed on to the command).

VENV   ?= .venv
PORT   ?= 8080
DATA   ?= data
ARGS   ?=
SECONDS ?= 60
# One process more than cores: many tests wait, for a page, a lease or a process.
TESTERS ?= $(shell $(PYTHON) -c 'import os; print((os.cpu_count() or 1) + 1)')
# Of the benchmarks: those to run, if not all, and where their report is.
SUITES ?=
REPORT ?= build/bench
# What is compiled is tested from its sources, too: of other tests there would be nothing new to see.
FROM_SOURCES = test -n "$(ARGS)" || test ! -e src/tablewright/native.json || TABLEWRIGHT_PURE=1 \
	$(BIN)/python -m pytest -q -n $(TESTERS) --dist worksteal -m "not slow and not peer" \
	tests/expressions tests/test_public_names.py tests/test_values.py
# Of a soak.
MINUTES ?= 30
# The first Python that is new enough.
PYTHON ?= $(shell for python in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& echo $$python && break; done)

BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
ASSETS := src/tablewright/console/static/manifest.json

.DEFAULT_GOAL := help
.PHONY: help setup assets native pure programs run test test-all check format bench soak fuzz audit licences sbom docs screenshots lock clean

help: ## this list
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 12

setup: $(STAMP) $(ASSETS) native ## create .venv and install what the lock holds; does nothing when up to date

# A changed lock or project file makes the environment stale.
$(STAMP): requirements/dev.txt requirements/bootstrap.txt requirements/install.py pyproject.toml
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed (set PYTHON=)." >&2; exit 1; }
	$(PYTHON) requirements/install.py --venv $(VENV)
	@touch $@

# Without them the pages say so, and everything else works: not a reason to stop.
$(ASSETS): package-lock.json requirements/assets.py src/tablewright/console/icons.txt | $(STAMP)
	$(BIN)/python requirements/assets.py --venv $(VENV) --optional

assets: $(STAMP) ## fetch what the console's pages are made with, as the npm lock says
	$(BIN)/python requirements/assets.py --venv $(VENV)

# Without a C compiler everything works, only slower. It looks by itself whether there is something to do.
native: $(STAMP) ## compile the modules that every request passes through, where there is a C compiler
	@$(BIN)/python requirements/native.py --optional

pure: $(STAMP) ## take the compiled modules away: everything runs from the sources
	@$(BIN)/python requirements/native.py --remove

programs: ## Chromium and Java for the tests that need them, from the system's packages (as root, with apt)
	$(PYTHON) requirements/programs.py

run: setup ## start everything with demo data (PORT=8080, DATA=data)
	exec $(BIN)/tablewright up --demo --port $(PORT) --data $(DATA) $(ARGS)

test: setup ## the tests, in parallel, without the slow ones and those that need a peer
	$(BIN)/python -m pytest -n $(TESTERS) --dist worksteal -m "not slow and not peer" $(ARGS)
	$(FROM_SOURCES)

test-all: setup ## every test
	ALL_TESTS=1 $(BIN)/python -m pytest -n $(TESTERS) --dist worksteal -m "not alone" $(ARGS)
	@# With ARGS there may be none of them, which pytest ends with 5.
	ALL_TESTS=1 $(BIN)/python -m pytest -m alone $(ARGS) || test $$? -eq 5
	$(FROM_SOURCES) tests/engine tests/server

check: setup ## formatting, lint, types, layers
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy --strict src examples
	$(BIN)/lint-imports

format: setup ## rewrite the sources as `make check` wants them
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: setup ## the benchmarks, beside the peers that can be had, and their report (REPORT=build/bench, SUITES="engine client", ARGS="--quick")
	$(BIN)/python -m benchmarks run $(REPORT) $(SUITES) \
		$(filter --quick --resume,$(ARGS)) -- $(filter-out --quick --resume,$(ARGS))

soak: setup ## all five systems under load while everything goes wrong, and every invariant checked (MINUTES=30, SEED=)
	$(BIN)/python -m soak --minutes $(MINUTES) $(if $(SEED),--seed $(SEED)) --report docs/soak.md $(ARGS)

fuzz: setup ## fuzz every input from outside with a fresh seed (SECONDS=60 for each target, SEED=, TARGETS="wire partiql")
	$(BIN)/python scripts/fuzz.py --seconds $(SECONDS) $(if $(SEED),--seed $(SEED)) $(TARGETS)

audit: setup ## licences and known vulnerabilities of what is locked (exit 2: the database of vulnerabilities is out of reach)
	$(BIN)/python requirements/audit.py $(ARGS)

licences: setup ## write docs/licences.md from the locks
	$(BIN)/python requirements/audit.py --write

sbom: setup ## write the bill of materials, build/sbom.json (CycloneDX)
	$(BIN)/python requirements/sbom.py $(ARGS)

docs: setup ## all pages as HTML in build/docs; fails on a broken link or a page that nothing leads to
	$(BIN)/python -m scripts.build_docs

screenshots: setup ## the pictures of README and docs/tour.md again, with Chromium (ARGS="home ladders")
	$(BIN)/python -m scripts.draw_layers
	$(BIN)/python -m scripts.screenshots $(ARGS)

lock: setup ## write the requirement locks again (UPGRADE=1 for newer versions)
	$(BIN)/python requirements/install.py --venv $(VENV) --lock $(if $(UPGRADE),--upgrade)

clean: ## remove the environment, caches and builds; data stays
	rm -rf $(VENV) node_modules src/tablewright/console/static src/tablewright/service/fonts/scripts src/tablewright/native.json build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis .schemathesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
	find src \( -name '*.so' -o -name '*.pyd' \) -delete
