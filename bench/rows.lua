-- The rows of the performance table. Each row is a table:
--
--   {name, inputs, ours, torch, numpy, setup = …, flops = …, gate = …, …}
--
--     inputs   "x float32 7000 3000; i int64 10": floats in [0.1, 1.1), integers in [1, 99], random booleans
--     ours     a Lua expression of the inputs; t is luatensor
--     torch    the same expression in Python; t is torch (steps: bench/steps.lua, peers/steps.py; chains: bench/chains.lua,
--              peers/chains.py)
--              nil: the same text as ours; false: PyTorch lacks the function
--     numpy    the same for NumPy; t is numpy, rng its generator; nil: the same text as torch
--     setup    statements before the clock starts: {ours, torch, numpy}; numpy nil: the same text as torch
--     read, copy, flops      the bytes that one call reads; the bytes that it reads and writes; its additions and
--                            multiplications. The table shows their rate as a share of the machine's measured limit
--     gate, aim              least and wanted ratio of PyTorch's time to ours
--     share_gate, share_aim  least and wanted share of the limit
--     gpu_gate, gpu_aim      gate and aim with --device cuda
--     gpu                    true: only with --device cuda
--     compiled               true: the row is in the table of compiled functions, too. lt.compile and torch.compile
--                            compile the expressions as functions of the inputs; "replay": lt.compile with replays
--     compiled_gate, compiled_aim      least and wanted ratio of torch.compile's time to lt.compile's time
--     kernel                 of a compiled row: a Lua expression of the same result that calls a function which
--                            lt.elementwise made
--
-- Each call makes its whole result in new memory, unless the row says "out" or "in place".

local M, G = 1e6, 1e9
local mat = "x float32 7000 3000; y float32 7000 3000"
local big, small = "x float32 10000000; y float32 10000000", "x float32 1000; y float32 1000"
local tiny = "x float32 10; y float32 10"
local square = "x float32 7000 7000"
local distinct = {"x = t.permutation(1000000) * 1000003", "x = t.randperm(1000000) * 1000003", "x = rng.permutation(1000000) * 1000003"}
local complex = {'z = x:to("complex64")', "z = x.to(t.complex64)", "z = x.astype(t.complex64)"}

local rows = {
  -- the large and the small loop of docs/notebook.md (examples/02_large.lua, examples/03_small.lua)
  {"notebook, large iteration", "", "t.rand(7000, 3000):matmul(t.rand(7000, 3000).T):sum()", "(t.rand(7000, 3000) @ t.rand(7000, 3000).T).sum()",
    "(rng.random((7000, 3000), dtype=t.float32) @ rng.random((7000, 3000), dtype=t.float32).T).sum()", flops = 294 * G, gate = 1.15, aim = 1.28,
    gpu_gate = 1, gpu_aim = 1.1},
  {"notebook, small iteration", "", "t.rand(70, 30):matmul(t.rand(70, 30).T):sum()", "(t.rand(70, 30) @ t.rand(70, 30).T).sum()",
    "(rng.random((70, 30), dtype=t.float32) @ rng.random((70, 30), dtype=t.float32).T).sum()", gate = 3, aim = 4.5, gpu_gate = 2.5, gpu_aim = 5,
    compiled = true},
  {"notebook, small iteration, as a graph", "", "g:replay()", false, false, gpu = true,
    setup = {"g = t.graph(function() return t.rand(70, 30):matmul(t.rand(70, 30).T):sum() end)"}},

  -- training: forward, loss, backward, update; the networks are in steps.lua and peers/steps.py
  {"training step, MLP 64×784-512-10", "", "step()", nil, false, gate = 1.3, aim = 1.5, compiled = "replay",
    compiled_gate = 1.1, compiled_aim = 1.5,
    setup = {"step = steps.mlp(64, {784, 512, 10})", "step = steps.mlp(64, [784, 512, 10])"}},
  {"training step, MLP 32×2-16-2", "", "step()", nil, false, gate = 5, aim = 10, compiled = "replay",
    compiled_gate = 1.1, compiled_aim = 3,
    setup = {"step = steps.mlp(32, {2, 16, 2})", "step = steps.mlp(32, [2, 16, 2])"}},
  {"training step, CNN 32×1×28×28", "", "step()", nil, false, gate = 1, aim = 1.2, compiled = "replay",
    compiled_gate = 1.1, compiled_aim = 2,
    setup = {"step = steps.cnn()", "step = steps.cnn()"}},
  {"training step, transformer 8×128", "", "step()", nil, false, gate = 1, aim = 1.2, compiled = "replay",
    compiled_gate = 1.1, compiled_aim = 2,
    setup = {"step = steps.transformer()", "step = steps.transformer()"}},
  {"training step, LSTM 32×32×64", "", "step()", nil, false, compiled = "replay", compiled_gate = 1.1, compiled_aim = 2,
    setup = {"step = steps.lstm()", "step = steps.lstm()"}},
  {"training step, MLP 64×784-512-10, as a graph", "", "g:replay()", false, false, gpu = true,
    setup = {"g = t.graph(steps.mlp(64, {784, 512, 10}))"}},
  {"training step, MLP 32×2-16-2, as a graph", "", "g:replay()", false, false, gpu = true,
    setup = {"g = t.graph(steps.mlp(32, {2, 16, 2}))"}},
  {"training step, CNN 32×1×28×28, as a graph", "", "g:replay()", false, false, gpu = true,
    setup = {"g = t.graph(steps.cnn())"}},
  {"training step, transformer 8×128, as a graph", "", "g:replay()", false, false, gpu = true,
    setup = {"g = t.graph(steps.transformer())"}},

  -- chains that a user writes with several operations, in eager mode and compiled; see chains.lua and peers/chains.py
  {"gelu by hand 2²⁰", "x float32 1048576", "chains.gelu(x)", nil, false, compiled = true, compiled_gate = 0.8,
    compiled_aim = 1},
  {"Black-Scholes 2²⁰", "x float32 1048576; y float32 1048576; z float32 1048576", "chains.black_scholes(x, y, z)", nil,
    false, compiled = true, compiled_gate = 0.8, compiled_aim = 1, setup = {"x, y = x * 100, y * 100", "x, y = x * 100, y * 100"}},
  {"wave equation 1024×1024", "x float32 1024 1024; y float32 1024 1024", "chains.wave(x, y)", nil, false, compiled = true,
    compiled_gate = 0.8, compiled_aim = 1},
  {"RMS norm by hand 1024×1024", "x float32 1024 1024; y float32 1024", "chains.rms_norm(x, y)", nil, false,
    compiled = true, compiled_gate = 0.8, compiled_aim = 1},
  {"scale, add, softmax 1024×1024", "x float32 1024 1024; y float32 1024 1024", "chains.biased_softmax(x, y)", nil, false,
    compiled = true, compiled_gate = 0.8, compiled_aim = 1},
  {"gelu by hand 10³", "x float32 1000", "chains.gelu(x)", nil, false, compiled = true, kernel = "chains.gelu_kernel(x)"},
  {"gelu by hand 10⁵", "x float32 100000", "chains.gelu(x)", nil, false, compiled = true, kernel = "chains.gelu_kernel(x)"},
  {"gelu by hand 10⁷", "x float32 10000000", "chains.gelu(x)", nil, false, compiled = true, kernel = "chains.gelu_kernel(x)"},

  -- random
  {"rand 7000×3000", "", "t.rand(7000, 3000)", nil, "rng.random((7000, 3000), dtype=t.float32)", gate = 8, aim = 15},
  {"randn 7000×3000", "", "t.randn(7000, 3000)", nil, "rng.standard_normal((7000, 3000), dtype=t.float32)"},
  {"randint 10⁷", "", "t.randint(1, 100, 10000000)", "t.randint(1, 101, (10000000,))", "rng.integers(1, 101, 10000000)"},
  {"rand 70×30", "", "t.rand(70, 30)", nil, "rng.random((70, 30), dtype=t.float32)"},

  -- matrix products
  {"matmul 7000×3000×7000", mat, "x:matmul(y.T)", "x @ y.T", flops = 294 * G, share_gate = 0.90, share_aim = 0.95},
  {"matmul 1000×1000×1000", "x float32 1000 1000; y float32 1000 1000", "x:matmul(y)", "x @ y", flops = 2 * G},
  {"matmul 1000³ float64", "x float64 1000 1000; y float64 1000 1000", "x:matmul(y)", "x @ y"},
  {"matmul 1000³ bfloat16", "x bfloat16 1000 1000; y bfloat16 1000 1000", "x:matmul(y)", "x @ y", false},
  {"matmul 1000³ float16", "x float16 1000 1000; y float16 1000 1000", "x:matmul(y)", "x @ y", false},
  {"matmul 300³ int32", "x int32 300 300; y int32 300 300", "x:matmul(y)", "x @ y"},
  {"matmul 100 × 64×64×64", "x float32 100 64 64; y float32 100 64 64", "x:matmul(y)", "x @ y", flops = 200 * 64 ^ 3},
  {"matmul 7000×7000 by a vector", "x float32 7000 7000; y float32 7000", "x:matmul(y)", "x @ y", read = 196 * M},
  {"matmul 64×64×64", "x float32 64 64; y float32 64 64", "x:matmul(y)", "x @ y"},
  {"matmul 10×10×10", "x float32 10 10; y float32 10 10", "x:matmul(y)", "x @ y"},

  -- Fourier transforms
  {"fft 10³ complex64", "x float32 1000", "t.fft.fft(z)", setup = complex},
  {"fft 10⁴ + 7 complex64, a prime", "x float32 10007", "t.fft.fft(z)", setup = complex},
  {"fft 10⁶ complex64", "x float32 1000000", "t.fft.fft(z)", setup = complex},
  {"fft 2²⁰ complex64", "x float32 1048576", "t.fft.fft(z)", setup = complex},
  {"fft 2²⁰ complex128", "x float64 1048576", "t.fft.fft(z)",
    setup = {'z = x:to("complex128")', "z = x.to(t.complex128)", "z = x.astype(t.complex128)"}},
  {"fft 2²⁰ float32", "x float32 1048576", "t.fft.fft(x)"},
  {"rfft 2²⁰", "x float32 1048576", "t.fft.rfft(x)"},
  {"irfft 2²⁰", "x float32 1048576", "t.fft.irfft(z)", setup = {"z = t.fft.rfft(x)", "z = t.fft.rfft(x)"}},
  {"rfft 1000×1000", "x float32 1000 1000", "t.fft.rfft(x)"},
  {"fft 1000×1000 complex64, first dim", "x float32 1000 1000", "t.fft.fft(z, {dim = 1})", "t.fft.fft(z, dim=0)",
    "t.fft.fft(z, axis=0)", setup = complex},
  {"fft2 1024×1024 complex64", "x float32 1024 1024", "t.fft.fft2(z)", setup = complex},
  {"rfft2 1024×1024", "x float32 1024 1024", "t.fft.rfft2(x)"},
  {"fftn 100×100×100 complex64", "x float32 100 100 100", "t.fft.fftn(z)", setup = complex},
  {"fftshift 1024×1024", "x float32 1024 1024", "t.fft.fftshift(x)"},

  -- element-wise operations on 10⁷ and on 10³ elements
  {"add 10⁷", big, "x + y", copy = 120 * M, gate = 2.5, aim = 4},
  {"multiply 10⁷", big, "x * y", copy = 120 * M, gate = 2.5, aim = 4},
  {"exp 10⁷", big, "t.exp(x)", copy = 80 * M, gate = 2.5, aim = 4},
  {"tanh 10⁷", big, "t.tanh(x)", copy = 80 * M, gate = 2.5, aim = 4},
  {"add 10³", small, "x + y", gate = 3, aim = 6},
  {"multiply 10³", small, "x * y", gate = 3, aim = 6},
  {"exp 10³", small, "t.exp(x)", gate = 3, aim = 6},
  {"tanh 10³", small, "t.tanh(x)", gate = 3, aim = 6},
  {"add 10", tiny, "x + y"},
  {"add a number 10⁷", big, "x + 1.5", copy = 80 * M},
  {"divide 10⁷", big, "x / y", copy = 120 * M},
  {"sqrt 10⁷", big, "t.sqrt(x)", copy = 80 * M},
  {"log 10⁷", big, "t.log(x)", copy = 80 * M},
  {"sin 10⁷", big, "t.sin(x)", copy = 80 * M},
  {"pow 10⁷", big, "x ^ y", "x ** y", copy = 120 * M},
  {"pow 10⁷, exponent 2", big, "x ^ 2", "x ** 2", copy = 80 * M},
  {"pow 10⁷, exponent 3", big, "x ^ 3", "x ** 3", copy = 80 * M},
  {"pow 10⁷, exponent 0.5", big, "x ^ 0.5", "x ** 0.5", copy = 80 * M},
  {"pow 10⁷, exponent -0.5", big, "x ^ -0.5", "x ** -0.5", copy = 80 * M},
  {"atan2 10⁷", big, "t.atan2(x, y)", nil, "t.arctan2(x, y)", copy = 120 * M},
  {"erf 10⁷", big, "t.erf(x)", "t.erf(x)", false, copy = 80 * M},
  {"sigmoid 10⁷", big, "t.sigmoid(x)", nil, false, copy = 80 * M},
  {"relu 10⁷", big, "t.relu(x)", nil, "t.maximum(x, 0)", copy = 80 * M},
  {"gelu 10⁷", big, "t.gelu(x)", "t.nn.functional.gelu(x)", false, copy = 80 * M},
  {"maximum 10⁷", big, "t.maximum(x, y)", copy = 120 * M},
  {"less 10⁷", big, "t.less(x, y)", copy = 90 * M},
  {"clip 10⁷", big, "t.clip(x, 0.2, 0.8)", copy = 80 * M},
  {"where 10⁷", "m bool 10000000; " .. big, "t.where(m, x, y)", copy = 130 * M},
  {"exp 10⁷ float64", "x float64 10000000", "t.exp(x)", copy = 160 * M},

  -- results that are written into option out or in place
  {"add 10⁷, out", big .. "; r float32 10000000", "t.add(x, y, {out = r})", "t.add(x, y, out=r)", copy = 120 * M},
  {"add 10⁷, in place", big, "x:add_(y)", "x.add_(y)", "t.add(x, y, out=x)", copy = 120 * M},
  {"exp 10⁷, out", big .. "; r float32 10000000", "t.exp(x, {out = r})", "t.exp(x, out=r)", copy = 80 * M},
  {"pow 10⁷, exponent 3, out", big .. "; r float32 10000000", "t.pow(x, 3, {out = r})", "t.pow(x, 3, out=r)", copy = 80 * M},

  -- broadcast, transposed and strided operands, copies, new tensors
  {"add a row 7000×3000", "x float32 7000 3000; y float32 3000", "x + y", copy = 168 * M},
  {"add a column 7000×3000", "x float32 7000 3000; y float32 7000 1", "x + y", copy = 168 * M},
  {"add a transposed 3000×3000", "x float32 3000 3000; y float32 3000 3000", "x + y.T", copy = 108 * M},
  {"transpose 3000×3000, copied", "x float32 3000 3000", "x.T:contiguous()", "x.T.contiguous()", "t.ascontiguousarray(x.T)", copy = 72 * M},
  {"every second column 7000×3000 + 1", "x float32 7000 3000", "z + 1", setup = {"z = x[{ {}, {1, -1, 2} }]", "z = x[:, ::2]"}},
  {"clone 10⁷", big, "x:clone()", "x.clone()", "x.copy()", copy = 80 * M},
  {"concat 2 × 5·10⁶", "x float32 5000000; y float32 5000000", "t.concat({x, y})", "t.concat([x, y])", copy = 80 * M},
  {"zeros 10⁷", "", "t.zeros(10000000)", "t.zeros(10000000)", "t.zeros(10000000, dtype=t.float32).fill(0)"},
  {"arange 10⁷", "", "t.arange(10000000)"},

  -- casts and other dtypes
  {"float32 to float64 10⁷", big, 'x:to("float64")', "x.to(t.float64)", "x.astype(t.float64)", copy = 120 * M},
  {"float32 to int32 10⁷", big, 'x:to("int32")', "x.to(t.int32)", "x.astype(t.int32)", copy = 80 * M},
  {"float32 to float16 10⁷", big, 'x:to("float16")', "x.to(t.float16)", "x.astype(t.float16)", copy = 60 * M},
  {"float16 to float32 10⁷", "x float16 10000000", 'x:to("float32")', "x.to(t.float32)", "x.astype(t.float32)", copy = 60 * M},
  {"uint8 to float32 10⁷", "x uint8 10000000", 'x:to("float32")', "x.to(t.float32)", "x.astype(t.float32)", copy = 50 * M},
  {"add float16 10⁷", "x float16 10000000; y float16 10000000", "x + y", copy = 60 * M},
  {"exp bfloat16 10⁷", "x bfloat16 10000000", "t.exp(x)", nil, false, copy = 40 * M},
  {"add int32 10⁷", "x int32 10000000; y int32 10000000", "x + y", copy = 120 * M},
  {"multiply int64 10⁷", "x int64 10000000; y int64 10000000", "x * y", copy = 240 * M},
  {"floor_divide int32 10⁷", "x int32 10000000; y int32 10000000", "x // y", copy = 120 * M},
  {"add uint8 10⁷", "x uint8 10000000; y uint8 10000000", "x + y", copy = 30 * M},
  {"and bool 10⁷", "x bool 10000000; y bool 10000000", "x & y", copy = 30 * M},
  {"add int32 + float32 10⁷", "x int32 10000000; y float32 10000000", "x + y", copy = 120 * M},

  -- reductions
  {"sum 7000×7000", square, "t.sum(x)", read = 196 * M, gate = 1, aim = 1},
  {"sum 7000×7000, first dim", square, "t.sum(x, 1)", "t.sum(x, 0)", read = 196 * M},
  {"sum 7000×7000, last dim", square, "t.sum(x, 2)", "t.sum(x, 1)", read = 196 * M},
  {"sum 7000×7000 transposed, last dim", square, "t.sum(x.T, 2)", "t.sum(x.T, 1)", read = 196 * M},
  {"sum 200×200×200, middle dim", "x float32 200 200 200", "t.sum(x, 2)", "t.sum(x, 1)", read = 32 * M},
  {"mean 7000×7000, last dim", square, "t.mean(x, 2)", "t.mean(x, 1)", read = 196 * M},
  {"var 7000×7000, last dim", square, "t.var(x, 2)", "t.var(x, 1)", read = 196 * M},
  {"max 7000×7000", square, "t.max(x)", read = 196 * M},
  {"max 7000×7000, first dim", square, "t.max(x, 1)", "t.amax(x, 0)", read = 196 * M},
  {"argmax 7000×7000, last dim", square, "t.argmax(x, 2)", "t.argmax(x, 1)", read = 196 * M},
  {"sum int32 10⁷", "x int32 10000000", "t.sum(x)", read = 40 * M},
  {"sum float16 10⁷", "x float16 10000000", "t.sum(x)", read = 20 * M},
  {"all bool 10⁷", "x bool 10000000", "t.all(x)", setup = {"x:fill_(true)", "x.fill_(True)", "x.fill(True)"}, read = 10 * M},
  {"count_nonzero 10⁷", big, "t.count_nonzero(x)", read = 40 * M},
  {"cumulative sum 7000×3000, last dim", mat, "t.cumulative_sum(x, 2)", "t.cumsum(x, 1)", copy = 168 * M},
  {"cumulative sum 7000×3000, first dim", mat, "t.cumulative_sum(x, 1)", "t.cumsum(x, 0)", copy = 168 * M},
  {"softmax 7000×3000", mat, "t.softmax(x, 2)", "t.softmax(x, 1)", false, copy = 168 * M},
  {"softmax 100×10", "x float32 100 10", "t.softmax(x, 2)", "t.softmax(x, 1)", false},
  {"log_softmax 7000×3000", mat, "t.log_softmax(x, 2)", "t.log_softmax(x, 1)", false, copy = 168 * M},
  {"logsumexp 7000×3000", mat, "t.logsumexp(x, 2)", "t.logsumexp(x, 1)", false, read = 84 * M},
  {"norm 10⁷", big, "t.norm(x)", nil, "t.linalg.norm(x)", read = 40 * M},
  {"sum 10³", small, "t.sum(x)"},
  {"sum 10", tiny, "t.sum(x)"},

  -- indexing
  {"take 10⁶ of 10⁷", "x float32 10000000; i int64 1000000", "t.take(x, i)", "t.take(x, i)", setup = {"i = t.randint(1, 10000000, 1000000)",
    "i = t.randint(0, 10000000, (1000000,))", "i = rng.integers(0, 10000000, 1000000)"}},
  {"rows by index 7000 of 7000×3000", "x float32 7000 3000", "x[i]", setup = {"i = t.randint(1, 7000, 7000)",
    "i = t.randint(0, 7000, (7000,))", "i = rng.integers(0, 7000, 7000)"}, copy = 168 * M},
  {"x[mask] 10⁷", "x float32 10000000; m bool 10000000", "x[m]"},
  {"nonzero bool 10⁷", "m bool 10000000", "t.nonzero(m)"},
  {"masked_fill 10⁷", "x float32 10000000; m bool 10000000", "t.masked_fill(x, m, 0)", "x.masked_fill(m, 0)", "t.where(m, t.float32(0), x)"},
  {"x[3] of 1000×10", "x float32 1000 10", "x[3]", "x[2]"},
  {"x[3][4] = 1", "x float32 1000 10", "set(x)", setup = {"function set(x) x[{3, 4}] = 1 end", "def set(x): x[2, 3] = 1"}},
  {"item", "x float32 1", "x:item()", "x.item()"},

  -- sets: few distinct elements, and all distinct
  {"unique 10⁶ int64, 99 distinct", "x int64 1000000", "t.unique_values(x)", "t.unique(x)"},
  {"unique 10⁶ int64, all distinct", "x int64 1", "t.unique_values(x)", "t.unique(x)", setup = distinct},
  {"unique 10⁶ float32", "x float32 1000000", "t.unique_values(x)", "t.unique(x)"},
  {"unique 10⁵ float32", "x float32 100000", "t.unique_values(x)", "t.unique(x)"},
  {"unique 10³ float32", small, "t.unique_values(x)", "t.unique(x)"},
  {"unique 10³ int64", "x int64 1000", "t.unique_values(x)", "t.unique(x)"},
  {"unique with counts 10⁶ int64", "x int64 1000000", "t.unique_counts(x)", "t.unique(x, return_counts=True)"},
  {"unique with counts 10⁶ float32", "x float32 1000000", "t.unique_counts(x)", "t.unique(x, return_counts=True)"},
  {"unique with inverse 10⁶ int64", "x int64 1000000", "t.unique_inverse(x)", "t.unique(x, return_inverse=True)"},
  {"unique with inverse 10⁶ float32", "x float32 1000000", "t.unique_inverse(x)", "t.unique(x, return_inverse=True)"},
  {"isin 10⁶ of 10", "x float32 1000000; y float32 10", "t.isin(x, y)"},
  {"isin 10³ of 10", "x float32 1000; y float32 10", "t.isin(x, y)"},
  {"isin 10⁶ of 10⁶ float32", "x float32 1000000; y float32 1000000", "t.isin(x, y)"},
  {"isin 10⁶ of 10⁶ int64, 99 distinct", "x int64 1000000; y int64 1000000", "t.isin(x, y)"},
  {"isin 10³ of 10³ float32", small, "t.isin(x, y)"},

  -- sorting, searching, counting
  {"sort 10³", small, "t.sort(x)"},
  {"sort 10⁴", "x float32 10000", "t.sort(x)"},
  {"sort 10⁵", "x float32 100000", "t.sort(x)"},
  {"sort 10⁶", "x float32 1000000", "t.sort(x)"},
  {"sort float64 10⁶", "x float64 1000000", "t.sort(x)"},
  {"sort int32 10⁶", "x int32 1000000", "t.sort(x)", setup = {'x = t.randint(-2^31, 2^31 - 1, 1000000, {dtype = "int32"})',
    "x = t.randint(-2**31, 2**31, (1000000,), dtype=t.int32)", "x = rng.integers(-2**31, 2**31, 1000000, dtype=t.int32)"}},
  {"sort int64 10⁶, 99 values", "x int64 1000000", "t.sort(x)"},
  {"sort float16 10⁶", "x float16 1000000", "t.sort(x)"},
  {"sort uint8 10⁶", "x uint8 1000000", "t.sort(x)"},
  {"sort 10⁶, sorted", "", "t.sort(z)", setup = {'z = t.arange(1000000, {dtype = "float32"})',
    "z = t.arange(1000000, dtype=t.float32)", "z = t.arange(1000000, dtype=t.float32)"}},
  {"sort 1000×1000, last dim", "x float32 1000 1000", "t.sort(x, 2)", "t.sort(x, 1)"},
  {"sort 1000×1000, first dim", "x float32 1000 1000", "t.sort(x, 1)", "t.sort(x, 0)"},
  {"sort 100000×10, last dim", "x float32 100000 10", "t.sort(x, 2)", "t.sort(x, 1)"},
  {"argsort 10³", small, "t.argsort(x)"},
  {"argsort 10⁴", "x float32 10000", "t.argsort(x)"},
  {"argsort 10⁶", "x float32 1000000", "t.argsort(x)"},
  {"argsort float64 10⁶", "x float64 1000000", "t.argsort(x)"},
  {"argsort int64 10⁶, 99 values", "x int64 1000000", "t.argsort(x)"},
  {"topk 10 of 10³", small, "t.topk(x, 10)", nil, "t.argpartition(x, -10)[-10:]"},
  {"topk 10 of 10⁶", "x float32 1000000", "t.topk(x, 10)", nil, "t.argpartition(x, -10)[-10:]"},
  {"topk 10⁵ of 10⁶", "x float32 1000000", "t.topk(x, 100000)", nil, "t.argpartition(x, -100000)[-100000:]"},
  {"topk 10 of 1000×1000, first dim", "x float32 1000 1000", "t.topk(x, 10, 1)", "t.topk(x, 10, 0)", "t.argpartition(x, -10, 0)[-10:]"},
  {"median 10⁶", "x float32 1000000", "t.median(x)"},
  {"median 1000×1000, last dim", "x float32 1000 1000", "t.median(x, 2)", "t.median(x, 1)"},
  {"quantile 10⁶", "x float32 1000000", "t.quantile(x, 0.9)"},
  {"histogram 10⁶, 100 bins", "x float32 1000000", "t.histogram(x, 100)"},
  {"bincount 10⁶", "x int64 1000000", "t.bincount(x)"},
  {"searchsorted 10⁵ in 10⁶", "x float32 1000000; y float32 100000", "t.searchsorted(z, y)",
    setup = {"z = t.sort(x)", "z = t.sort(x)[0]", "z = t.sort(x)"}},
  {"searchsorted 10⁶ in 100", "x float32 100; y float32 1000000", "t.searchsorted(z, y)",
    setup = {"z = t.sort(x)", "z = t.sort(x)[0]", "z = t.sort(x)"}},
}

-- Linear algebra. x is a random matrix, p a positive definite matrix, y a right-hand side of one column. For lstsq,
-- PyTorch's default driver computes no singular values. Its driver gelsd does, like luatensor.
local factorizations = {
  {"solve", "t.linalg.solve(p, x)"}, {"inv", "t.linalg.inv(p)"}, {"det", "t.linalg.det(p)"},
  {"cholesky", "t.linalg.cholesky(p)"}, {"qr", "t.linalg.qr(x)"}, {"svd", "t.linalg.svd(x)"},
  {"svdvals", "t.linalg.svdvals(x)"}, {"eigh", "t.linalg.eigh(p)"}, {"eig", "t.linalg.eig(x)"},
  {"lstsq", "t.linalg.lstsq(x, y)", "t.linalg.lstsq(x, y, driver='gelsd')", "t.linalg.lstsq(x, y, rcond=None)"},
}
local sizes = {"2 2", "10 10", "16 16", "32 32", "64 64", "100 100", "128 128", "200 200", "300 300", "500 500",
               "1000 1000", "2000 2000", "1000 4 4", "1000 10 10", "100 64 64", "10 300 300"}

local function add_factorization(op, size, dtype)
  local n, batch = size:match "%d+$", select(2, size:gsub(" ", " ")) > 1
  local definite = ("p = x %%s + t.eye(%s, dtype=t.%s) * %s"):format(n, dtype, n)
  local name = op[1] .. " " .. size:gsub(" ", "×") .. (dtype == "float64" and "" or " " .. dtype)
  local numpy = op[4]
  if op[4] and batch then numpy = false end            -- NumPy's lstsq takes one matrix
  table.insert(rows, {name, ("x %s %s; y %s %s 1"):format(dtype, size, dtype, size:gsub(" %d+$", "")), op[2], op[3], numpy, setup = {
    ('p = x:matmul(x.mT) + t.eye(%s, {dtype = "%s"}) * %s'):format(n, dtype, n),
    definite:format "@ x.mT", definite:format "@ x.swapaxes(-1, -2)"}})
end

for _, dtype in ipairs {"float64", "float32"} do
  for _, size in ipairs(sizes) do
    for _, op in ipairs(factorizations) do
      if op[1] ~= "eig" or not size:find "^%d000 %d000" then add_factorization(op, size, dtype) end
    end
  end
end

return rows
