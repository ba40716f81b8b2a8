--- Calls of public functions with random arguments, most of which make no sense.
local lt = require "luatensor"

local DTYPES = {"bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float16", "bfloat16",
                "float32", "float64"}
local SHAPES = {{}, {0}, {1}, {5}, {2, 3}, {3, 2}, {3, 3}, {1, 4}, {4, 1}, {0, 3}, {2, 0, 3}, {2, 3, 4}, {1, 1, 1, 2},
                {300}, {40, 70}, {2, 1, 2, 1, 2, 1, 2}}
-- Functions that are not called, because they free tensors, write files, wait, or change state that other calls see.
local LEFT_OUT = {free = true, _fail_after = true, set_memory_limit = true, set_default_dtype = true,
                  set_num_threads = true, save = true,
                  set_printoptions = true, manual_seed = true, methods = true, properties = true, limits = true}

-- a function like math.random, from which a call takes all its choices
local random

local function pick(list) return list[random(#list)] end

local function tensor()
  local shape = pick(SHAPES)
  local x = lt.rand(shape):multiply(random() < 0.5 and 10 or 3):to(pick(DTYPES))
  local view, n = random(8), x.ndim > 0 and x.shape[1] or 0
  if view == 1 and x.ndim == 2 then x = x.T
  elseif view == 2 and n > 1 then x = x[{ {1, -1, 2} }]
  elseif view == 3 and n > 1 then x = x[{ {-1, 1, -1} }]
  elseif view == 4 then x = x:broadcast_to(2, table.unpack(shape))
  elseif view == 5 then x = x:expand_dims(1) end
  return x
end

local NUMBERS = {0, 1, -1, 2, 3, -2, 7, 0.5, -1.5, 1e300, -1e300, 0/0, 1/0, -1/0, math.maxinteger, math.mininteger,
                 2^53, 2.0, 100, 4, 5, 1 << 33}
local STRINGS = {"", "float32", "int8", "cpu", "cuda", "cpu:1", "sum", "xy", "3", "\0", ("x"):rep(300), "reflect",
                 "none", "ortho"}
local OPTIONS = {"dim", "keepdim", "dtype", "device", "out", "correction", "generator", "k", "p", "indexing", "copy",
                 "side", "mode", "value", "rtol", "reduce", "offset", "endpoint", "n", "s", "norm", "typo"}

local function ignore() end                  -- a callback that returns nothing

local value

local function list(depth)
  local t = {}
  for i = 1, random(0, 4) do t[i] = value(depth + 1) end
  if random(10) == 1 then t[#t + 2] = 1 end
  return t
end

local function options(depth)
  local t = {}
  for _ = 1, random(1, 2) do t[pick(OPTIONS)] = value(depth + 1) end
  if random(10) == 1 then t[1] = 1 end
  return t
end

local function integers()
  local t = {}
  for i = 1, random(0, 4) do t[i] = random(-2, 4) end
  return t
end

function value(depth)
  local kind = random(24)
  if kind <= 9 then return tensor() end
  if kind <= 13 then return random(-2, 4) end
  if kind <= 15 then return pick(NUMBERS) end
  if kind == 16 then return pick(STRINGS) end
  if kind == 17 then return random() < 0.5 end
  if kind == 18 then return integers() end
  if kind == 19 and depth < 3 then return list(depth) end
  if kind <= 21 and depth < 2 then return options(depth) end
  if kind == 22 then return pick {ignore, coroutine.create(ignore), io.stdout, lt.newaxis, lt.ellipsis, {}} end
  if kind == 23 then local x = tensor() x:free() return x end
  return nil
end

local names, functions = {}, {}
local function add_functions(prefix, space)
  for name, f in pairs(space) do
    if type(f) == "function" and not LEFT_OUT[name] then
      names[#names + 1] = prefix .. name
      functions[prefix .. name] = f
    end
  end
end
add_functions("", lt)
for _, library in ipairs {"linalg", "fft"} do add_functions(library .. ".", rawget(lt, library) or {}) end
local methods = {}
for name in pairs(require("luatensor.core").methods) do
  if not LEFT_OUT[name] then methods[#methods + 1] = name end
end
table.sort(names)
table.sort(methods)

local OPERATORS = {
  function(x, y) return x + y end, function(x, y) return x - y end, function(x, y) return x * y end,
  function(x, y) return x / y end, function(x, y) return x // y end, function(x, y) return x % y end,
  function(x, y) return x ^ y end, function(x, y) return x & y end, function(x, y) return x | y end,
  function(x, y) return x ~ y end, function(x, y) return x << y end, function(x, y) return x >> y end,
  function(x) return -x end, function(x) return ~x end, function(x) return #x end,
  function(x, y) return x < y end, function(x, y) return x .. y end, function(x, y) return x == y end,
  function(x, y) return x[y] end, function(x, y, z) x[y] = z end, function(x) return tostring(x) end,
  function(x) return x.shape end, function(x) return x.T end, function(x) return x.mT end,
  function(x) for i, row in pairs(x) do assert(row.ndim == x.ndim - 1, i) end end,
}


-- Picks a function at random. Returns the function, its name, and a true value if its first argument is a tensor.
local function pick_function()
  local kind = random(10)
  if kind <= 3 then
    local name = pick(names)
    return functions[name], name, name:find(".", 1, true)
  elseif kind <= 7 then
    local name = pick(methods)
    return function(x, ...) return x[name](x, ...) end, name, true
  end
  return pick(OPERATORS), "operator", true
end

local function trace(name, args, n)
  io.stderr:write(name)
  for i = 1, n do
    local a = args[i]
    io.stderr:write(" ", lt.is_tensor(a) and pcall(function() return a.dtype end) and a.dtype .. tostring(a.shape) or
                         type(a) == "number" and tostring(a) or type(a))
  end
  io.stderr:write("\n")
end

--- Makes one call. If the environment has FUZZ_TRACE, prints the call before it is made.
-- @func source returns random numbers like math.random
-- @treturn boolean true if the call returned
-- @return the result or the error
-- @treturn string the function's name
return function(source)
  random = source
  local f, name, of_tensor = pick_function()
  local n, args = random(of_tensor and 1 or 0, 4), {}
  for i = 1, n do args[i] = value(0) end
  if of_tensor then args[1] = tensor() end
  if os.getenv "FUZZ_TRACE" then trace(name, args, n) end
  local ok, result = pcall(f, table.unpack(args, 1, n))
  if ok and lt.is_tensor(result) and pcall(function() return result.ndim end) and result.size > 0 and result.size < 1e5
  then
    result:totable()
  end
  return ok, result, name
end
