# luatensor. `make help` lists the targets; `make build` needs gcc, the headers of Lua 5.4, OpenBLAS and zlib.

BUSTED ?= busted
PYTHON ?= python3
BUILD  ?= build

# After a build, the file $(BUILD)/settings contains all settings that the command line or the environment set. `make
# install` reads this file, so that `make install` does not compile the module again with other settings. A setting
# that is given to `make install` replaces the stored one. `make uninstall` reads the file, too.
SETTINGS := CC CFLAGS LDFLAGS LIBFLAG OPTIMISE OPTIMISE_KERNELS STRICT PKG_CONFIG SYSROOT LUA LUA_VERSION LUA_INCDIR OPENBLAS_DIR ZLIB_CFLAGS ZLIB_LIBS
ifneq ($(filter install uninstall,$(MAKECMDGOALS)),)
  -include $(BUILD)/settings
  $(foreach name,$(SETTINGS),$(if $(filter undefined default,$(origin $(name))),$(if $(filter file,$(origin LAST_$(name))),$(eval $(name) = $(LAST_$(name))))))
endif
# Quotes a text for the shell.
quoted = '$(subst ','\'',$(1))'
GIVEN := $(foreach name,$(SETTINGS),$(if $(filter-out undefined default,$(origin $(name))),$(call quoted,LAST_$(name) = $(subst $$,$$$$,$(value $(name))))))

# For another Lua, call make LUA_VERSION=5.5, or name the folder of its headers in LUA_INCDIR.
LUA_VERSIONS := 5.4 5.5
# The version of Lua in LUA_INCDIR/lua.h, such as 5.4. Nothing if there is no such file.
HEADER_VERSION = $(subst $() ,.,$(shell sed -n 's/^\#define[[:space:]]*LUA_VERSION_M[AJINO]*R[_N]*[[:space:]]*"\{0,1\}\([0-9][0-9]*\)"\{0,1\}$$/\1/p; \
  s/^\#define[[:space:]]*LUA_VERSION[[:space:]]*"Lua \([0-9.]*\)"$$/\1/p' $(LUA_INCDIR)/lua.h 2>/dev/null))
ifeq ($(origin LUA_VERSION),undefined)
  LUA_VERSION := $(or $(if $(LUA_INCDIR),$(HEADER_VERSION)),$(firstword $(LUA_VERSIONS)))
endif
LUA ?= lua$(LUA_VERSION)

# The folders into which `make install` installs. LuaRocks passes its own folders. A `$` in a given folder is part of
# its name.
FOLDERS := DESTDIR PREFIX INCDIR LUADIR LIBDIR BINDIR MANDIR
$(foreach name,$(FOLDERS),$(if $(filter command environment,$(origin $(name))),$(eval override $(name) := $$(value $(name)))))
PREFIX ?= /usr/local
INCDIR ?= $(PREFIX)/include
LUADIR ?= $(PREFIX)/share/lua/$(LUA_VERSION)
LIBDIR ?= $(PREFIX)/lib/lua/$(LUA_VERSION)
BINDIR ?= $(PREFIX)/bin
MANDIR ?= $(PREFIX)/share/man

# All cores are used unless the command line has -j.
ifeq ($(MAKELEVEL),0)
  MAKEFLAGS += -j$(shell getconf _NPROCESSORS_ONLN)
endif

# ---- this machine -----------------------------------------------------------------------------

# `$(CC) -dumpmachine` prints the system and the processor for which the compiler compiles. The names of a cross
# compiler and of its pkg-config have the same prefix: aarch64-linux-gnu-gcc and aarch64-linux-gnu-pkg-config.
TARGET := $(shell $(CC) -dumpmachine 2>/dev/null)
SYSTEM := $(if $(findstring darwin,$(TARGET:macos=darwin)),Darwin,$(shell uname -s))
CROSS  := $(filter %-gcc,$(notdir $(firstword $(CC))))
PKG_CONFIG ?= $(CROSS:gcc=)pkg-config
ARCH   := $(firstword $(subst -, ,$(TARGET)))

MULTIARCH := $(shell $(CC) -print-multiarch 2>/dev/null)

# With SYSROOT=folder, the compiler takes headers and libraries from this folder, not from the machine's own system
# (tools/debian_root fills such a folder). gcc searches some of the machine's folders before SYSROOT, so the flags name
# each folder below SYSROOT.
ifneq ($(SYSROOT),)
  SYSROOT_CFLAGS := --sysroot=$(SYSROOT) $(if $(CROSS),-isystem $(SYSROOT)/usr/include/$(MULTIARCH) -isystem $(SYSROOT)/usr/include)
  SYSROOT_LIBS   := --sysroot=$(SYSROOT) $(patsubst %,-B%/ -L%,$(SYSROOT)/usr/lib/$(MULTIARCH) $(SYSROOT)/lib/$(MULTIARCH))
  LUA_INCDIR ?= $(SYSROOT)/usr/include/lua$(LUA_VERSION)
endif

LUA_INCDIR ?= $(patsubst -I%,%,$(firstword $(shell \
  $(PKG_CONFIG) --cflags-only-I lua$(LUA_VERSION) 2>/dev/null || $(PKG_CONFIG) --cflags-only-I lua-$(LUA_VERSION) 2>/dev/null)))
LUA_HEADER := $(wildcard $(addsuffix /lua.h,$(LUA_INCDIR)))

# OpenBLAS's OpenMP build starts no threads of its own, because we call it on one thread. Debian's alternatives (and
# pkg-config) prefer the pthread build if both are installed, so the OpenMP build is taken from its own directory.
OPENBLAS_DIR ?= $(dir $(firstword $(wildcard \
  $(patsubst %,$(SYSROOT)/usr/lib/%/openblas-openmp/libopenblas.so,$(MULTIARCH)) $(SYSROOT)/usr/lib64/openblas-openmp/libopenblas.so)))
ifneq ($(OPENBLAS_DIR),)
  BLAS_CFLAGS := -isystem $(subst /usr/lib/,/usr/include/,$(OPENBLAS_DIR:/=))
  BLAS_LIBS   := -L$(OPENBLAS_DIR:/=) -Wl,-rpath,$(patsubst $(SYSROOT)%,%,$(OPENBLAS_DIR:/=)) -lopenblas
else ifeq ($(SYSTEM),Darwin)
  BLAS_CFLAGS := -DACCELERATE_NEW_LAPACK
  BLAS_LIBS   := -framework Accelerate
else
  BLAS_CFLAGS := $(patsubst -I%,-isystem %,$(shell $(PKG_CONFIG) --cflags openblas 2>/dev/null))
  BLAS_LIBS   := $(shell $(PKG_CONFIG) --libs openblas 2>/dev/null)
endif

# zlib reads gzip files, the usual format of data sets.
ZLIB_CFLAGS ?= $(patsubst -I%,-isystem %,$(shell $(PKG_CONFIG) --cflags zlib 2>/dev/null))
ZLIB_LIBS   ?= $(or $(shell $(PKG_CONFIG) --libs zlib 2>/dev/null),-lz)
ZLIB_HEADER := $(shell echo '\#include <zlib.h>' | $(CC) $(SYSROOT_CFLAGS) $(ZLIB_CFLAGS) -E -x c - >/dev/null 2>&1 && echo there)

comma := ,

OBJCOPY ?= $(CROSS:gcc=)objcopy

# With BUNDLE=1, `make install` copies the shared libraries into the module's folder, and the module searches this
# folder first. The linker stores this search path under the older tag DT_RPATH. The newer tag DT_RUNPATH would not
# apply to the dependencies of the copied libraries.
# The linker stores no build-id. The debug information names the folder of the checkout, so a build-id would depend on
# this folder.
ifneq ($(BUNDLE),)
  BLAS_LIBS := $(filter-out -Wl$(comma)-rpath%,$(BLAS_LIBS)) -Wl,--disable-new-dtags,-rpath,'$$ORIGIN' -Wl,--build-id=none
  STRIP ?= $(CROSS:gcc=)strip
  LIBRARY_DIRS = $(OPENBLAS_DIR:/=) $(foreach folder,/usr/lib/$(MULTIARCH) /lib/$(MULTIARCH) /usr/lib64,$(SYSROOT)$(folder))
endif

# ---- flags ------------------------------------------------------------------------------------

# -fwrapv makes integers wrap. -ffast-math is not used, because NaN and signed zeros are part of the results.
# gcc's -Wshadow also warns if a parameter has the name of a type; gcc's -Wshadow=local does not. clang has only
# -Wshadow, which does not warn of type names. Three warnings of clang are off: & and | of truth values (our code uses
# them to avoid branches), macros called without variable arguments, and loops that only gcc vectorises.
FOR_CLANG := -Wshadow -Wno-unknown-warning-option -Wno-bitwise-instead-of-logical -Wno-gnu-zero-variadic-macro-arguments -Wno-pass-failed
FOR_THIS  := $(if $(findstring clang,$(shell $(CC) --version 2>/dev/null)),$(FOR_CLANG),-Wshadow=local)
WARNINGS := -Wall -Wextra -Wpedantic $(FOR_THIS) -Wundef -Wvla -Wcast-qual -Wwrite-strings -Wpointer-arith \
            -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition -Wformat=2 \
            -Werror=implicit-function-declaration    # finds calls of functions that an old Lua's headers lack
OPTIMISE ?= -O2
OPTIMISE_KERNELS ?= -O3
CFLAGS   ?= -g1
# STRICT=1 turns warnings into errors, as in CI; `make lint STRICT=1` reuses the objects of `make STRICT=1`. No stack
# frame may exceed 32 KiB, a quarter of the stack of threads in some hosts and in musl (128 KiB).
ifneq ($(STRICT),)
  CFLAGS += -Werror -Wframe-larger-than=32768
endif
ALL_CFLAGS = -std=gnu11 $(OPTIMISE) -fwrapv -fno-math-errno -fno-trapping-math -ffp-contract=off \
             -fPIC -fvisibility=hidden -pthread -fopenmp-simd $(WARNINGS) -Isrc $(SYSROOT_CFLAGS) $(BLAS_CFLAGS) $(ZLIB_CFLAGS) $(CFLAGS)
LUA_CFLAGS = -isystem $(LUA_INCDIR)

# -z nodelete keeps the code in memory after lua_close, because our threads still wait in it.
ifeq ($(SYSTEM),Darwin)
  LIBFLAG ?= -bundle -undefined dynamic_lookup
else
  LIBFLAG ?= -shared
  LINK    := -Wl,-z,nodelete
  DLOPEN  := -ldl -lpthread
endif

# SANITIZE=address,undefined and SANITIZE=thread build into directories of their own.
ifneq ($(SANITIZE),)
  BUILD    := $(if $(filter thread,$(SANITIZE)),build/sanitize-thread,build/sanitize)
  OPTIMISE := -O1
  OPTIMISE_KERNELS := -O1
  CFLAGS   := -g1 -fno-omit-frame-pointer -fsanitize=$(SANITIZE) -fno-sanitize-recover=undefined
  LDFLAGS  += -fsanitize=$(SANITIZE)
  # `make fuzz` records which basic blocks an input reaches. Kernels are not instrumented, because their blocks do not
  # depend on parsing.
  TRACE    := -fsanitize-coverage=trace-pc
endif

# Kernels are compiled once for each instruction set; isa.c picks one when the module is loaded. A build with
# SANITIZE=address,undefined compiles the AVX-512 kernels only with FULL=1: their loops are the same as the AVX2
# kernels', and sanitized kernels take long to compile.
ifeq ($(ARCH)-$(filter thread,$(SANITIZE)),x86_64-)
  ISAS := base avx2 $(if $(SANITIZE),$(FULL:%=avx512),avx512)
else
  ISAS := base
endif
# On a processor with AVX2, only specs that ask for the baseline kernels run these, so a sanitized build compiles them
# without a sanitizer, which takes a tenth of the time, unless FULL=1.
FLAGS_base   := $(if $(and $(SANITIZE),$(filter avx2,$(ISAS))),$(if $(FULL),,$(shell grep -qw avx2 /proc/cpuinfo && echo -O0 -g0 -fno-sanitize=all)))
FLAGS_avx2   := -mavx2 -mfma -mf16c
FLAGS_avx512 := $(FLAGS_avx2) -mavx512f -mavx512dq -mavx512bw -mavx512vl -mprefer-vector-width=512

# ---- build ------------------------------------------------------------------------------------

# Prints one short line for each file. V=1 prints the commands instead, and -s prints nothing.
ifeq ($(V)$(findstring s,$(firstword -$(MAKEFLAGS))),)
  say = @echo "  $(1)";
else ifeq ($(V),)
  say = @
endif

MODULE  := $(BUILD)/$(if $(BUNDLE),bundle/)luatensor/core.so
KERNELS := $(sort $(shell find src/cpu/kernels -name '*.c'))
SOURCES := $(sort $(filter-out $(KERNELS),$(shell find src -name '*.c')))

# Only these sources include Lua's headers (make lint checks it). All other objects are the same for every Lua, so
# `make test-lua` takes them from PARTS.
PARTS   ?= $(BUILD)
KNOW_LUA := src/core.c $(filter src/lua/% src/autograd/%,$(SOURCES))
LUA_OBJECTS := $(KNOW_LUA:src/%.c=$(BUILD)/obj/%.o)
OBJECTS := $(LUA_OBJECTS) $(patsubst src/%.c,$(PARTS)/obj/%.o,$(filter-out $(KNOW_LUA),$(SOURCES))) \
           $(foreach isa,$(ISAS),$(KERNELS:src/%.c=$(PARTS)/obj/%.$(isa).o)) $(PARTS)/obj/embedded.o \
           $(if $(TRACE),$(PARTS)/obj/edges.o)

# Device code, and the code that it shares with the CPU, are embedded as text in the module and compiled when they are
# needed.
EMBEDDED := $(sort $(shell find src/gpu/kernels src/math -name '*.cuh' -o -name '*.h')) src/ops.def src/update.def src/base/dtype.h src/base/random.h

.DEFAULT_GOAL := build
.DELETE_ON_ERROR:
.SUFFIXES:

.PHONY: build
build: $(MODULE)          ## builds the module: build/luatensor/core.so
	@printf '%s\n' $(GIVEN) | cmp -s - $(BUILD)/settings || printf '%s\n' $(GIVEN) > $(BUILD)/settings

$(MODULE): $(OBJECTS)
	@mkdir -p $(@D)
	$(call say,$@)$(CC) $(LIBFLAG) -o $@ $(OBJECTS) -pthread $(SYSROOT_LIBS) $(BLAS_LIBS) $(ZLIB_LIBS) -lm $(DLOPEN) $(LINK) $(LDFLAGS)

# The static library is for hosts that link everything into one program (docs/embedding.md). It contains one object, in
# which our hidden symbols are local, because a function such as `raise` would replace the host's function of this name.
STATIC := $(BUILD)/libluatensor.a
.PHONY: static
static: $(STATIC)  ## builds a static library: build/libluatensor.a
$(STATIC): $(OBJECTS) $(PARTS)/flags $(MODULE).flags
	$(call say,$@)rm -f $@ && $(CC) -r -nostdlib -o $(@:.a=.o) $(OBJECTS) \
	  $(if $(filter Darwin,$(SYSTEM)),,&& $(OBJCOPY) --localize-hidden $(@:.a=.o)) && $(AR) rcs $@ $(@:.a=.o)

# Prints the names of the build's object files, for tools/compile_others.
.PHONY: list-objects
list-objects: ; @printf '%s\n' $(OBJECTS)

define KERNEL_RULE
$(PARTS)/obj/cpu/kernels/%.$(1).o: src/cpu/kernels/%.c $(PARTS)/flags | found
	@mkdir -p $$(@D)
	$$(call say,$$< ($(1)))$$(CC) $$(ALL_CFLAGS) $$(OPTIMISE_KERNELS) $$(FLAGS_$(1)) $$(KERNEL_FLAGS_$$(notdir $$*)) -DISA=$(1) -MMD -MP -c -o $$@ $$<
endef
$(foreach isa,$(ISAS),$(eval $(call KERNEL_RULE,$(isa))))

# The loops of cheap operations such as x + y are so short that without unrolling 15 % of their time is spent on counting.
KERNEL_FLAGS_map := -funroll-loops

# These kernels may contract a * b + c to one FMA: the loops that measure the machine's limit, and Fourier transforms,
# convolutions, normalisation and linear algebra, whose rounding is not specified anyway.
KERNEL_FLAGS_limits := -ffp-contract=fast
KERNEL_FLAGS_fft_float32 := -ffp-contract=fast
KERNEL_FLAGS_fft_float64 := -ffp-contract=fast
KERNEL_FLAGS_conv_float32 := -ffp-contract=fast
KERNEL_FLAGS_conv_float64 := -ffp-contract=fast
KERNEL_FLAGS_norm_float32 := -ffp-contract=fast
KERNEL_FLAGS_norm_float64 := -ffp-contract=fast
KERNEL_FLAGS_triangle_float32 := -ffp-contract=fast
KERNEL_FLAGS_triangle_float64 := -ffp-contract=fast
KERNEL_FLAGS_half_gemv := -ffp-contract=fast
KERNEL_FLAGS_matvec_float32 := -ffp-contract=fast
KERNEL_FLAGS_matvec_float64 := -ffp-contract=fast

# Zen 4 converts floats to doubles twice as fast with 256-bit vectors as with 512-bit vectors.
ifeq ($(ARCH),x86_64)
  KERNEL_FLAGS_reduce := -mprefer-vector-width=256
endif

COMPILE = $(CC) $(ALL_CFLAGS) $(INCLUDES) $(TRACE) $(ISAS:%=-DLT_HAS_%) -MMD -MP -c -o $@ $<
$(LUA_OBJECTS): $(BUILD)/obj/%.o: src/%.c $(BUILD)/flags-lua $(PARTS)/flags | found
	@mkdir -p $(@D)
	$(call say,$<)$(COMPILE) $(LUA_CFLAGS)

# Only the functions for host programs, in src/lua/host, include the installed header.
$(BUILD)/obj/lua/host/%.o: INCLUDES := -Iinclude

# The module stores the version of the Lua files for which it was built; base/requirements.lua compares the two.
$(BUILD)/obj/core.o src/core.c.clang: INCLUDES = -DLT_VERSION='"$(shell tools/version)"'
$(BUILD)/obj/core.o: lua/luatensor/base/version.lua

$(PARTS)/obj/%.o: src/%.c $(PARTS)/flags | found
	@mkdir -p $(@D)
	$(call say,$<)$(COMPILE)

$(PARTS)/obj/edges.o: spec/support/fuzz/edges.c $(PARTS)/flags $(BUILD)/flags-lua
	@mkdir -p $(@D)
	$(call say,$<)$(CC) $(ALL_CFLAGS) $(LUA_CFLAGS) -fno-sanitize=all -c -o $@ $<

# Writes each embedded file as one string literal, which has one line for each line of the file. Backslashes, quotes
# and trigraphs are escaped.
$(PARTS)/embedded.c: $(EMBEDDED) $(PARTS)/embedded
	@mkdir -p $(@D)
	$(call say,$@){ echo '#include "gpu/sources.h"'; echo 'const embedded embedded_sources[] = {'; \
	  for file in $(EMBEDDED:src/%=%); do echo "{\"$$file\","; \
	    sed -e 's/[\\"]/\\&/g' -e 's/??/?\\?/g' -e 's/^/"/' -e 's/$$/\\n"/' src/$$file; echo '},'; done; \
	  echo '{0, 0}};'; } > $@

$(PARTS)/obj/embedded.o: $(PARTS)/embedded.c src/gpu/sources.h
	@mkdir -p $(@D)
	$(call say,$@)$(CC) $(ALL_CFLAGS) -Wno-overlength-strings -c -o $@ $<

-include $(OBJECTS:.o=.d)

# REMEMBER writes quoted lines to a file, but only if they differ from the lines of the file. If the flags change, every
# object but embedded.o is compiled again. If the flags or the list of objects change, the module is linked again. If the
# list of embedded files changes, the device code is embedded again.
define REMEMBER
	@mkdir -p $(@D)
	@printf '%s\n' $(1) | cmp -s - $@ || printf '%s\n' $(1) > $@
endef
$(PARTS)/flags: force
	$(call REMEMBER,$(call quoted,$(CC) $(ALL_CFLAGS) $(foreach isa,$(ISAS),$(FLAGS_$(isa)))))
$(PARTS)/embedded: force
	$(call REMEMBER,$(call quoted,$(EMBEDDED)))
$(BUILD)/flags-lua: force
	$(call REMEMBER,$(call quoted,$(LUA_CFLAGS)))
$(MODULE).flags: force
	$(call REMEMBER,$(call quoted,$(SYSROOT_LIBS) $(BLAS_LIBS) $(ZLIB_LIBS) $(LINK) $(LDFLAGS) $(OBJECTS)))
$(MODULE): $(PARTS)/flags $(MODULE).flags

.PHONY: force found
force:

found:
	@command -v $(firstword $(CC)) >/dev/null || { echo "luatensor: no $(CC): install gcc (make deps does)" >&2; exit 1; }
	@test -n "$(filter $(LUA_VERSIONS),$(LUA_VERSION))" || { echo "luatensor: Lua $(LUA_VERSION) is not supported: set LUA_VERSION to $(subst $() , or ,$(LUA_VERSIONS))" >&2; exit 1; }
	@test -n "$(LUA_HEADER)" || { echo "luatensor: no lua.h of Lua $(LUA_VERSION)$(if $(LUA_INCDIR), in $(LUA_INCDIR)): install liblua$(LUA_VERSION)-dev$(if $(filter 5.4,$(LUA_VERSION)), (make deps does)), or name the folder of lua.h (LUA_INCDIR=…)" >&2; exit 1; }
	@test "$(or $(HEADER_VERSION),$(LUA_VERSION))" = "$(LUA_VERSION)" || { echo "luatensor: $(LUA_HEADER) is of Lua $(HEADER_VERSION), not $(LUA_VERSION): correct LUA_VERSION or LUA_INCDIR" >&2; exit 1; }
	@test -n "$(or $(if $(OPENBLAS_DIR),,none),$(wildcard $(addprefix $(OPENBLAS_DIR:/=)/libopenblas.,so a dylib)))" || { echo "luatensor: no libopenblas in $(OPENBLAS_DIR): name the folder of libopenblas.so (OPENBLAS_DIR=…), or leave OPENBLAS_DIR out" >&2; exit 1; }
	@test -n "$(BLAS_LIBS)" || { echo "luatensor: no OpenBLAS: install libopenblas-openmp-dev (make deps does)" >&2; exit 1; }
	@test -n "$(ZLIB_HEADER)" || { echo "luatensor: no zlib.h: install zlib1g-dev (make deps does)" >&2; exit 1; }

# ---- packages ---------------------------------------------------------------------------------

.PHONY: deps deps-build deps-run deps-test deps-doc
deps: deps-test           ## installs the missing packages that build, demo and test need
deps-build: ; @tools/deps build
deps-run:   ; @tools/deps build run
deps-test:  ; @tools/deps build run test
deps-doc:   ; @tools/deps build run doc

# ---- use --------------------------------------------------------------------------------------

# Runs make again, because the first make searched for packages before they were installed.
.PHONY: demo bench bench-distributed sweep deps-peers deps-pjrt jupyter
demo: deps-run            ## builds and runs every experiment at full size; DEMO="--iterations 2" for a quick look
	@$(MAKE) --no-print-directory build
	@tools/lua examples/demo.lua $(DEMO)

bench: build              ## prints the performance table; BENCH="--rows add --json file", DEVICE=cuda, PYTHON=a Python with torch and numpy
	@PYTHON="$(PYTHON)" tools/lua bench/bench.lua $(if $(DEVICE),--device $(DEVICE)) $(BENCH)

bench-distributed: build  ## compares all_sum of two processes with MPI_Allreduce and gloo; PYTHON=a Python with torch, MPIRUN=, MPICC=
	@PYTHON="$(PYTHON)" MPIRUN="$(MPIRUN)" MPICC="$(MPICC)" tools/lua bench/all_reduce.lua $(BENCH)

sweep: build              ## times every op, dtype, size and layout beside PyTorch and draws a heat map; SWEEP="--sample 200", PYTHON=a Python with torch
	@PYTHON="$(PYTHON)" tools/lua bench/sweep.lua $(SWEEP)

PEERS ?= $(HOME)/.cache/luatensor/peers
deps-peers:               ## installs PyTorch and NumPy into a virtual environment outside of the repository: PEERS=folder
	@tools/deps peers
	@test -x "$(PEERS)/bin/python" || python3 -m venv "$(PEERS)"
	@"$(PEERS)/bin/pip" install --quiet torch numpy
	@echo "PYTHON=$(PEERS)/bin/python"

PJRT ?= $(HOME)/.cache/luatensor/pjrt
deps-pjrt:                ## installs plugins of PJRT for the CPU into a virtual environment outside of the repository: PJRT=folder
	@tools/deps peers
	@test -x "$(PJRT)/bin/python" || python3 -m venv "$(PJRT)"
	@"$(PJRT)/bin/pip" install --quiet --no-deps --only-binary :all: --require-hashes -r tools/pjrt.txt
	@ls $(PJRT_PLUGINS)

JUPYTER ?= $(HOME)/.cache/luatensor/jupyter
jupyter: deps-run         ## builds, and installs JupyterLab and the kernel for Lua outside of the repository: JUPYTER=folder
	@$(MAKE) --no-print-directory build
	@tools/deps jupyter
	@test -x "$(JUPYTER)/bin/pip" || python3 -m venv "$(JUPYTER)"
	@"$(JUPYTER)/bin/pip" install --quiet jupyterlab nbconvert ./jupyter
	@echo "$(JUPYTER)/bin/jupyter lab --notebook-dir . examples/notebook.ipynb"

# A file for a machine with a GPU, but without a network, compiler or Lua (docs/borrow-a-gpu.md). READY names a folder of
# compiled kernels for this GPU.
.PHONY: gpu-bundle gpu-bundle-now
gpu-bundle: deps-test     ## packs all that tools/gpu_day needs on a borrowed GPU: build/luatensor-gpu.tar.gz
	@$(MAKE) --no-print-directory -s gpu-bundle-now BUNDLE=1
gpu-bundle-now: build
	@MODULE=$(MODULE) LIBRARY_DIRS="$(LIBRARY_DIRS)" STRIP=$(STRIP) tools/gpu_bundle $(BUILD)/luatensor-gpu.tar.gz $(READY)

# The commands below read the folders from environment variables, so that the shell does not interpret quotes, spaces
# and `$` in a folder's name.
install uninstall: export libdir := $(DESTDIR)$(LIBDIR)
install uninstall: export luadir := $(DESTDIR)$(LUADIR)
install uninstall: export bindir := $(DESTDIR)$(BINDIR)
install uninstall: export incdir := $(DESTDIR)$(INCDIR)
install uninstall: export mandir := $(DESTDIR)$(MANDIR)

# The files that are installed below LUADIR: paths in lua/, and paths of the checkout that are installed into luatensor/.
LUA_FILES  = $(shell cd lua && find luatensor -name '*.lua' -o -path '*/data/digits/*' -type f)
MORE_FILES = $(wildcard examples/*.lua library/*.lua library/luatensor/*.lua)
.PHONY: install
install: build            ## installs into PREFIX (/usr/local)
	@tools/room "$$libdir" "$$luadir" "$$bindir" "$$incdir" "$$mandir" -- $(MODULE) lua library examples $(if $(BUNDLE),$(OPENBLAS_DIR))
	install -d "$$libdir/luatensor" "$$luadir" "$$bindir"
	install -m 755 $(if $(BUNDLE),-s --strip-program=$(STRIP)) $(MODULE) "$$libdir/luatensor/core.so"
	$(if $(BUNDLE),SYSROOT="$(SYSROOT)" STRIP=$(STRIP) tools/bundle $(MODULE) "$$libdir/luatensor" "$$luadir/luatensor/licences" $(LIBRARY_DIRS))
	install -D -m 644 include/luatensor.h "$$incdir/luatensor.h"
	@for file in $(LUA_FILES); do install -D -m 644 "lua/$$file" "$$luadir/$$file" || exit; done
	@for file in $(MORE_FILES); do install -D -m 644 "$$file" "$$luadir/luatensor/$$file" || exit; done
	install -D -m 644 bin/luatensor.1 "$$mandir/man1/luatensor.1"
	sed '1s|lua5.4|$(LUA)|' bin/luatensor > "$$bindir/luatensor"
	chmod 755 "$$bindir/luatensor"

# Removes the folders luatensor and their subfolders only if these are empty.
.PHONY: uninstall
uninstall:                ## removes the files of `make install`; needs the same PREFIX, DESTDIR, LIBDIR …
	rm -f "$$libdir/luatensor/core.so" "$$bindir/luatensor" "$$incdir/luatensor.h" "$$mandir/man1/luatensor.1"
	$(if $(BUNDLE),rm -rf "$$libdir"/luatensor/lib*.so.* "$$luadir/luatensor/licences")
	@for file in $(LUA_FILES) $(MORE_FILES:%=luatensor/%); do rm -f "$$luadir/$$file"; done
	@for folder in "$$libdir/luatensor" "$$luadir/luatensor"; do [ ! -d "$$folder" ] || find "$$folder" -depth -type d -empty -delete; done

# ---- release: docs/releasing.md -----------------------------------------------------------------

DIST := build/dist

# The rocks' architectures, such as "x86_64 aarch64". `make rock-root` downloads an old Debian's libraries, with which
# `make rocks` compiles and links, so that the rocks also work on old systems. Without this download, `make rocks`
# takes the libraries of this system.
CACHE     := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)
ROCK_ARCH ?= $(shell uname -m)
ROCK_ROOT ?= $(CACHE)/luatensor-rock
export ROCK_ARCH ROCK_ROOT

.PHONY: dist rocks rock-root man
man: build                ## writes the man page bin/luatensor.1 from the command's own --help
	@tools/lua tools/man.lua >bin/luatensor.1

dist:                     ## makes the source archive of a commit and its rockspec, in build/dist; COMMIT=v1.0
	@tools/dist $(DIST) $(COMMIT)

rock-root:                ## downloads the libraries of Debian 11 for `make rocks`; ROCK_ARCH="x86_64 aarch64"
	@$(if $(filter-out $(shell uname -m),$(ROCK_ARCH)),tools/deps arm64)
	@for arch in $(ROCK_ARCH); do tools/debian_root $(ROCK_ROOT)/$$arch $$arch bullseye libc6-dev linux-libc-dev; done

rocks:                    ## makes the source rock, and a rock that needs no compiler and no OpenBLAS, in build/dist; COMMIT=v1.0
	@tools/rocks $(DIST) $(COMMIT)

# ---- check ------------------------------------------------------------------------------------

-include spec/spec.mk

.PHONY: test-rock test-install test-empty-machine
test-install: build       ## installs into an empty folder and a Debian package, and uses both there
	@tools/test_install

test-rock:                ## installs the module with LuaRocks into empty trees and uses it there
	@tools/test_rock

# The releases of Debian on which `make test-empty-machine` tests: bullseye has Lua 5.4.2, bookworm has 5.4.4.
MACHINES ?= bullseye bookworm
test-empty-machine:       ## tests the rock of `make rocks` on systems with only Lua and LuaRocks; MACHINES=bookworm
	@for suite in $(MACHINES); do \
	  tools/test_empty_machine $(DIST)/luatensor-$(shell tools/version)-1.linux-$(firstword $(ROCK_ARCH)).rock $(CACHE)/luatensor-machines $$suite || exit 1; done

# Compares our declarations of CUDA's libraries with the headers of the CUDA toolkit, if it is installed, and with the
# functions that the libraries export. Compares our declarations of HIP with AMD's headers, if they are installed.
CUDA_INCDIR ?= $(patsubst %/cuda.h,%,$(firstword $(wildcard $(CUDA_HOME)/include/cuda.h /usr/local/cuda/include/cuda.h \
  /usr/include/cuda.h)))
# The headers of ROCm 5 declare AMD's functions as the emulated libamdhip64.so defines them.
HIP_INCDIR ?= $(shell grep -ls 'HIP_VERSION_MAJOR 5' /opt/rocm/include/hip/hip_version.h /usr/include/hip/hip_version.h | \
  head -1 | sed 's,/hip/hip_version.h,,')
CUDA_LIBS ?= $(wildcard $(patsubst %,$(CUDA_INCDIR:/include=)/lib64/%.so,stubs/libcuda libnvrtc libcublas libcufft libcusolver libcudnn))
LINT_HIP = g++ -std=c++17 -DLT_CHECK_HIP -idirafter $(HIP_INCDIR) -Wall -Wextra -Wno-enum-compare -Werror -fsyntax-only
lint-driver:
	@$(if $(CUDA_INCDIR),$(CC) -std=gnu11 -Isrc -isystem $(CUDA_INCDIR) -Wall -Wextra -Werror -fsyntax-only tools/lint_driver.c)
	@$(if $(CUDA_LIBS),mkdir -p build && $(CC) -std=gnu11 -Isrc -Wall -Wextra -Werror -o build/lint_symbols tools/lint_symbols.c \
	  -ldl && build/lint_symbols $(CUDA_LIBS))
	@$(if $(HIP_INCDIR),$(LINT_HIP) spec/support/emulator/hip.cpp)
	@for header in rocblas/rocblas.h hipfft/hipfftXt.h rocsolver/rocsolver.h miopen/miopen.h; do \
	  name=$${header%%/*}; \
	  if test ! -e "$(HIP_INCDIR)/$$header"; then echo "lint-driver: skipped $$name.cpp: $$header is not installed"; \
	  elif test $$name = miopen && ! grep -q 'const int. dimsA' "$(HIP_INCDIR)/$$header"; then \
	    echo "lint-driver: skipped $$name.cpp: $$header is older than ROCm 5.6"; \
	  else $(LINT_HIP) spec/support/emulator/$$name.cpp || exit 1; fi; done

.PHONY: lint lint-gcc lint-clang lint-lua lint-layers lint-structure lint-prose lint-driver
lint: lint-gcc lint-clang lint-lua lint-layers lint-structure lint-prose lint-driver   ## checks the code: warnings of gcc and clang as errors, luacheck, layering rules, structure, prose

lint-gcc:
	@$(MAKE) --no-print-directory -s build CC=gcc STRICT=1 BUILD=$(if $(STRICT),build,build/lint-gcc)

# clang checks the code without compiling it (-fsyntax-only).
LINT_CLANG = clang $(filter-out -Wshadow=local,$(ALL_CFLAGS)) $(LUA_CFLAGS) $(FOR_CLANG) -Werror -fsyntax-only
lint-clang: $(SOURCES:%=%.clang) $(foreach isa,$(ISAS),$(KERNELS:%=%.$(isa).clang))
$(SOURCES:%=%.clang): %.clang: ; @$(LINT_CLANG) -Iinclude $(INCLUDES) $(ISAS:%=-DLT_HAS_%) $*
define LINT_RULE
$(KERNELS:%=%.$(1).clang): %.$(1).clang: ; @$$(LINT_CLANG) $$(FLAGS_$(1)) -DISA=$(1) $$*
endef
$(foreach isa,$(ISAS),$(eval $(call LINT_RULE,$(isa))))

lint-lua:
	@luacheck -q --no-color $(wildcard lua spec examples bench tools) bin/luatensor

lint-layers:
	@tools/lint_layers

lint-structure: build
	@$(LUA) tools/lint_structure.lua

lint-prose:
	@$(LUA) tools/lint_prose.lua
	@$(LUA) tools/lint_pages.lua

# ---- documentation ----------------------------------------------------------------------------

.PHONY: doc plots annotations coverage
doc: deps-doc             ## builds the site in doc/ from the pages of docs/ and the reference; installs Sphinx if it is missing
	@$(MAKE) --no-print-directory build
	@rm -rf build/site && mkdir -p build/site && cp -r docs/. build/site
	@tools/lua tools/annotate.lua --reference build/site/reference/
	@sphinx-build -q -n -W --keep-going -E -b html build/site doc

plots: build              ## draws the pictures of docs/plotting.md from its code
	@tools/lua tools/plots.lua

annotations: build        ## writes library/, which editors and lt.help read
	@tools/lua tools/annotate.lua

coverage: build emulator  ## writes docs/coverage.md: which functions work for which dtypes on which devices, found out by calls; LUATENSOR_PJRT_XLA=plugin
	@LUATENSOR_CUDA_PATH=$(EMULATOR) LUATENSOR_CACHE=$(BUILD)/spec/kernels tools/lua tools/coverage.lua

.PHONY: clean help
clean:                    ## removes what was built
	rm -rf build doc

help:
	@sed -n 's/^\([a-z-]*\):[^#]*## /\1	/p' $(MAKEFILE_LIST) | expand -t 16
