--- Checks that two functions give the same results: a speed-up is worth nothing if the faster function computes
-- something else.

local clocale = require "luatensor.base.clocale"
local core = require "luatensor.core"
local lt = require "luatensor"

local agree = {}

-- The tolerance for each dtype: the largest allowed difference, relative to the result's largest magnitude. It is large
-- enough for a different order of additions, but too small for other work.
local tolerances = {
  float64 = 1e-9, complex128 = 1e-9, float32 = 1e-4, complex64 = 1e-4, float16 = 1e-2, bfloat16 = 5e-2,
}
-- The relative tolerance for Lua numbers if the functions returned numbers but no tensor of floats. The numbers may
-- have been computed in float32.
local NUMBERS <const> = tolerances.float32
-- The number of elements that are compared at once, so that the float64 copies take at most 8 MiB each.
local CHUNK <const> = 1 << 20

local DEEP <const> = 50                         -- the deepest nesting of tables that is compared

-- True if the value is a tensor whose memory is not freed. A function may return a tensor that it has closed.
local function is_tensor(value) return lt.is_tensor(value) and not core.gone(value) end

local function first_tensor(list, count, depth)
  for i = 1, count do
    local value = rawget(list, i)
    if is_tensor(value) then return value end
    local inside = type(value) == "table" and depth < DEEP and first_tensor(value, rawlen(value), depth + 1)
    if inside then return inside end
  end
end

--- Returns the first tensor among results (a packed list), also in nested lists, or nil.
function agree.first_tensor(results) return first_tensor(results, results.n, 0) or nil end

-- ---- tensors ------------------------------------------------------------------------------------

-- Compares two flat pieces of float64. Equal elements, and pairs of NaN, have the difference 0. Returns the largest
-- difference, and the largest finite magnitude of the first piece.
local function piece_difference(a, b)
  local same = a:equal(b):logical_or(a:isnan():logical_and(b:isnan()))
  local off = lt.where(same, 0, (a - b):abs()):max():item()
  local size = lt.where(a:isfinite(), a:abs(), 0):max():item()
  return off, size
end

local function flat(x) return x:to(core.host_device):reshape(-1) end

-- Calls f with pieces of two flat tensors, converted to float64.
local function each_piece(a, b, f)
  for first = 1, a.size, CHUNK do
    local range = {first, math.min(first + CHUNK - 1, a.size)}
    f(a[{range}]:to("float64"), b[{range}]:to("float64"))
  end
end

local function floats_agree(a, b, tolerance)
  local off, size = 0, 0
  each_piece(flat(a), flat(b), function(x, y)
    local piece_off, piece_size = piece_difference(x, y)
    if piece_off ~= piece_off or piece_off > off then off = piece_off end
    size = math.max(size, piece_size)
  end)
  if off <= tolerance * size then return true end
  return false, clocale.format("differ by %.3g where the largest magnitude is %.3g", off, size)
end

local function parts(x)
  if lt.isdtype(x.dtype, "complex floating") then return x:real(), x:imag() end
  return x, lt.zeros_like(x)
end

local function values_agree(a, b)
  local tolerance = math.max(tolerances[a.dtype] or 0, tolerances[b.dtype] or 0)
  if tolerance == 0 then
    if a.dtype ~= b.dtype then a, b = a:to("int64"), b:to("int64") end
    if flat(a):equal(flat(b)):all():item() then return true end
    return false, "differ; they are integers"
  end
  local complex = lt.isdtype(a.dtype, "complex floating") or lt.isdtype(b.dtype, "complex floating")
  if not complex then return floats_agree(a, b, tolerance) end
  local a_real, a_imag = parts(a)
  local b_real, b_imag = parts(b)
  return floats_agree(lt.stack({a_real, a_imag}), lt.stack({b_real, b_imag}), tolerance)
end

local function tensors_agree(a, b)
  if tostring(a.shape) ~= tostring(b.shape) then
    return false, ("have shapes %s and %s"):format(a.shape, b.shape)
  elseif a.size == 0 then
    return true
  end
  return values_agree(a, b)
end

-- ---- any value ----------------------------------------------------------------------------------

-- Returns the largest tolerance of the tensors in a value, or 0 if there are no tensors of floats.
local function tolerance_in(value, seen, depth)
  if is_tensor(value) then return tolerances[value.dtype] or 0 end
  if type(value) ~= "table" or seen[value] or depth > DEEP then return 0 end
  seen[value] = true
  local most = 0
  for _, item in next, value do most = math.max(most, tolerance_in(item, seen, depth + 1)) end
  return most
end

-- Returns the allowed difference of plain numbers, as a share of their magnitude: the largest tolerance of the
-- tensors that were returned with them.
local function tolerance_of_numbers(a, b)
  local found = math.max(tolerance_in(a, {}, 0), tolerance_in(b, {}, 0))
  return found > 0 and found or NUMBERS
end

local function numbers_agree(a, b, seen)
  if a == b or a ~= a and b ~= b then return true end
  local exact = math.type(a) == "integer" and math.type(b) == "integer"
  local close = math.abs(a - b) <= seen.numbers * math.max(math.abs(a), math.abs(b))
  if not exact and close and math.abs(a - b) < math.huge then return true end
  return false, ("are %s and %s"):format(a, b)
end

local values

-- Compares two tables. seen: the set of the tables that were already compared; its field depth counts the nested
-- tables, its field numbers is the allowed difference of numbers.
local function tables_agree(a, b, seen)
  if seen[a] or seen.depth >= DEEP then return nil end
  seen[a], seen.depth = true, seen.depth + 1
  local outcome
  for key, item in next, a do
    local same, why = values(item, rawget(b, key), seen)
    if same == false then return false, why end
    outcome = outcome or same
  end
  for key in next, b do
    if rawget(a, key) == nil then return false, ("have not the same fields: %s"):format(tostring(key)) end
  end
  seen.depth = seen.depth - 1
  return outcome
end

local checks = {
  number = numbers_agree,
  table = tables_agree,
  string = function(a, b) return a == b, "are different strings" end,
  boolean = function(a, b) return a == b, ("are %s and %s"):format(a, b) end,
}

-- Compares two values. Returns true, or false and the reason, or nil if nothing could be compared.
function values(a, b, seen)
  if is_tensor(a) and is_tensor(b) then return tensors_agree(a, b) end
  if a == nil and b == nil then return nil end
  local kind = type(a)
  if kind ~= type(b) then return false, ("are a %s and a %s"):format(kind, type(b)) end
  if not checks[kind] then return nil end
  return checks[kind](a, b, seen)
end

--- Compares what two functions returned. Floats may differ by a tolerance of their dtype, a share of the largest
-- magnitude. NaN equals NaN. Numbers, strings and nested tables are compared, too.
-- @tab a results, packed
-- @tab b results, packed
-- @treturn string "agree", "differ" or "not checked": the functions returned nothing that can be compared
-- @treturn ?string how they differ
function agree.results(a, b)
  if a.n == 0 or b.n == 0 then return "not checked" end
  if a.n ~= b.n then return "differ", ("are %d and %d values"):format(a.n, b.n) end
  local outcome, numbers = "not checked", tolerance_of_numbers(a, b)
  for i = 1, a.n do
    local same, why = values(a[i], b[i], {depth = 0, numbers = numbers})
    if same == false then return "differ", why end
    if same then outcome = "agree" end
  end
  return outcome
end

return agree
