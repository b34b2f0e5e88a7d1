# `make demo` shows what the tool does, `make test` checks it. Both set up all they need in .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PYTEST := $(BIN)/python -m pytest
# On all cores, and one more, as tests wait for servers; a worker that has nothing left takes from the others.
# For one process: make test PARALLEL=
PARALLEL := --numprocesses $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1) --dist worksteal

# Tests start hundreds of processes, each of which would compile every module again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo test test-all test-campaign gpu-check test-editors dist playground docs site release-check lint clean

help:  ## show this list
	@sed -n 's/^\([a-z-]*\):.*## /make \1\t/p' $(MAKEFILE_LIST) | expand -t 20

demo: $(VENV)/installed  ## check, repair and lower the examples, and show the results
	@BIN=$(BIN) sh examples/demo.sh

test: $(VENV)/tested  ## run the fast tests
	$(PYTEST) $(PARALLEL) -m "not slow and not campaign and not gpu and not editor"

test-all: lint  ## lint, type check, and run the slow tests as well
	$(PYTEST) $(PARALLEL) -m "not campaign and not gpu and not editor"

test-campaign: $(VENV)/developed  ## every program in every release, and more generated ones: half an hour
	$(PYTEST) $(PARALLEL) -m campaign

gpu-check: $(VENV)/developed  ## prove the CUDA path on a machine with an NVIDIA GPU, in under six minutes
	$(BIN)/python -m tests.gpu_check

test-editors: $(VENV)/developed  ## drive VS Code (after make dist), Neovim, Emacs, which tests/editors/setup.sh installs
	$(PYTEST) --numprocesses 2 --dist worksteal -m editor tests/editors

dist: $(VENV)/developed  ## build the wheel, the sdist and the VS Code extension, which holds the server (with npm)
	rm -rf dist
	$(BIN)/python -m build --outdir dist .
	$(BIN)/python -m twine check --strict dist/*
	$(BIN)/python vscode-extension/bundle.py dist/*.whl
	cd vscode-extension && npm ci --no-audit --no-fund --loglevel=error && npm run --silent package
	cp vscode-extension/gpuasync-lsp.vsix dist/

playground: $(VENV)/developed  ## build the playground, a static page for browsers, dist/playground (with npm)
	rm -rf playground/build
	$(BIN)/python -m build --wheel --outdir playground/build/wheel .
	$(BIN)/python vscode-extension/bundle.py playground/build/wheel/*.whl playground/build/libs
	$(BIN)/python playground/facts.py playground/build/facts.json
	cd playground && npm ci --no-audit --no-fund --loglevel=error && npm run --silent build

docs: $(VENV)/developed  ## write the generated parts of docs: rule pages, programs, pictures, schema
	$(BIN)/python -m gpuasync_lsp.analysis.docs
	$(BIN)/python -m tools.semantics_page
	$(BIN)/python -m tools.settings_schema

site: $(VENV)/documented  ## build the documentation as a site, dist/site, and check its links; with the playground if that is built
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet --strict

release-check: dist site  ## build all that a release consists of, and verify it; TAG=v0.2.0 names its tag
	$(BIN)/python -m tools.release_check $(if $(TAG),--tag $(TAG))

lint: $(VENV)/developed  ## lint and type check
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright --pythonpath $(BIN)/python

clean:  ## remove the environment and everything built
	rm -rf $(VENV) build dist .pytest_cache .ruff_cache .hypothesis

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Python 3.11 or newer is needed; name one with: make PYTHON=python3.12 ..." >&2; exit 1; }
	$(PYTHON) -m venv $(VENV) || \
	  { rm -rf $(VENV); echo "python3 has no venv module (Debian: apt-get install python3-venv)" >&2; exit 1; }

$(VENV)/installed: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/tested: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[tests]'
	@touch $@ $(VENV)/installed

$(VENV)/documented: pyproject.toml | $(VENV)/developed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	@touch $@

$(VENV)/developed: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@ $(VENV)/tested $(VENV)/installed
