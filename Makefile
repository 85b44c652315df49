# The one set of commands that people and CI both run. Needs Python >= 3.11 and make, nothing else.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: setup demo test check lint format bench chaos soak lock clean

setup: $(STAMP)

$(STAMP): pyproject.toml requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Confirmo needs Python 3.11 or newer; call make with PYTHON=/path/to/python3.11"; exit 2; }
	@if command -v uv >/dev/null 2>&1; then \
	  uv venv -q --allow-existing --python $(PYTHON) $(VENV) && uv pip install -q --python $(BIN)/python -c requirements.lock -e '.[dev]'; \
	else \
	  $(PYTHON) -m venv $(VENV) && $(BIN)/python -m pip install -q --disable-pip-version-check -c requirements.lock -e '.[dev]'; \
	fi
	@touch $(STAMP)

demo: setup
	$(BIN)/confirmo demo

test: setup
	$(BIN)/python -m pytest -n 3 --dist loadgroup

lint: setup
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
	uv pip compile -q --no-header --no-annotate --no-emit-index-url --universal --extra dev pyproject.toml -o requirements.lock

clean:
	rm -rf $(VENV) dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
