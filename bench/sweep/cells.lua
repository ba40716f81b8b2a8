-- The cells of the sweep: every op × dtype × size × layout × number of threads. A cell is a row for the contenders
-- (bench/contender.lua) with the fields `op`, `dtype`, `size`, `layout` and `threads`.

local lt = require "luatensor"

local cells = {}

cells.dtypes = {"float32", "float64", "bfloat16", "int64", "bool"}

-- Rows and columns of the matrices of each size.
local shapes = {[10] = {2, 5}, [1000] = {20, 50}, [100000] = {250, 400}, [10000000] = {2500, 4000}}

cells.sizes = {10, 1000, 100000, 10000000}

-- How a matrix of %r rows and %c columns, named %n, is laid out: the shape of the input, and the statements in Lua and
-- in Python that make the matrix from it.
local layouts = {
  contiguous = {"%r %c", "", ""},
  transposed = {"%c %r", "%n = %n.T", "%n = %n.T"},
  sliced = {"%R %C", "%n = %n[{ {2, -2}, {1, -1, 2} }]", "%n = %n[1:-1, ::2]"},
  broadcast = {"1 %c", "%n = %n:broadcast_to(%r, %c)", "%n = %n.expand(%r, %c)"},
}

cells.layouts = {"contiguous", "transposed", "sliced", "broadcast"}

-- ---- ops ----------------------------------------------------------------------------------------

-- Names of element-wise ops in PyTorch, if they differ.
local torch_names = {
  bitwise_invert = "bitwise_not", equal = "eq", gelu = "nn.functional.gelu", silu = "nn.functional.silu",
  softplus = "nn.functional.softplus", cumulative_sum = "cumsum", cumulative_prod = "cumprod",
  cumulative_max = "cummax", cumulative_min = "cummin", max = "amax", min = "amin",
}

-- Ops that return a view, at least in PyTorch, so there is nothing to time.
local views = {positive = true, conj = true}

-- Reductions that PyTorch offers only along a dim.
local along_dim = {logsumexp = true}

-- Options of PyTorch that give luatensor's result.
local torch_options = {var = ", correction=0", std = ", correction=0"}

-- Ops of other families, and element-wise ops whose calls differ: name, call of luatensor, call of PyTorch (nil: the
-- same text), further input. Further inputs are contiguous: m is a mask, i has positions, v is a row, w is a column.
local others = {
  {"lerp", "t.lerp(x, y, 0.3)"},
  {"where", "t.where(m, x, y)", nil, "m"},
  {"clip", "t.clip(x, 20, 70)"},
  {"isclose", "t.isclose(x, y)"},
  {"add a number", "x + 3"},
  {"multiply by a row", "x * v", nil, "v"},
  {"multiply by a column", "x * t.unsqueeze(x[{ {}, 1 }], 2)", "x * x[:, :1]"},
  {"add in place", "t.add(x, y, {out = x})", "t.add(x, y, out=x)"},
  {"to float64", 'x:to("float64")', "x.to(t.float64)"},
  {"to float32", 'x:to("float32")', "x.to(t.float32)"},
  {"to bfloat16", 'x:to("bfloat16")', "x.to(t.bfloat16)"},
  {"to int64", 'x:to("int64")', "x.to(t.int64)"},
  {"clone", "x:clone()", "x.clone(memory_format=t.contiguous_format)"},
  {"concat rows", "t.concat({x, y}, 1)", "t.concat([x, y], 0)"},
  {"concat columns", "t.concat({x, y}, 2)", "t.concat([x, y], 1)"},
  {"stack", "t.stack({x, y}, 3)", "t.stack([x, y], 2)"},
  {"roll", "t.roll(x, 3, 2)", "t.roll(x, 3, 1)"},
  {"flip", "t.flip(x, 2)", "t.flip(x, [1])"},
  {"tril", "t.tril(x)"},
  {"diff", "t.diff(x)"},
  {"repeat", "t.tile(x, 1, 2)", "t.tile(x, (1, 2))"},
  {"sort rows", "t.sort(x, 2)", "t.sort(x, 1)"},
  {"argsort rows", "t.argsort(x, 2)", "t.argsort(x, 1)"},
  {"topk", "t.topk(x, 3, 2)", "t.topk(x, 3, 1)"},
  {"unique", "t.unique(x)"},
  {"median of rows", "t.median(x, 2)", "t.median(x, 1)"},
  {"quantile of rows", "t.quantile(x, 0.3, 2)", "t.quantile(x, 0.3, 1)"},
  {"vector norm", "t.linalg.vector_norm(x)"},
  {"norm of rows", "t.linalg.vector_norm(x, {dim = 2})", "t.linalg.vector_norm(x, dim=1)"},
  {"take rows", "x[i]", nil, "i"},
  {"take columns", "x[{ {}, i }]", "x[:, i]", "i"},
  {"take a column", "x[{ {}, 2 }] + x[{ {}, 1 }]", "x[:, 1] + x[:, 0]"},
  {"mask", "x[m]", nil, "m"},
  {"masked fill", "t.masked_fill(x, m, 3)", nil, "m"},
  {"nonzero", "t.nonzero(x)"},
  {"matrix times row", "x:matmul(v)", "x.matmul(v)", "v"},
  {"row times matrix", "w:matmul(x)", "w.matmul(x)", "w"},
  {"vecdot", "t.linalg.vecdot(x, y)"},
}

-- Returns the calls of the op table: {name, call of luatensor, call of PyTorch, uses y}.
local function calls_of(name, kind)
  local torch = torch_names[name] or name
  if views[name] then return {} end
  if kind == "unary" then return {{name, ("t.%s(x)"):format(name), ("t.%s(x)"):format(torch)}} end
  if kind == "binary" then return {{name, ("t.%s(x, y)"):format(name), ("t.%s(x, y)"):format(torch)}} end
  if kind ~= "reduction" and kind ~= "scan" and kind ~= "softmax" then return {} end
  local calls, option = {}, torch_options[name] or ""
  for dim, text in ipairs{" of columns", " of rows"} do
    calls[dim] = {name .. text, ("t.%s(x, %d)"):format(name, dim), ("t.%s(x, %d%s)"):format(torch, dim - 1, option)}
  end
  if kind == "reduction" and not along_dim[name] then
    calls[3] = {name, ("t.%s(x)"):format(name), ("t.%s(x%s)"):format(torch, option)}
  end
  return calls
end

-- Returns the list of all calls, sorted by name.
local function all_calls()
  local calls = {}
  for name, op in pairs(lt.ops()) do
    for _, call in ipairs(calls_of(name, op.kind)) do calls[#calls + 1] = call end
  end
  for _, call in ipairs(others) do calls[#calls + 1] = call end
  table.sort(calls, function(a, b) return a[1] < b[1] end)
  return calls
end

-- ---- cells --------------------------------------------------------------------------------------

local function fill(text, name, rows, columns)
  local values = {n = name, r = rows, c = columns, R = rows + 2, C = 2 * columns}
  return (text:gsub("%%(%a)", values))
end

-- True if the expression reads the variable.
local function reads(expression, name) return expression:find("%f[%w_]" .. name .. "%f[^%w_]") ~= nil end

-- Further inputs of the calls in `others`, and the statements that make them.
local function further_input(name, dtype, rows, columns)
  if name == "m" then return ("m bool %d %d"):format(rows, columns) end
  if name == "v" then return ("v %s %d"):format(dtype, columns) end
  if name == "w" then return ("w %s %d"):format(dtype, rows) end
  local count = math.min(rows, columns)
  return ("i int64 %d"):format(count), ("i = i %% %d + 1"):format(count), ("i = i %% %d"):format(count)
end

local function make_cell(call, dtype, size, layout, threads)
  local rows, columns = table.unpack(shapes[size])
  local shape, ours, torch = table.unpack(layouts[layout])
  local inputs, setups = {}, {{}, {}}
  for _, name in ipairs{"x", "y"} do
    if reads(call[2], name) then
      inputs[#inputs + 1] = ("%s %s %s"):format(name, dtype, fill(shape, name, rows, columns))
      if ours ~= "" then
        table.insert(setups[1], fill(ours, name, rows, columns))
        table.insert(setups[2], fill(torch, name, rows, columns))
      end
    end
  end
  if call[4] then
    local input, before, torch_before = further_input(call[4], dtype, rows, columns)
    inputs[#inputs + 1] = input
    table.insert(setups[1], before)
    table.insert(setups[2], torch_before)
  end
  return {
    ("%s %s %d %s %d"):format(call[1], dtype, size, layout, threads), table.concat(inputs, "; "), call[2], call[3],
    setup = {table.concat(setups[1], "; "), table.concat(setups[2], "; ")},
    op = call[1], dtype = dtype, size = size, layout = layout, threads = threads,
  }
end

--- Returns the list of all cells.
-- threads: the numbers of threads.
function cells.all(threads)
  local list = {}
  for _, call in ipairs(all_calls()) do
    for _, dtype in ipairs(cells.dtypes) do
      for _, size in ipairs(cells.sizes) do
        for _, layout in ipairs(cells.layouts) do
          for _, n in ipairs(threads) do list[#list + 1] = make_cell(call, dtype, size, layout, n) end
        end
      end
    end
  end
  return list
end

--- Returns `count` cells of the list, drawn by a seed, or the whole list in its order if count is nil.
function cells.sample(list, count, seed)
  if not count then return list end
  local order = lt.permutation(#list, {generator = lt.generator{seed = seed}}):tolist()
  local drawn = {}
  for i = 1, math.min(count, #list) do drawn[i] = list[order[i]] end
  return drawn
end

return cells
