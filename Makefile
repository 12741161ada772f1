# All targets run from .venv. The first target that needs it makes it, with Python >= 3.11 and its venv module.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules

BIN := .venv/bin
PYTEST_ARGS ?=
# Databases wait for the disk at every transaction. Temporary files in memory avoid that, if there is enough room.
PYTEST_TMPDIR := $(shell df -Pk /dev/shm 2> /dev/null | awk '$$6 == "/dev/shm" && $$4 > 4000000 { print "TMPDIR=/dev/shm" }')
PYTEST := env $(PYTEST_TMPDIR) $(BIN)/python -m pytest -n auto --maxprocesses 4 --dist worksteal -rs
BGE_TESTS := tests/adapters/test_bge.py tests/bot/test_bge.py tests/benchmarks/test_rating_network.py
LOCK := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --fork-strategy fewest --generate-hashes \
	--no-emit-index-url $(if $(UPGRADE),--upgrade) pyproject.toml --group build
# For the extra bge. TORCH_INDEX is the package index of the build for this machine, see https://pytorch.org/get-started.
# Without it, pip's own configuration decides, which on Linux usually means gigabytes for NVIDIA's GPUs.
TORCH ?= torch==2.13.0
TORCH_INDEX ?=
# The demo has its own data and settings. It runs in its data directory, so it reads no .env or wikiwhy.toml of yours.
DEMO_DATA ?= data/demo
DEMO := cd "$(DEMO_DATA)" && env $$(env | sed -n "s/^\(WIKIWHY_[A-Z0-9_]*\)=.*/-u \1/p") WIKIWHY_DATA_DIR=. \
	"$(CURDIR)/$(BIN)/wikiwhy"

export OMP_WAIT_POLICY ?= passive
export PIP_DISABLE_PIP_VERSION_CHECK ?= 1
# These may belong to another checkout or virtual environment, and would take precedence over this one.
unexport PYTHONPATH PYTHONHOME VIRTUAL_ENV
# Tests start many processes. Without bytecode files, each would compile every module again, and pytest every test.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help setup setup-bge demo demo-teams test test-slow test-bge lint image-check format docs messages bench lock clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-11s %s\n", $$1, $$2 }' Makefile

setup: .venv/installed ## install the pinned dependencies and wikiwhy itself into .venv
	@echo "wikiwhy is installed: $(BIN)/wikiwhy"

setup-bge: .venv/installed-bge ## like setup, and FlagEmbedding with torch for bge-m3 and its reranker (TORCH_INDEX=…)
	@echo "FlagEmbedding is installed, $$($(BIN)/python -c 'import torch; print("with torch", torch.__version__)')."

demo: .venv/installed ## open a chat about the sample wiki (without a terminal: play a conversation)
	@mkdir -p "$(DEMO_DATA)"
	@$(DEMO) sync folder "$(CURDIR)/samples/documents"
	@if [ -t 0 ] && [ -t 1 ]; then $(DEMO) chat; else $(DEMO) chat --play "$(CURDIR)/samples/conversation.json"; fi

demo-teams: .venv/installed ## open WikiWhy in Microsoft's test client for Teams, in the browser (needs Node.js 20 or later)
	@$(BIN)/python -m tests.servers.teams.demo --data "$(DEMO_DATA)-teams"

test: .venv/installed-dev ## run all tests except the slow ones (PYTEST_ARGS="-k cite" to select)
	@$(PYTEST) -m "not slow" $(PYTEST_ARGS)

test-slow: .venv/installed-dev ## run the slow tests (servers, kills, browsers, PostgreSQL) and more generated examples
	@$(PYTEST) -m "slow or hypothesis" --hypothesis-profile many $(PYTEST_ARGS)

test-bge: .venv/installed-dev .venv/installed-bge ## run the tests that need FlagEmbedding and torch
	@$(BIN)/python -c 'import FlagEmbedding, torch' # fail here: without these the tests would be skipped
	@$(BIN)/python -m pytest $(BGE_TESTS) $(PYTEST_ARGS)

lint: .venv/installed-dev ## check style, format, types, dependency rules, words and the Dockerfile
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/python -m tests.documentation.glossary
	@$(BIN)/hadolint Dockerfile

image-check: .venv/installed-dev ## run the Dockerfile's steps without an engine and test the result (as root on Debian; takes minutes)
	@$(BIN)/python -m tests.container

format: .venv/installed-dev ## sort imports and format the code
	@$(BIN)/ruff check --quiet --fix . || true
	@$(BIN)/ruff format .

docs: .venv/installed-dev ## write the generated parts of docs/
	@$(BIN)/python -m tests.documentation

messages: .venv/installed-dev ## update the German catalogue with the texts in the code; then translate the empty entries
	@mkdir -p build
	@$(BIN)/pybabel --quiet extract --no-default-keywords --keyword message:1 --keyword plural:1,2 --no-location \
		--sort-output --omit-header --output-file build/messages.pot core adapters bot
	@$(BIN)/pybabel --quiet update --input-file build/messages.pot --output-file core/i18n/de.po --locale de \
		--omit-header --no-fuzzy-matching --ignore-obsolete --width 120

bench: .venv/installed-dev ## measure every figure, print a table and write build/bench.json
	@$(BIN)/python -m benchmarks $(BENCH_ARGS)

lock: .venv/installed-dev ## make the lock files from pyproject.toml (UPGRADE=1: newest versions)
	@UV_CUSTOM_COMPILE_COMMAND="make lock" $(LOCK) --output-file requirements.txt > /dev/null
	@UV_CUSTOM_COMPILE_COMMAND="make lock" $(LOCK) --extra evaluation --constraint requirements.txt \
		--output-file requirements-evaluation.txt > /dev/null
	@UV_CUSTOM_COMPILE_COMMAND="make lock" $(LOCK) --extra evaluation --group dev --constraint requirements-evaluation.txt \
		--output-file requirements-dev.txt > /dev/null
	@UV_CUSTOM_COMPILE_COMMAND="make lock" $(LOCK) --extra bge --constraint requirements-dev.txt --no-emit-package torch \
		--output-file requirements-bge.txt > /dev/null
	@git --no-pager diff --stat -- requirements*.txt

clean: ## remove .venv, build/, caches and the demo's data; your data stays
	@rm -rf .venv build data/demo data/demo-teams *.egg-info .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Use the first of these commands that runs and is new enough. A pyenv shim may exist and still fail.
.venv/bin/python:
	@for python in python3.13 python3.12 python3.11 python3; do \
		if "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2> /dev/null; then break; fi; python=; \
	done; \
	if [ -z "$$python" ]; then \
		echo "wikiwhy needs Python 3.11 or later; python3 here is: $$(python3 --version 2>&1 || true)." >&2; \
		echo "Install it (Debian, Ubuntu: apt install python3 python3-venv; macOS: brew install python), then try again." >&2; \
		exit 1; \
	fi; \
	echo "Making .venv with $$("$$python" --version) ($$python)."; \
	if ! "$$python" -m venv --clear .venv; then \
		rm -rf .venv; \
		echo "Python's venv module is incomplete. On Debian or Ubuntu, run apt install python3-venv, then try again." >&2; \
		exit 1; \
	fi

.venv/installed: requirements-evaluation.txt pyproject.toml | .venv/bin/python
	@echo "Installing the pinned dependencies; the first time this takes a few minutes."
	@$(BIN)/python -m pip install --quiet --require-hashes -r requirements-evaluation.txt
	@$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

.venv/installed-dev: requirements-dev.txt requirements-evaluation.txt pyproject.toml | .venv/bin/python
	@echo "Installing the pinned dependencies and development tools; the first time this takes a few minutes."
	@$(BIN)/python -m pip install --quiet --require-hashes -r requirements-dev.txt
	@$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@ .venv/installed

# --no-deps: the lock contains all dependencies except torch, and pip would otherwise look for torch in it.
.venv/installed-bge: requirements-bge.txt .venv/installed
	@echo "Installing FlagEmbedding and $(TORCH); this takes minutes and, with GPU libraries, gigabytes."
	@$(BIN)/python -m pip install --quiet $(if $(TORCH_INDEX),--index-url "$(TORCH_INDEX)") "$(TORCH)"
	@$(BIN)/python -m pip install --quiet --require-hashes --no-deps -r requirements-bge.txt
	@touch $@
