# luatensor: make, make test, make demo. See README.md.

CC       ?= gcc
LUA_PC   ?= $(firstword $(foreach p,lua5.4 lua-5.4 lua54 lua,$(shell pkg-config --exists $(p) && echo $(p))))
BLAS_DIR := $(firstword $(wildcard /usr/lib/*/openblas-openmp))
PC        = PKG_CONFIG_PATH=$(BLAS_DIR)/pkgconfig:$$PKG_CONFIG_PATH pkg-config
B        ?= build

WARN   := -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition \
          -Wpointer-arith -Wwrite-strings -Wundef -Wvla
CFLAGS += -std=gnu11 -O2 -g -fPIC -fopenmp -fwrapv -fno-math-errno -fvisibility=hidden $(WARN)
CFLAGS += $(shell pkg-config --cflags $(LUA_PC)) $(shell $(PC) --cflags openblas)
LIBS   += $(shell $(PC) --libs openblas) -Wl,-rpath,$(BLAS_DIR) -fopenmp -lm -Wl,-z,nodelete

KERNEL_FLAGS := -O3 -fno-trapping-math -ffp-contract=off
ISA_base     :=
ISA_avx2     := -mavx2 -mfma -mf16c
ISA_avx512   := -mavx2 -mfma -mf16c -mavx512f -mavx512bw -mavx512dq -mavx512vl -mprefer-vector-width=512
ISAS         := base
ifneq (,$(filter x86_64%,$(shell $(CC) -dumpmachine)))
ISAS   += avx2 avx512
CFLAGS += -DLT_X86_ISAS
endif

SRC     := $(wildcard src/*.c src/cpu/*.c)
KERNELS := $(wildcard src/cpu/kernels/*.c)
OBJ     := $(SRC:src/%.c=$(B)/obj/%.o) $(foreach i,$(ISAS),$(KERNELS:src/%.c=$(B)/obj/%_$(i).o))
CORE    := $(B)/luatensor/core.so

build: $(CORE)

$(CORE): $(OBJ)
	@mkdir -p $(@D)
	$(CC) -shared -o $@ $^ $(LDFLAGS) $(LIBS)

define isa_rule
$(B)/obj/%_$(1).o: src/%.c
	@mkdir -p $$(@D)
	$$(CC) $$(CFLAGS) $$(KERNEL_FLAGS) $$(ISA_$(1)) -DISA=$(1) -MMD -c $$< -o $$@
endef
$(foreach i,$(ISAS),$(eval $(call isa_rule,$(i))))

$(B)/obj/%.o: src/%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -MMD -c $< -o $@

-include $(OBJ:.o=.d)

clean:
	rm -rf $(B) doc

.PHONY: build clean
