-- tags: unsanitized smoke unplugged
-- Tests streams and events. On the CPU they do nothing, and scripts that use them run there, too. The emulator runs
-- work as late as possible (order=lazy), so that code with a missing wait computes with old values.
local helpers = require "spec.support.helpers"
local lt = require "luatensor"
local gpu = require "spec.support.gpu"
local fails = helpers.fails

local device = gpu.api.is_available() and lt.device(gpu.kind) or "cpu"
local on_device = {device = device}

describe("streams", function()
  it("with_stream gives f's results and passes its arguments", function()
    local s = lt.stream(device)
    assert.same({3, "x", n = 3}, table.pack(lt.with_stream(s, function(a, b) return a, b, nil end, 3, "x")))
    assert.equal(0, select("#", lt.with_stream(s, function() end)))
  end)

  it("the current stream is that of with_stream inside, and the one of before afterwards, nested and after errors", function()
    local first, a, b = lt.current_stream(device), lt.stream(device), lt.stream(device)
    lt.with_stream(a, function()
      assert.equal(a, lt.current_stream(device))
      lt.with_stream(b, function() assert.equal(b, lt.current_stream(device)) end)
      assert.equal(a, lt.current_stream(device))
      local ok, what = pcall(lt.with_stream, b, function() error({}) end)
      assert.is_false(ok)
      assert.equal("table", type(what))
      assert.equal(a, lt.current_stream(device))
    end)
    assert.equal(first, lt.current_stream(device))
    assert.equal(device, first.device)
    assert.equal("stream 0 of " .. device, tostring(first))
  end)

  it("a stream that is closed while it is the current one goes on until with_stream ends", function()
    local value
    do
      local s <close> = lt.stream(device)
      value = lt.with_stream(s, function()
        local x = lt.ones(3, on_device)
        return x + 1
      end)
    end
    assert.same({2.0, 2.0, 2.0}, value:totable())
  end)

  it("streams that nobody holds are used again: any number may be made", function()
    for _ = 1, 200 do lt.stream(device) end
    local held = {}
    for k = 1, 20 do held[k] = lt.stream(device) end
    for k = 1, 20 do
      assert.same({k, k}, lt.with_stream(held[k], function() return lt.full({2}, k, on_device) end):totable())
    end
  end)

  it("bad arguments are errors", function()
    local s = lt.stream(device)
    fails("with_stream: argument 1: stream expected, got number", lt.with_stream, 3, print)
    fails("with_stream: argument 2: function expected, got no value", lt.with_stream, s)
    fails("wait: argument 2: event or stream expected, got table", s.wait, s, {})
    fails("synchronize: argument 1: stream expected, got table; is there a colon, as in stream:synchronize(…)?", s.synchronize, {})
    fails('stream: unknown device "npu"; known: cpu, cuda, rocm, auto', lt.stream, "npu")
    assert.error_matches(function() return s.speed end, 'stream has no "speed"', nil, true)
    local closed
    do local c <close> = lt.stream(device) closed = c end
    fails("with_stream: argument 1: this stream was closed", lt.with_stream, closed, print)
    fails("wait: argument 2: this stream was closed", s.wait, s, closed)
  end)
end)

describe("events", function()
  it("happen when what is queued before them is done", function()
    local s, e = lt.stream(device), lt.event(on_device)
    assert.is_true(e:query())
    local x = lt.with_stream(s, function() return lt.ones(1000, on_device) + 1 end)
    assert.equal(e, e:record(s))
    e:synchronize()
    assert.is_true(e:query())
    assert.equal(2000, x:sum():item())
  end)

  it("streams wait for events and for streams", function()
    local a, b, e = lt.stream(device), lt.stream(device), lt.event(on_device)
    local x = lt.with_stream(a, function() return lt.full({4}, 3, on_device) end)
    e:record(a)
    b:wait(e)
    b:wait(a)
    assert.same({6, 6, 6, 6}, lt.with_stream(b, function() return x * 2 end):totable())
    b:synchronize()
  end)

  it("tell the milliseconds between two", function()
    local a, b = lt.event(on_device), lt.event(on_device)
    a:record()
    local x = lt.ones(1000, on_device) + 1
    b:record()
    assert.is_true(a:elapsed(b) >= 0)
    assert.equal("float", math.type(a:elapsed(b)))
    assert.equal(2, x[1]:item())
  end)

  it("bad uses are errors", function()
    local e, plain = lt.event(on_device):record(), lt.event {device = device, timing = false}
    plain:record()
    fails("elapsed: an event that was not recorded", e.elapsed, e, lt.event(on_device))
    fails("elapsed: an event made with timing = false", e.elapsed, e, plain)
    fails("elapsed: argument 2: event expected, got no value", e.elapsed, e)
    fails("event: options expected, as in lt.event{timing = false}", lt.event, 1)
    fails('event: unknown option "speed"; known: device, timing', lt.event, {speed = 1})
    fails("record: argument 2: stream expected, got number", e.record, e, 1)
    local closed
    do local c <close> = lt.event(on_device) closed = c end
    fails("record: argument 1: this event was closed", closed.record, closed)
    assert.equal("event of " .. device, tostring(e))
  end)
end)

-- Compares ops on random streams with the same ops on plain numbers. Some tensors are freed in between.
local function random_program(seed, nstreams, steps)
  math.randomseed(seed)
  local streams, tensors, values = {lt.current_stream(device)}, {}, {}
  for k = 2, nstreams do streams[k] = lt.stream(device) end
  for k = 1, 8 do tensors[k], values[k] = lt.full({64}, k, {device = device, dtype = "int64"}), k end
  local actions = {
    function(i) tensors[i]:add_(1) values[i] = values[i] + 1 end,
    function(i, j) tensors[i]:copy_(tensors[j]) values[i] = values[j] end,
    function(i, j) tensors[i], values[i] = tensors[j] * 3 % 1000, values[j] * 3 % 1000 end,
    function(i, j)
      local sum, total = tensors[i] + tensors[j], values[i] + values[j]
      tensors[i]:free()
      tensors[i], values[i] = sum % 1000, total % 1000
    end,
    function(i, j) if i ~= j then tensors[i]:add_(tensors[j]) values[i] = values[i] + values[j] end end,
    function(i) tensors[i], values[i] = lt.full({64}, i, {device = device, dtype = "int64"}), i end,
  }
  for _ = 1, steps do
    local i, j = math.random(8), math.random(8)
    lt.with_stream(streams[math.random(nstreams)], actions[math.random(#actions)], i, j)
  end
  for k = 1, 8 do
    for _, v in ipairs(tensors[k]:totable()) do assert.equal(values[k], v) end
  end
end

gpu.describe("order between streams", {{}, {LUATENSOR_EMULATOR = "order=lazy,leaks=1"},
                                      {LUATENSOR_EMULATOR = "order=lazy,guard=1,leaks=1", LUATENSOR_GPU_CACHE = "off"}}, function()
  it("what one stream makes another one uses: it waits", function()
    local a, b = lt.stream(device), lt.stream(device)
    local x = lt.with_stream(a, function() return lt.full({100}, 5, on_device) end)
    local y = lt.with_stream(b, function() return x + 1 end)
    lt.with_stream(a, function() x:fill_(0) end)              -- must run after b has read x
    assert.equal(600, y:sum():item())
    assert.equal(0, x:sum():item())
  end)

  it("memory freed while another stream uses it is not used again too early", function()
    local a = lt.stream(device)
    for k = 1, 20 do
      local x = lt.full({1000}, k, on_device)
      local y = lt.with_stream(a, function() return x * 2 end)
      x:free()
      local z = lt.full({1000}, -1, on_device)                -- reuses the memory of x
      assert.equal(2000 * k, y:sum():item())
      assert.equal(-1000, z:sum():item())
    end
  end)

  it("nor by the scratch memory of an op", function()
    local a, big, total = lt.stream(device), lt.ones(3000000, on_device), lt.zeros({}, on_device)
    local made, sizes = {}, {}
    for n = 64, 512, 64 do sizes[#sizes + 1] = n end          -- a block of each small size class up to 64 KiB
    for k = 9, 13 do
      for quarter = 5, 8 do sizes[#sizes + 1] = 2 ^ (k - 2) * quarter end
    end
    for k, n in ipairs(sizes) do
      local x = lt.full({n}, k, on_device)
      made[k] = lt.with_stream(a, function() return x * 2 end)
      x:free()
    end
    lt.sum(big, {out = total})                                -- the partial sums reuse one of these blocks
    assert.equal(3000000, total:item())
    for k, y in ipairs(made) do assert.equal(2 * k * y.size, y:sum():item()) end
  end)

  it("random programs on 1 to 5 streams compute what the same program computes on numbers", function()
    for seed = 1, 12 do random_program(seed, 1 + seed % 5, 150) end
  end)

  it("copies to the host wait for the stream that wrote, whichever is current", function()
    local a, b = lt.stream(device), lt.stream(device)
    local x = lt.with_stream(a, function() return lt.arange(1000, {device = device, dtype = "float32"}) * 2 end)
    lt.with_stream(b, function() assert.equal(1998, x[1000]:item()) end)
    local y = lt.with_stream(b, function() return x:to("cpu") end)
    assert.equal(999000, y:sum():item())
  end)

  it("an index out of range on one stream keeps no other stream from writing", function()
    local a, b, sound, wrong = lt.stream(device), lt.stream(device), lt.tensor({2, 3}, on_device), lt.tensor({9}, on_device)
    local x, y = lt.zeros(4, on_device), lt.zeros(4, on_device)
    lt.with_stream(a, function() x[wrong] = 1 end)
    lt.with_stream(b, function() y[sound] = 1 end)
    b:synchronize()
    assert.has_error(function() a:synchronize() end, "index 9 in dim 1: out of range for length 4")
    a:synchronize()
    assert.same({0, 1, 1, 0}, y:totable())
    lt.with_stream(a, function() x[sound] = 2 end)
    assert.same({0, 2, 2, 0}, x:totable())
  end)

  it("errors of two streams are reported one after the other", function()
    local a, b = lt.stream(device), lt.stream(device)
    local x, nine, eight = lt.zeros(4, on_device), lt.tensor({9}, on_device), lt.tensor({8}, on_device)
    lt.with_stream(a, function() x[nine] = 1 end)
    lt.with_stream(b, function() lt.zeros(5, on_device)[eight] = 1 end)
    assert.has_error(function() lt.synchronize(device) end, "index 9 in dim 1: out of range for length 4")
    assert.has_error(function() lt.synchronize(device) end, "index 8 in dim 1: out of range for length 5")
    lt.synchronize(device)
  end)

  it("a stream that waits for another one reports its error, too, and then so does the other one", function()
    local a, b, wrong = lt.stream(device), lt.stream(device), lt.tensor({9}, on_device)
    local x = lt.zeros(4, on_device)
    for _ = 1, 2 do
      local taken = lt.with_stream(a, function() return x:take(wrong, 1) end)
      local sum = lt.with_stream(b, function() return taken + 1 end)
      assert.has_error(function() return lt.with_stream(b, function() return sum:item() end) end)
      assert.has_error(function() a:synchronize() end, "take: index 9 in dim 1: out of range for length 4")
    end
    lt.synchronize(device)
  end)

  it("tensors from the host may be used on any stream at once", function()
    local a = lt.stream(device)
    local x = lt.tensor({1, 2, 3}, on_device)
    assert.same({2, 4, 6}, lt.with_stream(a, function() return x + x end):totable())
  end)

  it("events of another device than the stream's are refused where they cannot be recorded", function()
    local e, s = lt.event {device = "cpu"}, lt.stream(device)
    fails("record: event of cpu, stream of " .. device, e.record, e, s)
    fails("elapsed: events of two devices: cpu and " .. device, e.elapsed, e, lt.event(on_device))
    s:wait(e:record())
    lt.stream("cpu"):wait(s)
    lt.stream("cpu"):wait(lt.event(on_device):record(s))
  end)

  it("more streams than a device has are an error, and letting some go is the cure", function()
    local held = {}
    local ok, message = pcall(function()
      for k = 1, 100 do held[k] = lt.stream(device) end
    end)
    assert.is_false(ok)
    assert.truthy(message:find("stream: too many streams of one device; let some go", 1, true))
    held = nil
    assert.equal(device, lt.stream(device).device)
  end)

  it("streams and events are lost with their device", function()
    local s, e = lt.stream(device), lt.event(on_device)
    gpu.api.reopen(device)
    fails("synchronize: this stream was lost when " .. gpu.kind .. ":0 was reopened", s.synchronize, s)
    fails("record: this event was lost when " .. gpu.kind .. ":0 was reopened", e.record, e)
    assert.equal(3, (lt.ones(1, on_device) + 2):item())
  end)
end)
