-- Compares lines of NumPy and SciPy with their Lua counterparts, which must give the same numbers.
-- spec/data/make_numpy.py has the lines and wrote NumPy's results. Positions in the results count from 1 here.

local lt = require "luatensor"
local data = require "spec.support.data"
local gpu = require "spec.support.gpu"
local helpers = require "spec.support.helpers"
local reference = require "spec.support.reference"

local numpy, standard = data.read "numpy", data.read "standard"
local array, info = reference.array, reference.dtype.info
local it = helpers.drawn_it(it)

-- The tolerance for functions that other libraries may round differently. The unit is the dtype's eps times the largest
-- magnitude.
local ROUNDINGS = 32

local function is_complex(a) return a.dtype:find "^complex" ~= nil end

-- Returns the real parts (k = 1) or the imaginary parts (k = 2) of an array whose elements are pairs.
local function part(a, k)
  local numbers = {}
  for i, pair in ipairs(a.data) do numbers[i] = pair[k] end
  return array.new(a.shape, a.dtype == "complex64" and "float32" or "float64", numbers)
end

local function upload(a)
  if not is_complex(a) then return helpers.tensor(a) end
  return lt.complex(helpers.tensor(part(a, 1)), helpers.tensor(part(a, 2)))
end

local function bound(a)
  local t, largest = info[a.dtype], 0
  if not t.is_float then return 0 end
  for _, v in ipairs(a.data) do
    if v == v and math.abs(v) < math.huge then largest = math.max(largest, math.abs(v)) end
  end
  return ROUNDINGS * t.eps * largest
end

local function compare_array(want, got)
  if not is_complex(want) then return assert.agrees(want, got, {atol = bound(want)}) end
  assert.equal(want.dtype, got.dtype)
  local atol = math.max(bound(part(want, 1)), bound(part(want, 2)))
  assert.agrees(part(want, 1), got:real(), {atol = atol})
  assert.agrees(part(want, 2), got:imag(), {atol = atol})
end

local function compare(want, got)
  if type(want) == "table" and want.dtype then return compare_array(want, got) end
  if type(want) == "table" then return assert.same(want, table.move(got, 1, #got, 1, {})) end
  assert.equal(want, got)
end

local scope = setmetatable({lt = lt}, {__index = _G})
for name, a in pairs(numpy.inputs) do scope[name] = upload(a) end

-- True if lt has a function of this name. Name "getitem" stands for indexing, which is no function.
local function is_there(name)
  local space, inner = name:match "^(%w+)%.([%w_]+)$"
  local functions = space and (rawget(lt, space) or {}) or lt
  return name == "getitem" or rawget(functions, inner or name) ~= nil
end

describe("as NumPy:", function()
  for _, row in ipairs(numpy.rows) do
    it(row.numpy .. "   " .. row.lua, function()
      if not is_there(row.name) then return pending(row.name .. " is still to come") end
      if gpu.lacks[row.name] then return pending(row.name .. " is not for this device") end
      local got = table.pack(assert(load("return " .. row.lua, row.lua, "t", scope))())
      assert.equal(#row.answers, got.n)
      for k, want in ipairs(row.answers) do compare(want, got[k]) end
    end)
  end
end)

describe("a line of NumPy", function()
  local there = {}
  for _, row in ipairs(numpy.rows) do there[row.name] = true end

  it("is there for every function of the standard", function()
    for space, prefix in pairs {main = "", linalg = "linalg.", fft = "fft."} do
      for name in pairs(standard[space]) do assert.is_true(there[prefix .. name], prefix .. name) end
    end
  end)
end)
