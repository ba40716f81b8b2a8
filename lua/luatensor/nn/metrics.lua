--- nn.metrics, measures of the quality of predictions. The names and definitions are those of scikit-learn. All results
-- but confusion matrices are Lua numbers, so the calls wait for a GPU.

local args = require "luatensor.base.args"
local arity = require "luatensor.base.arity"
local blame = require "luatensor.base.blame"
local core = require "luatensor.core"
local engine = require "luatensor.autograd.engine"
local lists = require "luatensor.base.lists"
local lt = require "luatensor"
local names = require "luatensor.base.names"

local metrics = {}

-- Returns the function that scripts call: f, with a check of the number of its arguments, and errors at the script's
-- line.
local function public(name, f)
  f = arity.bounded(name, f)
  return function(...) return blame.call(f, ...) end
end

-- ---- classes ----

local shape_text = args.shape_text

local function check_same_shape(fn, predicted, target)
  if not lists.same(predicted.shape, target.shape) then
    args.fail(fn, "predictions of shape %s do not fit targets of shape %s", shape_text(predicted.shape),
              shape_text(target.shape))
  elseif target.size == 0 then
    args.fail(fn, "there are no samples")
  end
end

-- Returns the number of classes if `predicted` holds scores, one for each class in dim 2; otherwise nil.
local function columns_of(predicted, target)
  if predicted.ndim ~= target.ndim + 1 or not core.floats[predicted.dtype] then return nil end
  return predicted.shape[2]
end

local function check_integers(fn, i, x)
  if not x.dtype:find "int" then args.fail(fn, "argument %d: classes from 1 on expected, got %s", i, x.dtype) end
end

-- Raises an error if scores are NaN, because NaN has no order.
local function check_scores(fn, scores)
  if scores:isnan():any():item() then args.fail(fn, "a score is nan") end
end

-- Returns the two tensors as int64 tensors [n] of classes from 1 on, and the number of classes if it is known from the
-- tensors. Scores become the class of the highest score. Booleans, and numbers that all are 0 or 1 for `binary`, become
-- classes 1 and 2.
local function classes_of(fn, predicted, target, binary)
  args.tensor(fn, 1, predicted)
  args.tensor(fn, 2, target)
  local count = columns_of(predicted, target)
  if count then
    check_scores(fn, predicted)
    predicted = predicted:argmax(2)
  end
  check_same_shape(fn, predicted, target)
  local both = {predicted, target}
  if not count and binary then
    for i, x in ipairs(both) do
      local wrong = x.dtype ~= "bool" and x:not_equal(0):logical_and(x:not_equal(1)):any():item()
      if wrong then
        args.fail(fn, "argument %d: booleans, or numbers 0 and 1 expected; for classes from 1 on give option average, "
                  .. "such as \"macro\"", i)
      end
      both[i] = x:to("int64") + 1
    end
    count = 2
  end
  for i, x in ipairs(both) do
    check_integers(fn, i, x)
    both[i] = x:to("int64"):flatten()
  end
  return both[1], both[2], count
end

local function check_range(fn, what, x, count)
  local low, high = x:min():item(), x:max():item()
  if low >= 1 and high <= count then return end
  args.fail(fn, "%s: class %d is not in 1 … %d", what, low < 1 and low or high, count)
end

-- Returns the confusion matrix of two int64 tensors [n] of classes.
local function matrix_of(fn, predicted, target, count)
  count = count or math.max(predicted:max():item(), target:max():item(), 1)
  check_range(fn, "the predictions", predicted, count)
  check_range(fn, "the targets", target, count)
  local cells = (target - 1) * count + predicted
  return cells:bincount({minlength = count * count}):reshape(count, count)
end

-- ---- measures of a confusion matrix ----

-- Returns three lists by class: how often the class was predicted rightly, how often it was predicted, and how often it
-- was the target.
local function counts_of(matrix)
  return matrix:diagonal():totable(), matrix:sum(1):totable(), matrix:sum(2):totable()
end

-- Returns a / b, or 0 if b is 0, as scikit-learn does.
local function ratio(a, b) return b == 0 and 0.0 or a / b end

-- The measures of one class by name, from the numbers of its right predictions, of its predictions and of its samples.
local measures = {
  precision = function(right, predicted) return ratio(right, predicted) end,
  recall = function(right, _, actual) return ratio(right, actual) end,
  f1 = function(right, predicted, actual) return ratio(2 * right, predicted + actual) end,
}

local function sum(list)
  local total = 0
  for _, x in ipairs(list) do total = total + x end
  return total
end

-- Ways to combine the classes by name. Each takes a measure and the three lists of counts_of.
local averages = {}

function averages.binary(measure, right, predicted, actual) return measure(right[2], predicted[2], actual[2]) end

function averages.micro(measure, right, predicted, actual) return measure(sum(right), sum(predicted), sum(actual)) end

function averages.none(measure, right, predicted, actual)
  local list = {}
  for i = 1, #right do list[i] = measure(right[i], predicted[i], actual[i]) end
  return list
end

-- Classes that are neither predicted nor targets do not count, as in scikit-learn.
function averages.macro(measure, right, predicted, actual)
  local total, count = 0, 0
  for i = 1, #right do
    if predicted[i] + actual[i] > 0 then
      total, count = total + measure(right[i], predicted[i], actual[i]), count + 1
    end
  end
  return ratio(total, count)
end

function averages.weighted(measure, right, predicted, actual)
  local total = 0
  for i = 1, #right do total = total + actual[i] * measure(right[i], predicted[i], actual[i]) end
  return ratio(total, sum(actual))
end

local AVERAGE <const> = {"choice", "binary", "macro", "micro", "weighted", "none", default = "binary"}

local function measure_matrix(fn, matrix, average)
  if average == "binary" and matrix.shape[1] ~= 2 then
    args.fail(fn, "average: \"binary\" is for 2 classes, there are %d; use \"macro\", \"micro\", \"weighted\" or "
              .. "\"none\"", matrix.shape[1])
  end
  return averages[average](measures[fn], counts_of(matrix))
end

-- ---- classification ----

local function accuracy(predicted, target, options)
  options = args.read("accuracy", options, {top_k = {"count", default = 1}})
  if options.top_k == 1 then
    local count
    predicted, target, count = classes_of("accuracy", predicted, target)
    if count then check_range("accuracy", "the targets", target, count) end
    return predicted:equal(target):mean({dtype = "float64"}):item()
  end
  args.tensor("accuracy", 1, predicted)
  args.tensor("accuracy", 2, target)
  local count = columns_of(predicted, target)
  if not count or options.top_k > count then
    args.fail("accuracy", "top_k = %d: scores of at least %d classes in dim 2 expected, the shape is %s", options.top_k,
              options.top_k, shape_text(predicted.shape))
  end
  check_scores("accuracy", predicted)
  check_integers("accuracy", 2, target)
  check_same_shape("accuracy", predicted:argmax(2), target)
  check_range("accuracy", "the targets", target, count)
  local _, best = predicted:moveaxis(2, -1):topk(options.top_k)
  return best:equal(target:unsqueeze(-1)):any(-1):mean({dtype = "float64"}):item()
end

--- Returns the share of right predictions. Predictions are classes, or scores: floats with the classes in dim 2, such
-- as the result [n, classes] of a network. Classes count from 1; booleans and other integers may be compared, too.
-- @function nn.metrics.accuracy
-- @tparam tensor predicted scores [n, classes], or classes [n]; more dims may follow
-- @tparam tensor target the right classes
-- @tparam[opt] table options `top_k` (1): a prediction is right if the class is among the top_k highest scores
-- @treturn number from 0 to 1
-- @raise if the shapes do not fit, if there are no samples, if a score is NaN, or if there are scores and a target is
--   not the number of one of the classes
metrics.accuracy = public("accuracy", accuracy)

local function confusion_matrix(predicted, target, options)
  options = args.read("confusion_matrix", options, {classes = "count"})
  local a, b, count = classes_of("confusion_matrix", predicted, target)
  return matrix_of("confusion_matrix", a, b, options.classes or count)
end

--- Counts the pairs of right and predicted classes: element {i, j} of the result is the number of samples of class i
-- that were predicted as class j.
-- @function nn.metrics.confusion_matrix
-- @tparam tensor predicted scores [n, classes], or classes [n] from 1 on
-- @tparam tensor target the right classes, from 1 on
-- @tparam[opt] table options `classes`: the number of classes (default: the number of scores, or the highest class)
-- @treturn tensor int64 [classes, classes]
-- @raise if a class is out of range, a score is NaN, the shapes do not fit, or there are no samples
metrics.confusion_matrix = public("confusion_matrix", confusion_matrix)

-- Returns the function of nn.metrics for a measure of classes.
local function of_classes(fn)
  local known = {average = AVERAGE, classes = "count"}
  local function compute(predicted, target, options)
    options = args.read(fn, options, known)
    local a, b, count = classes_of(fn, predicted, target, options.average == "binary")
    return measure_matrix(fn, matrix_of(fn, a, b, options.classes or count), options.average)
  end
  return public(fn, compute)
end

--- Returns the precision: the share of the predictions of a class that are right. The measure of a class is 0 if its
-- denominator is 0.
-- @function nn.metrics.precision
-- @tparam tensor predicted booleans, or numbers 0 and 1; scores [n, classes], or classes [n] from 1 on
-- @tparam tensor target the right values
-- @tparam[opt] table options `average` ("binary"): the measure of true, of 1, or of class 2 of 2 classes; "macro": the
--   mean over all classes that occur; "micro": over all samples; "weighted": the mean weighted by the numbers of
--   targets; "none": a list by class; `classes`: the number of classes
-- @treturn number or a list
-- @raise if a class is out of range, the shapes do not fit, or there are no samples
metrics.precision = of_classes "precision"

--- Returns the recall: the share of the samples of a class that are predicted as this class. The arguments are those of
-- nn.metrics.precision.
-- @function nn.metrics.recall
-- @tparam tensor predicted
-- @tparam tensor target
-- @tparam[opt] table options those of nn.metrics.precision
-- @treturn number or a list
metrics.recall = of_classes "recall"

--- Returns the F1 score, 2 · precision · recall / (precision + recall). The arguments are those of
-- nn.metrics.precision.
-- @function nn.metrics.f1
-- @tparam tensor predicted
-- @tparam tensor target
-- @tparam[opt] table options those of nn.metrics.precision
-- @treturn number or a list
metrics.f1 = of_classes "f1"

local function auc(scores, target)
  args.tensor("auc", 1, scores)
  args.tensor("auc", 2, target)
  check_same_shape("auc", scores, target)
  if not core.floats[scores.dtype] then args.fail("auc", "scores are floats, got %s", scores.dtype) end
  local positive = target:not_equal(0)
  if target.dtype ~= "bool" and target:equal(1):not_equal(positive):any():item() then
    args.fail("auc", "targets are booleans, or numbers 0 and 1")
  end
  scores, positive = scores:to("float64"):flatten(), positive:to("float64"):flatten()
  local n, positives = scores.size, positive:sum():item()
  check_scores("auc", scores)
  if positives == 0 or positives == n then
    args.fail("auc", "all targets are %d; both classes are needed", positives == 0 and 0 or 1)
  end
  local sorted = scores:sort()
  local first, behind = lt.searchsorted(sorted, scores), lt.searchsorted(sorted, scores, {right = true})
  local ranks = (first + behind - 1):to("float64") / 2
  local u = (ranks * positive):sum():item() - positives * (positives + 1) / 2
  return u / (positives * (n - positives))
end

--- Returns the area under the ROC curve: the probability that a sample of class 1 has a higher score than a sample of
-- class 0, where equal scores count as one half. It is computed from the sum of the ranks (Mann and Whitney 1947;
-- Hanley and McNeil 1982), and equal scores get the mean of their ranks.
-- @function nn.metrics.auc
-- @tparam tensor scores [n], floats; any increasing function of the scores gives the same result
-- @tparam tensor target [n], booleans, or numbers 0 and 1
-- @treturn number from 0 to 1
-- @raise if all targets are equal, if a score is NaN, or if the shapes differ
metrics.auc = public("auc", auc)

-- ---- regression ----

-- Returns the two tensors as float64 tensors of one shape.
local function values_of(fn, predicted, target)
  args.tensor(fn, 1, predicted)
  args.tensor(fn, 2, target)
  check_same_shape(fn, predicted, target)
  for i, x in ipairs {predicted, target} do
    if x.dtype:find "^complex" then args.fail(fn, "argument %d: real numbers expected, got %s", i, x.dtype) end
  end
  return predicted:to("float64"), target:to("float64")
end

local function r2(predicted, target)
  predicted, target = values_of("r2", predicted, target)
  if target.ndim == 0 or target.ndim > 2 or target.shape[1] < 2 then
    args.fail("r2", "shape [n] or [n, k] with at least 2 samples expected, got %s", shape_text(target.shape))
  end
  local rest = (target - predicted):square():sum(1)
  local total = (target - target:mean(1, {keepdim = true})):square():sum(1)
  local of_constant = rest:equal(0):to("float64")                 -- 1 for an exact prediction, otherwise 0
  return lt.where(total:equal(0), of_constant, 1 - rest / total):mean():item()
end

--- Returns R², the coefficient of determination: 1 minus the sum of the squared errors divided by the sum of the
-- squared deviations of the targets from their mean. 1 is exact, 0 is as good as the mean, and the value may be
-- negative. If all targets are equal, the result is 1 for exact predictions and otherwise 0, as in scikit-learn.
-- @function nn.metrics.r2
-- @tparam tensor predicted [n], or [n, k] for k values, whose R² are averaged
-- @tparam tensor target of the same shape
-- @treturn number
-- @raise if the shapes differ, or if there are fewer than 2 samples
metrics.r2 = public("r2", r2)

local function mean_squared_error(predicted, target)
  predicted, target = values_of("mean_squared_error", predicted, target)
  return (predicted - target):square():mean():item()
end

--- Returns the mean of the squared errors, computed in float64.
-- @function nn.metrics.mean_squared_error
-- @tparam tensor predicted
-- @tparam tensor target of the same shape
-- @treturn number
metrics.mean_squared_error = public("mean_squared_error", mean_squared_error)

local function mean_absolute_error(predicted, target)
  predicted, target = values_of("mean_absolute_error", predicted, target)
  return (predicted - target):abs():mean():item()
end

--- Returns the mean of the absolute errors, computed in float64.
-- @function nn.metrics.mean_absolute_error
-- @tparam tensor predicted
-- @tparam tensor target of the same shape
-- @treturn number
metrics.mean_absolute_error = public("mean_absolute_error", mean_absolute_error)

-- ---- batches ----

local ConfusionMatrix = {class_name = "ConfusionMatrix", __name = "confusion matrix"}
ConfusionMatrix.__index = ConfusionMatrix

--- Adds up the confusion matrices of batches. Field `matrix` is the sum, an int64 tensor [classes, classes].
--
--     local confusion = nn.metrics.ConfusionMatrix(10)
--     for x, y in loader:batches() do confusion:add(lt.no_grad(model, x), y) end
--     print(confusion:accuracy(), confusion:f1{average = "macro"})
--
-- @function nn.metrics.ConfusionMatrix
-- @int classes the number of classes
-- @treturn ConfusionMatrix
local function new(_, classes)
  classes = args.integer("ConfusionMatrix", "classes", classes, 1)
  return setmetatable({classes = classes, matrix = core.zeros({classes, classes}, {dtype = "int64",
                       device = core.host_device})}, ConfusionMatrix)
end

--- Adds the samples of a batch.
-- @function ConfusionMatrix:add
-- @tparam tensor predicted scores [n, classes], or classes [n] from 1 on
-- @tparam tensor target the right classes, from 1 on
-- @treturn ConfusionMatrix the object itself
function ConfusionMatrix:add(predicted, target)
  local made = blame.call(confusion_matrix, predicted, target, {classes = self.classes})
  self.matrix = self.matrix + made:to(self.matrix.device)
  return self
end

local function check_samples(self, fn)
  if self.matrix:sum():item() == 0 then blame.fail(fn, "there are no samples") end
end

--- Returns the share of right predictions.
-- @function ConfusionMatrix:accuracy
-- @treturn number
function ConfusionMatrix:accuracy()
  check_samples(self, "accuracy")
  local right, _, actual = counts_of(self.matrix)
  return sum(right) / sum(actual)
end

local function method(fn)
  return function(self, options)
    options = args.read(fn, options, {average = AVERAGE})
    check_samples(self, fn)
    return measure_matrix(fn, self.matrix, options.average)
  end
end

--- Returns the precision, as nn.metrics.precision does.
-- @function ConfusionMatrix:precision
-- @tparam[opt] table options `average` ("binary")
-- @treturn number or a list
ConfusionMatrix.precision = method "precision"

--- Returns the recall, as nn.metrics.recall does.
-- @function ConfusionMatrix:recall
-- @tparam[opt] table options `average` ("binary")
-- @treturn number or a list
ConfusionMatrix.recall = method "recall"

--- Returns the F1 score, as nn.metrics.f1 does.
-- @function ConfusionMatrix:f1
-- @tparam[opt] table options `average` ("binary")
-- @treturn number or a list
ConfusionMatrix.f1 = method "f1"

function ConfusionMatrix:__tostring()
  return ("ConfusionMatrix: %d samples\n%s"):format(self.matrix:sum():item(), tostring(self.matrix))
end

metrics.ConfusionMatrix = setmetatable(arity.class(ConfusionMatrix, nil, "confusion"),
                                       {__call = arity.method("ConfusionMatrix", new), __name = "class"})

local Collector = {class_name = "Collector", __name = "collector"}
Collector.__index = Collector

--- Collects tensors of batches, for measures that need all samples at once, such as nn.metrics.auc.
--
--     local all = nn.metrics.Collector()
--     for x, y in loader:batches() do all:add(lt.no_grad(model, x), y) end
--     print(nn.metrics.r2(all:get()))
--
-- @function nn.metrics.Collector
-- @treturn Collector
local function new_collector() return setmetatable({batches = {}}, Collector) end

--- Adds the tensors of a batch. All batches have the same number of tensors, whose shapes differ at most in dim 1.
-- @function Collector:add
-- @tparam tensor ... at least one
-- @treturn Collector the object itself
function Collector:add(...)
  local batch, wanted = table.pack(...), self.batches[1]
  if batch.n == 0 or wanted and batch.n ~= wanted.n then
    blame.fail("Collector", "%s tensors expected, got %d", wanted and wanted.n or "one or more", batch.n)
  end
  for i = 1, batch.n do batch[i] = args.tensor("Collector", i, batch[i]):detach() end
  self.batches[#self.batches + 1] = batch
  return self
end

--- Returns the collected tensors, each joined along dim 1.
-- @function Collector:get
-- @treturn tensor ... one for each argument of `add`
function Collector:get()
  local batches, joined = self.batches, {}
  if #batches == 0 then blame.fail("Collector", "no batch was added") end
  local _ <close> = engine.recording(false)
  for i = 1, batches[1].n do
    local parts = {}
    for k, batch in ipairs(batches) do parts[k] = batch[i] end
    joined[i] = blame.call(lt.concat, parts)
  end
  return table.unpack(joined)
end

metrics.Collector = setmetatable(arity.class(Collector, nil, "collector"),
                                 {__call = arity.method("Collector", new_collector), __name = "class"})

return names.guard(metrics, "nn.metrics.")
