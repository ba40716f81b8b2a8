-- Reductions against the oracle: dtypes × layouts × dims × special values, options, errors.
local cases = require "spec.support.cases"
local helpers = require "spec.support.helpers"
local reference = require "spec.support.reference"

local reduce, info = reference.reduce, reference.dtype.info
local names = {}
for name in pairs(reduce.names) do names[#names + 1] = name end
table.sort(names)

-- Results of few elements are exact to the last bits of the result's dtype.
local function tolerance(name, dtype)
  if name == "logsumexp" then return {ulp = 4, atol = 4 * (info[dtype].eps or 0)} end
  if name == "var" or name == "std" or name == "prod" then return {ulp = 4, atol = info[dtype].is_float and 1e-12 or 0} end
  return info[dtype].is_float and {ulp = 1, atol = dtype == "float64" and 1e-13 or 1e-12} or nil
end

local function dims_of(ndim, one)
  local list = {false}
  for d = 1, ndim do list[#list + 1] = {d} end
  if one then return list end
  list[#list + 1] = {}
  if ndim >= 2 then list[#list + 1] = {1, ndim} end
  if ndim >= 3 then list[#list + 1] = {-1, 2} end
  return list
end

local function has_elements(a, dims)
  for d, n in ipairs(a.shape) do
    local reduced = not dims
    for _, k in ipairs(dims or {}) do reduced = reduced or d == (k < 0 and k + #a.shape + 1 or k) end
    if reduced and n == 0 then return false end
  end
  return true
end

local function check(name, x, a, dims)
  local one = name == "argmax" or name == "argmin"
  local dim = dims
  if one then dim = dims and dims[1] end
  if not has_elements(a, dims) and reduce.needs_elements(name) then
    assert.raises("^" .. name .. ": shape .* has no elements$", x[name], x, dim or nil)
    return
  end
  local expected = reduce.reduce(name, a, dims or nil, false)
  assert.agrees(expected, x[name](x, dim or nil), tolerance(name, expected.dtype))
end

for _, name in ipairs(names) do
  describe(name, function()
    for _, dtype in ipairs(reference.dtype.names) do
      it("of every layout, along every dim: " .. dtype, function()
        for _, l in ipairs(cases.layouts) do
          local x, a = helpers.laid_out(l, dtype, 5)
          for _, dims in ipairs(dims_of(#a.shape, name:find "^arg")) do check(name, x, a, dims) end
        end
      end)
    end
  end)
end
