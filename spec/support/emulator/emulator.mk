# The emulated GPU: libraries that replace NVIDIA's driver, NVRTC, cuBLAS, cuFFT, cuSOLVER, cuDNN and NCCL, and AMD's HIP,
# rocBLAS, hipFFT, rocSOLVER, MIOpen and RCCL (docs/emulator.md).

EMULATOR     := $(BUILD)/spec/emulator
EMULATOR_SRC := spec/support/emulator
EMULATOR_CXX := g++ -std=c++17 -O2 -g1 -fPIC -fvisibility=hidden -ffp-contract=off -Wall -Wextra \
                $(if $(SANITIZE),-fsanitize=address -fno-omit-frame-pointer)
EMULATOR_LINK = -shared -Wl,-z,nodelete -Wl,-rpath,'$$ORIGIN' -Wl,-soname,$(@F)

EMULATOR_DRIVER := $(patsubst %,$(EMULATOR)/obj/%.o,device settings memory copy stream graph module execute fiber)
EMULATOR_LIBS   := $(patsubst %,$(EMULATOR)/%,libcuda.so.1 libnvrtc.so libcublas.so libcufft.so libcusolver.so libcudnn.so \
                     libamdhip64.so librocblas.so libhipfft.so librocsolver.so libMIOpen.so libnccl.so.2 librccl.so.1)
SIMT_HEADERS    := $(patsubst %,$(EMULATOR)/%.h,simt simt_abi simt_math simt_unit)

.PHONY: emulator
emulator: $(EMULATOR_LIBS) $(EMULATOR)/kernels.txt $(EMULATOR)/emulator.so $(EMULATOR)/emulator_hip.so   ## builds the emulated GPU in build/spec/emulator

$(EMULATOR)/kernels.txt: spec/data/nvidia_kernels.txt
	@mkdir -p $(@D)
	@cp $< $@

$(EMULATOR)/obj/%.o: $(EMULATOR_SRC)/%.cpp
	@mkdir -p $(@D)
	$(call say,$<)$(EMULATOR_CXX) -MMD -MP -c -o $@ $<

$(EMULATOR)/libcuda.so.1: $(EMULATOR_DRIVER)
	$(call say,$@)$(EMULATOR_CXX) $(EMULATOR_LINK) -o $@ $^ -ldl -pthread

# libnvrtc.so includes the headers in its folder into every kernel. If a header has changed, the cached kernels and the
# precompiled headers, which were compiled with the old header, are removed.
$(EMULATOR)/libnvrtc.so: $(EMULATOR)/obj/nvrtc.o $(SIMT_HEADERS) | $(EMULATOR)/libcuda.so.1
	$(call say,$@)$(EMULATOR_CXX) $(EMULATOR_LINK) -o $@ $(EMULATOR)/obj/nvrtc.o $(EMULATOR)/libcuda.so.1 -ldl
	@rm -rf $(BUILD)/spec/kernels $(EMULATOR)/headers

$(EMULATOR)/libcublas.so $(EMULATOR)/libcufft.so $(EMULATOR)/libcudnn.so: $(EMULATOR)/lib%.so: $(EMULATOR)/obj/%.o $(EMULATOR)/libcuda.so.1
	$(call say,$@)$(EMULATOR_CXX) $(EMULATOR_LINK) -o $@ $^

$(EMULATOR)/libcusolver.so: $(EMULATOR)/obj/cusolver.o $(EMULATOR)/libcuda.so.1
	$(call say,$@)$(EMULATOR_CXX) $(EMULATOR_LINK) -o $@ $^ $(BLAS_LIBS)

$(EMULATOR)/libnccl.so.2: $(EMULATOR)/obj/nccl.o $(EMULATOR)/libcuda.so.1
	$(call say,$@)$(EMULATOR_CXX) $(EMULATOR_LINK) -o $@ $^

# libamdhip64.so contains the emulated driver and the emulated NVRTC, with their own state. The options of the linker keep
# this state apart from libcuda.so.1's if a process loads both libraries.
$(EMULATOR)/libamdhip64.so: $(EMULATOR_DRIVER) $(EMULATOR)/obj/nvrtc.o $(EMULATOR)/obj/hip.o $(EMULATOR_SRC)/hip.map | $(SIMT_HEADERS)
	$(call say,$@)$(EMULATOR_CXX) $(EMULATOR_LINK) -Wl,-Bsymbolic -Wl,--version-script=$(EMULATOR_SRC)/hip.map -o $@ \
	  $(filter %.o,$^) -ldl -pthread

# AMD's other libraries contain NVIDIA's, whose functions they do not export. The files below rocblas/library have the
# names of the files that contain rocBLAS's kernels for a processor.
ROCBLAS_KERNELS := $(patsubst %,$(EMULATOR)/rocblas/library/TensileLibrary_lazy_%.dat,gfx90a gfx1030)
$(EMULATOR)/librocblas.so: $(EMULATOR)/obj/rocblas.o $(EMULATOR)/obj/cublas.o $(EMULATOR)/libamdhip64.so $(EMULATOR_SRC)/hip.map \
    | $(ROCBLAS_KERNELS)
	$(call say,$@)$(EMULATOR_CXX) $(EMULATOR_LINK) -Wl,--version-script=$(EMULATOR_SRC)/hip.map -o $@ $(filter %.o %.so,$^)
$(EMULATOR)/libhipfft.so: $(EMULATOR)/obj/hipfft.o $(EMULATOR)/obj/cufft.o $(EMULATOR)/libamdhip64.so $(EMULATOR_SRC)/hip.map
	$(call say,$@)$(EMULATOR_CXX) $(EMULATOR_LINK) -Wl,--version-script=$(EMULATOR_SRC)/hip.map -o $@ $(filter %.o %.so,$^)
$(EMULATOR)/librocsolver.so: $(EMULATOR)/obj/rocsolver.o $(EMULATOR)/obj/cusolver.o $(EMULATOR)/librocblas.so $(EMULATOR)/libamdhip64.so \
    $(EMULATOR_SRC)/hip.map
	$(call say,$@)$(EMULATOR_CXX) $(EMULATOR_LINK) -Wl,--version-script=$(EMULATOR_SRC)/hip.map -o $@ $(filter %.o %.so,$^) \
	  $(BLAS_LIBS)
$(EMULATOR)/libMIOpen.so: $(EMULATOR)/obj/miopen.o $(EMULATOR)/obj/cudnn.o $(EMULATOR)/librocblas.so $(EMULATOR)/libamdhip64.so \
    $(EMULATOR_SRC)/hip.map
	$(call say,$@)$(EMULATOR_CXX) $(EMULATOR_LINK) -Wl,--version-script=$(EMULATOR_SRC)/hip.map -o $@ $(filter %.o %.so,$^)
# RCCL has NCCL's functions.
$(EMULATOR)/librccl.so.1: $(EMULATOR)/obj/nccl.o $(EMULATOR)/libamdhip64.so $(EMULATOR_SRC)/hip.map
	$(call say,$@)$(EMULATOR_CXX) $(EMULATOR_LINK) -Wl,--version-script=$(EMULATOR_SRC)/hip.map -o $@ $(filter %.o %.so,$^)
$(ROCBLAS_KERNELS):
	@mkdir -p $(@D) && touch $@

$(SIMT_HEADERS): $(EMULATOR)/%.h: $(EMULATOR_SRC)/%.h
	@mkdir -p $(@D)
	@cp $< $@

# Builds the Lua modules "emulator" and "emulator_hip", by which specs configure libcuda.so.1 or libamdhip64.so and read
# their counters.
$(EMULATOR)/emulator.so: $(EMULATOR)/libcuda.so.1
$(EMULATOR)/emulator_hip.so: $(EMULATOR)/libamdhip64.so
$(EMULATOR)/emulator.so $(EMULATOR)/emulator_hip.so: $(EMULATOR_SRC)/lua_emulator.c
	$(call say,$@)$(CC) -std=gnu11 -O1 -g -fPIC -shared -Wl,-rpath,'$$ORIGIN' -Wall -Wextra -Wpedantic -isystem $(LUA_INCDIR) \
	  -o $@ $< $(filter %.so %.so.1,$^)

-include $(wildcard $(EMULATOR)/obj/*.d)
