-- Finds out for which dtypes and devices each function works, by calling all functions:
--
--   tools/lua tools/coverage.lua            writes docs/coverage.md; needs the emulated GPU (make coverage)
--
-- If LUATENSOR_PJRT_XLA names a plugin of PJRT, the page's section about plugins is written anew, too.
--
-- Run this script from the repository's root. With dofile, it returns functions for spec/docs/coverage_spec.lua.

local annotate = dofile "tools/annotate.lua"
local lt = require "luatensor"

local coverage = {}

-- ---- what is called -----------------------------------------------------------------------------

-- The tables of the page. A row has the title, and the names of sources whose documentation has the functions, or
-- kinds of the op table.
coverage.tables = {
  {"Element-wise functions", "unary", "binary", "ternary", "quaternary", "map", "complex"},
  {"Reductions, along a dim, statistics", "reduction", "scan", "softmax", "reduce", "stats", "order", "nan"},
  {"Creation and random numbers", "create", "random"},
  {"Shapes, parts, order, copies", "view", "manipulation", "copy"},
  {"Indexing, searching, sorting, sets", "index", "take", "sort", "sets", "compare"},
  {"Products", "matmul", "linear", "products", "einsum"},
  {"linalg", "linalg"},
  {"fft", "fft"},
}

-- Sources of functions that compute nothing with elements, and of functions that scripts write (elementwise, kernel).
local other_sources = {}
for name in ([[alias autograd help checkpoint compile grad compose convert device dlpack dtype elementwise file graph
    info kernel limits memory print stream tensor thread]]):gmatch "%S+" do
  other_sources[name] = true
end

-- Tables of lt whose functions the page leaves out.
local other_libraries = {bench = true, advise = true, nn = true, optim = true, data = true, distributed = true,
  plot = true}

-- More functions that compute nothing with elements. They are listed by name, because their sources also have
-- functions that compute with elements.
local no_elements = {}
for name in ([[broadcast_shapes rows is_contiguous is_pinned pin_memory generator default_generator manual_seed
    get_matmul_precision set_matmul_precision]]):gmatch "%S+" do
  no_elements[name] = true
end

-- Calls that differ from the f(x), f(x, x) … that the op table implies. x and s are the results of coverage.sample: x
-- is a 4 × 4 tensor, and s a table of other samples. The samples are options = {dtype =, device =}, dtype, device, a
-- mask, and int64 positions i (4 × 4) and line (4).
local function twice(f, x) return f(x, x) end
local function by_shape(f, _, s) return f({4, 4}, s.options) end
local function like(f, x, s) return f(x, s.options) end
local function list(f, x) return f({x, x}) end
local function along(f, x, s) return f(x, 1, s.i) end
local function into(f, x, s) return f(x, 1, s.i, x) end
local function first_dim(f, x) return f(x, 1) end

-- Products of so many terms that a GPU calls its library: our own kernels compute products of at most 64 terms.
local function wide(x) return x:tile(1, 20) end
local function product(f, x) return f(wide(x), wide(x).T) end
local function sum_of_products(f, x) return f(wide(x), wide(x)) end

local calls = {
  clip = function(f, x) return f(x, x, x) end,
  lerp = function(f, x) return f(x, x, 0.5) end,
  where = function(f, x, s) return f(s.mask, x, x) end,
  isclose = twice, complex = twice,
  masked_fill = function(f, x, s) return f(x, s.mask, s.dtype == "bool" or 1) end,
  view_as_complex = function(f, x) return f(x:reshape(8, 2)) end,
  softmax = first_dim, log_softmax = first_dim, cumulative_max = first_dim, cumulative_min = first_dim,
  cumulative_prod = first_dim, cumulative_sum = first_dim,
  median = first_dim, quantile = function(f, x) return f(x, 0.5, 1) end,
  nanmedian = first_dim, nanquantile = function(f, x) return f(x, 0.5, 1) end,
  bincount = function(f, x) return f(x:diagonal()) end,
  zeros = by_shape, ones = by_shape, empty = by_shape, rand = by_shape, randn = by_shape,
  uniform = function(f, _, s) return f(0, 1, {4, 4}, s.options) end,
  normal = function(f, _, s) return f(0, 1, {4, 4}, s.options) end,
  full = function(f, _, s) return f({4, 4}, s.dtype == "bool" or 1, s.options) end,
  full_like = function(f, x) return f(x, x.dtype == "bool" or 1) end,
  zeros_like = like, ones_like = like, empty_like = like, rand_like = like, randn_like = like,
  arange = function(f, _, s) return f(0, 4, 1, s.options) end,
  range = function(f, _, s) return f(1, 4, 1, s.options) end,
  linspace = function(f, _, s) return f(0, 1, 4, s.options) end,
  eye = function(f, _, s) return f(4, 4, s.options) end,
  randint = function(f, _, s) return f(0, 1, 4, 4, s.options) end,
  permutation = function(f, _, s) return f(4, {device = s.device}) end,
  bernoulli = function(f, _, s) return f(0.5, {4}, s.options) end,
  multinomial = function(f, x) return f(x[1], 2) end,
  broadcast_to = function(f, x) return f(x, 2, 4, 4) end,
  expand_dims = first_dim, unflatten = function(f, x) return f(x, 1, {2, 2}) end,
  moveaxis = function(f, x) return f(x, 1, 2) end, swapaxes = function(f, x) return f(x, 1, 2) end,
  narrow = function(f, x) return f(x, 1, 2, 2) end, permute_dims = function(f, x) return f(x, 2, 1) end,
  reshape = function(f, x) return f(x, 2, 8) end,
  broadcast_arrays = twice, meshgrid = function(f, x) return f(x[1], x[2]) end,
  chunk = function(f, x) return f(x, 2) end, split = function(f, x) return f(x, 2) end,
  ["repeat"] = function(f, x, s) return f(x, s.line, 1) end, tile = function(f, x) return f(x, 2, 2) end,
  roll = function(f, x) return f(x, 1, 1) end,
  pad = function(f, x) return f(x, {1, 1}) end,
  masked_select = function(f, x, s) return f(x, s.mask) end,
  masked_scatter = function(f, x, s) return f(x, s.mask, x) end,
  astype = function(f, x) return f(x, x.dtype) end,
  to = function(f, x) return f(x, x.dtype, {copy = true}) end,
  concat = list, stack = list,
  take = function(f, x, s) return f(x, s.line, 1) end, take_along_axis = function(f, x, s) return f(x, s.i, 1) end,
  gather = along, scatter = into, scatter_add = into, index_add = function(f, x, s) return f(x, 1, s.line, x) end,
  searchsorted = function(f, x) return f(x[1], x) end,
  topk = function(f, x) return f(x, 2) end,
  isin = twice, allclose = twice, equal_all = twice,
  matmul = product, mm = product, vecdot = sum_of_products, tensordot = sum_of_products,
  bmm = function(f, x) return f(wide(x):expand_dims(1), wide(x).T:expand_dims(1)) end,
  mv = function(f, x) return f(wide(x), wide(x)[1]) end, dot = function(f, x) return f(wide(x)[1], wide(x)[2]) end,
  outer = function(f, x) return f(x[1], x[2]) end,
  addmm = function(f, x) return f(x, wide(x), wide(x).T) end,
  einsum = function(f, x) return f("ij,kj->ik", wide(x), wide(x)) end,
  ["linalg.cross"] = function(f, x) return f(x[{ {}, {1, 3} }], x[{ {}, {2, 4} }]) end,
  ["linalg.matrix_power"] = function(f, x) return f(x:tile(20, 20), 3) end,
  ["linalg.matmul"] = product, ["linalg.vecdot"] = sum_of_products, ["linalg.tensordot"] = sum_of_products,
  ["linalg.solve"] = twice,
  ["linalg.lu_solve"] = function(f, x)
    local factors, rows = lt.linalg.lu_factor(x)
    return f(factors, rows, x)
  end,
  ["linalg.lstsq"] = twice, ["linalg.solve_triangular"] = twice,
  ["linalg.outer"] = function(f, x) return f(x[1], x[2]) end,
  ["fft.fftfreq"] = function(f, _, s) return f(4, s.options) end,
  ["fft.rfftfreq"] = function(f, _, s) return f(4, s.options) end,
}

local function default_call(name)
  local op = lt.ops()[name]
  local n = op and op.kind ~= "scan" and op.arity or 1
  return function(f, x) return f(table.unpack({x, x, x, x}, 1, n)) end
end

--- Returns the call(f, x, s) of a function; x and s are the results of `sample`.
function coverage.call_of(name) return calls[name] or default_call(name) end

--- A symmetric, positive definite matrix whose elements are exact in every numeric dtype.
local matrix = {{4, 1, 0, 1}, {1, 5, 1, 0}, {0, 1, 6, 1}, {1, 0, 1, 7}}

function coverage.sample(dtype, device)
  local options = {dtype = dtype, device = device}
  local integers = lt.tensor(matrix, {device = device})
  return integers:to(dtype), {
    options = options, dtype = dtype, device = device, mask = integers:greater(1),
    line = lt.tensor({1, 2, 2, 4}, {device = device}), i = lt.ones({4, 4}, {dtype = "int64", device = device}),
  }
end

function coverage.function_of(name)
  local space, inner = name:match "^(%w+)%.([%w_]+)$"
  local functions = space and rawget(lt, space) or lt
  return type(functions) == "table" and rawget(functions, inner or name)
end

--- Returns the tables of the page as a list of {title =, names = the functions that the table has}.
function coverage.functions()
  local table_of, list_of = {}, {}
  for k, row in ipairs(coverage.tables) do
    list_of[k] = {title = row[1], names = {}}
    for i = 2, #row do table_of[row[i]] = list_of[k].names end
  end
  local _, by_name = annotate.collect()
  for name, doc in pairs(by_name) do
    local names = table_of[doc.section]
    local is_function = type(coverage.function_of(name)) == "function" and not no_elements[name]
      and not other_libraries[name:match "^%w+"]
    assert(names or not is_function or other_sources[doc.section], name .. ": in which table of docs/coverage.md?")
    if names and is_function then names[#names + 1] = name end
  end
  for _, group in ipairs(list_of) do table.sort(group.names) end
  return list_of
end

--- Returns all dtypes, in the order of the dtype table.
function coverage.dtypes()
  local names = {}
  for _, name in ipairs(lt.ops().positive.dtypes) do names[#names + 1] = name end
  return names
end

-- ---- measuring ----------------------------------------------------------------------------------

--- True if the function is written in Lua. The core calls such functions through a closure that has them as an upvalue.
local function is_composition(f)
  local _, inner = debug.getupvalue(f, 1)
  return debug.getinfo(f, "S").what == "Lua" or type(inner) == "function"
end

-- NVIDIA's libraries: the emulator's counter for each, and the letter in the tables. If a function calls several
-- libraries, the first one is shown.
local libraries = {{"factorizations", "L"}, {"transforms", "F"}, {"products", "B"}}

-- The environment variable that names the emulator's folder, and the emulator's Lua module, for each kind of GPU.
local emulators = {cuda = {"LUATENSOR_CUDA_PATH", "emulator"}, rocm = {"LUATENSOR_ROCM_PATH", "emulator_hip"}}

--- Returns the function counts() of the emulated GPU. For the CPU, returns a function that returns an empty table.
local function counts_of(device)
  if device == "cpu" then return function() return {} end end
  local variable, module = table.unpack(emulators[device:match "^%a+"])
  local folder = assert(os.getenv(variable), "coverage: needs the emulated GPU: make coverage")
  return assert(package.loadlib(("%s/%s.so"):format(folder, module), "luaopen_" .. module))().counts
end

local function library_called(before, after)
  for _, library in ipairs(libraries) do
    local kind, letter = library[1], library[2]
    if after[kind] ~= before[kind] then return letter end
  end
  return ""
end

local function is_float(dtype) return dtype:find "float" or dtype:find "complex" end

--- True if t shares the memory of x.
local function is_view(t, x)
  if not lt.is_tensor(t) or t.size == 0 then return false end
  local offset = t:data_ptr() - x:data_ptr()
  return offset >= 0 and offset < x.size * #lt.zeros({1}, {dtype = x.dtype, device = "cpu"}):to_bytes()
end

--- Extracts the reason from an error message: "not for bool; …" from "file:line: sum: not for bool; …".
local function reason_of(message)
  return (tostring(message):gsub("^[^\n:]*:%d+: ", ""):gsub("^[%w_.]+: ", ""))
end

--- Makes one call on a device. Returns {works =, why =, float =, view =, library =, waits =}. works is false after an
-- error, and why is the error's reason. float is true if integers became floats. view is true if the result shares
-- x's memory. library is the letter of NVIDIA's library that the call used. waits is true if the call waited for the
-- GPU.
local function measure_call(name, f, dtype, device, counts)
  local x, s = coverage.sample(dtype, device)
  local call = coverage.call_of(name)
  pcall(call, f, x, s)                         -- does all work that is done only once: compiling, opening libraries
  local before = counts()
  local works, result = pcall(call, f, x, s)
  local after = counts()
  assert(works or not tostring(result):find "compiling", result)
  if not works then return {works = false, why = reason_of(result)} end
  if type(result) == "table" then result = result[1] end
  local is_tensor = lt.is_tensor(result)
  assert(not is_tensor or result.device == device, name .. ": the result is on another device")
  return {
    works = true, view = is_view(result, x), library = library_called(before, after),
    float = is_tensor and not is_float(dtype) and is_float(result.dtype) and true or false,
    waits = after.waits ~= before.waits,
  }
end

-- On a GPU, only one of several dtypes with the same kernels is called, because kernels of each dtype must be
-- compiled. array/ops_spec.lua tests all dtypes.
local stands_for = {bfloat16 = "float16", float64 = "float32", complex128 = "complex64"}
for name in ("uint8 uint16 uint32 uint64 int8 int16 int32"):gmatch "%S+" do stands_for[name] = "int64" end

--- Returns the results of measure_call on one device, by name and dtype: cells[name][dtype].
function coverage.measure(device)
  device = lt.device(device)
  local counts, cells = counts_of(device), {}
  for _, group in ipairs(coverage.functions()) do
    for _, name in ipairs(group.names) do
      local row = {}
      for _, dtype in ipairs(coverage.dtypes()) do
        if device == "cpu" or not stands_for[dtype] then
          row[dtype] = measure_call(name, coverage.function_of(name), dtype, device, counts)
        end
      end
      for dtype, other in pairs(device == "cpu" and {} or stands_for) do row[dtype] = row[other] end
      cells[name] = row
    end
  end
  return cells
end

-- ---- plugins of PJRT ----------------------------------------------------------------------------

--- Returns the families of calls that the CPU has computed for a device, with their numbers.
local host_calls = require "luatensor.core".host_calls

--- Returns the families whose numbers differ, sorted.
local function differing(before, after)
  local names = {}
  for name, count in pairs(after) do
    if count ~= before[name] then names[#names + 1] = name end
  end
  table.sort(names)
  return names
end

--- Calls all functions on a plugin's device. No result is read, so that a program runs only if a function needs a
-- value.
-- @string device
-- @tparam[opt] table dtypes the dtypes of the calls, by default all
-- @treturn table hosted[name][dtype]: a text of the families that the CPU computed, "" if there was none; nil if the
--   function does not work for the dtype, or returns a view
function coverage.measure_hosted(device, dtypes)
  device = lt.device(device)
  local hosted = {}
  for _, group in ipairs(coverage.functions()) do
    for _, name in ipairs(group.names) do
      local row, call, f = {}, coverage.call_of(name), coverage.function_of(name)
      for _, dtype in ipairs(dtypes or coverage.dtypes()) do
        local x, s = coverage.sample(dtype, device)
        local before = host_calls(device)
        local works, result = pcall(call, f, x, s)
        if type(result) == "table" then result = result[1] end
        if works and not is_view(result, x) then
          row[dtype] = table.concat(differing(before, host_calls(device)), ", ")
        end
      end
      hosted[name] = row
      collectgarbage()
    end
  end
  return hosted
end

--- Returns the lines of the table of a function: one for each list of families.
local function hosted_lines(name, row)
  local dtypes, lists, count, lines = {}, {}, 0, {}
  for _, dtype in ipairs(coverage.dtypes()) do
    local families = row[dtype]
    count = count + (families and 1 or 0)
    if families and families ~= "" then
      if not dtypes[families] then lists[#lists + 1] = families end
      dtypes[families] = dtypes[families] or {}
      table.insert(dtypes[families], dtype)
    end
  end
  for k, families in ipairs(lists) do
    local names = dtypes[families]
    lines[k] = ("| `%s` | %s | %s |"):format(name, families, #names == count and "all" or table.concat(names, ", "))
  end
  return lines
end

--- Returns the section of the page about plugins, from the result of coverage.measure_hosted for all dtypes.
function coverage.section(hosted)
  local ops, all, lines = {0, 0}, {0, 0}, {}
  for _, group in ipairs(coverage.functions()) do
    for _, name in ipairs(group.names) do
      for _, families in pairs(hosted[name]) do
        for _, sums in ipairs(lt.ops()[name] and {ops, all} or {all}) do
          sums[1], sums[2] = sums[1] + (families == "" and 1 or 0), sums[2] + 1
        end
      end
      for _, line in ipairs(hosted_lines(name, hosted[name])) do lines[#lines + 1] = line end
    end
  end
  return ([[
## Plugins of PJRT

Devices of [plugins](accelerators.md#plugins-of-pjrt) compute %.1f %% of the combinations of a function of this page and
a dtype (%d of %d). Of the functions that `lt.ops()` lists, they compute %.1f %% (%d of %d). Views are not
counted. The CPU computes the other combinations, which this table has, with the families of calls. On a TPU, it also
computes matrix products of int64 and uint64, and Fourier transforms of float64 and complex128, which Google's compiler
lacks. `make coverage` with `LUATENSOR_PJRT_XLA` made the calls on XLA for the CPU.

| function | families | dtypes |
|---|---|---|
%s
]]):format(100 * all[1] / all[2], all[1], all[2], 100 * ops[1] / ops[2], ops[1], ops[2], table.concat(lines, "\n"))
end

--- Returns the families that a page's section about plugins lists for a function and a dtype, "" if the list has none.
function coverage.families_of(section, name, dtype)
  for families, dtypes in section:gmatch("\n| `" .. name:gsub("%.", "%%.") .. "` | ([^|]*) | ([^|]*) |") do
    if dtypes == "all" or (", " .. dtypes .. ","):find(", " .. dtype .. ",", 1, true) then return families end
  end
  return ""
end

--- Returns the section about plugins in a page.
function coverage.section_of(page) return page:match "\n(## Plugins of PJRT\n.*)$" or "" end

-- ---- the page -----------------------------------------------------------------------------------

local columns = {
  {"bool"}, {"uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64"}, {"float16", "bfloat16"},
  {"float32", "float64"}, {"complex64", "complex128"},
}
local titles = {"bool", "integers", "float16, bfloat16", "float32, float64", "complex"}

-- The dtypes of OpenBLAS. The CPU's products of other dtypes, and its Fourier transforms, have kernels of our own.
local blas = {float32 = true, float64 = true, complex64 = true, complex128 = true}

--- True for a factorization: a function of lt.linalg in C that lt itself lacks.
local function is_factorization(name)
  local inner = name:match "^linalg%.(.*)$"
  return inner and not is_composition(coverage.function_of(name)) and rawget(lt, inner) == nil
end

--- Returns the letter of the library with which the CPU computes a function, or "" if the CPU uses no library. `letter`
-- is the letter of the library that a GPU uses.
local function cpu_library(name, letter, dtype)
  if is_factorization(name) then return "L" end
  return (letter == "B" and blas[dtype] or letter == "L") and letter or ""
end

--- Returns the letters of a cell of one device, which the legend of the page explains: "–", "V", "K", "CB →" …
function coverage.letters(name, cell, library)
  if not cell.works then return "–" end
  local how = (is_composition(coverage.function_of(name)) and "C" or "") .. library
  if cell.view then how = "V" elseif how == "" then how = "K" end
  return how .. (cell.float and " →" or "")
end

--- Returns the letters of both devices for a dtype, or one text if both are equal.
local function both_letters(name, dtype, cpu, gpu)
  local library = gpu[name][dtype].library or ""
  local on_cpu = coverage.letters(name, cpu[name][dtype], cpu_library(name, library, dtype))
  local on_gpu = coverage.letters(name, gpu[name][dtype], library)
  return on_cpu == on_gpu and on_cpu or on_cpu .. " / " .. on_gpu
end

--- Returns the letters of the dtypes in a column, or one text if all are equal.
local function column_text(name, dtypes, cpu, gpu)
  local texts, same = {}, true
  for i, dtype in ipairs(dtypes) do
    local text = both_letters(name, dtype, cpu, gpu)
    texts[i] = ("%s: %s"):format(dtype, text)
    same = same and text == both_letters(name, dtypes[1], cpu, gpu)
  end
  return same and both_letters(name, dtypes[1], cpu, gpu) or table.concat(texts, ", ")
end

-- The page's word for the reason why a function fails for some dtypes (explained in `meaning`). A key lists the
-- numbers of the columns whose dtypes fail, as in `columns`.
local reasons = {
  [""] = "",
  ["5"] = "real",
  ["1 5"] = "real numbers",
  ["1"] = "numbers",
  ["3 4 5"] = "bits",
  ["1 3 4 5"] = "integers",
  ["1 2"] = "floats",
  ["1 2 5"] = "real floats",
  ["3"] = "no half",
  ["1 3"] = "numbers; no half",
  ["1 3 5"] = "real numbers; no half",
  ["1 2 3 5"] = "pairs",
  ["1 2 3 4"] = "complex",
}

local meaning = {
  {"real", "complex numbers have no order, or the function is defined for real ones only"},
  {"numbers, real numbers", "bool is no number: `x:to(\"int64\")`"},
  {"bits, integers", "works on the bits of integers (and bool)"},
  {"floats, real floats", "makes or takes floats: convert with `x:to`"},
  {"no half", "neither LAPACK nor the libraries of GPUs have half floats: `x:to(\"float32\")`"},
  {"pairs, complex", "pairs of float32 or float64 are complex numbers seen as reals"},
}

--- Returns the page's word for the dtypes for which a function fails on a device, or "" if it fails for none. A
-- combination of columns that `reasons` lacks is an error.
local function why(name, cells)
  local without = {}
  for k, dtypes in ipairs(columns) do
    if not cells[name][dtypes[1]].works then without[#without + 1] = k end
  end
  return reasons[table.concat(without, " ")]
    or error(("coverage: nothing explains where %s is missing: columns %s"):format(name, table.concat(without, " ")))
end

--- Returns a line about a function that works on only one device for some dtypes: these dtypes, and the error on the
-- other device. Returns nil if there is no such dtype.
local function difference(name, cpu, gpu)
  local dtypes, both, words = {}, false, nil
  for _, dtype in ipairs(coverage.dtypes()) do
    local a, b = cpu[name][dtype], gpu[name][dtype]
    both = both or a.works and b.works
    if a.works ~= b.works then
      dtypes[#dtypes + 1] = dtype
      words = words or (a.why or b.why):gsub(" for %w+;", ";")
    end
  end
  return words and ("- `%s`%s: %s"):format(name, both and " of " .. table.concat(dtypes, ", ") or "", words)
end

local function differences(cpu, gpu)
  local lines = {}
  for _, group in ipairs(coverage.functions()) do
    for _, name in ipairs(group.names) do lines[#lines + 1] = difference(name, cpu, gpu) end
  end
  return #lines > 0 and table.concat(lines, "\n") or "Nothing: every function is there on both for the same dtypes."
end

--- True if a call of the function on a GPU waits for the device, for at least one dtype.
function coverage.waits(name, gpu)
  for _, dtype in ipairs(coverage.dtypes()) do
    if gpu[name][dtype].waits then return true end
  end
  return false
end

local head = [[
# What runs where

This page lists every function that computes with tensors, and shows how the CPU and a GPU compute the function for
each dtype. `make coverage` calls all these functions on both devices and writes this page.
`spec/docs/coverage_spec.lua` makes the same calls and compares the results with this page.

The GPU is the [emulated GPU](emulator.md), which runs the same kernel sources as a real GPU, and counts the calls of
NVIDIA's libraries. On the GPU only one dtype of each column is tested: bool, int64, float16, float32 and complex64.
[Which accelerators](accelerators.md) tells what has run on real GPUs.

| | |
|---|---|
| K | kernels of our own |
| B | OpenBLAS on the CPU, cuBLAS or rocBLAS on a GPU; small products of floats have kernels of our own |
| L | LAPACK (in OpenBLAS) on the CPU, cuSOLVER or rocSOLVER on a GPU; functions that can fail wait there |
| F | cuFFT or hipFFT, on a GPU; transforms on the CPU are our own, K |
| C | a composition, in Lua, of functions that are there; CB, CL, CF: which call that library |
| V | a view: nothing is computed |
| → | computed in the default float, which the result has |
| K / B | the CPU does it one way, a GPU the other |
| – | an error that says so; the last column says why |
| *waits* | a GPU's result needs a value on the host first: its shape, an error, or a Lua value |

If a function does not support a dtype or a device, the call raises an error, such as `sort: not for complex64 …`. If
the tensors are on a GPU, no function moves the computation to the CPU. [Plugins of PJRT](#plugins-of-pjrt) leave some
functions to the CPU.

The last column names what a function is for:

]]

local function add_table(out, group, cpu, gpu)
  out[#out + 1] = ("\n## %s\n\n| function | %s | for |\n|---|%s---|"):format(
    group.title, table.concat(titles, " | "), ("---|"):rep(#titles))
  for _, name in ipairs(group.names) do
    local cells = {}
    for k, dtypes in ipairs(columns) do cells[k] = column_text(name, dtypes, cpu, gpu) end
    local mark = coverage.waits(name, gpu) and " *waits*" or ""
    out[#out + 1] = ("| `%s`%s | %s | %s |"):format(name, mark, table.concat(cells, " | "), why(name, cpu))
  end
end

--- Returns the page, from the cells of both devices and the section about plugins.
function coverage.markdown(cpu, gpu, section)
  local out = {head .. "| word | meaning |\n|---|---|"}
  for _, row in ipairs(meaning) do out[#out + 1] = ("| %s | %s |"):format(row[1], row[2]) end
  for _, group in ipairs(coverage.functions()) do
    if #group.names > 0 then add_table(out, group, cpu, gpu) end
  end
  out[#out + 1] = "\n## On one device only\n\n" .. differences(cpu, gpu)
  return table.concat(out, "\n") .. "\n\n" .. section
end

--- Returns the CPU's letters in a page: for each function name, a list with the letters of each column, simplified by
-- coverage.plain.
function coverage.read(page)
  local rows = {}
  page = page:sub(1, #page - #coverage.section_of(page))
  for name, text in page:gmatch "\n| `([%w_.]+)`[^|]* (|[^\n]*)|[^|\n]*|" do
    local cells = {}
    for cell in text:gmatch "| ([^|]*) " do cells[#cells + 1] = coverage.plain(cell:match "^(.-) / " or cell) end
    rows[name] = cells
  end
  return rows
end

--- Replaces the letter of a library by K, and removes it after C. A spec compares such letters if there is no GPU,
-- because a GPU's libraries determine the CPU's letters (cpu_library).
function coverage.plain(letters)
  return (letters:gsub("C[BLF]", "C"):gsub("[BLF]", "K"))
end

--- Returns the columns of the tables: lists of dtypes.
function coverage.columns() return columns end

if arg and arg[0] and arg[0]:find "coverage.lua$" then
  local file = assert(io.open "docs/coverage.md")
  local section = coverage.section_of(file:read "a")
  file:close()
  if os.getenv "LUATENSOR_PJRT_XLA" then section = coverage.section(coverage.measure_hosted "xla") end
  local page = coverage.markdown(coverage.measure "cpu", coverage.measure "cuda", section)
  file = assert(io.open("docs/coverage.md", "w"))
  file:write(page)
  file:close()
end

return coverage
