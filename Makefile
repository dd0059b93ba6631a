.PHONY: setup test lint generate bench check

PYTHON ?= python3

setup:
	$(PYTHON) -m venv .venv && .venv/bin/pip install --quiet --editable '.[test,bench]'

test:
	.venv/bin/python -m pytest

lint:
	.venv/bin/ruff check . && .venv/bin/ruff format --check . && .venv/bin/mypy

generate:
	.venv/bin/python -m rankmetrics_sql.generate

bench:
	.venv/bin/python -m tests.bench

check:
	bash .ci/run
