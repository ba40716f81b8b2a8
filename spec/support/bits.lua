-- Computes a checksum of the bits of every op's results for every dtype that the op takes, of powers with a constant
-- exponent, of every conversion, and of the gradients of five activations.
--
--   tools/lua spec/support/bits.lua > spec/data/bits.txt     accepts new ops and intended changes of results
--
-- Inputs are made of integers and bytes, so that they are the same on all machines. All NaN count as the same, because
-- processors choose their signs and payloads: x86 makes negative ones, ARM positive ones.

local lt = require "luatensor"
local reference = require "spec.support.reference"

local bits = {}

local PART = 1024      -- elements of each of the three parts of an input

-- Returns a function that returns random 64-bit integers (splitmix64).
local function generator(seed)
  local state = seed * 0x5851f42d4c957f2d
  return function()
    state = state + 0x9e3779b97f4a7c15
    local z = state
    z = (z ~ (z >> 30)) * 0xbf58476d1ce4e5b9
    z = (z ~ (z >> 27)) * 0x94d049bb133111eb
    return z ~ (z >> 31)
  end
end

local function random_bytes(count, seed)
  local next_word, words = generator(seed), {}
  for i = 1, (count + 7) // 8 do words[i] = ("<i8"):pack(next_word()) end
  return table.concat(words):sub(1, count)
end

-- Each word is multiplied by an odd factor that depends on its position, so that a change of any word changes the sum.
local MOST_WORDS = 6 * PART
local factors = lt.from_bytes(random_bytes(8 * MOST_WORDS, 99), {MOST_WORDS}, {dtype = "int64"}) | 1

local function checksum_of_bytes(bytes)
  local padded = bytes .. ("\0"):rep(-#bytes % 8)
  local words = #padded // 8
  return (lt.from_bytes(padded, {words}, {dtype = "int64"}) * factors[{{1, words}}]):sum():item()
end

local function checksum(x)
  if x.dtype:find "^complex" then x = lt.view_as_real(x) end
  if not x.dtype:find "float" then return checksum_of_bytes(x:to_bytes()) end
  local nan = x:isnan()
  return checksum_of_bytes(lt.where(nan, 0, x):to_bytes()) + 31 * checksum_of_bytes(nan:to_bytes())
end

local function text(x) return ("%016x"):format(checksum(x)) end

local tiny, huge = 0x1p-149, 0x1.fffffep127
local special = {0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.0, -2.0, 2.5, 3.0, -7.0, 8.0, 100.0, -100.0, 1e-3, 1e6, -1e6, tiny, -tiny,
                 0x1p-126, huge, -huge, math.huge, -math.huge, 0x1p31, 0x1p32, 0x1p52, 0x1p53, -0x1p63, 0x1p64, 88.0, -104.0, 1e300, 5e-324}

local function real_input(dtype, parts, seed)
  local count = parts * PART
  local next_word, moderate, chosen = generator(seed), {}, {}
  for i = 1, count do
    moderate[i] = (next_word() >> 11) * 0x1p-49 - 8
    chosen[i] = special[(next_word() >> 33) % #special + 1]
  end
  local patterns = dtype == "bool" and lt.from_bytes(random_bytes(count, seed + 7), {count}, {dtype = "uint8"}):bitwise_and(1)
    or lt.from_bytes(random_bytes(count * reference.dtype.info[dtype].bytes, seed + 7), {count}, {dtype = dtype})
  return lt.cat {patterns:to(dtype), lt.tensor(moderate, {dtype = "float64"}):to(dtype), lt.tensor(chosen, {dtype = "float64"}):to(dtype)}
end

--- Returns inputs of a dtype: random bit patterns, numbers between -8 and 8, and special values, a third each.
-- Different seeds give different inputs.
function bits.input(dtype, seed)
  local part = dtype:match "^complex(%d+)$"
  if not part then return real_input(dtype, 1, seed) end
  return lt.view_as_complex(real_input(part == "64" and "float32" or "float64", 2, seed):reshape(3 * PART, 2))
end

--- Returns the elements of a result whose inputs are numbers between -8 and 8.
function bits.moderate(x) return x[{{PART + 1, 2 * PART}}] end

local all = lt.ops().positive.dtypes

--- Returns three inputs of each dtype, by the dtype's name.
function bits.inputs()
  local inputs = {}
  for _, dtype in ipairs(all) do
    inputs[dtype] = {}
    for k = 1, 3 do inputs[dtype][k] = bits.input(dtype, k) end
  end
  return inputs
end

local calls = {
  unary = function(op, _, x) return op(x) end,
  binary = function(op, _, x, y) return op(x, y) end,
  ternary = function(op, _, x, y, z) return op(x, y, z) end,
}
local special_calls = {
  isclose = function(op, _, x, y) return op(x, y, 0.5, 0.25) end,
  where = function(op, inputs, _, y, z) return op(inputs.bool[1], y, z) end,
}

--- Returns an iterator over the names and rows of lt.ops() in the order of the names, which makes the programs of a device
-- the same in each process.
function bits.ops()
  local ops, names = lt.ops(), {}
  for name in pairs(ops) do names[#names + 1] = name end
  table.sort(names)
  local k = 0
  return function()
    k = k + 1
    return names[k], ops[names[k]]
  end
end

local function each_op(inputs, visit)
  for name, op in bits.ops() do
    local call = special_calls[name] or calls[op.kind]
    for _, dtype in ipairs(call and op.dtypes or {}) do
      visit(name .. " " .. dtype, call(lt[name], inputs, table.unpack(inputs[dtype])))
    end
  end
end

-- The powers with a constant exponent that have kernels of their own.
local function each_power(inputs, visit)
  for _, dtype in ipairs(lt.ops().pow.dtypes) do
    for _, y in ipairs(dtype:find "int" and {3, 4} or {3, 4, 0.5, -0.5, -2}) do
      visit(("power %s of %s"):format(y, dtype), inputs[dtype][1] ^ y)
    end
  end
end

local function each_gradient(inputs, visit)
  for _, name in ipairs {"gelu", "silu", "sigmoid", "tanh", "relu"} do
    for _, dtype in ipairs {"float16", "bfloat16", "float32", "float64"} do
      local x = inputs[dtype][1]:clone():requires_grad_()
      lt[name](x):backward(inputs[dtype][2])
      visit(("gradient of %s %s"):format(name, dtype), x.grad)
    end
  end
end

local function each_conversion(inputs, visit)
  for _, from in ipairs(all) do
    for _, to in ipairs(all) do
      if from ~= to then visit(("%s to %s"):format(from, to), inputs[from][1]:to(to)) end
    end
  end
end

--- Calls visit(name, result) for each op and dtype, with names such as "exp float32", "power 3 of int8", "float32 to int8"
-- and "gradient of gelu float64". `inputs` are those of bits.inputs, on any device.
function bits.each(inputs, visit)
  each_op(inputs, visit)
  each_power(inputs, visit)
  each_gradient(inputs, visit)
  each_conversion(inputs, visit)
end

--- Returns the checksums by those names.
function bits.all()
  local results = {}
  bits.each(bits.inputs(), function(name, x) results[name] = text(x) end)
  return results
end

--- Returns the expected checksums by name, each {fused =, plain =}. `fused` is the checksum on processors with FMA.
-- Processors without FMA (x86 with LUATENSOR_CPU=baseline) round some functions in other places, which gives
-- `plain`.
function bits.expected()
  local expected = {}
  for line in io.lines "spec/data/bits.txt" do
    local name, fused, plain = line:match "^(.-) (%x+) ?(%x*)$"
    expected[name] = {fused = fused, plain = plain == "" and fused or plain}
  end
  return expected
end

local function print_sums()
  for name, sum in pairs(bits.all()) do print(name, sum) end
end

-- Computes the checksums in a process with these environment variables, for example without FMA.
local function sums_of(environment)
  local sums, run = {}, assert(io.popen(environment .. " tools/lua spec/support/bits.lua --sums"))
  for line in run:lines() do
    local name, sum = line:match "^(.*)\t(.*)$"
    sums[name] = sum
  end
  assert(run:close())
  return sums
end

local function print_data()
  local lines, plain = {}, sums_of "LUATENSOR_CPU=baseline"
  for name, sum in pairs(sums_of "") do
    lines[#lines + 1] = ("%s %s%s"):format(name, sum, plain[name] ~= sum and " " .. plain[name] or "")
  end
  table.sort(lines)
  print(table.concat(lines, "\n"))
end

if arg and (arg[0] or ""):find "bits%.lua$" then (arg[1] == "--sums" and print_sums or print_data)() end

return bits
