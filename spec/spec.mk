# Targets that test. Each ends with one line "N passed, N failed, N skipped" over all its runs.

RUN_SPECS := tools/lua spec/support/run.lua

# Run again on the other tables of kernels.
KERNEL_SPECS := $(wildcard $(patsubst %,spec/%_spec.lua,ops math map dtype reduce scan softmax random gemm matmul index))
# Not under a sanitizer: hosts that replace malloc, and what starts processes.
SANITIZE_SPECS := $(filter-out spec/process_spec.lua spec/fault_spec.lua,$(wildcard spec/*_spec.lua))
# What makes many small tensors; a full collection at each is slow.
GCSTRESS_SPECS := $(wildcard $(patsubst %,spec/%_spec.lua,dtype shape errors safety index manipulation create tensor reduce files))

# ---- hosts: C programs that open Lua states --------------------------------------------------

HOSTS := $(patsubst spec/support/hosts/%.c,build/spec/%,$(wildcard spec/support/hosts/*_host.c))

build/spec/%: spec/support/hosts/%.c
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -O1 -g -Wall -Wextra -Wpedantic -isystem $(LUA_INCDIR) -o $@ $< $(LUA_LIBS) -pthread

# Another library in the process, for dlpack_spec.lua.
build/spec/dlpack_peer.so: spec/support/dlpack_peer.c
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -O1 -g -fPIC $(LIBFLAG) -Wall -Wextra -Wpedantic -isystem $(LUA_INCDIR) -o $@ $<

LUA_LIBS ?= $(shell pkg-config --libs lua5.4 2>/dev/null || pkg-config --libs lua-5.4)

# ---- runs --------------------------------------------------------------------------------------

# A second make, because the first looked for the packages before they were installed.
.PHONY: test test-now test-sanitize test-gpu test-gcstress test-hosts
test: deps-test           ## all specs, and those of the kernels again on the baseline and AVX2 tables
	@$(MAKE) --no-print-directory -s build
	@$(MAKE) --no-print-directory test-now

test-hosts: build $(HOSTS) build/spec/dlpack_peer.so

test-now: test-hosts
	@spec/support/sum "$(RUN_SPECS)" \
	  "$(RUN_SPECS) --label baseline LUATENSOR_CPU=baseline $(KERNEL_SPECS)" \
	  "$(RUN_SPECS) --label avx2 LUATENSOR_CPU=avx2 $(KERNEL_SPECS)"

# What is not ours may leak: libasan counts leaks only in frames of the module (LSAN_OPTIONS), and lua5.4 itself
# is not instrumented. verify_asan_link_order=0: the module is loaded into a program without ASan.
ASAN_LIB := $(shell $(CC) -print-file-name=libasan.so)
SANITIZER_ENV := LD_PRELOAD=$(ASAN_LIB) BUILD=build/sanitize \
  ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1:max_allocation_size_mb=8192:verify_asan_link_order=0 \
  LSAN_OPTIONS=suppressions=spec/support/lsan.supp:print_suppressions=0 \
  UBSAN_OPTIONS=print_stacktrace=1

test-sanitize:            ## the specs under ASan and UBSan
	@$(MAKE) --no-print-directory -s build SANITIZE=address,undefined
	@BUILD=build/sanitize $(RUN_SPECS) --label sanitize $(filter-out BUILD=%,$(SANITIZER_ENV)) $(SANITIZE_SPECS)

test-gpu: build           ## the specs of what a device computes, on a real GPU
	@$(RUN_SPECS) --label gpu LUATENSOR_TEST_DEVICE=cuda $(KERNEL_SPECS)

test-gcstress: build      ## specs with a full collection at every tensor
	@$(RUN_SPECS) --label gcstress LUATENSOR_GCSTRESS=1 $(GCSTRESS_SPECS)
