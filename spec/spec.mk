# Targets that test. Each ends with one line "N passed, N failed, N skipped" over all its runs.

RUN_SPECS := tools/lua spec/support/run.lua

# Runs on slower devices and builds take a share of the cases of long specs (helpers.drawn), and collect garbage before every
# k-th tensor. The share and the tensors rotate from commit to commit; ROTATION=n repeats a run. FULL=1: all cases, every tensor.
ROTATION ?= $(shell git rev-list --count HEAD 2>/dev/null || echo 0)
SHARE     = $(if $(FULL),,LUATENSOR_TEST_SHARE=4:$(ROTATION))

# Those of kernels, run again on the other tables.
KERNEL_SPECS := $(wildcard $(patsubst %,spec/%_spec.lua,ops map math complex complex_math copy convert dtype reduce scan softmax fft_kernel random matmul linalg linalg_block index chain elementwise sort special update))
# Not under a sanitizer: what starts processes, replaces malloc, or weighs the process.
SANITIZE_SPECS := $(filter-out $(patsubst %,spec/%_spec.lua,second_device process environment embed locale bombs checkpoint_file fault memory dlpack emulator gpu_driver gpu_memory stream graph gpu_plan bench_compare bench_machine bench_split profile annotations arity options public_surface examples experiment cli cli_measure cli_report marks progress report render system files fields), \
                    $(wildcard spec/*_spec.lua))
# Not with a collection at every tensor: what makes very many, and what counts collections or has its own.
GCSTRESS_SPECS := $(filter-out $(patsubst %,spec/%_spec.lua,ops special gradient gradient_every gradient_sort gradient_fft gradient_linalg functional update process environment embed locale bombs fault memory gpu_memory emulator gpu_driver annotations arity options public_surface examples experiment cli cli_measure cli_report marks progress report render system files fields determinism coverage property fft_kernel interrupt), \
                    $(wildcard spec/*_spec.lua))

# On a GPU: all but what is about the CPU, Lua, processes, the texts of this repository, or the emulator itself.
DEVICE_SPECS := $(filter-out $(patsubst %,spec/%_spec.lua,second_device annotations arity module_path options public_surface checkpoint_file emulator examples experiment cli cli_measure cli_report marks progress report render fault gpu_driver process environment embed locale bombs thread linalg_block fft_kernel interrupt cancel mode), \
                  $(wildcard spec/*_spec.lua))

# Of these make test-emulated leaves out what compiles most kernels for what others test, too, unless FULL is set.
EMULATED_SPECS = $(if $(FULL),$(DEVICE_SPECS),$(filter-out $(patsubst %,spec/%_spec.lua,special complex_math coverage gradient gradient_every gradient_sort gradient_fft gradient_linalg functional), $(DEVICE_SPECS)))

# A minute of them for make test.
SMOKE_SPECS := $(wildcard $(patsubst %,spec/%_spec.lua,autograd copy create device errors graph index kernel layouts map math norm random shape stream training view))

# The build of OpenBLAS with threads of its own takes the place of the linked one: it has to work, too.
PTHREAD_BLAS := $(wildcard /usr/lib/$(MULTIARCH)/openblas-pthread)
BLAS_SPECS   := $(wildcard $(patsubst %,spec/%_spec.lua,matmul linalg thread process environment))

# ---- hosts: C programs that open Lua states --------------------------------------------------

HOSTS := $(patsubst spec/support/hosts/%.c,build/spec/%,$(wildcard spec/support/hosts/*_host.c))

build/spec/%: spec/support/hosts/%.c spec/support/hosts/state.h
	@mkdir -p $(@D)
	$(call say,$<)$(CC) -std=gnu11 -O1 -g -Wall -Wextra -Wpedantic -isystem $(LUA_INCDIR) -o $@ $< $(LUA_LIBS) -pthread

# Another library in the process, for dlpack_spec.lua.
build/spec/dlpack_peer.so: spec/support/dlpack_peer.c
	@mkdir -p $(@D)
	$(call say,$<)$(CC) -std=gnu11 -O1 -g -fPIC $(LIBFLAG) -Wall -Wextra -Wpedantic -isystem $(LUA_INCDIR) -o $@ $<

# A kind of device that is added while the process runs, for second_device_spec.lua.
build/spec/second_device.so: spec/support/second_device.c src/base/device.h src/base/calls.h src/families.def
	@mkdir -p $(@D)
	$(call say,$<)$(CC) -std=gnu11 -O1 -g -fPIC $(LIBFLAG) -Wall -Wextra -Wpedantic -Isrc -isystem $(LUA_INCDIR) -o $@ $< -ldl

build/spec/plan_check: spec/support/plan_check.c src/gpu/plan.c src/base/dtype.c
	@mkdir -p $(@D)
	$(call say,$<)$(CC) -std=gnu11 -O1 -g -Wall -Wextra -Isrc -o $@ $^ -lm

LUA_LIBS ?= $(shell pkg-config --libs lua5.4 2>/dev/null || pkg-config --libs lua-5.4)

# ---- runs --------------------------------------------------------------------------------------

# A second make, because the first looked for the packages before they were installed.
.PHONY: test test-now test-tables test-sanitize test-gpu test-emulated test-nvrtc test-gcstress test-hosts
test: deps-test           ## all specs, and some of them again on an emulated GPU: minutes
	@$(MAKE) --no-print-directory -s build
	@$(MAKE) --no-print-directory test-now

# An emulated GPU whose cuBLAS is of no use: own kernels multiply.
NO_BLAS := $(BUILD)/spec/no-cublas

test-hosts: build $(HOSTS) build/spec/dlpack_peer.so build/spec/second_device.so build/spec/plan_check emulator $(NO_BLAS)/libcuda.so.1

# A file for each core: an emulated GPU computes and compiles on one.
JOBS := --jobs $(shell getconf _NPROCESSORS_ONLN)

# Compiled kernels stay on disk from run to run: their names say what they are made from.
EMULATED = LUATENSOR_CUDA_PATH=$(EMULATOR) LUATENSOR_CACHE=$(BUILD)/spec/kernels LUATENSOR_TEST_DEVICE=cuda
# Operations as late as they may run, threads from the last to the first, nothing beyond the end of a block.
LATE       = order=lazy,threads=reverse,guard=1
LATE_SPECS = $(wildcard $(patsubst %,spec/%_spec.lua,copy index memory))

test-now: test-hosts $(BUILD)/spec/limits
	@echo "ROTATION=$(ROTATION)"; spec/support/sum "$(RUN_SPECS) $(JOBS) LUATENSOR_CACHE=$(BUILD)/spec/kernels" "$(RUN_SPECS) $(JOBS) --label smoke $(EMULATED) $(SHARE) $(SMOKE_SPECS)"

test-tables: test-hosts   ## the kernels' specs on the CPU's baseline and AVX2 tables; products on OpenBLAS's own threads
	@echo "ROTATION=$(ROTATION)"; spec/support/sum "$(RUN_SPECS) $(JOBS) --label baseline LUATENSOR_CPU=baseline $(SHARE) $(KERNEL_SPECS)" \
	  "$(RUN_SPECS) $(JOBS) --label avx2 LUATENSOR_CPU=avx2 $(SHARE) $(KERNEL_SPECS)" \
	  $(if $(PTHREAD_BLAS),"$(RUN_SPECS) --label pthread-blas LD_LIBRARY_PATH=$(PTHREAD_BLAS) $(BLAS_SPECS)")

test-emulated: test-hosts $(BUILD)/spec/limits ## the specs on the emulated GPU; FULL=1: every spec and case
	@echo "ROTATION=$(ROTATION)"; spec/support/sum "$(RUN_SPECS) $(JOBS) --label emulated $(EMULATED) $(SHARE) $(EMULATED_SPECS)" \
	  "$(RUN_SPECS) --label two-gpus $(EMULATED) LUATENSOR_EMULATOR=devices=2 spec/devices_spec.lua spec/device_spec.lua" \
	  "$(RUN_SPECS) --label no-cublas $(EMULATED) LUATENSOR_CUDA_PATH=$(NO_BLAS) spec/matmul_spec.lua" \
	  "$(RUN_SPECS) --label no-cudnn $(EMULATED) LUATENSOR_CUDNN=off spec/conv_spec.lua spec/gpu_conv_spec.lua" \
	  "$(RUN_SPECS) $(JOBS) --label emulated-late $(EMULATED) LUATENSOR_EMULATOR=$(LATE) $(LATE_SPECS)"

# lua5.4 itself is not instrumented, so libasan is preloaded. The programs that dlpack's spec starts (the compiler)
# leak, and so would fail: it runs without a search for leaks. So does the emulator's.
SANITIZER = LD_PRELOAD=$(shell $(CC) -print-file-name=libasan.so) \
  ASAN_OPTIONS=detect_leaks=$(1):allocator_may_return_null=1:verify_asan_link_order=0 \
  LSAN_OPTIONS=suppressions=spec/support/lsan.supp:print_suppressions=0 UBSAN_OPTIONS=print_stacktrace=1

test-sanitize:            ## the specs under ASan and UBSan; FULL=1: every case
	@$(MAKE) --no-print-directory -s build emulator SANITIZE=address,undefined
	@$(MAKE) --no-print-directory -s $(HOSTS)
	@echo "ROTATION=$(ROTATION)"; export BUILD=build/sanitize; spec/support/sum \
	  "$(RUN_SPECS) $(JOBS) --label sanitize $(call SANITIZER,1) $(SHARE) $(SANITIZE_SPECS)" \
	  "$(RUN_SPECS) --label sanitize $(call SANITIZER,0) $(patsubst %,spec/%_spec.lua,dlpack emulator gpu_driver)" \
	  "$(RUN_SPECS) --label sanitize-emulated $(call SANITIZER,1) $(subst build/,build/sanitize/,$(EMULATED)) \
	    $(LATE_SPECS) $(patsubst %,spec/%_spec.lua,convert map view)"

test-gpu: build           ## the specs on a real GPU; where there is none, why
	@$(RUN_SPECS) --needs-gpu --label gpu LUATENSOR_TEST_DEVICE=cuda $(DEVICE_SPECS)

test-gcstress: build      ## specs with a full collection before every 7th tensor; FULL=1: before every one
	@echo "ROTATION=$(ROTATION)"; $(RUN_SPECS) $(JOBS) --label gcstress LUATENSOR_GCSTRESS=$(if $(FULL),1,7:$(ROTATION)) $(GCSTRESS_SPECS)

# ---- attacks that take minutes -------------------------------------------------------------------

# Hosts for ThreadSanitizer are instrumented themselves: it has to be there first.
TSAN_HOSTS := build/spec/thread/embed_host build/spec/thread/states_host
build/spec/thread/%: spec/support/hosts/%.c spec/support/hosts/state.h
	@mkdir -p $(@D)
	$(call say,$<)$(CC) -std=gnu11 -O1 -g -fsanitize=thread -isystem $(LUA_INCDIR) -o $@ $< $(LUA_LIBS) -pthread

.PHONY: torture test-all
torture: test-hosts       ## kills, failing allocators, raising hooks, threads under TSan, environments: minutes; TORTURE="words"
	@$(MAKE) --no-print-directory -s build SANITIZE=thread
	@$(MAKE) --no-print-directory -s $(TSAN_HOSTS)
	@tools/lua spec/support/torture/all.lua $(if $(TORTURE),"$(TORTURE)")

test-all:                 ## everything: the specs in all builds, every emulated one, the attacks; an hour or more
	@spec/support/sum "make test" "make test-tables FULL=1" "make test-emulated FULL=1" "make test-gcstress FULL=1" \
	  "make test-sanitize FULL=1" "make test-rock" \
	  "LUATENSOR_EXHAUSTIVE=1 $(RUN_SPECS) --label exhaustive spec/gradient_every_spec.lua" "make test-nvrtc" "make fuzz" \
	  "make torture" "make lint"

# ---- the emulated GPU ---------------------------------------------------------------------------

include spec/support/emulator/emulator.mk

$(NO_BLAS)/libcuda.so.1: $(EMULATOR)/libcuda.so.1 $(EMULATOR)/libnvrtc.so $(EMULATOR)/libcublas.so $(EMULATOR)/libcufft.so $(EMULATOR)/libcusolver.so $(EMULATOR)/libcudnn.so
	@EMULATOR=$(EMULATOR) spec/support/emulator/without $(NO_BLAS) cublasCreate_v2

# Measured once for all specs. A new libnvrtc.so empties the folder that they are in.
$(BUILD)/spec/limits: spec/support/measure_limits.lua $(EMULATOR)/libnvrtc.so | build emulator
	$(call say,$<)LUATENSOR_CUDA_PATH=$(EMULATOR) LUATENSOR_CACHE=$(BUILD)/spec/kernels tools/lua $< && touch $@

# ---- the real compiler --------------------------------------------------------------------------

# The specs on the emulated GPU with nothing on disk, then every unit that they compiled by NVRTC: that needs no GPU.
UNITS      := $(BUILD)/spec/nvrtc/units.txt
UNIT_ARCHS ?= 80 90 100
LIBNVRTC   ?= $(lastword $(wildcard $(foreach d,$(CUDA_HOME) /usr/local/cuda,$d/lib64/libnvrtc.so.12 $d/lib64/libnvrtc.so.13)))

build/spec/units: spec/support/units.c build
	@mkdir -p $(@D)
	$(call say,$<)$(CC) -std=gnu11 -O1 -g -Wall -Wextra -Isrc -o $@ $< $(BUILD)/obj/gpu/sources.o $(BUILD)/obj/embedded.o -ldl

test-nvrtc: test-hosts build/spec/units   ## every kernel of the specs through the real NVRTC, where a toolkit is installed
	@rm -rf $(dir $(UNITS)) && mkdir -p $(dir $(UNITS))
	@$(if $(LIBNVRTC),$(RUN_SPECS) $(JOBS) --label nvrtc $(EMULATED) LUATENSOR_CACHE=$(dir $(UNITS)) LUATENSOR_EMULATOR_UNITS=$(UNITS) \
	    LUATENSOR_EMULATOR=protect=0 $(DEVICE_SPECS) && build/spec/units $(LIBNVRTC) $(UNIT_ARCHS) < $(UNITS), \
	  echo "no libnvrtc here: 0 passed, 0 failed, 0 skipped")

# ---- fuzzing --------------------------------------------------------------------------------------

include spec/support/fuzz/fuzz.mk
