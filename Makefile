# The one set of commands that people and CI both run. Needs Python >= 3.11 and make, nothing else.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
PEERS := tests/harness/peers
PEER_STAMPS := $(VENV)/peers/current/.installed $(VENV)/peers/before/.installed $(VENV)/peers/s3/.installed \
  $(VENV)/peers/kubernetes/.installed

SUPPLY := $(VENV)/supply
IMAGE := deploy/image
# What of the optional parts is in the image.
IMAGE_EXTRAS := --extra s3 --extra otel
COMPILE = uv pip compile -q --no-header --no-annotate --no-emit-index-url --universal

RECIPES := $(VENV)/.recipes
SITE := $(VENV)/site
COMMA := ,
INSTALL = if command -v uv >/dev/null 2>&1; then \
	  uv pip install -q --python $(BIN)/python -c requirements.lock -e $(1); \
	else \
	  $(BIN)/python -m pip install -q --disable-pip-version-check -c requirements.lock -e $(1); \
	fi

.PHONY: setup recipes peers demo test test-slow check replay lint format bench chaos soak fuzz docs reference lock audit sbom clean

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

# Other projects' MCP clients, a server that speaks S3, and the schemas of Kubernetes (17,000 files), each in an
# environment of its own: they want versions that exclude each other.
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
	$(BIN)/python -m pytest -n 4 -m "not slow"

# The image's build in fresh environments, and the first page from an empty folder.
test-slow: recipes peers
	$(BIN)/python -m pytest -m slow

# What has to hold before a release: every recorded history replays against this code.
replay: setup
	$(BIN)/confirmo history replay tests/replay/histories

lint: recipes
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: setup
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

check: lint test test-slow demo docs

bench: setup
	$(BIN)/python -m benchmarks.bench $(ARGS)

chaos: setup
	$(BIN)/python -m benchmarks.chaos $(ARGS)

soak: setup
	$(BIN)/python -m benchmarks.soak $(ARGS)

# atheris is built for one Python of one platform at a time, so it has an environment of its own.
fuzz: $(VENV)/fuzz/.installed
	$(VENV)/fuzz/bin/python -m fuzz.run $(ARGS)

$(VENV)/fuzz/.installed: fuzz/requirements.txt | $(STAMP)
	@if command -v uv >/dev/null 2>&1; then \
	  uv venv -q --allow-existing --python $(BIN)/python $(@D) && uv pip install -q --python $(@D)/bin/python -c requirements.lock -e . -r $<; \
	else \
	  $(BIN)/python -m venv $(@D) && $(@D)/bin/python -m pip install -q --disable-pip-version-check -c requirements.lock -e . -r $<; \
	fi
	@touch $@

# The documentation as a site in site/, in an environment of its own like the peers'.
docs: $(SITE)/.installed
	NO_MKDOCS_2_WARNING=1 $(SITE)/bin/mkdocs build --strict --quiet

$(SITE)/.installed: docs/requirements.txt | $(STAMP)
	@if command -v uv >/dev/null 2>&1; then \
	  uv venv -q --allow-existing --python $(BIN)/python $(@D) && uv pip install -q --python $(@D)/bin/python -r $<; \
	else \
	  $(BIN)/python -m venv $(@D) && $(@D)/bin/python -m pip install -q --disable-pip-version-check -r $<; \
	fi
	@touch $@

# Reference pages, JSON Schemas and pictures, from the code.
reference: setup
	$(BIN)/python -m docs.generating

lock:
	$(COMPILE) --extra dev --extra recipes pyproject.toml -o requirements.lock
	$(COMPILE) --generate-hashes -c requirements.lock $(IMAGE_EXTRAS) pyproject.toml -o $(IMAGE)/requirements.txt
	$(COMPILE) --generate-hashes -c requirements.lock $(IMAGE)/build.in -o $(IMAGE)/build.txt
	$(COMPILE) --generate-hashes deploy/supply/tools.in -o deploy/supply/tools.txt
	for name in current before s3 kubernetes; do \
	  $(COMPILE) $(PEERS)/$$name.in -o $(PEERS)/$$name.txt; \
	done
	$(COMPILE) docs/requirements.in -o docs/requirements.txt

# The two tools below, in an environment of their own.
$(SUPPLY)/.installed: deploy/supply/tools.txt | $(STAMP)
	@if command -v uv >/dev/null 2>&1; then \
	  uv venv -q --allow-existing --python $(BIN)/python $(SUPPLY) && uv pip install -q --require-hashes --python $(SUPPLY)/bin/python -r $<; \
	else \
	  $(BIN)/python -m venv $(SUPPLY) && $(SUPPLY)/bin/python -m pip install -q --disable-pip-version-check --require-hashes -r $<; \
	fi
	@touch $@

# Known vulnerabilities of what the lock files pin. Asks a public service, so it is no part of `make check`. Exits 1 where
# one is found, and 2 where the service does not answer.
audit: $(SUPPLY)/.installed
	@$(BIN)/python deploy/supply/audit.py $(SUPPLY)/bin/pip-audit requirements.lock $(IMAGE)/requirements.txt $(IMAGE)/build.txt

# What is in the image, as CycloneDX JSON.
sbom: $(SUPPLY)/.installed
	@mkdir -p dist
	$(SUPPLY)/bin/cyclonedx-py requirements $(IMAGE)/requirements.txt --pyproject pyproject.toml --mc-type application \
	  --output-reproducible --of JSON -o dist/confirmo.cdx.json

clean:
	rm -rf $(VENV) dist site .pytest_cache .mypy_cache .ruff_cache .hypothesis
