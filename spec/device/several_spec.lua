-- tags: two-gpus unplugged
-- Tests tensors on several devices: which ops accept tensors on different devices, which ops require that a tensor is
-- moved, and that each device keeps its own memory and order of calls. LUATENSOR_EMULATOR=devices=2 gives an emulated
-- GPU a second device.
local lt = require "luatensor"
local gpu = require "spec.support.gpu"
local helpers = require "spec.support.helpers"

local fails = helpers.fails

local places = {}
for i, info in ipairs(lt.devices()) do places[i] = info.device end

local function here(values, device, dtype) return lt.tensor(values, {device = device, dtype = dtype}) end

-- Calls f(a, b) for each ordered pair of different devices.
local function each_pair(f)
  for _, a in ipairs(places) do
    for _, b in ipairs(places) do
      if a ~= b then f(a, b) end
    end
  end
end

-- Returns the error message of a function that got tensors on a and b.
local function refusal(name, a, b)
  return ('%s: tensors on different devices: %s and %s; move one with :to("%s")'):format(name, a, b, b == "cpu" and a or b)
end

describe("tensors on different devices", function()
  if #places < 2 then return pending("needs a GPU") end

  -- Rows {name in the message, call}. The call gets x on one device, and y (like x), m (bool, 2 × 2) and i (int64, 2)
  -- on another device. If `reversed` is true, the message names the other device first.
  local calls = {
    {"add", function(x, y) return x + y end},
    {"add", function(x, y) return lt.add(x, x, {out = y}) end, reversed = true},
    {"add_", function(x, y) return x:add_(y) end},
    {"less", function(x, y) return x:less(y) end},
    {"where", function(x, y) return lt.where(x:greater(0), x, y) end},
    {"where", function(x, y) return lt.where(x:greater(0), y, 0) end},
    {"clip", function(x, y) return x:clip(y, nil) end},
    {"masked_fill", function(x, _, m) return x:masked_fill(m, 0) end, reversed = true},
    {"isclose", function(x, y) return x:isclose(y) end},
    {"sum", function(x, y) return x:sum({out = y[{1, 1}]}) end, reversed = true},
    {"cumulative_sum", function(x, y) return x:cumulative_sum(1, {out = y}) end, reversed = true},
    {"softmax", function(x, y) return x:softmax(1, {out = y}) end, reversed = true},
    {"matmul", function(x, y) return x:matmul(y) end},
    {"matmul", function(x, y) return x:matmul(x, {out = y}) end},
    {"addmm", function(x, y) return x:addmm(y, y) end},
    {"vecdot", function(x, y) return x:vecdot(y) end},
    {"tensordot", function(x, y) return x:tensordot(y) end},
    {"outer", function(x, y) return x[1]:outer(y[1]) end},
    {"concat", function(x, y) return lt.concat{x, y} end},
    {"concat", function(x, y) return lt.concat({x, x}, {out = y:tile(2, 1)}) end, reversed = true},
    {"stack", function(x, y) return lt.stack{x, y} end},
    {"take", function(x, _, _, i) return x:take(i, 1) end},
    {"take", function(x, y) return x:take(here({1, 2}, x.device), 1, {out = y}) end, reversed = true},
    {"gather", function(x, _, _, i) return x:gather(1, i:expand_dims(2)) end},
    {"take_along_axis", function(x, _, _, i) return x:take_along_axis(i:expand_dims(2), 1) end},
    {"scatter", function(x, _, _, i) return x:scatter(1, i:expand_dims(2), 1) end},
    {"scatter", function(x, y) return x:scatter(1, here({{1}}, x.device), y) end},
    {"index_add", function(x, _, _, i) return x:index_add(1, i, x) end},
    {"searchsorted", function(x, y) return x[1]:searchsorted(y) end},
    {"index", function(x, _, _, i) return x[i] end},
    {"index", function(x, _, m) return x[m] end},
    {"index", function(x, _, _, i) return x[{1, i}] end},
    {"index", function(x, _, m) x[m] = 1 end},
    {"index", function(x, _, _, i) x[i] = 1 end},
    {"assignment", function(x, y) x[1] = y[1] end},
    {"assignment", function(x, y) x[x:greater(0)] = y[{1, 1}] end},
    {"masked_select", function(x, _, m) return x:masked_select(m) end},
    {"allclose", function(x, y) return x:allclose(y) end},
    {"equal_all", function(x, y) return x:equal_all(y) end},
    {"diff", function(x, y) return x:diff(1, {prepend = y}) end, reversed = true},
  }
  for n, call in ipairs(calls) do
    it(("are refused by %s (%d)"):format(call[1], n), function()
      each_pair(function(a, b)
        local x, y = here({{1, 2}, {3, 4}}, a, "float32"), here({{5, 6}, {7, 8}}, b, "float32")
        local m, i = here({{true, false}, {false, true}}, b), here({1, 2}, b)
        local message = helpers.message_of(call[2], x, y, m, i)
        local first, second = a, b
        if call.reversed then first, second = b, a end
        assert.equal(refusal(call[1], first, second), message)
        assert.same({{1, 2}, {3, 4}}, x:totable())
        assert.same({{5, 6}, {7, 8}}, y:totable())
      end)
    end)
  end

  it("are copied by to and copy_, in every layout and dtype", function()
    each_pair(function(a, b)
      local x = lt.arange(24, {device = a}):reshape(2, 3, 4)
      assert.equal(b, x:to(b).device)
      assert.same(x:totable(), x:to(b):totable())
      assert.same(x.mT:totable(), x.mT:to(b):totable())
      assert.same({{0, 2}, {12, 14}}, x[{ {}, 1, {1, -1, 2} }]:to(b):totable())
      assert.same({0, 1, 2, 3}, x[{1, 1}]:to(b, "int8"):totable())
      local y = lt.zeros(4, 2, {device = b, dtype = "float16"})
      y.T:copy_(x[{ {}, 2 }])
      assert.same({{4, 16}, {5, 17}, {6, 18}, {7, 19}}, y:totable())
      y[{ {}, 1 }]:copy_(x[{2, 3, {1, 1}}])
      assert.same({{20, 16}, {20, 17}, {20, 18}, {20, 19}}, y:totable())
      assert.equal(a, lt.tensor(y, {device = a}).device)
      assert.equal(a, lt.asarray(y, {device = a}).device)
      assert.equal(a, lt.zeros_like(y, {device = a}).device)
    end)
  end)
  it("each draw the same numbers", function()
    local expected
    for _, d in ipairs(places) do
      lt.manual_seed(5)
      local bytes = lt.rand(1000, {device = d}):to_bytes() .. lt.randint(1, 6, 1000, {device = d}):to_bytes()
      assert.equal(expected or bytes, bytes)
      expected = bytes
    end
  end)
end)

describe("several GPUs", function()
  if #places < 3 then return pending("needs two GPUs") end
  local first, second = places[2], places[3]

  it("have names", function()
    assert.equal(gpu.kind .. ":0", first)
    assert.equal(gpu.kind .. ":1", second)
    assert.equal(gpu.kind .. ":1", lt.device(gpu.kind .. ":1"))
    assert.equal(gpu.kind .. ":0", lt.accelerator())
    local beyond = gpu.kind .. ":" .. #places - 1
    fails(('device: no device "%s"; the last is %s'):format(beyond, places[#places]), lt.device, beyond)
  end)
  it("count their memory apart", function()
    collectgarbage()
    local before, other = lt.memory(first).live, lt.memory(second).live
    local x <close> = lt.zeros(1 << 18, {device = second})
    assert.equal(before, lt.memory(first).live)
    assert.is_true(lt.memory(second).live >= other + (1 << 20))
    assert.is_true(x.size == 1 << 18)
  end)
  it("compute at the same time, and what they send each other is in order", function()
    local x = lt.ones(1000, {device = first})
    for round = 1, 20 do
      local y = (x + 1):to(second)        -- a copy for which the host does not wait
      x = (y * 2):to(first)
      if round % 5 == 0 then x:remainder_(7) end
    end
    local want = 1.0
    for round = 1, 20 do
      want = (want + 1) * 2
      if round % 5 == 0 then want = want % 7 end
    end
    assert.equal(want, x[1000]:item())
    lt.synchronize(second)
  end)
  it("are the default device in turn", function()
    local before = lt.get_default_device()
    lt.set_default_device(second)
    local x = lt.rand(3)
    lt.set_default_device(before)
    assert.equal(second, x.device)
    assert.equal(second, (x + x).device)
  end)
  it("find an index out of range each for itself", function()
    local x, y = lt.zeros(2, {device = first}), lt.zeros(2, {device = second})
    local bad = x:take(here({3}, first))
    assert.equal(0, y:take(here({2}, second))[1]:item())
    lt.synchronize(second)
    local ok, message = pcall(lt.synchronize, first)
    assert.is_false(ok)
    assert.truthy(message:find("take: index 3 in dim 1: out of range for length 2", 1, true), message)
    assert.equal(1, bad.size)
  end)
  it("a copy fails in the words of the one that failed", function()
    local emulator = require("spec.support.gpu").emulator
    if not emulator then return pending("needs an emulated GPU") end
    for _, pair in ipairs {{first, second}, {second, first}} do
      local dead, alive = pair[1], pair[2]
      local x, y = lt.zeros(4, {device = dead}), lt.zeros(4, 2, {device = alive})
      emulator.configure "sticky,fail_launch=1"
      pcall(function() return (x + 1):totable() end)
      emulator.configure "sticky=0,fail_launch=0"
      local function check(name, f)
        local message = helpers.message_of(f)
        assert.equal(name .. ": ", message:sub(1, #name + 2))
        assert.truthy(message:find(('the device is lost: start the script anew, or try lt.' .. gpu.kind .. '.reopen("%s")'):format(dead), 1, true), message)
      end
      check("to", function() return x:to(alive) end)
      check("copy_", function() y[{ {}, 1 }]:copy_(x) end)
      check("copy_", function() x:copy_(y[{ {}, 1 }]) end)
      assert.equal(0, y:sum():item())
      gpu.api.reopen(dead)
      x = lt.ones(4, {device = dead})
      assert.equal(4, x:to(alive):sum():item())
    end
  end)
end)

-- The emulated GPU counts all copies and fills, so a spec can count the copies to the host.
describe("copies to the host", function()
  local emulator = require("spec.support.gpu").emulator
  if not emulator then return pending("needs an emulated GPU") end
  local x = lt.arange(1000000, {device = places[2]}):reshape(100, 100, 100)

  -- Returns the number of copies that f makes after its inputs are ready.
  local function copies(f)
    lt.synchronize()
    local before = emulator.counts().copies
    f()
    return emulator.counts().copies - before
  end

  it("are one for a text, whatever the size", function()
    local text
    assert.equal(1, copies(function() text = tostring(x) end))
    assert.equal(1, copies(function() return tostring(x.mT) end))
    assert.equal(1, copies(function() return tostring(x[1]) end))
    assert.equal((tostring(x:to "cpu"):gsub("cpu$", places[2])), text)
  end)
  it("are one for a table, a number, a string", function()
    assert.equal(1, copies(function() return x[{1, {1, 2}}].T:totable() end))
    assert.equal(1, copies(function() return x[{1, 2, 3}]:item() end))
    assert.equal(1, copies(function() return x[{1, {}, 2}]:to_bytes() end))
  end)
  it("are none for views, numbers and results", function()
    local y = lt.zeros_like(x)
    assert.equal(0, copies(function()
      local _ = (x[1].T + 1):sum(1)
      y[{1, 1}] = 5
      y:add_(x)
      for i, row in x[1]:rows() do
        if i == 3 then return row end
      end
    end))
  end)
end)
