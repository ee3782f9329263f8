# Every target sets up what it needs, from nothing. PYTHON chooses the interpreter.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check -q

.DEFAULT_GOAL := help
.PHONY: help demo test test-all lint format bench pictures clean

help: ## Show what can be made
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

$(VENV)/.demo: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(PIP) install -c constraints.txt -e '.[local]'
	@touch $@

$(VENV)/.dev: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(PIP) install -c constraints.txt -e '.[local,models,otel,parquet,plot,view,dev]'
	@touch $@ $(VENV)/.demo

demo: $(VENV)/.demo ## Measure a real item on the embedded model, from nothing
	@$(BIN)/assay models pull qwen2.5-coder-0.5b
	@PATH="$(abspath $(BIN)):$$PATH" $(BIN)/python examples/demo.py

test: $(VENV)/.dev ## Run the tests that every change must pass (under 5 minutes)
	$(BIN)/python -m pytest -n 2 -m "not slow and not claude and not browser"

test-all: $(VENV)/.dev ## Run every test, also the slow ones
	./scripts/install_claude.sh
	$(BIN)/python -m pytest -n 2 -m "slow or claude or browser"

lint: $(VENV)/.dev ## Check format, lint, types and import directions
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/.dev ## Format the code
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(VENV)/.dev ## Measure assay against its floors
	$(BIN)/python bench/run_all.py

pictures: $(VENV)/.dev ## Make the pictures of the documentation, from runs of the examples
	./scripts/install_claude.sh
	$(BIN)/assay models pull qwen2.5-coder-0.5b
	$(BIN)/python scripts/pictures.py

clean: ## Remove what the targets made
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis
