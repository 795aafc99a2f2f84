# `make help` says what there is. Works with GNU make 3.81 (macOS) and newer.

# The first Python of these that is new enough; `make PYTHON=/path/to/python3 ...` takes another.
is_new_enough = import sys; sys.exit(sys.version_info < (3, 11))
PYTHON := $(shell for python in python3 python3.13 python3.12 python3.11; do \
	$$python -c '$(is_new_enough)' 2>/dev/null && echo $$python && break; done)
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed

# Every `key=value` word of the command line, quoted for the shell. make hands them over in
# MAKEOVERRIDES with blanks and backslashes escaped by a backslash and every $ doubled.
# Capital names (PYTHON=...) are make's own.
empty :=
space := $(empty) $(empty)
blank := <blank>
backslash := <backslash>
shell_quote = '$(subst ','\'',$(1))'
unescape = $(subst $(backslash),\,$(subst $(blank),$(space),$(subst $$$$,$$,$(1))))
escaped_words := $(subst \$(space),$(blank),$(subst \\,$(backslash),$(MAKEOVERRIDES)))
own_words := PYTHON=% PYTHON38=% VENV=% VENV38=% ARGS=%
overrides = $(foreach word,$(filter-out $(own_words),$(escaped_words)),$(call shell_quote,$(call unescape,$(word))))

.PHONY: help install train play test check test-slow test-py38 parity-physx format clean

help:
	@echo "make train task=Ant [key=value ...]   set up .venv and train; key=value words reach Hydra"
	@echo "make play task=Ant checkpoint=PATH    run a trained policy"
	@echo "make test        check, then the tests"
	@echo "make check       formatting, lint and types"
	@echo "make test-slow   the tests that take minutes"
	@echo "make test-py38   learner and schedulers on Python 3.8 with torch 2.4 (downloads gigabytes)"
	@echo "make parity-physx  the same scenes on PhysX and on MuJoCo, as tables (downloads 435 MB)"
	@echo "make format      format the code, mend what lint can mend"
	@echo "make install     only set up .venv"
	@echo "make clean       remove caches and builds; keeps .venv and runs"
	@echo "ARGS='...' passes words without an equals sign: make train ARGS='--help'"

install: $(INSTALLED)

$(INSTALLED): requirements.lock pyproject.toml
	@test -n "$(PYTHON)" || { \
		echo "error: no Python 3.11 or newer found; install one, or name it: make PYTHON=/path/to/python3 ..." >&2; \
		exit 2; }
	@"$(PYTHON)" -c '$(is_new_enough)' || { \
		echo "error: $(PYTHON) is not Python 3.11 or newer; install one and name it: make PYTHON=/path/to/python3 ..." >&2; \
		exit 2; }
	test -x $(BIN)/python || "$(PYTHON)" -m venv $(VENV)
	$(BIN)/python -m pip install --disable-pip-version-check -r requirements.lock
	$(BIN)/python -m pip install --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

train: $(INSTALLED)
	@$(BIN)/python train.py $(overrides) $(ARGS)

play: $(INSTALLED)
	@$(BIN)/python play.py $(overrides) $(ARGS)

test: check
	$(BIN)/python -m pytest $(ARGS)

check: $(INSTALLED)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/hadolint docker/Dockerfile docker/Dockerfile.isaacgym
	$(BIN)/shellcheck docker/*.sh docker/isaacgym/*.sh docs/slurm/train.sbatch

test-slow: $(INSTALLED)
	$(BIN)/python -m pytest -m "slow and not gpu" $(ARGS)

# NVIDIA's Isaac Gym binary knows no Python above 3.8: there the package must compile, and what
# needs no engine of ours must work.
PYTHON38 := python3.8
VENV38 := .venv38
INSTALLED38 := $(VENV38)/.installed

test-py38: $(INSTALLED38)
	$(VENV38)/bin/python -m compileall -q rofunc_isaac tasks train.py play.py
	$(VENV38)/bin/python -m pytest tests/schedulers tests/ppo $(ARGS)

$(INSTALLED38): requirements-py38.lock
	@"$(PYTHON38)" --version >/dev/null 2>&1 || { \
		echo "error: no $(PYTHON38) found; name it: make test-py38 PYTHON38=/path/to/python3.8" >&2; \
		exit 2; }
	test -x $(VENV38)/bin/python || "$(PYTHON38)" -m venv $(VENV38)
	$(VENV38)/bin/python -m pip install --disable-pip-version-check -r requirements-py38.lock
	@touch $@

# PhysX comes with SAPIEN. Everything that the lock file names keeps its version.
PARITY := $(VENV)/.parity

parity-physx: $(PARITY)
	@$(BIN)/python -m benchmarks.parity_physx $(ARGS)

$(PARITY): $(INSTALLED)
	$(BIN)/python -m pip install --disable-pip-version-check --no-build-isolation \
		-c requirements.lock -e '.[parity]'
	@touch $@

format: $(INSTALLED)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -not -path './$(VENV)/*' -not -path './$(VENV38)/*' -prune -exec rm -rf {} +
