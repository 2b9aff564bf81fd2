# Every target sets up what it needs itself: see scripts/setup.
#
#   make              build                    make demo      a transformer, partitioned and run
#   make test         all tests                make asan      C++ tests and lit under sanitizers (tsan: without MLIR)
#   make test-long    the long ones, too, with programs compiled by XLA as users have it
#   make bench        speed against its goals  make zoo       export the example models
#   make lint         clang-tidy, all files    make format    clang-format and ruff, in place
#   make rules        every op's rule, executed make fuzz-parser  mutated programs
#   make fuzz         random programs and schedules, executed
#   make accuracy     predicted against measured   make bench-search  found plans against experts'
#   make compare-xla  our collectives against those of XLA's partitioner
#   make bench-peers  found plans against those of other planners (parallax, Keras' rule), run on the same programs
#   make bench-iopddl IOPDDL=FOLDER  the problems of the IOPDDL contest, solved
#   make wheel        the Python package       make wheel-test  the same on each Python, in an empty environment
#   make models       other people's models, planned and run
#   make install-test pip install . from a clone, compiled, into an empty environment
#   make docs         the documents as a site, in build/site
#   make check-peaks  the peaks of all plans of the zoo, counted again from their local programs
#   make check-golden the files of the zoo's plans and searches, byte for byte, against the record
#   make check-roles  roles of arguments in programs of other packages' trainers and servers
#   make check-memory-actions training programs in microbatches, recomputed, and as searches choose, run against the originals
#   make check-pipeline small models in pipelines of many shapes, run against the originals
#   make check-placement placements of meshes on machines with levels, against closed forms and all other placements
#   make check-reductions collectives as programs of steps on levels, proven and run, and what they are worth
#   make check-specs  given shardings against jax.jit with the same, in bytes sent
#   make check-overlap memory and overlap of plans as XLA compiled them for GPUs, against what is said of them
#   make check-prices prices that follow random walks against prices from nothing
#   make check-zoo    our models, planned and run   make bench-build, bench-python, jax-versions, check-shared, clean
#
# PARTITA_NO_APT=1 forbids installing Debian packages.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := build

BUILD := build
PYTHON := .venv/bin/python
NINJA := ninja -C $(BUILD)
CPP_FILES = $(shell git ls-files -co --exclude-standard '*.h' '*.cpp')

.PHONY: setup build demo full check-overlap check-roles test test-long asan tsan bench bench-search bench-iopddl bench-peers accuracy compare-xla bench-build zoo wheel wheel-test models check-zoo jax-versions \
  docs docs-venv pictures install-test bench-python check-folding check-shared check-peaks check-prices check-golden check-placement check-reductions check-specs check-memory-actions check-pipeline models-venv rules fuzz fuzz-parser format lint clean

setup:
	@scripts/setup

$(BUILD)/build.ninja: CMakePresets.json | setup
	@cmake --preset release

build: setup $(BUILD)/build.ninja
	@$(NINJA) --quiet

demo: build
	@scripts/demo

test: build
	@$(PYTHON) scripts/run_tests.py

test-long: build
	@$(PYTHON) scripts/run_tests.py --long

asan: setup
	@cmake --preset asan > /dev/null
	@ninja -C $(BUILD)/asan
	@$(PYTHON) scripts/run_tests.py --sanitizer asan

tsan: setup
	@cmake --preset tsan > /dev/null
	@ninja -C $(BUILD)/tsan
	@$(PYTHON) scripts/run_tests.py --sanitizer tsan

bench: build
	@$(PYTHON) bench/run.py

# Writes docs/compare-xla.md; a run that was stopped goes on where it was: make compare-xla ARGS='--jobs 4'
compare-xla: build
	@$(PYTHON) -m models.export --size tiny
	@$(PYTHON) scripts/compare_xla.py --table docs/compare-xla.md $(ARGS)

accuracy: build
	@$(PYTHON) bench/accuracy.py

# Found plans against experts', zoo by zoo, pipelines, meshes, and sizes that no axis divides: make bench-search ARGS='--quick'
bench-search: build
	@$(PYTHON) bench/search.py $(ARGS)
	@$(PYTHON) bench/pipelines.py
	@$(PYTHON) bench/meshes.py
	@$(PYTHON) bench/uneven.py

# The instances of the IOPDDL contest, which are in the folder IOPDDL; writes docs/iopddl.md
bench-iopddl: build
	@$(PYTHON) bench/iopddl.py $(IOPDDL) $(ARGS)

# What other planners propose, priced by us; ARGS=--run runs parallax anew, in an environment of its own (models-venv)
bench-peers: build
	@$(PYTHON) bench/peers.py $(ARGS)

bench-build: setup
	@$(PYTHON) bench/build.py

zoo: setup
	@$(PYTHON) -m models.export --size all

# build/dist/partita-*.whl, which needs no LLVM and GLIBC 2.34 at most.
wheel: build
	@rm -rf $(BUILD)/dist $(BUILD)/wheel
	@$(PYTHON) -m pip wheel . --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir $(BUILD)/dist \
	  -C cmake.define.PARTITA_PREBUILT=$(CURDIR)/$(BUILD)/bin/partita -C build.targets=install
	@$(PYTHON) -m wheel tags --remove --platform-tag manylinux_2_34_$$(uname -m) $(BUILD)/dist/partita-*.whl
	@$(PYTHON) -m twine check --strict $(BUILD)/dist/partita-*.whl
	@$(PYTHON) -m check_wheel_contents $(BUILD)/dist/partita-*.whl

# The wheel in an empty environment of each Python from 3.11 on: a plan is made and run there.
wheel-test: wheel
	@$(PYTHON) scripts/wheel_test.py $(ARGS)

# `pip install .` from the files that are in version control, compiled and all, into an empty environment without LLVM on
# its path, and a plan made there. Ten minutes on two cores.
install-test: setup
	@$(PYTHON) scripts/install_test.py

# The documents as a site, build/site/index.html; fails if a link or an anchor leads nowhere. Pictures of README.md are
# made by `make pictures` from the figures of bench/found.py.
docs-venv:
	@[ -x $(BUILD)/docs-venv/bin/python ] || python3 -m venv $(BUILD)/docs-venv
	@$(BUILD)/docs-venv/bin/python -m pip install --quiet --disable-pip-version-check -r requirements-docs.txt

docs: docs-venv
	@NO_MKDOCS_2_WARNING=1 $(BUILD)/docs-venv/bin/mkdocs build --quiet
	@echo "$(BUILD)/site/index.html"

pictures: build docs-venv
	@$(BUILD)/docs-venv/bin/python scripts/found_chart.py
	@JAX_PLATFORMS=cpu $(PYTHON) scripts/page_picture.py > /dev/null

# Other people's models, planned, run and compared; writes docs/models.md. An hour on two cores; a run that was stopped
# goes on with MODELS_OPTIONS=--resume, and MODELS_OPTIONS='--only keras' runs some rows and keeps the others.
models-venv:
	@[ -x $(BUILD)/models-venv/bin/python ] || python3 -m venv $(BUILD)/models-venv
	@$(BUILD)/models-venv/bin/python -m pip install --quiet --disable-pip-version-check -r requirements.txt -r requirements-models.txt

# Programs of the zoo and of other packages under trees of specs; writes docs/check-specs.md. Rows of XLA are kept in
# build/specs: make check-specs ARGS='--only llama'
check-specs: build models-venv
	@$(PYTHON) -m models.export --size tiny
	@PYTHONPATH=.:python $(BUILD)/models-venv/bin/python -m models.others.export $(BUILD)/specs
	@XLA_FLAGS=--xla_force_host_platform_device_count=8 $(PYTHON) scripts/check_specs.py --table docs/check-specs.md $(ARGS)

# Which training programs run in microbatches, and why others do not; what is recomputed; what searches choose where
# memory is short, and whether that runs as the original does: make check-memory-actions ARGS='--only llama'
check-memory-actions: build models-venv
	@$(PYTHON) -m models.export --size tiny
	@PYTHONPATH=.:python $(BUILD)/models-venv/bin/python -m models.others.export $(BUILD)/specs
	@$(PYTHON) scripts/check_memory_actions.py $(ARGS)
	@$(PYTHON) scripts/check_remat.py $(ARGS)
	@$(PYTHON) scripts/check_chosen_actions.py $(ARGS)

# Placements of meshes on machines with levels.
check-placement: build
	@[ -f $(BUILD)/zoo/llama_scan.8b.mlir ] || $(PYTHON) -m models.export --size all
	@$(PYTHON) scripts/check_placement.py $(ARGS)

# Collectives as programs of steps on levels: make check-reductions ARGS=--list prints them.
check-reductions: build
	@$(PYTHON) scripts/check_reductions.py $(ARGS)

# Pipelines of small models, program by program: make check-pipeline ARGS='--only "dropout .* P=2"'; then of layers of
# other packages.
check-pipeline: build models-venv
	@$(PYTHON) scripts/check_pipeline.py $(ARGS)
	@JAX_PLATFORMS=cpu PYTHONPATH=.:python $(BUILD)/models-venv/bin/python -m models.others.pipelines

# The share of bytes whose role is found, for programs of other packages' trainers and servers; writes docs/roles.md.
check-roles: build models-venv
	@JAX_PLATFORMS=cpu PYTHONPATH=.:python $(BUILD)/models-venv/bin/python -m models.roles.run --table docs/roles.md $(ARGS)

# Programs of other packages at full size, traced from shapes, into build/full; those that are there stay.
full: models-venv
	@PYTHONPATH=.:python $(BUILD)/models-venv/bin/python -m models.others.full.export $(BUILD)/full

# What XLA's GPU pipeline was seen to do with plans (bench/data/gpu_schedules.json): memory, and what runs beside each
# collective, against what is said of the same plans.
check-overlap: build full
	@$(PYTHON) bench/gpu_schedules.py table bench/data/gpu_schedules.json

models: build models-venv
	@PYTHONPATH=.:python $(BUILD)/models-venv/bin/python -m models.others.run --table docs/models.md \
	  --json models/others/results.json $(MODELS_OPTIONS)

# The models of this repository, tiny, run as planned beside jax.jit on one device: make check-zoo ARGS='--only llama'
check-zoo: build
	@$(PYTHON) -m models.others.zoo $(ARGS)

# The package with other versions of JAX, each in an environment of its own.
jax-versions: build
	@$(PYTHON) scripts/jax_versions.py

# What partita.plan takes beside JAX's own trace and lower.
bench-python: build
	@JAX_PLATFORMS=cpu $(PYTHON) bench/python_plan.py --search

# What folded programs cost against the whole ones: ARGS="--lists 50 PROGRAM.mlir" make check-folding
check-folding: build
	@$(PYTHON) bench/folding.py $(ARGS)

# Programs of other people's models, which are not part of the repository.
check-shared: build
	@$(PYTHON) test/Shared/check_shared.py
	@$(PYTHON) test/Shared/check_partitions.py

# The peak of every plan of the zoo against a second count from its local program, to the byte.
check-peaks: build
	@PYTHONPATH=. $(PYTHON) test/Score/check_peaks.py

# What `partita plan` writes for the zoo, against the record: make check-golden ARGS=--record writes that anew.
check-golden: build
	@$(PYTHON) scripts/check_golden.py $(ARGS)

# Prices that follow N random walks of steps, pins and rollbacks, each against one from nothing.
check-prices: build
	@PARTITA_WALKS=$${N:-100000} $(BUILD)/bin/Cost-tests --gtest_brief=1 --gtest_filter='RandomWalk*'

# N instances of each op, of which two thirds or more can be split: N=1000 SEED=3 make rules. Then which windows are split,
# on dims that the axis divides and on others.
rules: build
	@$(PYTHON) scripts/validate_rules.py --zoo --count $${N:-150} --seed $${SEED:-1}
	@$(PYTHON) scripts/validate_padding.py
	@$(PYTHON) scripts/check_windows.py

# N cases in which something is split and devices talk, and each kind of split so often: N=100000 SEED=1 make fuzz
fuzz: build
	@$(BUILD)/bin/partita fuzz --count $${N:-10000} --seed $${SEED:-1} --jobs $${JOBS:-2} \
	  --require-coverage $${COVERAGE:-30}

# Time-boxed; the same cases for the same seed. FUZZ_SECONDS=600 SEED=7 make fuzz-parser
fuzz-parser: build
	@cmake --preset asan > /dev/null
	@ninja -C $(BUILD)/asan --quiet JsonFuzzer
	@$(PYTHON) scripts/fuzz_parser.py --seconds $${FUZZ_SECONDS:-120} --seed $${SEED:-1} \
	  --json-fuzzer $(BUILD)/asan/bin/JsonFuzzer

format: setup
	@$$($(PYTHON) scripts/llvm_tools.py clang-format) -i $(CPP_FILES)
	@.venv/bin/ruff format conftest.py python models test scripts bench examples
	@.venv/bin/ruff check --fix conftest.py python models test scripts bench examples

lint: build
	@$(PYTHON) scripts/lint.py --all

clean:
	@rm -rf $(BUILD)
