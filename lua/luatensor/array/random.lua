--- Random draws that are composed of rand, permutation, sorting and searching.

local args = require "luatensor.base.args"
local core = require "luatensor.core"
local lt = require "luatensor.base.public"
local ranges = require "luatensor.base.ranges"

local methods = core.methods

local function is_float(dtype) return dtype:find("float", 1, true) ~= nil end

--- Returns the options for a random draw: the given dtype and device, and the generator of the caller's options.
local function draw_options(options, dtype, device)
  return {dtype = dtype, device = device, generator = options.generator}
end

local bernoulli_options = {dtype = true, device = true, generator = true}

local function bernoulli_like(p, options)
  local float = is_float(p.dtype)
  local plain = float and not options.generator
  local u = plain and lt.rand_like(p) or lt.rand_like(p, draw_options(options, float and p.dtype or "float32"))
  local drawn = u:less(p)
  return options.device and drawn:to(options.dtype or u.dtype, options.device) or drawn:to(options.dtype or u.dtype)
end

--- Draws 1 with probability p, otherwise 0.
-- @param p a number in [0, 1], followed by a shape; or a tensor of probabilities, whose shape is the result's shape
-- @param ... the shape as numbers or as one table; no shape after a tensor p
-- @tparam[opt] table options `dtype` (default: the dtype of a float tensor p or else float32), `device`, `generator`
-- @treturn tensor
function lt.bernoulli(p, ...)
  local list, options = args.split("bernoulli", bernoulli_options, ...)
  if lt.is_tensor(p) then
    if list.n > 0 then args.fail("bernoulli", "no shape expected after a tensor of probabilities") end
    return bernoulli_like(p, options)
  end
  if type(p) ~= "number" then args.fail("bernoulli", "p: tensor or number expected, got %s", core.type_name(p)) end
  if not (p >= 0 and p <= 1) then args.fail("bernoulli", "p: %s is not from 0 to 1", p) end
  list[list.n + 1] = draw_options(options, "float32", options.device)
  local u = lt.rand(table.unpack(list, 1, list.n + 1))
  return u:less(p):to(options.dtype or "float32")
end

local LEAST, MOST = 0x1p-1074, 0x1.fffffffffffffp1023        -- the least and the largest positive float64

--- Raises an error unless w has the shape of weights.
local function check_shape(w)
  if w.size == 0 or w.ndim ~= 1 and w.ndim ~= 2 then
    args.fail("multinomial", "weights: shape [k] or [rows, k] expected, got %s", args.shape_text(w.shape))
  end
end

local wrong = "weights must be finite, not negative, and not all 0"
local of_weights = {low = 0, high = math.huge, waits = true, wrong}
local of_totals = {low = LEAST, high = MOST, waits = true, wrong}

--- Raises an error if a weight is negative or not finite, or if all weights of a row are 0. `totals` has the sum of
-- each row. The call waits for a GPU.
local function check_weights(w, totals)
  ranges.check("multinomial", w, of_weights)
  ranges.check("multinomial", totals, of_totals)
end

--- Draws n positions from each row of the weights w, with replacement. Draws a random number below the sum of the row,
-- and finds the first position whose prefix sum of weights is greater than this number.
local function drawn_again(w, n, options)
  local shape = w.shape
  local ndim = #shape
  local k = shape[ndim]
  local sums = w:cumulative_sum(ndim)
  local totals = sums:narrow(ndim, k, 1)
  check_weights(w, totals)
  shape[ndim] = n
  local u = lt.rand(shape, draw_options(options, "float64", w.device)):multiply(totals)
  return lt.searchsorted(sums, u, {side = "right"}):minimum(k)
end

--- The logarithm of the time after which a position arrives, for a random number u in [0, 1) and the weight w. The time
-- is exponentially distributed with the weight as rate. Logarithms of times are compared, because the times of very
-- small rates overflow. A position of weight 0 never arrives.
local arrival_of = lt.elementwise("float64 u, float64 w", "w > 0 ? log(-log1p(-u)) - log(w) : inf")

--- Draws n positions from each row of the weights w, without replacement: the positions that arrive first.
local function drawn_once(w, n, options)
  local arrival = arrival_of(lt.rand_like(w, draw_options(options, "float64")), w)
  return (select(2, arrival:topk(n, {largest = false})))
end

--- Draws n positions, each with a probability proportional to its weight. The call waits for a GPU to check the
-- weights.
-- @tparam tensor w weights, shape [k] or [rows, k]: finite, not negative, not all 0 in a row
-- @tparam integer n the number of draws from each row
-- @tparam[opt] table options `replacement` (default false: each position is drawn at most once from a row),
--   `generator`
-- @treturn tensor int64, 1-based, shape [n] or [rows, n]
function lt.multinomial(w, n, options)
  args.tensor("multinomial", 1, w)
  options = args.options("multinomial", options, {replacement = true, generator = true})
  n = args.integer("multinomial", "n", n, 1)
  w = w:to("float64")
  if w.requires_grad then w = w:detach() end
  check_shape(w)
  if options.replacement then return drawn_again(w, n, options) end
  check_weights(w, w:sum(-1))
  local before, behind = n .. " of ", " positions with a weight asked for; use replacement = true"
  ranges.check("multinomial", lt.count_nonzero(w, -1), {low = n, high = w.size, waits = true, before, behind})
  return drawn_once(w, n, options)
end

--- Returns a copy of x with its rows (slices along dim 1) in random order.
-- @tparam tensor x
-- @tparam[opt] table options `generator`
-- @treturn tensor
function lt.shuffle(x, options)
  if args.tensor("shuffle", 1, x).ndim == 0 then args.fail("shuffle", "a 0-d tensor has no rows") end
  options = args.options("shuffle", options, {generator = true})
  return x[lt.permutation(#x, {device = x.device, generator = options.generator})]
end

--- Puts the rows of x (slices along dim 1) into random order, in place.
-- @tparam tensor x
-- @tparam[opt] table options `generator`
-- @treturn tensor x
function methods.shuffle_(x, options)
  return args.tensor("shuffle_", 1, x):copy_(lt.shuffle(x, options))
end

--- Sets each element of x to 1 with probability p, otherwise to 0.
-- @tparam tensor x
-- @tparam[opt=0.5] number p a number in [0, 1], or a tensor of probabilities in x's shape
-- @tparam[opt] table options `generator`
-- @treturn tensor x
function methods.bernoulli_(x, p, options)
  args.tensor("bernoulli_", 1, x)
  options = args.options("bernoulli_", options, {generator = true})
  return x:copy_(lt.bernoulli(p or 0.5, x.shape, {device = x.device, generator = options.generator, dtype = x.dtype}))
end

for _, name in ipairs {"multinomial", "shuffle"} do methods[name] = lt[name] end
methods.bernoulli = lt.bernoulli
