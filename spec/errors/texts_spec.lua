-- tags: smoke unplugged
-- Tests the error texts that the documentation shows, and many kinds of wrong arguments. Each wrong argument raises a
-- Lua error that names the function and the misfit, changes nothing, and never crashes.
local lt = require "luatensor"
local helpers = require "spec.support.helpers"

local nan, inf = 0.0 / 0.0, math.huge

-- Checks rows {pattern, function}. The function must raise an error whose message matches the pattern.
local function check(rows)
  for _, row in ipairs(rows) do
    local pattern, f = row[1], row[2]
    local message = helpers.message_of(f)
    if not message then error(("no error where expected: %s (line %d)"):format(pattern, debug.getinfo(f, "S").linedefined), 2) end
    if not message:find(pattern) then error(("expected %s\ngot      %s"):format(pattern, message), 2) end
  end
end

describe("the documented messages", function()
  it("of matmul", function()
    local x, y = lt.zeros(7, 3), lt.zeros(7, 3)
    assert.raises("matmul: inner dims differ: [7, 3] × [7, 3]; did you mean y.T?", function() return x:matmul(y) end)
    assert.raises("matmul: inner dims differ: [7, 3] × [5, 7]", function() return x:matmul(lt.zeros(5, 7)) end)
  end)

  it("of broadcasting", function()
    assert.raises("add: shapes [3, 4] and [5] do not broadcast (dim 2: 4 against 5)",
      function() return lt.zeros(3, 4) + lt.zeros(5) end)
    assert.raises("less: shapes [3, 4] and [2, 4] do not broadcast (dim 1: 3 against 2)",
      function() return lt.zeros(3, 4):less(lt.zeros(2, 4)) end)
  end)

  it("of a GPU that is not there", function()
    if lt.cuda.is_available() or lt.rocm.is_available() then return pending "a GPU is here" end
    assert.raises("^GPU not found: .", lt.zeros, 2, {device = "cuda"})
    assert.raises("^GPU not found: .", lt.device, "cuda:1")
    assert.raises("^GPU not found: .", lt.accelerator)
  end)

  it("of index 0", function()
    local x = lt.zeros(2, 3)
    assert.raises("index 0 in dim 1: Lua tensors start at 1", function() return x[0] end)
    assert.raises("index 0 in dim 2: Lua tensors start at 1", function() return x[{1, 0}] end)
  end)

  it("of memory that is not there", function()
    assert.raises("^out of memory on " .. helpers.device .. ": asked for 32%.0 TiB; .+ live in %d+ tensors?, .+ cached",
      lt.zeros, 1 << 43)
    local kept = lt.zeros(1000, 700)
    local message = helpers.message_of(lt.zeros, 1 << 43)
    assert.is_truthy(message:find("; largest: [1000, 700] float32 made at ", 1, true), message)
    assert.is_truthy(message:find("texts_spec.lua:%d+"), message)
    assert.equal(0.0, kept:sum():item())
  end)
end)

describe("data", function()
  it("must be rectangular", function()
    check {
      {"^tensor: ", function() lt.tensor{{1, 2}, {3}} end},
      {"^tensor: ", function() lt.tensor{{1, 2}, 3} end},
      {"^tensor: ", function() lt.tensor{1, {2}} end},
      {"^tensor: ", function() lt.tensor{{{1}, {2}}, {{3}, {4, 5}}} end},
      {"^tensor: ", function() lt.tensor{{}, {1}} end},
    }
  end)

  it("must be numbers, or booleans, not both and nothing else", function()
    check {
      {"^tensor: ", function() lt.tensor{1, true} end},
      {"^tensor: ", function() lt.tensor{{1, 2}, {true, false}} end},
      {"^tensor: ", function() lt.tensor{"1", "2"} end},
      {"^tensor: ", function() lt.tensor{1, nil, 3} end},
      {"^tensor: ", function() lt.tensor{nil, 2} end},
      {"^tensor: ", function() lt.tensor{print} end},
      {"^tensor: ", function() lt.tensor{1, x = 2} end},
      {"^tensor: ", function() lt.tensor "1" end},
      {"^tensor: ", function() lt.tensor(nil) end},
      {"^tensor: ", function() lt.tensor() end},
      {"^tensor: ", function() lt.tensor(print) end},
    }
  end)

  it("must not contain itself", function()
    local t = {}
    t[1] = t
    check {{"^tensor: ", function() lt.tensor(t) end}}
  end)

  it("must fit the dtype that is asked for", function()
    check {
      {"^tensor: .*300.*uint8", function() lt.tensor({300}, {dtype = "uint8"}) end},
      {"^tensor: .*-1.*uint16", function() lt.tensor({-1}, {dtype = "uint16"}) end},
      {"^tensor: .*128.*int8", function() lt.tensor({1, 128}, {dtype = "int8"}) end},
    }
  end)
end)

describe("options", function()
  it("must be known, and the error lists those that are", function()
    check {
      {'^zeros: unknown option "dtpye"; known: .*dtype', function() lt.zeros(2, {dtpye = "int8"}) end},
      {'^sum: unknown option "keepdims"; known: .*; did you mean "keepdim"%?$', function() lt.ones(2):sum(1, {keepdims = true}) end},
      {'^sum: unknown option "axis"; known: .*; did you mean "dim"%?$', function() lt.ones(2):sum {axis = 1} end},
      {'^var: unknown option "ddof"; known: .*; did you mean "correction"%?$', function() lt.ones(2):var {ddof = 1} end},
      {'^topk: unknown option "largets"; known: .*; did you mean "largest"%?$', function() lt.ones(2):topk(1, {largets = true}) end},
      {'^SGD: unknown option "learning_rate"; known: .*; did you mean "lr"%?$', function()
        lt.optim.SGD(lt.nn.Linear(1, 1):parameters(), {learning_rate = 1})
      end},
      {'^Conv2d: unknown option "strides"; known: .*; did you mean "stride"%?$', function() lt.nn.Conv2d(1, 1, 1, {strides = 2}) end},
      {'^cross_entropy: unknown option "size_average"; known: .*; did you mean "reduction"%?$', function()
        lt.nn.functional.cross_entropy(lt.ones(1, 2), lt.tensor {1}, {size_average = true})
      end},
      {'^add: unknown option "dtype"; known: out', function() lt.add(lt.ones(2), 1, {dtype = "int8"}) end},
      {'^tensor: unknown option "type"', function() lt.tensor({1}, {type = "int8"}) end},
    }
  end)

  it("must have values of the right kind", function()
    check {
      {"^zeros: .*dtype", function() lt.zeros(2, {dtype = 3}) end},
      {'^zeros: unknown dtype "float"', function() lt.zeros(2, {dtype = "float"}) end},
      {'^zeros: unknown device "gpu"', function() lt.zeros(2, {device = "gpu"}) end},
      {'^zeros: no device "cpu:7"', function() lt.zeros(2, {device = "cpu:7"}) end},
      {'^zeros: device "cpu:x"', function() lt.zeros(2, {device = "cpu:x"}) end},
      {"^zeros: .*device", function() lt.zeros(2, {device = {}}) end},
      {"^add: .*out", function() lt.add(lt.ones(2), 1, {out = 3}) end},
      {"^sum: .*keepdim", function() lt.ones(2):sum(1, {keepdim = 1}) end},
    }
  end)

  it("are not mixed with positions in one table", function()
    check {
      {"^zeros: ", function() lt.zeros{2, dtype = "int8"} end},
      {"^sum: ", function() lt.ones(2):sum{1, keepdim = true} end},
    }
  end)
end)

describe("sizes", function()
  it("must be whole, not negative, and fit", function()
    for _, size in ipairs {-1, 1.5, nan, inf, -inf, "2", true, print} do
      check {{"^zeros: ", function() lt.zeros(2, size) end}, {"^ones: ", function() lt.ones{size} end},
             {"^rand: ", function() lt.rand(size, 2) end}}
    end
    for _, shape in ipairs {{1 << 62}, {1 << 32, 1 << 32}, {math.maxinteger, 2}, {1 << 21, 1 << 21, 1 << 21}} do
      check {{"^", function() lt.zeros(shape) end}, {"^", function() lt.empty(shape) end},
             {"^", function() lt.rand(shape) end}, {"^", function() lt.full(shape, 1) end}}
    end
    assert.equal(0, lt.zeros(0, 1 << 40).size)
  end)

  it("of 17 and more dims are refused everywhere", function()
    local ones = {}
    for d = 1, 17 do ones[d] = 1 end
    local x = lt.ones(table.unpack(ones, 1, 16))
    check {
      {"^zeros: more than 16 dims", function() lt.zeros(ones) end},
      {"^zeros: more than 16 dims", function() lt.zeros(table.unpack(ones)) end},
      {"^reshape: .*16", function() x:reshape(ones) end},
      {"^expand_dims: .*16", function() x:expand_dims(1) end},
      {"^broadcast_to: .*16", function() x:broadcast_to(ones) end},
      {"16", function() return x[{lt.newaxis}] end},
      {"^stack: .*16", function() lt.stack({x, x}, 1) end},
    }
    local nested = 1
    for _ = 1, 17 do nested = {nested} end
    check {{"^tensor: .*16", function() lt.tensor(nested) end}}
  end)
end)

describe("indices", function()
  local x = lt.arange(24):reshape(2, 3, 4)

  it("out of range name the index, the dim and its length", function()
    check {
      {"^index 3 in dim 1.*2", function() return x[3] end},
      {"^index %-3 in dim 1.*2", function() return x[-3] end},
      {"^index 5 in dim 3.*4", function() return x[{1, 1, 5}] end},
      {"dim 2", function() return x[{{}, {1, 4}}] end},
      {"dim 2", function() return x[{{}, {-4, 2}}] end},
      {"dim 1", function() return x[{{0, 2}}] end},
      {"dim 1", function() return x[{{1, 2, 0}}] end},
      {"", function() return x[{1, 1, 1, 1}] end},
      {"", function() return x[math.maxinteger] end},
      {"", function() return x[math.mininteger] end},
      {"", function() return x[{{1, math.maxinteger}}] end},
      {"", function() return x[{{2, math.mininteger, -1}}] end},
    }
  end)

  it("of a kind that is none are errors", function()
    check {
      {"", function() return x[1.5] end},
      {"", function() return x[nan] end},
      {"", function() return x[true] end},
      {"", function() return x[print] end},
      {"", function() return x[{1, nil, 2}] end},
      {"", function() return x[{nil, 2}] end},
      {"", function() return x[{"1"}] end},
      {"", function() return x[{{1, 2, 1, 1}}] end},
      {"", function() return x[{{1, "2"}}] end},
      {"", function() return x[{{1, nan}}] end},
      {"", function() return x[{lt.ellipsis, lt.ellipsis}] end},
      {"", function() return x[lt.tensor{1.0, 2.0}] end},
      {"", function() return x[lt.tensor{true, false, true}] end},
      {"", function() return x[lt.tensor{1, 3}] end},
      {"", function() return x[lt.tensor{0}] end},
      {"", function() return x[{lt.tensor{1, 2}, lt.tensor{1, 2, 3}}] end},
    }
  end)

  it("of names that a tensor does not have suggest the nearest", function()
    check {
      {'no "shpae".*"shape"', function() return x.shpae end},
      {'no "summ".*"sum"', function() return x:summ() end},
      {'no "matmull".*"matmul"', function() return lt.matmull(x, x) end},
      {"no", function() return x.qqqqqqqqqqqqqqqq end},
    }
  end)

  it("keep a tensor as it was when an assignment fails", function()
    local y = lt.tensor{{1, 2}, {3, 4}}
    check {
      {"", function() y[3] = 1 end},
      {"", function() y[{1, 0}] = 1 end},
      {"", function() y[1] = {1, 2, 3} end},
      {"", function() y[1] = "x" end},
      {"", function() y[1] = {1, "x"} end},
      {"", function() y[1] = {5, true} end},
      {"", function() y[{{}, {}}] = {{1, 2}, {3}} end},
      {"", function() y[1] = lt.zeros(3) end},
      {"", function() y[1] = nil end},
      {"", function() y[lt.tensor{1, 5}] = 9 end},
      {"", function() y[lt.tensor{1, 0}] = 9 end},
      {"", function() y[lt.tensor{true, false, true}] = 9 end},
      {"", function() y.shape = {4} end},
      {"", function() y.colour = 1 end},
      {"", function() y[1] = 1.5 end},
    }
    assert.same({{1, 2}, {3, 4}}, y:totable())
  end)
end)

describe("dims", function()
  local x = lt.zeros(2, 3)

  it("out of range name the dim and the shape", function()
    check {
      {"^sum: dim 3 is out of range for shape %[2, 3%]", function() x:sum(3) end},
      {"^sum: dim %-3 is out of range", function() x:sum(-3) end},
      {"^sum: dim 0: Lua tensors start at 1", function() x:sum(0) end},
      {"^max: .*1%.5", function() x:max(1.5) end},
      {"^sum: ", function() x:sum{1, 1} end},
      {"^sum: ", function() x:sum{1, -2} end},
      {"^sum: ", function() x:sum "1" end},
      {"^permute_dims: ", function() x:permute_dims(1, 1) end},
      {"^permute_dims: ", function() x:permute_dims(1) end},
      {"^squeeze: ", function() x:squeeze(1) end},
      {"^flip: ", function() x:flip(5) end},
      {"^concat: ", function() lt.concat({x, x}, 3) end},
      {"^concat: ", function() lt.concat({x, lt.zeros(3, 4)}, 1) end},
      {"^concat: ", function() lt.concat({}, 1) end},
      {"^stack: ", function() lt.stack{x, lt.zeros(3, 2)} end},
    }
  end)

  it("of no elements have no extremes", function()
    check {
      {"^max: ", function() lt.zeros(0):max() end},
      {"^min: ", function() lt.zeros(2, 0):min(2) end},
      {"^argmax: ", function() lt.zeros(0):argmax() end},
      {"^argmin: ", function() lt.zeros(0, 3):argmin(1) end},
    }
  end)
end)

describe("targets", function()
  it("must have the result's shape and take its dtype", function()
    local x = lt.ones(2, 3)
    check {
      {"^add: the target has shape %[2%], the result %[2, 3%]", function() lt.add(x, 1, {out = lt.zeros(2)}) end},
      {"^add_: ", function() lt.ones(3):add_(x) end},
      {"^add: result float32 does not fit int64",
        function() lt.add(x, 1, {out = lt.zeros(2, 3, {dtype = "int64"})}) end},
      {"^add_: result float32 does not fit int64", function() lt.zeros(3, {dtype = "int64"}):add_(1.5) end},
    }
  end)

  it("must not overlap an input elsewhere", function()
    local x = lt.arange(5)
    check {
      {"^add: the target shares memory", function() lt.add(x[{{1, 4}}], 1, {out = x[{{2, 5}}]}) end},
      {"^add_: the target shares memory", function() x:add_(x[{{-1, 1, -1}}]) end},
    }
    assert.same({0, 1, 2, 3, 4}, x:totable())
  end)

  it("may be an input itself", function()
    local x = lt.arange(5)
    assert.same({0, 2, 4, 6, 8}, lt.add(x, x, {out = x}):totable())
  end)
end)

describe("dtypes", function()
  it("that an op does not take are named, with the cure", function()
    local mask = lt.tensor{true, false}
    check {
      {"^add: not for bool; use x:to%(\"int64\"%)", function() return mask + mask end},
      {"^less: not for bool", function() return mask:less(mask) end},
      {"^bitwise_and: not for float32", function() return lt.ones(2) & lt.ones(2) end},
      {"^bitwise_and: not for float32", function() return lt.ones(2) & 1 end},
      {"^bitwise_left_shift: not for", function() return mask << mask end},
      {"^bitwise_and: not for float32, to which the arguments promote", function() return lt.tensor{1} & 1.5 end},
      {"^bitwise_and: not for float32, to which the arguments promote", function() return mask & 1.5 end},
      {"^bitwise_or: not for float64, to which the arguments promote", function()
        return lt.ones(2, {dtype = "uint64"}) | lt.ones(2, {dtype = "int8"})
      end},
    }
  end)
end)

describe("arguments", function()
  local x = lt.ones(2)

  it("of another type are named", function()
    check {
      {"^add: .*tensor or number expected, got nil", function() return x:add(nil) end},
      {"^add: .*tensor or number expected, got string", function() return x + "1" end},
      {"^add: .*tensor or number expected, got table", function() return lt.add(x, {1, 2}) end},
      {"^add: ", function() return lt.add(x) end},
      {"^add: ", function() return lt.add(x, 1, 2) end},
      {"^sin: ", function() return lt.sin() end},
      {"^sin: ", function() return lt.sin(x, x) end},
      {"^sum: ", function() return lt.sum(5) end},
      {"^matmul: ", function() return x:matmul(3) end},
      {"^item: ", function() return lt.ones(2):item() end},
      {"^reshape: ", function() return lt.reshape({1, 2}, 2) end},
      {"^full: ", function() return lt.full({2}, "x") end},
      {"^full: ", function() return lt.full({2}) end},
      {"^arange: ", function() return lt.arange(0, 10, 0) end},
      {"^arange: ", function() return lt.arange "x" end},
      {"^linspace: ", function() return lt.linspace(0, 1, -1) end},
      {"^linspace: ", function() return lt.linspace(0, 1, 2.5) end},
    }
  end)
end)

describe("a colon after the module", function()
  it("is named as the slip", function()
    for _, name in ipairs {"zeros", "tensor", "asarray", "arange", "rand", "sum", "add", "outer", "concat", "tile", "manual_seed",
                           "eye", "full", "norm", "set_num_threads"} do
      assert.raises(("%s: write lt.%s(…) with a dot, not lt:%s(…)"):format(name, name, name), lt[name], lt, 3)
    end
  end)
end)

describe("an argument too many", function()
  it("is an error in functions written in Lua, too", function()
    local x = lt.eye(2)
    assert.raises("unique_values: at most 1 argument expected, got 2", lt.unique_values, x, {return_counts = true})
    assert.raises("tril: at most 2 arguments expected, got 3", lt.tril, x, 0, 1)
    assert.raises("cond: at most 2 arguments expected, got 3", lt.linalg.cond, x, 1, 2)
  end)
end)

describe("what was given instead", function()
  local x, module, generator = lt.ones(2), lt.nn.ReLU(), lt.generator {seed = 1}

  it("is named by its kind, not as a userdata or a table", function()
    check {
      {"^no_grad: function expected, got tensor$", function() lt.no_grad(x) end},
      {"^zeros: dtype: name expected, got tensor$", function() lt.zeros(2, {dtype = x}) end},
      {"^sum: option keepdim: boolean expected, got tensor$", function() x:sum {keepdim = x} end},
      {"^reshape: size: number expected, got tensor$", function() x:reshape(x) end},
      {"^add: argument 2: tensor expected, got generator$", function() return x + generator end},
      {"^add: argument 2: tensor or number expected, got module$", function() return x + module end},
      {"^add: argument 2: tensor or number expected, got function$", function() return x + print end},
      {"^add: argument 2: tensor expected, got FILE%*$", function() return x + io.stdout end},
      {"^roll: .* expected, got tensor$", function() x:roll(x) end},
      {"^ReLU%(%): tensor expected, got generator$", function() module(generator) end},
      {"^Linear%(2, 3%): the input: tensor expected, got module$", function() lt.nn.Linear(2, 3)(module) end},
      {"^Conv2d: options expected, got tensor; known: ", function() lt.nn.Conv2d(1, 2, 3, x) end},
      {"^Sequential: argument 1: module expected, got tensor$", function() lt.nn.Sequential(x) end},
      {"^randn: option generator: generator expected, got tensor$", function() lt.randn(2, {generator = x}) end},
    }
  end)
end)

describe("names of other libraries", function()
  local lt_names = {"nosuch", "interp", "percentile", "gradient", "trapz", "kron", "cov", "sparse", "image", "vmap",
                    "jit", "select", "randperm", "cdist", "inv", "optm"}
  local answers = {
    percentile = 'did you mean "quantile"?', randperm = 'did you mean "permutation"?', inv = 'did you mean "lt.linalg.inv"?',
    interp = "use lt.searchsorted and lt.lerp", jit = 'did you mean "compile"?',
    gradient = "differences are x:diff(), derivatives lt.grad(f)", select = "use an index: x[i] or x[{ {}, i }]",
    trapz = "use ((y[{ {2, -1} }] + y[{ {1, -2} }]) / 2 * x:diff()):sum()",
    kron = 'use lt.einsum("ij,kl->ikjl", x, y), and reshape the result',
    cov = "with c = x - x:mean(1, {keepdim = true}), use c.T:matmul(c) / (#x - 1)",
    cdist = "for squares of distances use x:square():sum(2, {keepdim = true}) + y:square():sum(2) - 2 * x:matmul(y.T)", optm = 'did you mean "optim"?',
  }

  it("are told ours, or nothing where no name is near", function()
    for _, name in ipairs(lt_names) do
      local help = answers[name] and "; " .. answers[name] or ""
      assert.equal(('luatensor has no "%s"%s'):format(name, help), helpers.message_of(function() return lt[name] end))
    end
  end)

  it("are told of methods, modules, losses, optimisers, data, too", function()
    local x, nn = lt.ones(2, 3), lt.nn
    check {
      {'^tensor has no "percentile"; did you mean "quantile"%?$', function() return x.percentile end},
      {'^tensor has no "numpy"; lt.save', function() return x:numpy() end},
      {'^tensor has no "svd"; did you mean "lt.linalg.svd"%?$', function() return x:svd() end},
      {'^tensor has no "cmax"; did you mean "maximum"%?$', function() return x:cmax(x) end},
      {'^tensor has no "fmin"; did you mean "minimum"%?$', function() return x:fmin(x) end},
      {'^tensor has no "float16"; use x:to%("float16"%)$', function() return x:float16() end},
      {'^tensor has no "gels"; use lt.linalg.lstsq$', function() return x:gels(x) end},
      {'^tensor has no "xyzzy"$', function() return x:xyzzy() end},
      {'^luatensor has no "backward"; it is a method: x:backward', function() return lt.backward(x) end},
      {'^luatensor has no "nn.SpatialConvolution"; did you mean "nn.Conv2d"%?$', function() return nn.SpatialConvolution end},
      {'^luatensor has no "nn.linear"; did you mean "nn.Linear"%?$', function() return nn.linear end},
      {'^luatensor has no "nn.init.normal"; did you mean "nn.init.normal_"%?$', function() return nn.init.normal end},
      {'^luatensor has no "nn.cross_entropy"; did you mean "lt.nn.functional.cross_entropy"%?$', function()
        return nn.cross_entropy
      end},
      {'^luatensor has no "nn.Conv3d"$', function() return nn.Conv3d end},
      {'^luatensor has no "nn.functional.swish"; did you mean "nn.functional.silu"%?$', function() return nn.functional.swish end},
      {'^luatensor has no "optim.lr_scheduler"; did you mean "optim.scheduler"%?$', function() return lt.optim.lr_scheduler end},
      {'^luatensor has no "optim.adam"; did you mean "optim.Adam"%?$', function() return lt.optim.adam end},
      {'^luatensor has no "data.DataLoader"; did you mean "data.Loader"%?$', function() return lt.data.DataLoader end},
      {'^luatensor has no "linalg.norm"; did you mean "linalg.vector_norm"%?$', function() return lt.linalg.norm end},
      {'^luatensor has no "cuda.device_count"; use #lt.devices%(%)$', function() return lt.cuda.device_count end},
      {'^luatensor has no "rocm.memory_allocated"; use lt.memory%("rocm"%)$', function() return lt.rocm.memory_allocated end},
    }
  end)

  it("lead to names that are there", function()
    local foreign, core = require "luatensor.base.foreign_names", require "luatensor.core"
    local there = {tensor = {core.methods, core.properties}}
    local function table_of(kind)
      local place = lt
      for part in kind:gmatch "[^.]+" do place = place[part] end
      return {place}
    end
    for kind, lists in pairs(foreign.tables) do
      local places = there[kind] or kind:find("^[%w.]*%.$") and table_of(kind) or kind == "" and {lt}
      for _, list in ipairs(places and lists or {}) do
        for name, cure in pairs(list) do
          local found = type(cure) ~= "table"
          for _, target in ipairs(not found and cure or {}) do
            for _, place in ipairs(places) do found = found or rawget(place, target) ~= nil end
          end
          if not found and kind == "tensor" then found = rawget(lt, cure[1]) ~= nil end
          assert(found, ("%s%s leads nowhere"):format(kind, name))
          for _, place in ipairs(places) do assert(rawget(place, name) == nil, ("%s%s is there"):format(kind, name)) end
        end
      end
    end
  end)

  it("have cures that compute the right values", function()
    local x, y = lt.tensor {{1.0, 2.0}, {3.0, 5.0}, {4.0, 1.0}}, lt.tensor {{0.0, 1.0}, {2.0, 2.0}}
    local function run(text) return assert(load("local lt, x, y = ... return " .. text))(lt, x, y) end
    local cures = require("luatensor.base.foreign_names").find
    local text = cures("", "cdist"):match "use (.*)"
    assert.near(2, run(text)[{1, 1}]:item(), 1e-5)
    assert.near(10, run(text)[{2, 2}]:item(), 1e-5)                -- the squared distance of (3, 5) and (2, 2)
    local c, cov = cures("", "cov"):match "with c = (.*), use (.*)"
    local covariance = run(("(function(c) return %s end)(%s)"):format(cov, c)):totable()
    assert.near(7 / 3, covariance[1][1], 1e-5)                               -- the result of numpy.cov
    assert.near(-1 / 6, covariance[1][2], 1e-5)
    local z, coefficient = cures("", "corrcoef"):match "with z = (.*), use (.*)"
    local matrix = run(("(function(z) return %s end)(%s)"):format(coefficient, z)):totable()
    assert.near(1.0, matrix[1][1], 1e-5)
    assert.near(-1 / 6 / math.sqrt(7 / 3 * 13 / 3), matrix[2][1], 1e-5)
    x = lt.tensor {-1.5, 2.25}
    assert.same({-0.5, 0.25}, run(cures("", "frac"):match "use (.*)"):totable())
    x, y = lt.tensor {0.0, 1.0, 3.0}, lt.tensor {1.0, 2.0, 4.0}
    assert.near(7.5, run(cures("", "trapz"):match "use (.*)"):item(), 1e-6)
    x, y = lt.tensor {{1, 2}}, lt.tensor {{3}, {4}}
    assert.same({{3, 6}, {4, 8}}, run(cures("", "kron"):match "use (lt%..*)," .. ":reshape(2, 2)"):totable())
  end)
end)

describe("an order", function()
  local order = "^tensors are not ordered; use x:less%(y%), x:less_equal%(y%), x:greater%(y%), x:greater_equal%(y%)"

  it("of tensors with one element leads to their numbers", function()
    local one, many = lt.tensor {1, 2}:sum(), lt.ones(2)
    check {
      {order .. ", or x:item%(%), the number of one element$", function() return one > 0 end},
      {order .. ", or x:item%(%), the number of one element$", function() return 0 <= one end},
      {order .. ", or x:item%(%), the number of one element$", function() return one < lt.ones(1, 1) end},
      {order .. "$", function() return many > 0 end},
      {order .. "$", function() return one < many end},
    }
  end)
end)

describe("a method that is called with a dot", function()
  local x = lt.ones(2, 3)

  it("asks for the colon", function()
    check {
      {"^sum: argument 1: tensor expected, got number; is there a colon%? x:sum%(…%)$", function() x.sum(1) end},
      {"^sum: argument 1: tensor expected, got no value; is there a colon%? x:sum%(…%)$", function() x.sum() end},
      {"^to: argument 1: tensor expected, got string; is there a colon%? x:to%(…%)$", function() x.to("float64") end},
      {"^reshape: argument 1: tensor expected, got number; is there a colon%? x:reshape%(…%)$", function() x.reshape(3, 2) end},
      {"^tile: argument 1: tensor expected, got number; is there a colon%? x:tile%(…%)$", function() x.tile(2) end},
      {"^add: 2 arguments expected, got 1; is there a colon%? x:add%(…%)$", function() x.add(1) end},
      {"^add_: 2 arguments expected, got 1; is there a colon%? x:add_%(…%)$", function() x.add_(1) end},
    }
  end)

  it("asks for nothing where a tensor is missing for another reason", function()
    check {
      {"^sum: argument 1: tensor expected, got table$", function() lt.sum {1, 2} end},
      {"^sum: argument 1: tensor expected, got nil$", function() lt.sum(nil) end},
      {"^matmul: argument 2: tensor expected, got number$", function() x:matmul(3) end},
      {"^inv: argument 1: tensor expected, got number$", function() lt.linalg.inv(1) end},
      {"^add: 1 argument expected, got 0$", function() x:add() end},
    }
  end)
end)

describe("what a newcomer writes", function()
  it("is answered with what to write", function()
    local x, nn = lt.ones(2, 3), lt.nn
    local loader = lt.data.Loader(lt.data.TensorDataset(x))
    check {
      {'^ones: unknown dtype "float"; known: .*; did you mean "float32"%?$', function() lt.ones(2, {dtype = "float"}) end},
      {'^astype: unknown dtype "int"; known: .*; did you mean "int64"%?$', function() x:astype("int") end},
      {'^to: unknown dtype or device "torch.float64"; dtypes: .*; did you mean "float64"%?$', function() x:to("torch.float64") end},
      {'^to: unknown dtype or device "gpu"; dtypes: .*; devices: .*; the GPU is "cuda" or "rocm"$', function() x:to("gpu") end},
      {"^shape: x.shape is a list, not a method; leave out the parentheses$", function() return (x:shape()) end},
      {"^concat: table of tensors expected, got tensor; write {x, y}$", function() lt.cat(x, x) end},
      {"^Sequential: argument 1: module expected, got class; make a module of it: ReLU%(…%)$",
        function() nn.Sequential(nn.ReLU) end},
      {'^Sequential: a list of modules expected, got the key "fc"; ', function() nn.Sequential {fc = nn.ReLU()} end},
      {"^Conv2d: kernel_size: number or list expected, got a table of options$",
        function() nn.Conv2d(3, 16, {kernel_size = 3}) end},
      {"^Loader: its batches are not numbered: `for x, y in loader:batches%(%) do`$",
        function() for _ in ipairs(loader) do local _ = nil end end},
      {"^Loader: its batches are not numbered", function() for _ in pairs(loader) do local _ = nil end end},
      {"^load_state_dict: table expected, got string; use lt.load%(path%)$",
        function() nn.ReLU():load_state_dict "model.safetensors" end},
    }
  end)
end)

describe("an option that is given by position", function()
  local x, nn = lt.ones(2, 3), lt.nn
  local function named(fn, text) return "^" .. fn .. ": .*; options have names: " .. text .. "$" end

  it("is told its name", function()
    local parameters = nn.Linear(1, 1):parameters()
    local sgd = lt.optim.SGD(parameters, {lr = 1})
    check {
      {named("sum", "{keepdim = true}"), function() x:sum(1, true) end},
      {named("argmax", "{keepdim = true}"), function() x:argmax(1, true) end},
      {named("std", "{keepdim = true}"), function() x:std(1, true) end},
      {named("var", "{correction = 0}"), function() x:var(1, 0) end},
      {named("var", "{correction = 0, keepdim = true}"), function() x:var(1, 0, true) end},
      {named("norm", "{keepdim = true}"), function() x:norm(2, 1, true) end},
      {named("sort", "{descending = true}"), function() x:sort(1, true) end},
      {named("topk", "{largest = false}"), function() x:topk(1, 1, false) end},
      {named("svd", "{full_matrices = false}"), function() lt.linalg.svd(x, false) end},
      {named("cumulative_sum", '{dtype = "float64"}'), function() x:cumulative_sum(1, "float64") end},
      {named("LeakyReLU", "{negative_slope = 0.2}"), function() nn.LeakyReLU(0.2) end},
      {named("Conv2d", "{stride = 2}"), function() nn.Conv2d(3, 4, 3, 2) end},
      {named("Conv2d", "{stride = 2, padding = 1}"), function() nn.Conv2d(3, 4, 3, 2, 1) end},
      {named("GRU", "{num_layers = 1, bias = true}"), function() nn.GRU(2, 3, 1, true) end},
      {named("CrossEntropyLoss", "{weight = …}"), function() nn.CrossEntropyLoss(x) end},
      {named("mse_loss", '{reduction = "sum"}'), function() nn.functional.mse_loss(x, x, "sum") end},
      {named("SGD", "{lr = 0.1}"), function() lt.optim.SGD(parameters, 0.1) end},
      {named("StepLR", "{gamma = 0.1}"), function() lt.optim.scheduler.StepLR(sgd, 3, 0.1) end},
    }
  end)

  it("of a module's call is told the name that the call knows", function()
    local q, mask = lt.ones(2, 2, 4), lt.ones(2, 2, {dtype = "bool"})
    local attention, encoder = nn.MultiheadAttention(4, 2), nn.TransformerEncoderLayer(4, 2)
    local decoder = nn.TransformerDecoderLayer(4, 2)
    check {
      {named("MultiheadAttention%(4, 2%)", "{attn_mask = …}"), function() attention(q, q, q, nil, mask) end},
      {named("MultiheadAttention%(4, 2%)", "{need_weights = false, attn_mask = …}"),
        function() attention(q, q, q, nil, false, mask) end},
      {named("MultiheadAttention%(4, 2%)", "{key_padding_mask = …}"), function() attention(q, q, q, mask) end},
      {named("TransformerEncoderLayer%(%)", "{src_mask = …}"), function() encoder(q, mask) end},
      {named("TransformerDecoderLayer%(%)", "{tgt_mask = …}"), function() decoder(q, q, mask) end},
      {"^CrossEntropyLoss%(%): at most 2 arguments expected, got 3$",
        function() nn.CrossEntropyLoss()(x, lt.tensor {1, 2}, {label_smoothing = 0.1}) end},
    }
    assert.matches("known: attn_mask,", helpers.message_of(attention, q, q, q, {nowhere = 1}))
  end)

  it("has no name where the value fits none", function()
    check {
      {"^sum: at most 1 argument and options expected, got 2$", function() x:sum(1, 2) end},
      {"^Linear: options expected, got number; known: bias, device, dtype, generator$", function() nn.Linear(1, 2, 3) end},
    }
  end)

  it("of PyTorch's add is told what to write", function()
    check {
      {"^add_: no options: the target is the tensor itself; multiply instead of alpha: x:add_%(alpha %* y%)$",
        function() x:add_(1, {alpha = 2}) end},
      {'^add: unknown option "alpha"; known: out; multiply instead: alpha %* y$', function() x:add(1, {alpha = 2}) end},
    }
  end)
end)

describe("integers that should require gradients", function()
  it("are told how they become floats", function()
    local cure = '^%s: only float and complex tensors can require gradients, this is %s; write 1.0 instead of 1, or {dtype = "float32"}$'
    check {
      {cure:format("tensor", "int64"), function() lt.tensor({1, 2}, {requires_grad = true}) end},
      {cure:format("zeros", "int32"), function() lt.zeros(2, {dtype = "int32", requires_grad = true}) end},
      {cure:format("requires_grad_", "int64"), function() lt.tensor {1}:requires_grad_() end},
    }
  end)
end)
