# Inputs that are nearly right for every parser; docs/architecture.md, "Checks".

FUZZ_SECONDS ?= 60                       # over all targets
FUZZ_INPUTS  ?= 1000000000               # a target ends after so many
FUZZ_TARGETS ?=                          # all
FUZZ_SEED    ?= $(shell date +%s)        # CI takes one and the same: what landed before must not fail by chance

FUZZ       := build/fuzz
FUZZ_CLANG ?= clang
FUZZ_FLAGS := -std=gnu11 -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined \
              -Wall -Wextra -Isrc -Ispec/fuzz/targets $(ZLIB_CFLAGS)

# libFuzzer's targets, where clang and its runtime are there: their sources below src, and others of their own.
FUZZ_SOURCES_npy    := src/npy.c src/shape.c src/dtype.c
FUZZ_SOURCES_csv    := src/csv.c src/unpack.c src/system.c src/text.c spec/fuzz/targets/input.c
FUZZ_SOURCES_gzip   := src/unpack.c src/system.c spec/fuzz/targets/input.c
FUZZ_SOURCES_dlpack := src/dlpack_read.c src/shape.c src/dtype.c
FUZZ_PROBE = echo 'int LLVMFuzzerTestOneInput(const char *d, long n) { return 0 * (d[0] + n); }' | \
  $(FUZZ_CLANG) -x c -fsanitize=fuzzer,address - -o /dev/null 2>/dev/null

$(FUZZ)/%.fuzz: spec/fuzz/targets/%.c $(wildcard spec/fuzz/targets/input.* src/*.h src/csv.c src/npy.c src/unpack.c src/dlpack*.c src/shape.c src/dtype.c src/system.c src/text.c)
	@mkdir -p $(@D)
	$(call say,$@)$(FUZZ_CLANG) $(FUZZ_FLAGS) -fsanitize=fuzzer -o $@ $< $(FUZZ_SOURCES_$*) $(ZLIB_LIBS) -lm

.PHONY: fuzz fuzz-targets
fuzz-targets:
	@if $(FUZZ_PROBE); then $(MAKE) --no-print-directory -s $(patsubst %,$(FUZZ)/%.fuzz,npy csv gzip dlpack); fi

fuzz:                     ## inputs that are nearly right for every parser, under ASan; FUZZ_SECONDS=60 FUZZ_TARGETS="npy csv.fuzz"
	@$(MAKE) --no-print-directory -s build SANITIZE=address,undefined
	@$(MAKE) --no-print-directory -s fuzz-targets
	@mkdir -p $(FUZZ)
	@LOOP_ENVIRONMENT="BUILD=build/sanitize OMP_NUM_THREADS=1 $(call SANITIZER,1)" \
	  tools/lua spec/support/fuzz/run.lua $(FUZZ_SECONDS) $(FUZZ_INPUTS) $(FUZZ_SEED) $(FUZZ) $(FUZZ_TARGETS)
