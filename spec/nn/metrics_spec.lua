-- Compares nn.metrics with scikit-learn (spec/data/make_metrics.py), and tests errors and the objects for batches.

local data = require "spec.support.data"
local helpers = require "spec.support.helpers"
local lt = require "luatensor"
local nn = require "luatensor.nn"

local device = helpers.device
local metrics = nn.metrics

local rows = {}
for _, row in ipairs(data.read("metrics").rows) do
  rows[row.kind] = rows[row.kind] or {}
  table.insert(rows[row.kind], row)
end

local function tensor(list, dtype) return lt.tensor(list, {dtype = dtype, device = device}) end

local function near(wanted, got) assert.near(wanted, got, 1e-12) end

-- Asserts that precision, recall and F1 are `wanted`, a list of three lists.
local function check_measures(wanted, average, predicted, target, classes)
  for i, name in ipairs {"precision", "recall", "f1"} do
    local got = metrics[name](predicted, target, {average = average, classes = classes})
    got = type(got) == "table" and got or {got}
    assert.equal(#wanted[i], #got)
    for k, value in ipairs(got) do near(wanted[i][k], value) end
  end
end

-- Returns scores [n, classes] of a dtype, whose highest score is at the given classes.
local function scores_of(classes, count, dtype)
  return nn.functional.one_hot(tensor(classes, "int64"), count):to(dtype)
end

describe("measures of classes", function()
  for i, row in ipairs(rows.classes) do
    it("are scikit-learn's, for classes and scores, case " .. i, function()
      for _, dtype in ipairs {"int64", "int32", "uint8"} do
        local predicted, target = tensor(row.predicted, dtype), tensor(row.target, "int64")
        near(row.accuracy, metrics.accuracy(predicted, target))
        local matrix = metrics.confusion_matrix(predicted, target, {classes = row.classes})
        assert.equal("int64", matrix.dtype)
        assert.same(row.matrix, matrix:totable())
      end
      local target = tensor(row.target, "int64")
      for _, average in ipairs {"macro", "micro", "weighted", "none"} do
        check_measures(row[average], average, tensor(row.predicted, "int64"), target, row.classes)
      end
      local scores = scores_of(row.predicted, row.classes, "bfloat16")
      near(row.accuracy, metrics.accuracy(scores, target))
      assert.same(row.matrix, metrics.confusion_matrix(scores, target):totable())
      check_measures(row.macro, "macro", scores, target)
    end)

    it("are the same when batches are added, case " .. i, function()
      local confusion = metrics.ConfusionMatrix(row.classes)
      local n = #row.target
      for from = 1, n, 7 do
        local to = math.min(from + 6, n)
        local some = table.move(row.predicted, from, to, 1, {})
        confusion:add(from % 2 == 0 and tensor(some, "int64") or scores_of(some, row.classes, "float32"),
                      tensor(table.move(row.target, from, to, 1, {}), "int64"))
      end
      assert.same(row.matrix, confusion.matrix:totable())
      near(row.accuracy, confusion:accuracy())
      for _, average in ipairs {"macro", "micro", "weighted"} do
        near(row[average][1][1], confusion:precision{average = average})
        near(row[average][2][1], confusion:recall{average = average})
        near(row[average][3][1], confusion:f1{average = average})
      end
    end)
  end

  for i, row in ipairs(rows.binary) do
    it("are scikit-learn's for two values, case " .. i, function()
      local predicted, target = tensor(row.predicted, "int64"), tensor(row.target, "int64")
      check_measures(row.binary, nil, predicted, target)
      check_measures(row.binary, nil, predicted:to("bool"), target:to("bool"))
      check_measures(row.binary, nil, predicted:to("float32"), target)
      check_measures(row.binary, nil, scores_of((predicted + 1):totable(), 2, "float32"), target + 1)
      near(row.binary[3][1], metrics.ConfusionMatrix(2):add(predicted + 1, target + 1):f1())
    end)
  end

  for i, row in ipairs(rows.top) do
    it("count the highest scores as scikit-learn does, case " .. i, function()
      local scores, target = tensor(row.scores, "float32"), tensor(row.target, "int64")
      for k, wanted in ipairs(row.top) do near(wanted, metrics.accuracy(scores, target, {top_k = k})) end
    end)
  end

  it("take classes of pixels", function()
    local scores, target = lt.zeros(2, 3, 2, 2, {device = device}), lt.ones(2, 2, 2, {dtype = "int64", device = device})
    scores[{ {}, 1 }] = 1.0
    target[{1, 1, 1}] = 2
    near(7 / 8, metrics.accuracy(scores, target))
    near(1, metrics.accuracy(scores, target, {top_k = 2}))
    assert.same({{7, 0, 0}, {1, 0, 0}, {0, 0, 0}}, metrics.confusion_matrix(scores, target):totable())
  end)
end)

describe("the area under the ROC curve", function()
  for i, row in ipairs(rows.auc) do
    it("is scikit-learn's, case " .. i, function()
      local target = tensor(row.target, "int64")
      for _, dtype in ipairs {"float32", "float64", "float16"} do
        near(row.auc, metrics.auc(tensor(row.scores, dtype), target))
      end
      near(row.auc, metrics.auc(tensor(row.scores, "float64") * 3 - 100, target:to("bool")))
      near(1 - row.auc, metrics.auc(-tensor(row.scores, "float64"), target))
    end)
  end
end)

describe("measures of regression", function()
  for i, row in ipairs(rows.regression) do
    it("are scikit-learn's, case " .. i, function()
      for _, dtype in ipairs {"float64", "float32"} do
        local predicted, target = tensor(row.predicted, dtype), tensor(row.target, dtype)
        near(row.r2, metrics.r2(predicted, target))
        near(row.squared, metrics.mean_squared_error(predicted, target))
        near(row.absolute, metrics.mean_absolute_error(predicted, target))
      end
    end)
  end

  it("use all samples of a collector", function()
    local row = rows.regression[2]
    local predicted, target = tensor(row.predicted, "float64"), tensor(row.target, "float64")
    local all = metrics.Collector()
    for from = 1, 15, 4 do
      local n = math.min(4, 16 - from)
      all:add(predicted:narrow(1, from, n), target:narrow(1, from, n))
    end
    near(row.r2, metrics.r2(all:get()))
  end)
end)

describe("errors of metrics", function()
  local int = tensor({1, 2, 3}, "int64")
  local scores = lt.ones(3, 2, {device = device})

  it("name what does not fit", function()
    for words, call in pairs {
      ["accuracy: predictions of shape [2] do not fit targets of shape [3]"] = function()
        metrics.accuracy(tensor({1, 2}, "int64"), int)
      end,
      ["accuracy: there are no samples"] = function() metrics.accuracy(int:narrow(1, 1, 0), int:narrow(1, 1, 0)) end,
      ["accuracy: argument 2: tensor expected, got nil"] = function() metrics.accuracy(int) end,
      ["accuracy: argument 1: classes from 1 on expected, got float32"] = function()
        metrics.accuracy(int:to("float32"), int)
      end,
      ["accuracy: top_k = 3: scores of at least 3 classes in dim 2 expected, the shape is [3, 2]"] = function()
        metrics.accuracy(scores, int, {top_k = 3})
      end,
      ["confusion_matrix: the targets: class 3 is not in 1 … 2"] = function() metrics.confusion_matrix(scores, int) end,
      ["confusion_matrix: the predictions: class 0 is not in 1 … 3"] = function()
        metrics.confusion_matrix(int - 1, int)
      end,
      ['f1: argument 1: booleans, or numbers 0 and 1 expected; for classes from 1 on give option average, such as "macro"'] =
        function() metrics.f1(int, int) end,
      ['recall: average: "binary" is for 2 classes, there are 4; use "macro", "micro", "weighted" or "none"'] = function()
        metrics.recall(lt.ones(3, 4, {device = device}), int)
      end,
      ["precision: average: one of binary, macro, micro, weighted, none expected, got all"] = function()
        metrics.precision(int, int, {average = "all"})
      end,
      ["auc: all targets are 1; both classes are needed"] = function()
        metrics.auc(tensor({0.5, 1}, "float32"), tensor({1, 1}, "int64"))
      end,
      ["auc: targets are booleans, or numbers 0 and 1"] = function()
        metrics.auc(tensor({0.5, 1}, "float32"), tensor({1, 2}, "int64"))
      end,
      ["auc: a score is nan"] = function() metrics.auc(tensor({0 / 0, 1}, "float32"), tensor({0, 1}, "int64")) end,
      ["accuracy: the targets: class 0 is not in 1 … 2"] = function() metrics.accuracy(scores, int - 1) end,
      ["accuracy: the targets: class 3 is not in 1 … 2"] = function() metrics.accuracy(scores, int) end,
      ["accuracy: the targets: class 3 is not in 1 … 2 "] = function() metrics.accuracy(scores, int, {top_k = 2}) end,
      ["accuracy: argument 2: classes from 1 on expected, got float32"] = function()
        metrics.accuracy(scores, int:to("float32"), {top_k = 2})
      end,
      ["accuracy: a score is nan"] = function() metrics.accuracy(scores * (0 / 0), int) end,
      ["accuracy: a score is nan "] = function() metrics.accuracy(scores * (0 / 0), int, {top_k = 2}) end,
      ["confusion_matrix: a score is nan"] = function() metrics.confusion_matrix(scores * (0 / 0), int) end,
      ["auc: scores are floats, got int64"] = function() metrics.auc(int, int) end,
      ["r2: shape [n] or [n, k] with at least 2 samples expected, got [1]"] = function()
        metrics.r2(lt.ones(1, {device = device}), lt.ones(1, {device = device}))
      end,
      ["mean_squared_error: argument 1: real numbers expected, got complex64"] = function()
        metrics.mean_squared_error(scores:to("complex64"), scores)
      end,
      ["accuracy: there are no samples "] = function() metrics.ConfusionMatrix(3):accuracy() end,
      ["ConfusionMatrix: classes: 0 is out of range"] = function() metrics.ConfusionMatrix(0) end,
      ["Collector: no batch was added"] = function() metrics.Collector():get() end,
      ["Collector: 2 tensors expected, got 1"] = function() metrics.Collector():add(int, int):add(int) end,
    } do
      assert.raises(words:gsub(" $", ""), call)
    end
  end)

  it("leave a confusion matrix as it was", function()
    local confusion = metrics.ConfusionMatrix(3):add(int, int)
    assert.raises("confusion_matrix: the targets: class 4 is not in 1 … 3", function() confusion:add(int, int + 1) end)
    assert.same({{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, confusion.matrix:totable())
  end)
end)
