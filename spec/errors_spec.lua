-- Every error text of the documentation, and bad input of every kind: a Lua error that names the function and
-- what did not fit, never a crash, and nothing changed.
local lt = require "luatensor"
local helpers = require "spec.support.helpers"

local nan, inf = 0.0 / 0.0, math.huge

-- Each row: the start of the message (a pattern), and what raises it.
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
    if pcall(lt.device, "cuda") then return pending "a GPU is here" end
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
    assert.is_truthy(message:find("errors_spec.lua:%d+"), message)
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
      {'^sum: unknown option "keepdims"; known: .*keepdim', function() lt.ones(2):sum(1, {keepdims = true}) end},
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
