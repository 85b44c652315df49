# The one set of commands that people and CI both run. Needs Python >= 3.11 and make, nothing else.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
PEERS := tests/harness/peers
PEER_STAMPS := $(VENV)/peers/current/.installed $(VENV)/peers/before/.installed $(VENV)/peers/s3/.installed

RECIPES := $(VENV)/.recipes
COMMA := ,
INSTALL = if command -v uv >/dev/null 2>&1; then \
	  uv pip install -q --python $(BIN)/python -c requirements.lock -e $(1); \
	else \
	  $(BIN)/python -m pip install -q --disable-pip-version-check -c requirements.lock -e $(1); \
	fi

.PHONY: setup recipes peers demo test check lint format bench chaos soak lock clean

setup: $(STAMP)

$(STAMP): pyproject.toml requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Confirmo needs Python 3.11 or newer; call make with PYTHON=/path/to/python3.11"; exit 2; }
	@if command -v uv >/dev/null 2>&1; then \
	  uv venv -q --allow-existing --python $(PYTHON) $(VENV); \
	else \
	  $(PYTHON) -m venv $(VENV); \
	fi
	@$(call INSTALL,'.[dev]')
	@touch $(STAMP)

# Other projects' MCP clients, and a server that speaks S3, each in an environment of its own: they want versions that
# exclude each other.
peers: $(PEER_STAMPS)

$(VENV)/peers/%/.installed: $(PEERS)/%.txt | $(STAMP)
	@if command -v uv >/dev/null 2>&1; then \
	  uv venv -q --allow-existing --python $(BIN)/python $(@D) && uv pip install -q --python $(@D)/bin/python -r $<; \
	else \
	  $(BIN)/python -m venv $(@D) && $(@D)/bin/python -m pip install -q --disable-pip-version-check -r $<; \
	fi
	@touch $@

# The agent frameworks of examples/recipes, which only their tests and their types need.
recipes: $(RECIPES)

$(RECIPES): $(STAMP)
	@$(call INSTALL,'.[dev$(COMMA)recipes]')
	@touch $(RECIPES)

demo: setup
	$(BIN)/confirmo demo

test: recipes peers
	$(BIN)/python -m pytest -n 3

lint: recipes
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: setup
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

check: lint test demo

bench: setup
	$(BIN)/python -m benchmarks.bench $(ARGS)

chaos: setup
	$(BIN)/python -m benchmarks.chaos $(ARGS)

soak: setup
	$(BIN)/python -m benchmarks.soak $(ARGS)

lock:
	uv pip compile -q --no-header --no-annotate --no-emit-index-url --universal --extra dev --extra recipes pyproject.toml -o requirements.lock
	for name in current before s3; do \
	  uv pip compile -q --no-header --no-annotate --no-emit-index-url --universal $(PEERS)/$$name.in -o $(PEERS)/$$name.txt; \
	done

clean:
	rm -rf $(VENV) dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
