-- tags: smoke unplugged
local lt = require "luatensor"
local helpers = require "spec.support.helpers"
local gpu = require "spec.support.gpu"

local fails, holds = helpers.fails, helpers.holds
local on_gpu = helpers.device ~= "cpu"

local saxpy_source = [[
// not __global__ void saxpy(int), nor "__global__ void saxpy(int)"
/* __global__ void saxpy(double x) */
static __device__ float twice(float x) { return 2 * x; }
__global__ void saxpy(float *out, const float *__restrict__ x, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] += a * twice(x[i]) / 2;
}
__global__ void __launch_bounds__(256) other(long long *out) { out[threadIdx.x] = blockIdx.x; }
]]

-- Sources of 800 KB took minutes when the time grew with the square of the length. lt.kernel reads the source before it
-- asks for a device, so the test needs no GPU. A child process that runs for a minute counts as hung.
describe("a long source", function()
  for name, source in pairs {
    marks = '("__global__ "):rep(70000)', parentheses = '"__global__ void " .. ("k("):rep(400000)',
    blanks = '"__global__ void k(float x" .. (" "):rep(800000) .. ".)"', name = '"__global__ void k(" .. ("x"):rep(800000) .. ")"',
    bounds = '"__global__ " .. ("__launch_bounds__("):rep(45000)', macros = '("KERNEL(k)("):rep(80000)',
  } do
    it("of " .. name .. " is read in linear time", function()
      local pipe <close> = io.popen(("timeout 60 tools/lua -e 'print(pcall(require \"luatensor\".kernel, %s, \"k\"))' 2>&1; echo $?"):format(source))
      local output = pipe:read "a"
      assert.matches("^false%s+.*kernel: .*\n0\n$", output)
    end)
  end
end)

if not on_gpu then
  describe("kernel without a GPU", function()
    it("says so", function()
      fails("kernel: CUDA C++ does not run on the CPU; use device \"cuda\", or lt.elementwise, which runs everywhere",
            lt.kernel, saxpy_source, "saxpy", {device = "cpu"})
      if not lt.cuda.is_available() then
        assert.raises("^GPU not found: .*; lt.elementwise runs everywhere$", lt.kernel, saxpy_source, "saxpy")
      end
    end)
  end)
end

describe("kernel's source", function()
  it("is checked before anything is compiled", function()
    fails("kernel: argument 1: string expected, got nil", lt.kernel)
    fails("kernel: argument 2: string expected, got nil", lt.kernel, saxpy_source)
    fails('kernel: "a b" is not a name', lt.kernel, saxpy_source, "a b")
    fails('kernel: no __global__ function "saxpi" in the source; there is saxpy, other', lt.kernel, saxpy_source, "saxpi")
    fails('kernel: no __global__ function "f" in the source', lt.kernel, "void f(int x) {}", "f")
    fails('kernel: no __global__ function "f" in the source; there is one, two', lt.kernel,
          "KERNEL(one)(int x) {} KERNEL_COOPERATIVE(two)(int x) {}", "f")
    fails('kernel: unknown option "grid"; known: device, parameters', lt.kernel, saxpy_source, "saxpy", {grid = 1})
    fails("kernel: option parameters: string expected, got number", lt.kernel, saxpy_source, "saxpy", {parameters = 1})
    for _, parameter in ipairs {"struct point p", "float **x", "float &x", "float3 *x", "void x", "half *x", "float4 x", "int (*f)(int)"} do
      fails(('kernel: f: parameter "%s" is neither a number nor a pointer to numbers'):format(parameter), lt.kernel,
            "__global__ void f(" .. parameter .. ") {}", "f")
    end
    for _, parameter in ipairs {"float", "float *", "const float *", "unsigned char"} do
      fails(('kernel: f: parameter "%s" needs a name'):format(parameter), lt.kernel,
            "__global__ void f(" .. parameter .. ") {}", "f")
    end
    fails("kernel: argument 1: a NUL byte in the text", lt.kernel, saxpy_source .. "\0", "saxpy")
    fails("kernel: argument 2: a NUL byte in the text", lt.kernel, saxpy_source, "saxpy\0")
  end)

  it("is compared with option parameters", function()
    local function f(given) return lt.kernel("__global__ void f(float *x, int n) {}", "f", {parameters = given}) end
    fails("kernel: f: option parameters has 0 parameters, the source 2", f, "")
    fails("kernel: f: option parameters has 3 parameters, the source 2", f, "float *x, int n, int m")
    for _, p in ipairs {"double *x", "float4 *x", "const float *x", "float x"} do
      fails(('kernel: f: parameter 1 is "float *x" in the source, "%s" in option parameters'):format(p), f, p .. ", int n")
    end
    fails('kernel: f: parameter 2 is "int n" in the source, "long n" in option parameters', f, "float *x, long n")
  end)
end)

if not on_gpu then return end

local function zeros(n, dtype) return lt.zeros({n}, {dtype = dtype or "float32"}) end

describe("kernel", function()
  local saxpy = lt.kernel(saxpy_source, "saxpy")

  it("runs on tensors, with grid and block", function()
    local x, out = lt.arange(0, 1000, {dtype = "float32"}), lt.ones(1000)
    saxpy({grid = 4, block = 256}, out, x, 0.5, 1000)
    holds(out[{{998, 1000}}], "[3]", {499.5, 500.0, 500.5})
    saxpy({grid = {2, 1}, block = {100}}, out, x, -0.5, 150)
    holds(out[{{150, 152}}], "[3]", {1.0, 76.0, 76.5})
    saxpy({count = 1000}, out, x, 0, 1000)
    saxpy({count = 1000, block = 32}, out, x, 1, 1000)
    assert.equal(999 * 1.5 + 1, out[1000]:item())
    saxpy({count = 0}, out, x, 1, 1000)
    assert.equal(999 * 1.5 + 1, out[1000]:item())
  end)

  it("has three dims and shared memory", function()
    local k = lt.kernel([[
      extern "C" __global__ void where_am_i(int *out) {
        extern __shared__ int line[];
        int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
        line[thread] = thread;
        __syncthreads();
        int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z), threads = blockDim.x * blockDim.y * blockDim.z;
        out[block * threads + thread] = 1000 * block + line[threads - 1 - thread];
      }]], "where_am_i")
    local out = zeros(24 * 8, "int32")
    k({grid = {2, 3, 4}, block = {2, 2, 2}, shared = 32}, out)
    local want = {}
    for block = 0, 23 do for thread = 0, 7 do want[#want + 1] = 1000 * block + 7 - thread end end
    assert.same(want, out:totable())
  end)

  it("takes every dtype, by pointer and by value", function()
    local names = {int8 = "signed char", uint8 = "unsigned char", int16 = "short", uint16 = "unsigned short int", int32 = "int", uint32 = "unsigned",
                   int64 = "long long int", uint64 = "unsigned long", float32 = "float", float64 = "double", bool = "bool"}
    for dtype, type_name in pairs(names) do
      local k = lt.kernel(("__global__ void set(%s *out, %s const x) { out[1] = x; }"):format(type_name, type_name), "set")
      local out, value = zeros(3, dtype), 3
      if dtype == "bool" then value = true elseif dtype:find "float" then value = 0.1 elseif not dtype:find "u" then value = -3 end
      if dtype == "uint64" then value = -1 end
      k({grid = 1, block = 1}, out, value)
      assert.same(lt.tensor({value}, {dtype = dtype})[1]:item(), out[2]:item(), dtype)
      assert.same(lt.zeros({1}, {dtype = dtype})[1]:item(), out[3]:item(), dtype)
    end
  end)

  it("takes vector types, void and half floats", function()
    local k = lt.kernel("__global__ void swap(float2 *x) { float2 v = x[threadIdx.x]; x[threadIdx.x] = make_float2(v.y, v.x); }", "swap")
    local x = lt.tensor {1.0, 2.0, 3.0, 4.0}
    k({grid = 1, block = 2}, x)
    holds(x, "[4]", {2.0, 1.0, 4.0, 3.0})
    fails("swap: argument 1 (float2 *x): the tensor does not begin at a multiple of 8 bytes; use :clone()", k, {grid = 1, block = 1}, x[{{2, 3}}])
    local first = lt.kernel("__global__ void first(void *to, const void *from) { *(char *)to = *(const char *)from; }", "first")
    local to = zeros(1, "uint8")
    first({grid = 1, block = 1}, to, lt.tensor({0x41}, {dtype = "int64"}))
    assert.equal(0x41, to[1]:item())
    local bits = lt.kernel("__global__ void bits(unsigned short *x) { x[0] ^= 0x8000; }", "bits")
    local half = lt.tensor({2}, {dtype = "float16"})
    bits({grid = 1, block = 1}, half)
    assert.equal(-2.0, half[1]:item())
  end)

  it("includes the module's own headers", function()
    local k = lt.kernel([[
      #include "scalar.cuh"
      KERNEL(e)(float *x, int64_t n) { if ((int64_t)grid_thread() < n) x[grid_thread()] = m_exp(x[grid_thread()]); }
    ]], "e")
    local x = lt.randn(100)
    local want = x:exp()
    k({count = 100}, x, 100)
    assert.is_true(x:to_bytes() == want:to_bytes())
  end)

  it("rounds a product before it is added", function()
    local k = lt.kernel("float square(float x) { return x * x; } __global__ void f(float *x) { *x = square(*x) - 1.00048828125f; }", "f")
    local x = lt.tensor {1 + 2 ^ -12}                  -- the square is 1 + 2⁻¹¹ + 2⁻²⁴
    k({grid = 1, block = 1}, x)
    assert.equal(0.0, x[1]:item())
  end)

  it("takes parameters as text where types are the source's own", function()
    local k = lt.kernel("typedef float real; __global__ void f(real *x, real y) { *x = y; }", "f", {parameters = "float *x, float y"})
    local x = zeros(1)
    k({grid = 1, block = 1}, x, 7)
    assert.equal(7.0, x[1]:item())
    local none = lt.kernel("__global__ void nothing(void) {}", "nothing")
    none({grid = 1})
  end)

  it("takes no other parameters than the compiler sees", function()
    local source = [[
      #define REST real y, int n
      typedef float real;
      struct pair { double a, b; };
      __global__ void f(real *__restrict__ x, REST) { x[0] = y + n; }
      __global__ void g(struct pair p) {}
      #define int long long
      __global__ void h(const int n, bool, float *x) {} // \\]]
    for _, wrong in ipairs {"", "float *x", "float *x, float y", "float *x, double y, int n", "float x, float y, int n",
                            "float *x, float y, int n, int m"} do
      assert.raises("^kernel: f does not compile:\n.*option parameters is not what f takes", lt.kernel, source, "f",
                    {parameters = wrong})
    end
    assert.raises("^kernel: g does not compile:\n.*option parameters is not what g takes", lt.kernel, source, "g", {parameters = "double p"})
    assert.raises("^kernel: h does not compile:\n.*h takes other parameters than its text says", lt.kernel, source:gsub("bool,", "bool b,"), "h")
    local k, x = lt.kernel(source, "f", {parameters = "float *x, float y, int n"}), zeros(1)
    k({count = 1}, x, 0.5, 2)
    assert.equal(2.5, x[1]:item())
  end)

  it("takes numbers as tensors do", function()
    local k = lt.kernel("__global__ void set(float *x, unsigned long long *y, float a, unsigned long long b) { *x = a; *y = b; }", "set")
    local x, y = zeros(1), zeros(1, "uint64")
    k({count = 1}, x, y, 1e300, -5)
    assert.equal(math.huge, x[1]:item())
    assert.equal(-5, y[1]:item())
  end)

  it("shows what the compiler says, with the source's lines", function()
    assert.raises("^kernel: broken does not compile:\n.*broken[(:]3.*nonsense", lt.kernel,
                  "// one\n__global__ void broken(float *x) {\n  x[0] = nonsense;\n}\n", "broken")
    saxpy({count = 1}, lt.ones(1), lt.ones(1), 1, 1)
  end)

  it("checks its arguments", function()
    local x, out, one = lt.ones(10), zeros(10), {grid = 1, block = 1}
    fails("saxpy: 4 arguments expected after the table, got 3", saxpy, one, out, x, 1)
    fails("saxpy: 4 arguments expected after the table, got 5", saxpy, one, out, x, 1, 10, 5)
    fails("saxpy: argument 1 (float *out): tensor expected, got number", saxpy, one, 1, x, 1, 10)
    fails('saxpy: argument 2 (const float *__restrict__ x): float32 expected, got float64; use :to("float32")', saxpy, one, out, x:to("float64"), 1, 10)
    fails(('saxpy: argument 2 (const float *__restrict__ x): the tensor is on cpu, the kernel on %s; use :to("%s")'):format(helpers.device, helpers.device),
          saxpy, one, out, x:to("cpu"), 1, 10)
    fails("saxpy: argument 1 (float *out): the tensor is not contiguous; use :contiguous()", saxpy, one, out[{{1, 10, 2}}], x, 1, 10)
    fails("saxpy: argument 3 (float a): number expected, got string", saxpy, one, out, x, "1", 10)
    fails("saxpy: argument 4 (int n): 0.5 does not fit int32", saxpy, one, out, x, 1, 0.5)
    fails("saxpy: argument 4 (int n): 2147483648 does not fit int32", saxpy, one, out, x, 1, 1 << 31)
    fails("saxpy: argument 4 (int n): number expected, got boolean", saxpy, one, out, x, 1, true)
    local gone = lt.ones(10)
    gone:free()
    fails("saxpy: argument 2 (const float *__restrict__ x): this tensor was freed", saxpy, one, out, gone, 1, 10)
    holds(out, "[10]", {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0})
  end)

  it("checks grid and block", function()
    local x, out = lt.ones(10), zeros(10)
    for _, case in ipairs {
      {{}, "grid: a number or up to three expected"},
      {{grid = 0}, "grid: 0 is not from 1 to 2147483647"},
      {{grid = {1, 1, 1, 1}}, "grid: a number or up to three expected"},
      {{grid = 1, block = 2000}, "a block of 2000 × 1 × 1 threads; saxpy takes 1024, at most 1024 × 1024 × 64"},
      {{grid = 1, block = {32, 64}}, "a block of 32 × 64 × 1 threads; saxpy takes 1024, at most 1024 × 1024 × 64"},
      {{grid = {1, 70000}}, "a grid of 1 × 70000 × 1 blocks; at most 2147483647 × 65535 × 65535"},
      {{grid = 1, count = 1}, "grid and count: one of them"},
      {{count = -1}, "count: -1 is negative"},
      {{count = 10, block = {16, 16}}, "count: a block of one dim expected"},
      {{grid = 1, shared = -1}, "shared: -1 is negative"},
      {{grid = 1, threads = 5}, 'unknown option "threads"; known: grid, block, shared, count'},
    } do
      fails("saxpy: " .. case[2], saxpy, case[1], out, x, 1, 10)
    end
    fails("saxpy: argument 1: a table with grid and block expected, got tensor", saxpy, out, x, 1, 10)
    fails("saxpy: argument 1: a table with grid and block expected, got no value", saxpy)
    fails("saxpy: argument 1: a table with grid and block expected, got nil", saxpy, nil)
    assert.raises("^saxpy: shared: 16777216 bytes; a block of this device has at most %d+$", saxpy,
                  {grid = 1, shared = 1 << 24}, out, x, 1, 10)
  end)

  it("names itself", function()
    assert.equal("kernel saxpy on " .. helpers.device, tostring(saxpy))
  end)

  it("is collected while its work is queued", function()
    local out = lt.ones(1)
    for i = 1, 5 do
      lt.kernel("__global__ void add" .. i % 2 .. "(float *x) { *x += 1; }", "add" .. i % 2)({grid = 1, block = 1}, out)
      collectgarbage()
    end
    assert.equal(6.0, out[1]:item())
  end)

  it("that runs out of bounds kills the device, not the process", function()
    local wild = lt.kernel("__global__ void wild(float *x) { x[1ll << 40] = 1; }", "wild")
    local x = lt.ones(4)
    local ok, message = pcall(function()
      wild({grid = 1, block = 1}, x)
      lt.synchronize(helpers.device)
    end)
    assert.is_false(ok)
    assert.truthy(message:find("wild", 1, true) and message:find("reopen", 1, true), message)
    assert.is_false(pcall(lt.ones, 4))
    if not gpu.emulator then                                     -- NVIDIA's driver does not open the device again
      assert.error_matches(function() gpu.api.reopen(helpers.device) end, "the device is lost to this process: start the script anew$")
      assert.is_false(pcall(lt.ones, 4))
      return
    end
    gpu.api.reopen(helpers.device)
    assert.raises("^wild: this kernel was lost when .* was reopened; make it anew$", wild, {grid = 1, block = 1}, x)
    local again, out = lt.kernel(saxpy_source, "saxpy"), lt.ones(2)
    again({count = 2}, out, out, 1, 2)
    holds(out, "[2]", {2.0, 2.0})
  end)
end)
