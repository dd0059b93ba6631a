.PHONY: setup test lint metric generate bench check everything release

PYTHON ?= python3

setup:
	$(PYTHON) -m venv .venv && .venv/bin/pip install --quiet --editable '.[test,bench]'

test:
	.venv/bin/python -m pytest

lint:
	.venv/bin/ruff check . && .venv/bin/ruff format --check . && .venv/bin/mypy && .venv/bin/python -m dev.check

metric:
	.venv/bin/python -m dev.new_metric $(NAME)

generate:
	.venv/bin/python -m dev.generate

bench:
	.venv/bin/python -m dev.bench

everything:
	.venv/bin/python -m dev.everything

release:
	.venv/bin/python -m dev.release

check:
	bash .ci/run
