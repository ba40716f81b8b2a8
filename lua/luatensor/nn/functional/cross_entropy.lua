--- Losses for classification: nll_loss and cross_entropy. A C function computes the cross entropy of logits [N, C]
-- and classes without weights or label smoothing; all other cases are composed of ops.

local args = require "luatensor.base.args"
local core = require "luatensor.core"
local lists = require "luatensor.base.lists"
local lt = require "luatensor"
local autocast = require "luatensor.nn.autocast"
local blame = require "luatensor.base.blame"
local ranges = require "luatensor.base.ranges"
local reduction = require "luatensor.nn.functional.reduction"

local functional = {}
local where = core.where

local IGNORED = -100

-- ---- classes ----

--- Returns the dim of the classes, 1 for a 1-d tensor and otherwise 2, and the number of classes.
local function dim_of(name, x)
  if x.ndim == 0 then blame.fail(name, "scores of classes expected, the input is 0-d") end
  local dim = x.ndim == 1 and 1 or 2
  return dim, x.shape[dim]
end

local function fits_classes(x, dim, target)
  local k = 0
  for d = 1, x.ndim do
    if d ~= dim then
      k = k + 1
      if target.shape[k] ~= x.shape[d] then return false end
    end
  end
  return k == target.ndim
end

local function check_classes(name, x, dim, target)
  if target.dtype:find("int") == nil then
    blame.fail(name, "classes are integers from 1, got %s", target.dtype)
  end
  if not fits_classes(x, dim, target) then
    local expected = {}
    for d = 1, x.ndim do if d ~= dim then expected[#expected + 1] = x.shape[d] end end
    blame.fail(name, "classes of shape %s expected for scores of shape %s, got %s", args.shape_text(expected),
               args.shape_text(x.shape), args.shape_text(target.shape))
  end
end

local safe_classes

--- Returns the classes as indices for gather: 1 for ignored rows. In other rows, a class below 1 becomes count + 1,
-- which gather refuses.
local function made_safe(target, count, ignored)
  safe_classes = safe_classes or lt.elementwise("int64 t, int64 a, int64 n", "t == a ? 1 : t < 1 ? n + 1 : t")
  return safe_classes(target, ignored, count)
end

local function check_weight(name, x, weight, count)
  if weight == nil then return end
  reduction.weight(name, "weight", weight, x)
  if weight.ndim ~= 1 or weight.size ~= count then
    blame.fail(name, "weight: one for each of %d classes expected, got shape %s", count, args.shape_text(weight.shape))
  end
end

--- Returns the weights of classes, reshaped for the product with scores [N, C, …].
local function along_classes(weight, x, dim)
  local shape = {}
  for d = 1, x.ndim do shape[d] = d == dim and -1 or 1 end
  return weight:reshape(shape)
end

--- Reduces losses by `kind`: "sum" returns their sum, "none" the losses themselves, and "mean" the sum divided by
-- `counts`, the sum of the rows' weights or the number of rows.
local function reduce(losses, counts, kind)
  if kind == "none" then return losses end
  local total = losses:sum()
  if kind == "sum" then return total end
  return total / counts
end

--- Checks and prepares the classes of the rows. Returns `classes`, indices for gather; `share`, the weight of each
-- row, 0 for ignored rows; and `kept`, true for rows that are not ignored.
local function rows_of(name, x, dim, target, options)
  local count = x.shape[dim]
  local ignored = options.ignore_index or IGNORED
  check_weight(name, x, options.weight, count)
  local behind = (" is out of range: classes are 1 … %d"):format(count)
  ranges.check(name, target, {low = 1, high = count, except = ignored, "class ", behind})
  if target.dtype ~= "int64" then target = target:to("int64") end
  local classes = made_safe(target, count, ignored)
  local kept = target:not_equal(ignored)
  local share = options.weight and where(kept, options.weight:take(classes, 1), 0) or kept:to(x.dtype)
  return classes, share, kept
end

--- Returns the loss of each row: -share · x[class], where x are log-probabilities and share is the row's weight. Rows
-- for which `kept` is false get 0, even if they contain infinities.
local function picked(x, dim, classes, share, kept)
  return -(where(kept, x:gather(dim, classes:expand_dims(dim)):squeeze(dim), 0) * share)
end

local nll_options = {reduction = true, weight = true, ignore_index = true}

local function check_input(name, x, target)
  reduction.tensor(name, 1, x, true)
  reduction.tensor(name, 2, target)
  reduction.same_device(name, x, target, "target")
  return autocast.wide(x)
end

--- Returns the loss -weight[class] · x[class], where x are log-probabilities. The mean is the sum divided by the sum
-- of the weights of the rows' classes.
-- @function nn.functional.nll_loss
-- @tparam tensor x [N, C], [N, C, …] or [C]
-- @tparam tensor classes integers 1 … C of shape [N], [N, …] or []
-- @tparam[opt] table options `weight`: a factor for each class, [C]; `ignore_index` (-100): rows of this class are
--   ignored; `reduction` ("mean"): "mean", "sum", "none"
-- @treturn tensor 0-d, or with "none" the losses in the shape of classes
-- @raise if a class is out of range (on a GPU at the next wait)
function functional.nll_loss(x, classes, options)
  x = check_input("nll_loss", x, classes)
  options = reduction.options("nll_loss", options, nll_options)
  local dim = dim_of("nll_loss", x)
  check_classes("nll_loss", x, dim, classes)
  local index, share, kept = rows_of("nll_loss", x, dim, classes, options)
  return reduce(picked(x, dim, index, share, kept), share:sum(), options.reduction)
end

-- ---- cross entropy ----

--- Returns the loss with label smoothing s: (1 - s) · nll - s / C · Σ weight · x. x are the log-probabilities of the
-- C classes, the sum is over all classes, and nll is the loss without smoothing.
local function smoothed(x, dim, index, share, kept, options)
  local s, count = options.label_smoothing, x.shape[dim]
  local all = options.weight and x * along_classes(options.weight, x, dim) or x
  local losses = picked(x, dim, index, share * (1 - s), kept) - where(kept, all:sum(dim), 0) * (s / count)
  return reduce(losses, share:sum(), options.reduction)
end

local function of_probabilities(x, target, options)
  local dim, count = dim_of("cross_entropy", x)
  check_weight("cross_entropy", x, options.weight, count)
  local s = options.label_smoothing or 0
  if target.dtype ~= x.dtype then target = target:to(x.dtype) end
  if s > 0 then target = target * (1 - s) + s / count end
  if options.weight then target = target * along_classes(options.weight, x, dim) end
  local losses = -(x:log_softmax(dim) * target):sum(dim)
  return reduce(losses, losses.size, options.reduction)
end

local function of_classes(x, dim, target, options)
  local index, share, kept = rows_of("cross_entropy", x, dim, target, options)
  local log_p = x:log_softmax(dim)
  if (options.label_smoothing or 0) > 0 then return smoothed(log_p, dim, index, share, kept, options) end
  return reduce(picked(log_p, dim, index, share, kept), share:sum(), options.reduction)
end

--- Computes the loss of classes by the C function, for x [N, C], without weights or label smoothing.
local function fused(x, target, options)
  local loss, problem = core.cross_entropy(x, target, options.reduction or "mean", options.ignore_index or IGNORED)
  if not loss then blame.fail("cross_entropy", "%s", problem) end
  return loss
end

local none = {}
local known = {reduction = true, weight = true, ignore_index = true, label_smoothing = true}

local function check_options(options)
  options = reduction.options("cross_entropy", options, known)
  local s, ignored = options.label_smoothing, options.ignore_index
  if s ~= nil and not (type(s) == "number" and s >= 0 and s <= 1) then
    blame.fail("cross_entropy", "label_smoothing: a number from 0 to 1 expected, got %s", s)
  end
  if ignored ~= nil then args.integer("cross_entropy", "ignore_index", ignored) end
  return options
end

--- Returns the loss -log softmax(x)[class], from logits x, without overflow.
-- @function nn.functional.cross_entropy
-- @tparam tensor x [N, C], [N, C, …] or [C]
-- @tparam tensor target classes: integers 1 … C of shape [N], [N, …] or []; or their probabilities, of x's shape
-- @tparam[opt] table options `weight`: a factor for each class, [C]; for classes, the mean is then the sum divided by
--   the sum of the rows' weights; `ignore_index` (-100): rows of this class are ignored; `label_smoothing` (0): the
--   share of the target that is spread over all classes (Szegedy et al.); `reduction` ("mean"): "mean", "sum", "none"
-- @treturn tensor 0-d, or with "none" the losses in the shape of classes
-- @raise if a class is out of range (on a GPU at the next wait)
function functional.cross_entropy(x, target, options)
  x = check_input("cross_entropy", x, target)
  options = options and check_options(options) or none
  local dtype = target.dtype
  if dtype:find("float") then
    if not lists.same(x.shape, target.shape) then
      blame.fail("cross_entropy", "classes are integers; probabilities of the scores' shape %s expected, got %s",
                 args.shape_text(x.shape), args.shape_text(target.shape))
    end
    return of_probabilities(x, target, options)
  end
  local dim = dim_of("cross_entropy", x)
  check_classes("cross_entropy", x, dim, target)
  local smooth = options.label_smoothing
  if x.ndim == 2 and not options.weight and (not smooth or smooth == 0) then return fused(x, target, options) end
  return of_classes(x, dim, target, options)
end

return functional
