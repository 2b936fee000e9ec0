# graphedx: `make` lists what there is to do. Everything happens in .venv, which is made when it is missing.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
# The tools that build the package are pinned too; pip before 25.3 reads the first of these for them, later ones the second.
export PIP_CONSTRAINT := $(CURDIR)/constraints.txt
export PIP_BUILD_CONSTRAINT := $(CURDIR)/constraints.txt
NATIVE := CMakeLists.txt $(shell find native -name '*.[ch]pp')
BENCH_ARGS ?=
# Recompiling takes seconds where ccache is installed.
CCACHE := $(if $(shell command -v ccache 2>/dev/null),-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
comma := ,

.DEFAULT_GOAL := help
.PHONY: help demo test check bench docs verify sanitize sanitize-short sanitize-threads clean

help:  ## show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-16s %s\n", $$1, $$2}'

demo: $(VENV)/.neural  ## label Python's own functions, train a model on them, compare, search; writes demo-report/index.html
	@$(BIN)/graphedx demo --overwrite

test: $(VENV)/.tested  ## install what the tests need, and run them
	$(BIN)/python -m pytest -n auto $(TEST_ARGS)

check: $(VENV)/.tested  ## style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/.tested  ## measure speed and memory against peers in the same run (see benchmarks/README.md)
	$(BIN)/python benchmarks/kernels/exact.py $(BENCH_ARGS)

verify: $(VENV)/.tested  ## every method on random pairs against the truth, published tables where the data is at hand, searches, limits and kills
	$(BIN)/python benchmarks/check_random.py --pairs 100000
	$(BIN)/python benchmarks/check_random.py --pairs 50000 --method all
	$(BIN)/python benchmarks/check_real.py
	$(BIN)/python benchmarks/check_order.py
	$(BIN)/python benchmarks/check_search.py
	$(BIN)/python benchmarks/check_limits.py
	$(BIN)/python benchmarks/check_kill.py
	$(BIN)/python benchmarks/check_kills.py

# $(call native,FOLDER,SANITIZERS): the native tests, built with these sanitizers
native = cmake -S . -B build/$(1) -DGRAPHEDX_SANITIZE=$(2) -DGRAPHEDX_TESTS=ON $(CCACHE) > /dev/null && cmake --build build/$(1) -j $(JOBS)

sanitize:  ## the native core against a brute force under the address and undefined-behaviour sanitizers
	$(call native,sanitize,ON)
	build/sanitize/graphedx_test_answer
	build/sanitize/graphedx_fuzz 10000
	build/sanitize/graphedx_fuzz_tree 5000
	build/sanitize/graphedx_fuzz_isomorphism 10000
	build/sanitize/graphedx_fuzz_collection 3000
	build/sanitize/graphedx_fuzz_set_terms 2000
	build/sanitize/graphedx_fuzz_encoder 1000
	build/sanitize/graphedx_fuzz_limits 1000

sanitize-short:  ## the same in a minute or two, as for every change
	$(call native,sanitize,ON)
	build/sanitize/graphedx_test_answer
	build/sanitize/graphedx_fuzz 300
	build/sanitize/graphedx_fuzz_tree 300
	build/sanitize/graphedx_fuzz_isomorphism 500
	build/sanitize/graphedx_fuzz_collection 100
	build/sanitize/graphedx_fuzz_set_terms 50
	build/sanitize/graphedx_fuzz_encoder 30
	build/sanitize/graphedx_fuzz_limits 30

sanitize-threads:  ## what uses several threads under the thread sanitizer
	$(call native,sanitize-threads,thread)
	build/sanitize-threads/graphedx_fuzz_threads 20
	build/sanitize-threads/graphedx_fuzz_collection 300
	build/sanitize-threads/graphedx_fuzz_set_terms 200
	build/sanitize-threads/graphedx_fuzz_encoder 100

docs: $(VENV)/.documented  ## build the web pages of the documentation into build/site
	$(BIN)/mkdocs build --quiet --strict
	@echo build/site/index.html

clean:  ## forget the virtual environment and everything built
	rm -rf $(VENV) build demo-report

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

# Each of these compiles the native core once; more libraries than are asked for do no harm, fewer are added.
SOURCES := $(VENV)/bin/python pyproject.toml constraints.txt $(NATIVE)
install = @$(PIP) install --constraint constraints.txt --editable '.$(1)' && touch $(addprefix $(VENV)/.,$(2))

$(VENV)/.built: $(SOURCES)
	@echo "installing graphedx (this compiles the native core) ..."
	$(call install,,built)

$(VENV)/.neural: $(SOURCES)
	@echo "installing graphedx (this compiles the native core), and PyTorch for the model ..."
	$(call install,[neural],built neural)

$(VENV)/.tested: $(SOURCES)
	@echo "installing graphedx (this compiles the native core), the optional libraries and the test tools ..."
	$(call install,[all$(comma)test$(comma)bench],built neural tested)

$(VENV)/.documented: $(VENV)/.built
	$(call install,[docs],documented)
