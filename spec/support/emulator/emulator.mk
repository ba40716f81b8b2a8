# The emulated GPU: libraries that replace NVIDIA's driver, NVRTC, cuBLAS, cuFFT, cuSOLVER and cuDNN
# (docs/emulator.md).

EMULATOR     := $(BUILD)/spec/emulator
EMULATOR_SRC := spec/support/emulator
EMULATOR_CXX := g++ -std=c++17 -O2 -g -fPIC -fvisibility=hidden -ffp-contract=off -Wall -Wextra \
                $(if $(SANITIZE),-fsanitize=address -fno-omit-frame-pointer)
EMULATOR_LINK = -shared -Wl,-z,nodelete -Wl,-rpath,'$$ORIGIN' -Wl,-soname,$(@F)

EMULATOR_DRIVER := $(patsubst %,$(EMULATOR)/obj/%.o,device settings memory copy stream graph module execute fiber)
SIMT_HEADERS    := $(patsubst %,$(EMULATOR)/%.h,simt simt_abi simt_math simt_unit)

.PHONY: emulator
emulator: $(EMULATOR)/libcuda.so.1 $(EMULATOR)/libnvrtc.so $(EMULATOR)/libcublas.so $(EMULATOR)/libcufft.so \
          $(EMULATOR)/libcusolver.so $(EMULATOR)/libcudnn.so $(EMULATOR)/emulator.so   ## builds the emulated GPU in build/spec/emulator

$(EMULATOR)/obj/%.o: $(EMULATOR_SRC)/%.cpp
	@mkdir -p $(@D)
	$(call say,$<)$(EMULATOR_CXX) -MMD -MP -c -o $@ $<

$(EMULATOR)/libcuda.so.1: $(EMULATOR_DRIVER)
	$(call say,$@)$(EMULATOR_CXX) $(EMULATOR_LINK) -o $@ $^ -ldl -pthread

# libnvrtc.so includes the headers in its folder into every kernel. If a header has changed, the cached kernels,
# which were compiled with the old header, are removed.
$(EMULATOR)/libnvrtc.so: $(EMULATOR)/obj/nvrtc.o $(SIMT_HEADERS) | $(EMULATOR)/libcuda.so.1
	$(call say,$@)$(EMULATOR_CXX) $(EMULATOR_LINK) -o $@ $(EMULATOR)/obj/nvrtc.o $(EMULATOR)/libcuda.so.1 -ldl
	@rm -rf $(BUILD)/spec/kernels

$(EMULATOR)/libcublas.so $(EMULATOR)/libcufft.so $(EMULATOR)/libcudnn.so: $(EMULATOR)/lib%.so: $(EMULATOR)/obj/%.o $(EMULATOR)/libcuda.so.1
	$(call say,$@)$(EMULATOR_CXX) $(EMULATOR_LINK) -o $@ $^

$(EMULATOR)/libcusolver.so: $(EMULATOR)/obj/cusolver.o $(EMULATOR)/libcuda.so.1
	$(call say,$@)$(EMULATOR_CXX) $(EMULATOR_LINK) -o $@ $^ $(BLAS_LIBS)

$(SIMT_HEADERS): $(EMULATOR)/%.h: $(EMULATOR_SRC)/%.h
	@mkdir -p $(@D)
	@cp $< $@

# Builds the Lua module "emulator", by which specs configure the emulator and read its counters.
$(EMULATOR)/emulator.so: $(EMULATOR_SRC)/lua_emulator.c $(EMULATOR)/libcuda.so.1
	$(call say,$@)$(CC) -std=gnu11 -O1 -g -fPIC -shared -Wl,-rpath,'$$ORIGIN' -Wall -Wextra -Wpedantic -isystem $(LUA_INCDIR) -o $@ $^

-include $(wildcard $(EMULATOR)/obj/*.d)
