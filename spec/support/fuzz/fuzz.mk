# Targets that fuzz every parser with inputs that are nearly valid: docs/internals/checks.md.

FUZZ_SECONDS ?= 60                       # seconds for all targets together
FUZZ_INPUTS  ?= 1000000000               # the largest number of inputs for each target
FUZZ_TARGETS ?=                          # default: all
FUZZ_SEED    ?= $(shell date +%s)        # CI uses a fixed seed, so that it cannot fail by chance

FUZZ       := build/fuzz
FUZZ_CLANG ?= clang
FUZZ_FLAGS := -std=gnu11 -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined \
              -Wall -Wextra -Isrc -Ispec/fuzz/targets $(ZLIB_CFLAGS)

# The source files with which each target of libFuzzer is linked, besides its own spec/fuzz/targets/NAME.c. libFuzzer
# needs clang and its runtime.
FUZZ_SOURCES_npy    := src/io/npy.c src/base/shape.c src/base/dtype.c
FUZZ_SOURCES_csv    := src/io/csv.c src/io/unpack.c src/base/system.c src/base/text.c spec/fuzz/targets/input.c
FUZZ_SOURCES_gzip   := src/io/unpack.c src/base/system.c spec/fuzz/targets/input.c
FUZZ_SOURCES_dlpack := src/io/dlpack_read.c src/base/shape.c src/base/dtype.c
FUZZ_SOURCES_text   := src/base/text.c
FUZZ_SOURCES_png    := src/io/png_read.c src/io/image.c src/base/cancel.c spec/fuzz/targets/images.c
FUZZ_SOURCES_netpbm := src/io/netpbm.c src/io/image.c src/base/cancel.c spec/fuzz/targets/images.c
FUZZ_SOURCES_jpeg   := src/io/jpeg.c src/io/image.c src/base/lock.c spec/fuzz/targets/images.c
FUZZ_PROBE = echo 'int LLVMFuzzerTestOneInput(const char *d, long n) { return 0 * (d[0] + n); }' | \
  $(FUZZ_CLANG) -x c -fsanitize=fuzzer,address - -o /dev/null 2>/dev/null

$(FUZZ)/%.fuzz: spec/fuzz/targets/%.c $(wildcard spec/fuzz/targets/input.* spec/fuzz/targets/images.* src/io/image.c src/io/png_read.c src/io/netpbm.c src/io/jpeg.c src/base/cancel.c src/base/lock.c src/*.h src/*/*.h src/io/csv.c src/io/npy.c src/io/unpack.c src/io/dlpack.c src/io/dlpack_read.c src/base/shape.c src/base/dtype.c src/base/system.c src/base/text.c)
	@mkdir -p $(@D)
	$(call say,$@)$(FUZZ_CLANG) $(FUZZ_FLAGS) -fsanitize=fuzzer -o $@ $< $(FUZZ_SOURCES_$*) $(ZLIB_LIBS) -lm

.PHONY: fuzz fuzz-targets
fuzz-targets:
	@if $(FUZZ_PROBE); then $(MAKE) --no-print-directory -s $(patsubst %,$(FUZZ)/%.fuzz,npy csv gzip dlpack text png netpbm jpeg); fi

fuzz:                     ## tests every parser with inputs that are nearly valid, under ASan; FUZZ_SECONDS=60 FUZZ_TARGETS="npy csv.fuzz"
	@$(MAKE) --no-print-directory -s build SANITIZE=address,undefined
	@$(MAKE) --no-print-directory -s fuzz-targets
	@mkdir -p $(FUZZ)
	@LOOP_ENVIRONMENT="BUILD=build/sanitize OMP_NUM_THREADS=1 LUATENSOR_MEMORY_LIMIT=256M $(call SANITIZER,1)" \
	  tools/lua spec/support/fuzz/run.lua $(FUZZ_SECONDS) $(FUZZ_INPUTS) $(FUZZ_SEED) $(FUZZ) $(FUZZ_TARGETS)
