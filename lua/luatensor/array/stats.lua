--- Statistics that are compositions of reductions and element-wise ops.

local args = require "luatensor.base.args"
local constant = require("luatensor.gradients.help").constant
local core = require "luatensor.core"
local lt = require "luatensor.base.public"

local methods = core.methods

local inf = math.huge

--- Maps an order of a vector norm to the reduction that computes this norm. The reductions are ops of src/ops.def.
local norm_of = {[1] = "norm_1_", [2] = "norm_2_", [inf] = "norm_max_", [-inf] = "norm_min_"}

local norm_options = {p = true, dim = true, keepdim = true, dtype = true, out = true}
local diff_options = {dim = true, n = true, prepend = true, append = true}

--- Returns a value that is given by position or as an option, and `otherwise` if neither is given. Raises an error if
-- both are given.
local function either(fn, name, positional, option, otherwise)
  if positional ~= nil and option ~= nil then args.fail(fn, "%s is given twice", name) end
  if positional ~= nil then return positional end
  if option ~= nil then return option end
  return otherwise
end

local reductions = core.reductions

--- Returns reduction(x, options). Empty options are left out, because an empty table would mean an empty list of
-- dims.
local function reduce(name, x, options)
  if next(options) == nil then return reductions[name](x) end
  return reductions[name](x, options)
end

--- Returns x^p for x >= 0. At x = 0 the gradient is 0, so that the gradient of a norm is 0 where the norm has no
-- derivative.
local function power(x, p)
  if not x.requires_grad then return x:pow(p) end
  local zero = x:equal(0)
  return lt.where(zero, 0.0 ^ p, lt.where(zero, 1, x):pow(p))
end

--- Computes the norm of order p, (sum of |x|^p)^(1/p), for the orders that are not in norm_of.
local function power_norm(x, p, options)
  local dim = options.dim
  local float = reductions.norm_1_(x, {}, options.dtype and {dtype = options.dtype})
  if p == 0 then
    local ones = float:not_equal(0):to(float.dtype)
    local count = reduce("norm_1_", ones, {dim = dim, keepdim = options.keepdim})
    return options.out and options.out:copy_(count) or constant("norm", x, count)
  end
  -- Powers and their sum are computed in float32 at least: in float16, 50^3 is already infinite.
  local wide = float:to(lt.result_type(float, "float32"))
  local sum = reduce("norm_1_", power(wide, p), {dim = dim, keepdim = options.keepdim})
  return options.out and sum:pow(1 / p, {out = options.out}) or power(sum, 1 / p):to(float.dtype)
end

--- Computes the vector norm of order p of the elements: (sum of |x|^p)^(1/p).
-- @tparam tensor x any shape; integers give the default float, complex numbers the dtype of their parts
-- @number[opt=2] p math.huge: the largest |x|; -math.huge: the smallest |x|; 0: the number of elements other than 0
-- @param[opt] dim a dim or a list of dims; by default all dims
-- @tab[opt] options `p`, `dim`, `keepdim`, `dtype` (of the result), `out`
-- @treturn tensor of x's shape without these dims
-- @usage x:norm()   x:norm(1, 2)   x:norm({dim = -1, keepdim = true})
function lt.norm(x, ...)
  args.tensor("norm", 1, x)
  local given, options = args.split("norm", norm_options, ...)
  args.at_most("norm", 2, given)
  local p = either("norm", "p", given[1], options.p, 2)
  local dim = either("norm", "dim", given[2], options.dim)
  if type(p) ~= "number" or p ~= p then
    args.fail("norm", "p: number expected, got %s", type(p) == "number" and "nan" or core.type_name(p))
  end
  local rest = {dim = dim, keepdim = options.keepdim, dtype = options.dtype, out = options.out}
  if x.dtype:find("^complex") then x = x:abs() end
  if not norm_of[p] then return power_norm(x, p, rest) end
  return reduce(norm_of[p], x, rest)
end

--- Returns x with `before` and `after` concatenated to its ends along dim d. Each of them is a tensor or nil.
local function joined(x, d, before, after)
  local list = {x}
  for name, t in pairs {prepend = before, append = after} do
    if not lt.is_tensor(t) then args.fail("diff", "option %s: tensor expected, got %s", name, core.type_name(t)) end
    table.insert(list, name == "prepend" and 1 or #list + 1, t)
  end
  return #list > 1 and lt.concat(list, d) or x
end

--- Computes the differences between neighbouring elements along a dim, n times.
-- @tparam tensor x any dtype but bool
-- @int[opt=-1] dim
-- @tab[opt] options `dim`, `n` (1; 0 gives a copy of x), `prepend` and `append`: tensors that are first joined to the
--   ends of x
-- @treturn tensor of x's shape, with dim shorter by n after joining
-- @usage x:diff()   x:diff(1, {n = 2})
function lt.diff(x, ...)
  args.tensor("diff", 1, x)
  local given, options = args.split("diff", diff_options, ...)
  args.at_most("diff", 1, given)
  if x.ndim == 0 then args.fail("diff", "not for a 0-d tensor") end
  if x.dtype == "bool" then args.fail("diff", "not for bool") end
  local d = args.dim("diff", either("diff", "dim", given[1], options.dim, -1), x.ndim)
  local n = args.integer("diff", "n", options.n or 1, 0)
  if n == 0 then return x:clone() end
  local y = joined(x, d, options.prepend, options.append)
  local length = y.shape[d]
  for _ = 1, math.min(n, length + 1) do                  -- further differences would have length 0, too
    local first = math.min(2, length + 1)
    length = math.max(length - 1, 0)
    y = y:narrow(d, first, length):subtract(y:narrow(d, 1, length))
  end
  return y
end

for _, name in ipairs {"norm", "diff"} do methods[name] = lt[name] end
