# Targets that run tests. A target's last line is "N passed, N failed, N skipped", the sum over its runs.

RUN_SPECS := tools/lua spec/support/run.lua

# Counts a target as skipped: $(call SKIP,reason).
SKIP = echo 'skipped: $(1)'; echo "0 passed, 0 failed, 1 skipped"

# Runs in slow builds take an eighth of the cases of long specs (helpers.drawn), and runs on emulated GPUs, for which
# each kernel must be compiled, take a sixteenth. test-gcstress collects garbage before every 7th tensor. ROTATION chooses these cases and tensors. By default it is the number of commits;
# ROTATION=n repeats a run. FULL=1 runs all cases, and collects before every tensor.
ROTATION ?= $(shell git rev-list --count HEAD 2>/dev/null || echo 0)
SHARE        = $(if $(FULL),,LUATENSOR_TEST_SHARE=8:$(ROTATION))
DEVICE_SHARE = $(if $(FULL),,LUATENSOR_TEST_SHARE=16:$(ROTATION))

# Suites select specs by their tags: spec/support/tags.lua. `tools/lua spec/support/run.lua --list --with blas` lists
# the specs with a tag.
ON_DEVICE := --without process,texts,host

# The folder of OpenBLAS's build with pthreads. One run of the specs uses it instead of the linked OpenBLAS.
PTHREAD_BLAS := $(wildcard /usr/lib/$(MULTIARCH)/openblas-pthread)

# ---- hosts: C programs that open Lua states --------------------------------------------------

HOSTS := $(patsubst spec/support/hosts/%.c,build/spec/%,$(wildcard spec/support/hosts/*_host.c))

build/spec/%: spec/support/hosts/%.c spec/support/hosts/state.h include/luatensor.h src/gpu/driver.h
	@mkdir -p $(@D)
	$(call say,$<)$(CC) -std=gnu11 -O1 -g -Wall -Wextra -Wpedantic -isystem $(LUA_INCDIR) -Iinclude -o $@ $< $(LUA_LIBS) -pthread

# The programs of docs/embedding.md, which hosts may copy. SANITIZE=address,undefined instruments them, too.
EMBEDDING := $(patsubst examples/embedding/%.c,$(BUILD)/embedding/%,$(wildcard examples/embedding/*.c))

$(BUILD)/embedding/bundle.h: examples/embedding/bundle.lua $(shell find lua/luatensor -name '*.lua')
	@mkdir -p $(@D)
	$(call say,$@)$(LUA) $< lua > $@

$(BUILD)/embedding/bundled: examples/embedding/bundled.c $(BUILD)/embedding/bundle.h $(STATIC)
	$(call say,$<)$(CC) -std=gnu11 -O1 $(CFLAGS) $(WARNINGS) -Werror -I$(@D) -isystem $(LUA_INCDIR) -o $@ $< $(STATIC) $(LUA_LIBS) \
	  $(BLAS_LIBS) $(ZLIB_LIBS) -lm $(DLOPEN) -pthread $(LDFLAGS)

$(BUILD)/embedding/%: examples/embedding/%.c include/luatensor.h
	@mkdir -p $(@D)
	$(call say,$<)$(CC) -std=gnu11 -O1 $(CFLAGS) $(WARNINGS) -Werror -Iinclude -isystem $(LUA_INCDIR) -o $@ $< $(LUA_LIBS) -pthread -lm

# A library that also uses DLPack in the process of spec/io/dlpack_spec.lua.
build/spec/dlpack_peer.so: spec/support/dlpack_peer.c
	@mkdir -p $(@D)
	$(call say,$<)$(CC) -std=gnu11 -O1 -g -fPIC $(LIBFLAG) -Wall -Wextra -Wpedantic -isystem $(LUA_INCDIR) -o $@ $<

# A device kind that is added while the process runs, for spec/device/second_device_spec.lua.
build/spec/second_device.so: spec/support/second_device.c src/base/device.h src/base/calls.h src/families.def
	@mkdir -p $(@D)
	$(call say,$<)$(CC) -std=gnu11 -O1 -g -fPIC $(LIBFLAG) -Wall -Wextra -Wpedantic -Isrc -isystem $(LUA_INCDIR) -o $@ $< -ldl

# A plugin of PJRT for the specs of spec/pjrt, without devices or with those of another plugin.
build/spec/fake_pjrt.so: spec/pjrt/fake_plugin.c src/pjrt/pjrt.h
	@mkdir -p $(@D)
	$(call say,$<)$(CC) -std=gnu11 -O1 -g -fPIC $(LIBFLAG) -Wall -Wextra -Wpedantic -Isrc -isystem $(LUA_INCDIR) -o $@ $< -ldl

build/spec/plan_check: spec/support/plan_check.c src/gpu/plan.c src/base/dtype.c
	@mkdir -p $(@D)
	$(call say,$<)$(CC) -std=gnu11 -O1 -g -Wall -Wextra -Isrc -o $@ $^ -lm

LUA_LIBS ?= $(shell $(PKG_CONFIG) --libs lua$(LUA_VERSION) 2>/dev/null || $(PKG_CONFIG) --libs lua-$(LUA_VERSION))

# ---- runs --------------------------------------------------------------------------------------

# `make test` runs make again, because the first make searched for packages before they were installed.
.PHONY: test test-now test-tables test-sanitize test-gpu test-emulated test-nvrtc test-hiprtc test-gcstress test-hosts
test: deps-test           ## runs all specs, and some of them again on an emulated GPU; takes minutes
	@$(MAKE) --no-print-directory -s build
	@$(MAKE) --no-print-directory test-now

# The folder of an emulated GPU whose cuBLAS is unusable, so that our own kernels multiply.
NO_BLAS := $(BUILD)/spec/no-cublas

test-hosts: build $(HOSTS) $(EMBEDDING) build/spec/dlpack_peer.so build/spec/second_device.so build/spec/fake_pjrt.so build/spec/plan_check build/spec/units emulator $(NO_BLAS)/libcuda.so.1
	@mkdir -p $(dir $(COMPILED))

# Runs one spec file on each core, because an emulated GPU computes and compiles on one core.
JOBS := --jobs $(shell getconf _NPROCESSORS_ONLN)

# Compiled kernels stay on disk between runs. The name of a kernel's file depends on everything from which the kernel
# is compiled. COMPILED lists the source and the options of the kernels that were loaded since the last test-emulated began,
# for test-nvrtc and test-hiprtc.
COMPILED := $(BUILD)/spec/compiled/units.txt
EMULATED  = LUATENSOR_CUDA_PATH=$(EMULATOR) LUATENSOR_CACHE=$(BUILD)/spec/kernels LUATENSOR_EMULATOR_UNITS=$(COMPILED) \
            LUATENSOR_TEST_DEVICE=cuda
# The devices "rocm" of the emulated HIP.
ROCM       = LUATENSOR_ROCM_PATH=$(EMULATOR) LUATENSOR_CACHE=$(BUILD)/spec/kernels LUATENSOR_TEST_DEVICE=rocm
# The emulator runs operations as late as possible and threads from the last to the first, and detects accesses beyond
# the end of a block.
LATE       = order=lazy,threads=reverse,guard=1

test-now: test-hosts $(BUILD)/spec/limits
	@echo "ROTATION=$(ROTATION)"; spec/support/sum "$(RUN_SPECS) $(JOBS) LUATENSOR_CACHE=$(BUILD)/spec/kernels --without divided" \
	  "$(RUN_SPECS) $(JOBS) --label divided LUATENSOR_CACHE=$(BUILD)/spec/kernels $(SHARE) --with divided" \
	  "$(RUN_SPECS) $(JOBS) --label smoke $(EMULATED) $(SHARE) --with smoke"

test-tables: test-hosts   ## runs specs with the CPU's baseline and AVX2 kernels, and with OpenBLAS's own threads
	@echo "ROTATION=$(ROTATION)"; spec/support/sum "$(RUN_SPECS) $(JOBS) --label baseline LUATENSOR_CPU=baseline $(SHARE) --with kernels" \
	  "$(RUN_SPECS) $(JOBS) --label avx2 LUATENSOR_CPU=avx2 $(SHARE) --with kernels" \
	  $(if $(PTHREAD_BLAS),"$(RUN_SPECS) --label pthread-blas LD_LIBRARY_PATH=$(PTHREAD_BLAS) --with blas")

test-emulated: test-hosts $(BUILD)/spec/limits ## runs specs on the emulated GPU; FULL=1: every spec and case
	@rm -f $(COMPILED)*
	@echo "ROTATION=$(ROTATION)"; spec/support/sum "$(RUN_SPECS) $(JOBS) --label emulated $(EMULATED) $(DEVICE_SHARE) $(ON_DEVICE)$(if $(FULL),,$(comma)many-kernels)" \
	  "$(RUN_SPECS) --label two-gpus $(EMULATED) LUATENSOR_EMULATOR=devices=2 --with two-gpus" \
	  "$(RUN_SPECS) --label no-cublas $(EMULATED) LUATENSOR_CUDA_PATH=$(NO_BLAS) --with no-cublas" \
	  "$(RUN_SPECS) --label always-cublas $(EMULATED) LUATENSOR_BLAS=always $(DEVICE_SHARE) --with no-cublas" \
	  "$(RUN_SPECS) --label no-cudnn $(EMULATED) LUATENSOR_CUDNN=off --with no-cudnn" \
	  "$(RUN_SPECS) $(JOBS) --label emulated-late $(EMULATED) LUATENSOR_EMULATOR=$(LATE) --with late" \
	  "$(RUN_SPECS) $(JOBS) --label rocm-64 $(ROCM) LUATENSOR_EMULATOR=lanes=64 $(DEVICE_SHARE) $(if $(FULL),$(ON_DEVICE),--with lanes)" \
	  $(if $(FULL),"$(RUN_SPECS) $(JOBS) --label rocm-32 $(ROCM) LUATENSOR_EMULATOR=lanes=32 $(ON_DEVICE)")

# lua5.4 itself is not instrumented, so libasan is preloaded. The programs that the DLPack and emulator specs start
# (such as the compiler) leak memory and would fail, so these specs run without leak detection. gcc 12's sanitizer guesses
# the sizes of the blocks of thread-local variables, and its leak detection crashes after a wrong guess:
# intercept_tls_get_addr=0 prevents the guess.
SANITIZER = LD_PRELOAD=$(shell $(CC) -print-file-name=libasan.so) \
  ASAN_OPTIONS=detect_leaks=$(1):allocator_may_return_null=1:verify_asan_link_order=0:intercept_tls_get_addr=0 \
  LSAN_OPTIONS=suppressions=spec/support/lsan.supp:print_suppressions=0 UBSAN_OPTIONS=print_stacktrace=1

test-sanitize:            ## the specs under ASan and UBSan; FULL=1: every case
	@$(MAKE) --no-print-directory -s build emulator SANITIZE=address,undefined
	@$(MAKE) --no-print-directory -s $(HOSTS)
	@echo "ROTATION=$(ROTATION)"; export BUILD=build/sanitize; spec/support/sum \
	  "$(RUN_SPECS) $(JOBS) --label sanitize $(call SANITIZER,1) $(SHARE) --without process,texts,unsanitized" \
	  "$(RUN_SPECS) $(JOBS) --label sanitize $(call SANITIZER,0) $(SHARE) --with leaking" \
	  "$(RUN_SPECS) --label sanitize-emulated $(call SANITIZER,1) $(subst build/,build/sanitize/,$(EMULATED)) \
	    $(SHARE) --with sanitize-emulated" \
	  "$(MAKE) --no-print-directory -s test-embedding SANITIZE=address,undefined"

.PHONY: test-embedding
test-embedding: build $(EMBEDDING)   ## compiles and runs the programs in examples/embedding
	@BUILD=$(BUILD) $(RUN_SPECS) --label embedding LSAN_OPTIONS=suppressions=spec/support/lsan.supp:print_suppressions=0 \
	  ASAN_OPTIONS=allocator_may_return_null=1 spec/host/embedding_programs_spec.lua

test-gpu: build           ## the specs on a real GPU of NVIDIA, or of AMD (DEVICE=rocm); says why if there is none
	@$(RUN_SPECS) --needs-gpu --label gpu LUATENSOR_TEST_DEVICE=$(or $(DEVICE),cuda) $(ON_DEVICE)

test-gcstress: build      ## runs specs with a full collection before every 7th tensor; FULL=1: before every tensor
	@echo "ROTATION=$(ROTATION)"; $(RUN_SPECS) $(JOBS) --label gcstress LUATENSOR_GCSTRESS=$(if $(FULL),1,7:$(ROTATION)) --without process,texts,uncollected

# ---- notebooks -----------------------------------------------------------------------------------

# Jupyter takes the kernel from this checkout, not the kernel that `make jupyter` has installed.
AS_JUPYTER = JUPYTER_PATH="$(CURDIR)/jupyter/data" PYTHONPATH="$(CURDIR)/jupyter" "$(JUPYTER)/bin/python"
HAS_JUPYTER = $(shell "$(JUPYTER)/bin/python" -c 'import ipykernel, nbconvert' 2>/dev/null && echo yes)

.PHONY: test-notebook
test-notebook: build      ## tests the Jupyter kernel and executes examples/notebook.ipynb, if `make jupyter` was run; JUPYTER=folder
	@$(if $(HAS_JUPYTER),$(AS_JUPYTER) jupyter/tests/test_kernel.py $(NOTEBOOK_TESTS), \
	  $(call SKIP,no Jupyter in $(JUPYTER): make jupyter installs it))

# ---- other Luas ----------------------------------------------------------------------------------

# LUA_SOURCE lists archives or folders with the sources of Lua (lua-5.5.0.tar.gz) or of lupa. lupa is a package of PyPI
# whose source distribution contains several Luas. `make lua-sources` downloads lupa.
LUA_SOURCES ?= $(CACHE)/luatensor-sources
LUA_SOURCE  ?= $(wildcard $(LUA_SOURCES)/*.tar.gz)
NO_LUA_SOURCES := no sources of Lua in $(LUA_SOURCES): make lua-sources downloads some and LUA_SOURCE=path names others

.PHONY: test-lua lua-sources
test-lua: build build/spec/plan_check           ## the specs on other Luas, 5.4.4 to 5.5; LUA_SOURCE="archive folder", RELEASES=5.5, FULL=1: every case
	@$(if $(LUA_SOURCE),echo "ROTATION=$(ROTATION)"; RELEASES=$(RELEASES) LUA_SOURCE="$(LUA_SOURCE)" tools/test_lua $(JOBS) $(SHARE) --without process$(comma)texts$(comma)built, \
	  $(call SKIP,$(NO_LUA_SOURCES)))

# lupa 1.14.1 contains Lua 5.4.4. lupa 2.8 contains Lua 5.4.8 and 5.5.1.
lua-sources:              ## downloads sources of Lua for test-lua from PyPI
	@mkdir -p $(LUA_SOURCES)
	@for version in 1.14.1 2.8; do \
	  test -f $(LUA_SOURCES)/lupa-$$version.tar.gz || pip download -q --no-deps --no-binary lupa -d $(LUA_SOURCES) lupa==$$version; done

# ---- attacks that take minutes -------------------------------------------------------------------

# ThreadSanitizer must be loaded before the module, so the host programs are instrumented, too.
TSAN_HOSTS := build/spec/thread/embed_host build/spec/thread/states_host
build/spec/thread/%: spec/support/hosts/%.c spec/support/hosts/state.h include/luatensor.h
	@mkdir -p $(@D)
	$(call say,$<)$(CC) -std=gnu11 -O1 -g -fsanitize=thread -isystem $(LUA_INCDIR) -Iinclude -o $@ $< $(LUA_LIBS) -pthread

.PHONY: torture test-all
torture: test-hosts       ## kills, failing allocators, hooks with errors, threads, environments; takes minutes; TORTURE="words"
	@$(MAKE) --no-print-directory -s build SANITIZE=thread
	@$(MAKE) --no-print-directory -s $(TSAN_HOSTS)
	@tools/lua spec/support/torture/all.lua $(if $(TORTURE),"$(TORTURE)")

test-all:                 ## all tests: the specs in all builds and on the emulated GPU, the attacks; takes an hour or more
	@spec/support/sum "make test" "make test-tables FULL=1" "make test-emulated FULL=1" "make test-gcstress FULL=1" \
	  "make test-sanitize FULL=1" "make test-rock" "make compile-others FULL=1" "make test-musl FULL=1" "make test-clang FULL=1" "make test-stack FULL=1" \
	  "LUATENSOR_EXHAUSTIVE=1 $(RUN_SPECS) --label exhaustive --with exhaustive" \
	  "$(RUN_SPECS) $(JOBS) --label divided LUATENSOR_CACHE=$(BUILD)/spec/kernels --with divided" \
	  "$(RUN_SPECS) --label kills LUATENSOR_TEST_KILLS=50 spec/distributed/faults_spec.lua" \
	  "make test-nvrtc FULL=1" "make test-hiprtc FULL=1" "make test-notebook" "make fuzz" \
	  "make torture" "make lint"

# ---- the emulated GPU ---------------------------------------------------------------------------

include spec/support/emulator/emulator.mk

$(NO_BLAS)/libcuda.so.1: $(EMULATOR_LIBS)
	@EMULATOR=$(EMULATOR) spec/support/emulator/without $(NO_BLAS) cublasCreate_v2

# The specs compare speeds with these speed limits, which are measured once for all specs. A new libnvrtc.so empties the
# folder in which the limits are stored.
$(BUILD)/spec/limits: spec/support/measure_limits.lua $(EMULATOR)/libnvrtc.so | build emulator
	$(call say,$<)LUATENSOR_CUDA_PATH=$(EMULATOR) LUATENSOR_CACHE=$(BUILD)/spec/kernels tools/lua $< && touch $@

# ---- the real compilers -------------------------------------------------------------------------

build/spec/units: spec/support/units/units.c spec/support/units/cubin.c spec/support/units/cubin.h build
	@mkdir -p $(@D)
	$(call say,$<)$(CC) -std=gnu11 -O1 -g -Wall -Wextra -Isrc -o $@ spec/support/units/units.c spec/support/units/cubin.c $(BUILD)/obj/gpu/sources.o $(BUILD)/obj/embedded.o -ldl

# Compiles a share, $(1), of the kernels that test-emulated has listed by a compiler's library, $(2), which needs no GPU,
# for the targets $(3). $(4) tells how to get the library, and $(5) is a further option.
COMPILE_REALLY = if [ -z "$(2)" ]; then $(call SKIP,$(4)); \
  elif [ ! -s $(COMPILED) ]; then $(call SKIP,no list of kernels here: make test-emulated writes one); \
  else echo "ROTATION=$(ROTATION)"; build/spec/units --share $(1) $(5) $(2) $(3) < $(COMPILED); fi

# NVRTC is a part of CUDA toolkits and of PyPI's package nvidia-cuda-nvrtc. FULL=1 compiles all kernels for one target and
# a fifth of them for the others. UPDATE=1, after test-emulated FULL=1, compiles all kernels and writes their registers and
# their static shared memory to the table that the emulator uses.
NVIDIA_TABLE := spec/data/nvidia_kernels.txt
WHEEL_FOLDERS = $(if $(VIRTUAL_ENV),$(wildcard $(VIRTUAL_ENV)/lib/python3*/site-packages/nvidia/*/lib))
LIBNVRTC    ?= $(lastword $(wildcard $(foreach d,$(addsuffix /lib64,$(CUDA_HOME) /usr/local/cuda) $(WHEEL_FOLDERS),$d/libnvrtc.so.12 $d/libnvrtc.so.13)))
NVRTC_ARCHS ?= 80 90
NVRTC_SHARE ?= 16:$(ROTATION)

test-nvrtc: build/spec/units   ## compiles a share of the specs' kernels by NVIDIA's NVRTC, if it is installed; FULL=1: all
	@$(if $(FULL),spec/support/sum "$(MAKE) -s test-nvrtc FULL= NVRTC_SHARE=1:0 NVRTC_ARCHS=90" \
	    "$(MAKE) -s test-nvrtc FULL= NVRTC_SHARE=5:$(ROTATION) NVRTC_ARCHS='75 80 86 89 100 120'", \
	  $(call COMPILE_REALLY,$(if $(UPDATE),1:0,$(NVRTC_SHARE)),$(LIBNVRTC),$(if $(UPDATE),90,$(NVRTC_ARCHS)),no libnvrtc here: LIBNVRTC=path names one,$(if $(UPDATE),--table $(NVIDIA_TABLE))))

# Debian's hipRTC is 5.2.3. It is a part of libamdhip64, which knows no newer processor than gfx1030.
LIBHIPRTC ?= $(lastword $(wildcard /usr/lib/$(MULTIARCH)/libamdhip64.so.* /opt/rocm/lib/libhiprtc.so))
HIP_ARCHS ?= gfx90a gfx1030 gfx906
HIP_SHARE ?= $(if $(FULL),1:0,64:$(ROTATION))

test-hiprtc: build/spec/units   ## compiles a share of the specs' kernels by AMD's hipRTC, if it is installed; FULL=1: all
	@$(call COMPILE_REALLY,$(HIP_SHARE),$(LIBHIPRTC),$(HIP_ARCHS),no libamdhip64 here: apt-get install libamdhip64-5)

# ---- PJRT -------------------------------------------------------------------------------------------

# The plugins that make deps-pjrt installs, each of which is a device "xla" of the specs of spec/pjrt.
PJRT_PACKAGES = $(PJRT)/lib/python3*/site-packages
PJRT_PLUGINS  = $(PJRT_PACKAGES)/xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so $(PJRT_PACKAGES)/fastatomstruct_xla_cpu/libpjrt_cpu.so \
                $(PJRT_PACKAGES)/lammps_jax_pjrt_cpu/pjrt_c_api_cpu_plugin.so
# With SMOKE=1, test-pjrt runs only the specs of devices and of training, on the oldest and the newest plugin, in about
# 40 seconds of processor time.
PJRT_SPECS    = $(if $(SMOKE),spec/pjrt/device_spec.lua spec/pjrt/training_spec.lua,spec/pjrt/*_spec.lua)
PJRT_TESTED   = $(foreach plugin,$(if $(SMOKE),$(filter-out %/libpjrt_cpu.so,$(PJRT_PLUGINS)),$(PJRT_PLUGINS)),$(wildcard $(plugin)))

# Without SMOKE=1, the specs of all devices run on the newest plugin, too. Most of their time is the compilation of tiny programs.
# So a run has a share of the tests (FULL=1: all) and of their cases, and XLA compiles without optimisation, which takes a fourth
# of the time. All plugins know these flags; an unknown flag would end the process.
PJRT_SHARE    = $(if $(FULL),,LUATENSOR_TEST_EVERY=5:$(ROTATION)) LUATENSOR_TEST_SHARE=24:$(ROTATION)
PJRT_QUICKLY  = XLA_FLAGS='--xla_backend_extra_options=xla_cpu_disable_new_fusion_emitters --xla_backend_optimization_level=0 \
                --xla_cpu_parallel_codegen_split_count=1 --xla_llvm_disable_expensive_passes=true'

.PHONY: test-pjrt
test-pjrt: build build/spec/fake_pjrt.so build/spec/second_device.so   ## the specs of devices of PJRT on the plugins that make deps-pjrt installs; SMOKE=1: a few, FULL=1: all tests
	@if [ -z "$(strip $(PJRT_TESTED))" ]; then $(call SKIP,no plugins in $(PJRT): make deps-pjrt installs them); \
	else $(CC) -std=gnu11 -fsyntax-only -Isrc -I$(firstword $(wildcard $(PJRT_PACKAGES)))/xla_plugins/xla_cpu_pjrt/include \
	    spec/pjrt/header_check.c && \
	  spec/support/sum $(foreach plugin,$(PJRT_TESTED),"$(RUN_SPECS) --label $(notdir $(plugin)) \
	    LUATENSOR_PJRT_XLA=$(plugin) $(PJRT_SPECS)") $(if $(SMOKE),,"$(RUN_SPECS) $(JOBS) --label xla \
	    $(PJRT_QUICKLY) LUATENSOR_PJRT_XLA=$(lastword $(PJRT_TESTED)) LUATENSOR_TEST_DEVICE=xla $(PJRT_SHARE) \
	    $(ON_DEVICE)$(comma)many-kernels$(comma)unplugged"); fi

# Google's plugin libtpu compiles for a named topology without a TPU. A run that was stopped goes on: $(AOT_RESULTS) keeps the
# results. SMOKE=1: fewer programs, only for v5e.
PJRT_LIBTPU   = $(wildcard $(PJRT_PACKAGES)/libtpu/libtpu.so)
AOT_MISSING   = $(if $(strip $(PJRT_TESTED)),$(if $(PJRT_LIBTPU),,libtpu in $(PJRT): its bin/pip install libtpu installs it),plugins \
                in $(PJRT): make deps-pjrt installs them)
AOT_PROGRAMS  = $(BUILD)/spec/programs
AOT_RESULTS   = $(BUILD)/spec/aot-results

# Compiles programs for devices that need not exist.
build/spec/aot: spec/pjrt/aot.c spec/pjrt/aot.h src/pjrt/pjrt.h
	@mkdir -p $(@D) && rm -rf $(AOT_RESULTS)
	$(call say,$<)$(CC) -std=gnu11 -O1 -g -Wall -Wextra -Wpedantic -Isrc -o $@ $<

.PHONY: test-aot
test-aot: build build/spec/aot build/spec/fake_pjrt.so build/spec/second_device.so   ## compiles the programs of the specs of PJRT for TPUs, if libtpu is installed; SMOKE=1: a few
	@if [ -n "$(strip $(AOT_MISSING))" ]; then $(call SKIP,no $(strip $(AOT_MISSING))); \
	else rm -rf $(AOT_PROGRAMS) && mkdir -p $(AOT_PROGRAMS) $(AOT_RESULTS) && \
	  spec/support/sum "$(RUN_SPECS) $(JOBS) --label programs $(PJRT_QUICKLY) LUATENSOR_PJRT_XLA=$(firstword $(PJRT_TESTED)) \
	    LUATENSOR_PROGRAMS=$(CURDIR)/$(AOT_PROGRAMS) $(PJRT_SPECS)" \
	  $(foreach topology,v5e:2x2 $(if $(SMOKE),,v6e:2x2),"tools/lua spec/pjrt/aot.lua --label $(topology) build/spec/aot \
	    $(PJRT_LIBTPU) $(AOT_PROGRAMS) $(topology) $(lastword $(JOBS)) $(AOT_RESULTS)/$(topology).txt"); fi

# ---- ARM64 ------------------------------------------------------------------------------------------

ARM64_ROOT   ?= $(CACHE)/luatensor-arm64
ARM64_MISSING = $(strip $(foreach tool,qemu-aarch64 aarch64-linux-gnu-gcc,$(if $(shell command -v $(tool)),,$(tool))) \
                $(if $(wildcard $(ARM64_ROOT)/include/lua.h),,libraries in $(ARM64_ROOT)))

# With SMOKE=1, test-arm64 runs only these specs, in about a minute of processor time: bits of element-wise functions,
# conversions, element-wise functions, reductions, products and files.
ARM64_SMOKE  := $(addprefix spec/,cpu/bits_spec.lua array/convert_spec.lua array/map_spec.lua array/reduce_spec.lua \
                 linalg/matmul_spec.lua io/checkpoint_file_spec.lua io/npy_spec.lua)

.PHONY: test-arm64 arm64-root
test-arm64:               ## the specs on ARM64 under qemu; SMOKE=1: a few; SHARE=: all cases; ARM64_SPECS="spec/array/map_spec.lua"
	@if [ -n "$(ARM64_MISSING)" ]; then $(call SKIP,no $(ARM64_MISSING): make arm64-root gets them); \
	else echo "ROTATION=$(ROTATION)"; tools/test_arm64 $(ARM64_ROOT) $(JOBS) $(SHARE) \
	  $(or $(ARM64_SPECS),$(if $(SMOKE),$(ARM64_SMOKE)),--without process$(comma)texts$(comma)built$(comma)exhaustive$(comma)unemulated); fi

arm64-root:               ## installs the cross compiler and qemu, and downloads Debian's ARM64 libraries for test-arm64
	@tools/deps arm64
	@tools/arm64_root $(ARM64_ROOT)

# ---- other systems, clang ------------------------------------------------------------------------------

# PyPI's ziglang contains clang and the C libraries of many systems: pip install ziglang.
ZIG ?= $(if $(shell $(PYTHON) -c 'import ziglang' 2>/dev/null && echo there),$(PYTHON) -m ziglang,$(shell command -v zig))
ZIG_TARGETS  ?= aarch64-macos x86_64-linux-musl riscv64-linux-musl
OTHERS_SHARE ?= $(if $(FULL),1:0,16:$(ROTATION))
WITH_ZIG      = ZIG="$(ZIG)" LUA_INCDIR="$(LUA_INCDIR)" BLAS_CFLAGS="$(BLAS_CFLAGS)"
MUSL         := $(wildcard /lib/ld-musl-x86_64.so.1)
NO_ZIG       := no zig here: pip install ziglang, or ZIG="/path/python -m ziglang"

.PHONY: compile-others test-musl test-clang test-stack
compile-others:           ## compiles some files (FULL=1: all) for macOS, musl and RISC-V by PyPI's ziglang; ZIG="python -m ziglang"
	@$(if $(ZIG),echo "ROTATION=$(ROTATION)"; $(WITH_ZIG) tools/compile_others $(OTHERS_SHARE) $(ZIG_TARGETS), \
	  $(call SKIP,$(NO_ZIG)))

test-musl: build/spec/plan_check  ## the specs on musl, whose threads have stacks of 128 KiB; needs zig, musl and `make lua-sources`
	@$(if $(and $(ZIG),$(MUSL),$(LUA_SOURCE)),echo "ROTATION=$(ROTATION)"; OPENBLAS=$(OPENBLAS_DIR)libopenblas.a LUA_SOURCE="$(LUA_SOURCE)" $(WITH_ZIG) tools/test_musl $(JOBS) $(SHARE) \
	    $(or $(MUSL_SPECS),--without process$(comma)texts$(comma)built), \
	  $(call SKIP,$(or $(if $(ZIG),,$(NO_ZIG)),$(if $(MUSL),,no musl here: apt-get install musl),$(NO_LUA_SOURCES))))

test-stack: test-hosts    ## the specs on a thread with a stack of 128 KiB
	@echo "ROTATION=$(ROTATION)"; LUA=build/spec/thread_host $(RUN_SPECS) $(JOBS) --label stack OMP_STACKSIZE=128K LUATENSOR_CACHE= $(SHARE) --without process$(comma)texts$(comma)exhaustive

# OpenBLAS is linked to gcc's OpenMP library. clang's OpenMP library is preloaded, so that OpenBLAS uses it, too.
CLANG  ?= $(shell command -v clang)
LIBOMP  = $(if $(CLANG),$(firstword $(wildcard $(shell $(CLANG) -print-file-name=libomp.so.5) /usr/lib/llvm-*/lib/libomp.so.5)))

test-clang:               ## the specs in a build by clang, with clang's OpenMP; CLANG=clang-14
	@$(if $(LIBOMP),$(MAKE) --no-print-directory -s build CC=$(CLANG) STRICT=1 BUILD=build/clang && echo "ROTATION=$(ROTATION)" && \
	    BUILD=build/clang $(RUN_SPECS) $(JOBS) --label clang LD_PRELOAD=$(LIBOMP) LUATENSOR_CACHE= $(SHARE) --without process$(comma)texts$(comma)built, \
	  $(call SKIP,no clang with libomp here: apt-get install clang libomp-dev))

# ---- fuzzing --------------------------------------------------------------------------------------

include spec/support/fuzz/fuzz.mk
