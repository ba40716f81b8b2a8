-- Tests data sets, subsets, splits, and batches.
local lt = require "luatensor"
local data = require "luatensor.data"
local helpers = require "spec.support.helpers"

local fails, holds = helpers.fails, helpers.holds

local function int(list) return lt.tensor(list, {dtype = "int64"}) end

-- Returns n samples: x[i] = {i, 10 i}, y[i] = i.
local function numbered(n)
  local y = lt.range(1, n)
  return data.TensorDataset(lt.stack({y, y * 10}, {dim = 2}), y)
end

-- Returns the y of each batch in an epoch.
local function epoch(loader)
  local list = {}
  for _, y in loader:batches() do list[#list + 1] = y:totable() end
  return list
end

local function flat(batches)
  local all = {}
  for _, batch in ipairs(batches) do table.move(batch, 1, #batch, #all + 1, all) end
  return all
end

local function sorted(list)
  table.sort(list)
  return list
end

local function count(n)
  local list = {}
  for i = 1, n do list[i] = i end
  return list
end

describe("digits", function()
  local digits = data.digits()

  it("say how a loader is used and what header is", function()
    local loader = data.Loader(data.TensorDataset(lt.zeros(2, 2)))
    fails("Loader: is not called: `for x, y in loader:batches() do`", function() for x in loader do print(x) end end)
    fails("batches: a method is called with a colon: loader:batches(…)", loader.batches)
    fails("read_csv: header: boolean expected, got string", data.read_csv, "none.csv", {header = "yes"})
  end)

  it("are 1797 images in 0 … 1 and their classes in 1 … 10", function()
    local x, y = table.unpack(digits.tensors)
    assert.equal("TensorDataset: [1797, 64] float32, [1797] int64", tostring(digits))
    assert.equal(1797, #digits)
    assert.same({0, 1}, {x:min():item(), x:max():item()})
    assert.equal(helpers.device, y.device)
    -- The counts of the digits in scikit-learn's documentation.
    assert.same({178, 182, 177, 183, 181, 182, 181, 179, 174, 180}, y:to("cpu"):bincount():totable())
    -- The sum of all pixels in units of 1/16, computed by awk.
    assert.equal(561718, (x * 16):to("float64"):sum():item())
  end)

  it("begin with a 0 as upstream's first line has it", function()
    local x, y = digits:get(int{1})
    local line = {0, 0, 5, 13, 9, 1, 0, 0, 0, 0, 13, 15, 10, 15, 5, 0, 0, 3, 15, 2, 0, 11, 8, 0, 0, 4, 12, 0, 0, 8, 8, 0, 0, 5, 8, 0, 0, 9, 8, 0,
                  0, 4, 11, 0, 1, 12, 7, 0, 0, 2, 14, 5, 10, 12, 0, 0, 0, 0, 6, 13, 10, 0, 0, 0}
    for i, v in ipairs(line) do line[i] = v / 16 end
    assert.same({line}, x:totable())
    assert.same({1}, y:totable())
  end)

  it("come as images and in another dtype", function()
    local x = data.digits({image = true, dtype = "float64"}).tensors[1]
    assert.equal("[1797, 1, 8, 8]", tostring(x.shape))
    assert.equal("float64", x.dtype)
    assert.equal(13 / 16, x[{1, 1, 2, 3}]:item())
    fails('digits: unknown option "shape"; known: device, dtype, image', data.digits, {shape = 3})
  end)
end)

describe("a data set", function()
  it("of tensors gives rows of each", function()
    local ds = numbered(5)
    local x, y = ds:get(int{5, 1, 5})
    holds(x, "[3, 2]", {{5, 50}, {1, 10}, {5, 50}})
    holds(y, "[3]", {5, 1, 5})
    holds(select(2, ds:all()), "[5]", count(5))
    local a, b, c = data.TensorDataset(y, y + 1, y + 2):get(int{2})
    assert.same({1, 2, 3}, {a:item(), b:item(), c:item()})
    holds(data.TensorDataset(y):get(int{2}), "[1]", {1})
    assert.equal(0, #data.TensorDataset(lt.zeros(0, 4)))
  end)

  it("copies: batches may be written to", function()
    local ds = numbered(3)
    ds:get(int{1, 2, 3}):zero_()
    holds(ds.tensors[1], "[3, 2]", {{1, 10}, {2, 20}, {3, 30}})
  end)

  it("of tensors refuses what does not fit together", function()
    fails("TensorDataset: argument 1 has 3 samples, argument 2 has 4", data.TensorDataset, lt.zeros(3, 2), lt.zeros(4))
    fails("TensorDataset: argument 1: a tensor without dims has no samples", data.TensorDataset, lt.zeros())
    fails("TensorDataset: argument 1: tensor expected, got nil", data.TensorDataset)
    fails("TensorDataset: argument 2: tensor expected, got table", data.TensorDataset, lt.zeros(3), {1, 2, 3})
  end)

  it("may be some samples of another", function()
    local ds = data.Subset(data.Subset(numbered(10), {2, 4, 6, 8}), int{4, 1})
    assert.same({8, 2}, select(2, ds:all()):totable())
    assert.equal("Subset: 2 of 4 samples", tostring(ds))
    assert.equal(0, #data.Subset(ds, {}))
    fails("Subset: index 5 is out of range: the data set has 4 samples", data.Subset, ds.base, {1, 5})
    fails("Subset: index 0 is out of range: the data set has 4 samples", data.Subset, ds.base, {0, 1})
    fails("Subset: indices must be integers of shape [n], they are [2] float32", data.Subset, ds.base, lt.zeros(2))
    fails("Subset: data set expected, got number", data.Subset, 3, {1})
  end)

  it("may be several", function()
    local ds = data.ConcatDataset{numbered(3), data.Subset(numbered(20), {11, 12}), numbered(4)}
    assert.equal(9, #ds)
    local x, y = ds:get(int{9, 4, 1, 5, 4})
    holds(y, "[5]", {4, 11, 1, 12, 11})
    holds(x, "[5, 2]", {{4, 40}, {11, 110}, {1, 10}, {12, 120}, {11, 110}})
    holds(select(2, ds:get(lt.empty(0, {dtype = "int64"}))), "[0]", {})
    fails("ConcatDataset: list of data sets expected, got none", data.ConcatDataset, {})
  end)
end)

describe("split", function()
  local function sizes(...)
    local list = {}
    for i, part in ipairs{...} do list[i] = #part end
    return list
  end

  it("divides all samples, by fractions or numbers", function()
    local ds = numbered(11)
    local a, b, c = data.split(ds, {0.5, 0.25, 0.25})
    -- The rounded-down lengths are 5, 2 and 2. The first two parts get one more sample each.
    assert.same({6, 3, 2}, {#a, #b, #c})
    assert.same({4, 7}, sizes(data.split(ds, {4, 7})))
    local all = flat{select(2, a:all()):totable(), select(2, b:all()):totable(), select(2, c:all()):totable()}
    assert.same(count(11), sorted(all))
    assert.same({10, 20, 70}, sizes(data.split(numbered(100), {0.1, 0.2, 0.7})))
  end)

  it("keeps the order within the parts, and repeats by the generator", function()
    local function indices(seed)
      return data.split(numbered(40), {0.5, 0.5}, {generator = lt.generator{seed = seed}}).indices:totable()
    end
    local first = indices(1)
    assert.same(first, indices(1))
    assert.are_not.same(first, indices(2))
    assert.same(sorted(table.move(first, 1, 20, 1, {})), first)
  end)

  it("gives each part its share of each label", function()
    local labels = {}
    -- labels 1, 2, 3 occur 9, 27 and 54 times
    for i = 1, 90 do labels[i] = i % 10 == 0 and 1 or i % 3 == 0 and 2 or 3 end
    local y = int(labels)
    local parts = {data.split(data.TensorDataset(y), {0.5, 0.3, 0.2}, {stratify = true, generator = lt.generator{seed = 3}})}
    local seen = {}
    for i, share in ipairs{0.5, 0.3, 0.2} do
      assert.equal(90 * share, #parts[i])
      for label, n in ipairs{9, 27, 54} do
        local got = parts[i]:all():eq(label):sum():item()
        assert.is_true(got == math.floor(n * share) or got == math.ceil(n * share), ("part %d, label %d: %d"):format(i, label, got))
      end
      table.move(parts[i].indices:totable(), 1, #parts[i], #seen + 1, seen)
    end
    assert.same(count(90), sorted(seen))
  end)

  it("refuses what does not add up", function()
    local ds = numbered(10)
    fails("split: the fractions add up to 0.9, not to 1", data.split, ds, {0.5, 0.4})
    fails("split: the parts have 9 samples in all, the data set has 10", data.split, ds, {4, 5})
    fails("split: parts are all fractions (floats) or all numbers of samples (integers), not both", data.split, ds, {0.5, 5})
    fails("split: part 2 is -1, neither a fraction nor a number of samples", data.split, ds, {11, -1})
    fails("split: part 1 is nan, neither a fraction nor a number of samples", data.split, ds, {lt.nan})
    fails("split: list of fractions or of numbers of samples expected, got number", data.split, ds, 0.5)
    fails("split: stratify: labels of shape [10] expected, got [9]", data.split, ds, {5, 5}, {stratify = lt.zeros(9)})
    fails("split: stratify = true is for a TensorDataset or an ImageFolder; give the labels: stratify = y",
          data.split, data.Subset(ds, {1}), {1}, {stratify = true})
    fails("split: data set expected, got nil", data.split)
  end)
end)

describe("a loader", function()
  it("gives batches in order, the last one smaller", function()
    local loader = data.Loader(numbered(7), {batch_size = 3})
    assert.same({{1, 2, 3}, {4, 5, 6}, {7}}, epoch(loader))
    assert.equal(3, #loader)
    assert.same({{1}, {2}}, epoch(data.Loader(numbered(2))))
    assert.same({{1, 2}}, epoch(data.Loader(numbered(2), {batch_size = 5})))
    assert.same({}, epoch(data.Loader(data.TensorDataset(lt.zeros(0, 2), lt.zeros(0)), {batch_size = 5, shuffle = true})))
  end)

  it("drops what fills no batch, if told", function()
    local loader = data.Loader(numbered(7), {batch_size = 3, drop_last = true})
    assert.same({{1, 2, 3}, {4, 5, 6}}, epoch(loader))
    assert.equal(2, #loader)
    assert.equal(0, #data.Loader(numbered(2), {batch_size = 3, drop_last = true}))
  end)

  it("shuffles: each sample once, each epoch otherwise, rows together", function()
    local loader = data.Loader(numbered(50), {batch_size = 8, shuffle = true})
    local first, second = flat(epoch(loader)), flat(epoch(loader))
    assert.are_not.same(first, second)
    assert.are_not.same(count(50), first)
    assert.same(count(50), sorted(first))
    assert.same(count(50), sorted(second))
    for x, y in loader:batches() do assert.is_true(lt.equal_all(x[{{}, 2}], y * 10)) end
  end)

  it("takes one permutation an epoch from the generator, whose numbers go on", function()
    local g, expected = lt.generator{seed = 5}, lt.generator{seed = 5}
    local loader = data.Loader(numbered(20), {batch_size = 6, shuffle = true, generator = g})
    for _ = 1, 3 do
      assert.same(lt.permutation(20, {generator = expected}):totable(), flat(epoch(loader)))
      assert.same(expected:state(), g:state())
    end
    local state = g:state()
    local fourth = epoch(loader)
    g:set_state(state)
    assert.same(fourth, epoch(loader))
    lt.manual_seed(9)
    local by_default = flat(epoch(data.Loader(numbered(20), {shuffle = true})))
    lt.manual_seed(9)
    local seed = lt.randint(1, math.maxinteger, {1}, {device = "cpu"}):item()
    assert.same(lt.permutation(20, {generator = lt.generator{seed = seed}}):totable(), by_default)
  end)

  it("goes on within an epoch from its state", function()
    local function loader() return data.Loader(numbered(10), {batch_size = 3, shuffle = true, generator = lt.generator{seed = 2}}) end
    local whole, state = {}, nil
    local first = loader()
    for _, y in first:batches() do
      whole[#whole + 1] = y:totable()
      if #whole == 2 then state = first:state_dict() end
    end
    assert.same({seed = 2, offset = state.offset, position = 6}, state)
    assert.same({}, first:state_dict())
    local second = loader()
    second.generator:set_state(first.generator:state())
    second:load_state_dict(state)
    assert.same(state, second:state_dict())
    assert.same({whole[3], whole[4]}, epoch(second))
    assert.same(epoch(first), epoch(second))
    second:load_state_dict{}
    assert.equal(4, #epoch(second))
    fails("load_state_dict: position: 11 is out of range", second.load_state_dict, second, {position = 11})
    fails("load_state_dict: position: integer expected, got nil", second.load_state_dict, second, {a = 11})
    fails("load_state_dict: table expected, got nil", second.load_state_dict, second)
  end)

  it("records nothing", function()
    local w = lt.ones(2):requires_grad_()
    local words = {size = 1, get = function() return w * 2 end}
    assert.is_false(data.Loader(words):batches()().requires_grad)
    assert.is_true((w * 2).requires_grad)
    words.get = function() error("mine", 0) end
    fails("mine", data.Loader(words):batches())
    assert.is_true((w * 2).requires_grad)
  end)

  it("may be left early, and stand within itself", function()
    local loader = data.Loader(numbered(3), {shuffle = true})
    for x in loader:batches() do if x then break end end
    local pairs_of = 0
    for _, a in loader:batches() do
      for _, b in loader:batches() do pairs_of = pairs_of + a:item() * b:item() end
    end
    assert.equal(36, pairs_of)
  end)

  it("moves batches to a device, and then maps them", function()
    local loader = data.Loader(numbered(4), {batch_size = 2, device = helpers.device, map = function(x, y)
      assert.equal(helpers.device, x.device)
      return x * 10, y + 100, "more"
    end})
    local list = {}
    for x, y, more in loader:batches() do list[#list + 1] = {x:totable(), y:totable(), more} end
    assert.same({{{10, 100}, {20, 200}}, {101, 102}, "more"}, list[1])
    assert.same({{{30, 300}, {40, 400}}, {103, 104}, "more"}, list[2])
  end)

  it("takes any table with size and get", function()
    local words = {size = 3, words = {"one", "two", "three"}}
    function words:get(indices)
      local batch = {}
      for i, k in ipairs(indices:totable()) do batch[i] = self.words[k] end
      return batch
    end
    local batches = {}
    for batch in data.Loader(words, {batch_size = 2, device = helpers.device}):batches() do batches[#batches + 1] = batch end
    assert.same({{"one", "two"}, {"three"}}, batches)
  end)

  it("refuses what it cannot load", function()
    local ds = numbered(3)
    fails("Loader: batch_size: 0 is out of range", data.Loader, ds, {batch_size = 0})
    fails("Loader: batch_size: integer expected, got 1.5", data.Loader, ds, {batch_size = 1.5})
    fails('Loader: unknown option "order"; known: batch_size, device, drop_last, generator, interpreter, map, sampler, shuffle, workers',
          data.Loader, ds, {order = 2})
    fails("Loader: shuffle: boolean expected, got number", data.Loader, ds, {shuffle = 1})
    fails("Loader: map: function expected, got number", data.Loader, ds, {map = 1})
    fails("Loader: generator: generator expected, got number", data.Loader, ds, {generator = 7})
    fails("Loader: sampler: sampler expected, got number", data.Loader, ds, {sampler = 7})
    local sampler, length = {indices = function(self) return self.order end}, nil
    local function loop()
      for _ in data.Loader(ds, {sampler = setmetatable(sampler, length)}):batches() do error "a batch" end
    end
    sampler.order = int{3, 1}
    fails("Loader: sampler: indices returned 2 samples, but #sampler is 0; the metamethod __len returns the number of samples of an epoch",
          loop)
    length = {__len = function() return 3 end}
    fails("Loader: sampler: indices returned 2 samples, but #sampler is 3; the metamethod __len returns the number of samples of an epoch",
          loop)
    for _, none in ipairs{3, "all", {1, 2, 3}, int{{1, 2, 3}}} do
      sampler.order = none
      fails("Loader: sampler: indices returned no tensor of shape [n]", loop)
    end
    fails("Loader: the order is the sampler's; give shuffle to the sampler", data.Loader, ds,
          {sampler = data.DistributedSampler(ds), shuffle = true})
    fails("Loader: the data set has no function get(self, indices)", data.Loader, {size = 3})
    fails("Loader: the data set's size is missing, not a number of samples", data.Loader, {get = print})
    fails("Loader: the data set's size is 1.5, not a number of samples", data.Loader, {get = print, size = 1.5})
    local nothing = data.Loader(ds, {map = function() end})
    fails("Loader: map gave nothing for a batch", nothing:batches())
    nothing = data.Loader{size = 1, get = function() end}
    fails("Loader: the data set gave nothing for a batch", nothing:batches())
  end)
end)
