-- tags: unsanitized uncollected divided unplugged
-- Tests a GPU's memory: the caching allocator, copies, lack of memory, failures that kernels report late.
local helpers = require "spec.support.helpers"
local lt = require "luatensor"
local gpu = require "spec.support.gpu"
local fails, message_of = helpers.fails, helpers.message_of

describe("page-locked memory without a GPU", function()
  it("is an error that says why", function()
    local found, problem = pcall(lt.accelerator)
    if found then return end
    fails("pin_memory: " .. problem, lt.zeros(3).pin_memory, lt.zeros(3))
    assert.is_false(lt.zeros(3):is_pinned())
  end)
end)

local MIB = 2^20
local device = {device = gpu.kind}
local host = {device = "cpu"}

local function live() return lt.memory(gpu.kind).live end

-- Returns n int32 values, each equal to its 0-based position.
local function numbered(n, options) return lt.arange(n, {dtype = "int32", device = options.device}) end

gpu.describe("a GPU's memory", {{LUATENSOR_EMULATOR = "devices=2,order=lazy,leaks=1"},
                                {LUATENSOR_EMULATOR = "order=lazy,guard=1,leaks=1", LUATENSOR_GPU_CACHE = "off"}}, function()
  local cached = os.getenv "LUATENSOR_GPU_CACHE" ~= "off"

  describe("statistics", function()
    it("count live bytes exactly, and what is freed at once", function()
      collectgarbage()
      local before = live()
      local x, none = lt.zeros(1000, 10, device), lt.zeros(0, 3, device)
      assert.equal(before + 40000, live())
      x:free()
      none:free()
      assert.equal(before, live())
      x:free()
      assert.equal(before, live())
      do
        local _ <close> = lt.zeros(100, device)
        assert.equal(before + 400, live())
      end
      assert.equal(before, live())
    end)

    it("keep the peak until it is reset", function()
      lt.reset_peak_memory(gpu.kind)
      local before = lt.memory(gpu.kind).peak
      lt.empty(5, 1000, 1000, device):free()
      assert.equal(before + 20000000, lt.memory(gpu.kind).peak)
      lt.reset_peak_memory(gpu.kind)
      assert.equal(live(), lt.memory(gpu.kind).peak)
    end)

    it("freed memory is cached, and empty_cache gives it back", function()
      collectgarbage()
      lt.empty_cache(gpu.kind)
      local before = lt.memory(gpu.kind).cached
      lt.empty(4, MIB, device):free()
      assert.equal(before + (cached and 16 * MIB or 0), lt.memory(gpu.kind).cached)
      lt.empty_cache(gpu.kind)
      assert.equal(before, lt.memory(gpu.kind).cached)
    end)
  end)

  describe("allocations", function()
    it("are aligned to 256 bytes, and no two share memory", function()
      math.randomseed(11)
      local tensors, sizes = {}, {}
      for step = 1, 400 do
        local k = math.random(40)
        local n = math.floor(2 ^ (math.random() * 19))
        tensors[k], sizes[k] = lt.full({n}, step, {device = gpu.kind, dtype = "int32"}), {n, step}
        if cached then assert.equal(0, tensors[k]:data_ptr() % 256) end
        if step % 3 == 0 and tensors[step % 40] then tensors[step % 40]:free() tensors[step % 40] = nil end
      end
      for k, t in pairs(tensors) do
        local n, value = table.unpack(sizes[k])
        assert.equal(value, t:min():item())
        assert.equal(value, t:max():item())
        assert.equal(n, t.size)
      end
    end)

    it("come from what was freed", function()
      if not cached then return end
      for _, n in ipairs {1, 100, 5000, 300000, 5000000} do
        local x = lt.empty(n, device)
        local address = x:data_ptr()
        x:free()
        assert.equal(address, lt.empty(n, device):data_ptr())
      end
    end)

    for _, mode in ipairs {"generational", "incremental"} do
      it("of garbage stay within a flat line, " .. mode, function()
        local before = collectgarbage(mode)
        collectgarbage()
        lt.reset_peak_memory(gpu.kind)
        local start = live()
        for _ = 1, 500 do lt.empty(512, 512, device) end       -- 500 MiB in total
        local peak = lt.memory(gpu.kind).peak - start
        collectgarbage(before)
        assert.is_true(peak <= gpu.slack() + 16 * MIB, ("%.0f MiB"):format(peak / MIB))
      end)
    end
  end)

  describe("copies", function()
    local sizes = {0, 1, 63, 1000, 2^20, 2^20 + 1, 5 * 2^20 + 3}     -- a copy buffer has space for 2^20 elements

    it("bring the same bytes back, whatever the size", function()
      for _, n in ipairs(sizes) do
        local x = numbered(n, host)
        assert.equal(x:to_bytes(), x:to(gpu.kind):to_bytes())
        assert.equal(x:to_bytes(), numbered(n, device):to("cpu"):to_bytes())
      end
    end)

    it("return when the source was read: it may change at once", function()
      for _, n in ipairs(sizes) do
        local x = numbered(n, host)
        local y = x:to(gpu.kind)
        x:fill_(-1)
        local z = x:to(gpu.kind)
        x:fill_(-2)
        assert.equal(numbered(n, host):to_bytes(), y:to_bytes())
        assert.equal(n, z:equal(-1):sum():item())
      end
    end)

    it("many small ones in a row", function()
      local all = {}
      for k = 1, 3000 do all[k] = lt.tensor({k, -k}, device) end
      for k = 1, 3000, 7 do assert.same({k, -k}, all[k]:totable()) end
    end)

    it("take any layout, both ways", function()
      local x = numbered(24, host):reshape(2, 3, 4)
      local y = x:to(gpu.kind)
      for _, view in ipairs {
        function(t) return t:permute_dims(3, 1, 2) end, function(t) return t[{ {}, {1, 3, 2} }] end, function(t) return t[2] end,
        function(t) return t[{ {}, {}, 2 }] end, function(t) return t[1]:broadcast_to(5, 3, 4) end, function(t) return t[{ {}, {2, 1} }] end,
      } do
        assert.same(view(x):totable(), view(x):to(gpu.kind):totable())
        assert.same(view(x):totable(), view(y):to("cpu"):totable())
        assert.same(view(x):totable(), view(y):totable())
      end
    end)

    it("convert on the way like conversions on the CPU", function()
      local x = lt.tensor({-1.5, 0, 2.75, 300, 1e10, -1e10, 0 / 0, 1 / 0}, {device = "cpu", dtype = "float64"})
      for _, dtype in ipairs {"bool", "uint8", "int8", "int32", "int64", "uint64", "float16", "bfloat16", "float32", "float64"} do
        local expected = x:to(dtype)
        assert.equal(expected:to_bytes(), x:to(gpu.kind, dtype):to_bytes())
        assert.equal(expected:to_bytes(), x:to(gpu.kind):to("cpu", dtype):to_bytes())
        assert.equal(expected:to("float64"):to_bytes(), expected:to(gpu.kind):to("cpu", "float64"):to_bytes())
      end
    end)

    it("copy_ takes tensors of any device, and broadcasts", function()
      local x = lt.zeros(2, 3, device)
      assert.equal(x, x:copy_(lt.tensor({1, 2, 3}, host)))
      assert.same({{1, 2, 3}, {1, 2, 3}}, x:totable())
      local y = lt.zeros(3, 2, host)
      y.T:copy_(x)
      assert.same({{1, 1}, {2, 2}, {3, 3}}, y:totable())
      x.T[1]:copy_(y[{ {2, 3}, 1 }])
      assert.same({{2, 2, 3}, {3, 2, 3}}, x:totable())
      fails("copy_: shape [4] does not broadcast to [2, 3]", x.copy_, x, lt.ones(4, host))
      fails("copy_: the target is a broadcast view (several elements share one place); use :clone()",
            x.copy_, x[1]:broadcast_to(2, 3), lt.ones(3, host))
    end)

    it("go between two GPUs", function()
      local devices = lt.devices()
      if #devices < 3 then return end
      for _, n in ipairs(sizes) do
        local x = numbered(n, device)
        local y = x:to(gpu.kind .. ":1")
        x:fill_(-1)
        assert.equal(gpu.kind .. ":1", y.device)
        assert.equal(numbered(n, host):to_bytes(), y:to_bytes())
        assert.equal(numbered(n, host):to_bytes(), y:to(gpu.kind .. ":0"):to_bytes())
      end
      local x = lt.zeros(2, 3, device)
      x.T:copy_(numbered(6, {device = gpu.kind .. ":1"}):reshape(3, 2) + 1)
      assert.same({{1, 3, 5}, {2, 4, 6}}, x:totable())
      fails("add: tensors on different devices: " .. gpu.kind .. ":0 and " .. gpu.kind .. ":1; move one with :to(\"" .. gpu.kind .. ":1\")", function()
        return x + lt.ones(3, {device = gpu.kind .. ":1"})
      end)
    end)
  end)

  describe("page-locked tensors", function()
    it("hold the same elements, and copy like others", function()
      for _, n in ipairs {0, 1, 1000, 2^20 + 5} do
        local x = numbered(n, host)
        local p = x:pin_memory()
        assert.equal("cpu", p.device)
        assert.is_true(p:is_pinned())
        assert.is_false(x:is_pinned())
        assert.is_true(rawequal(p, p:pin_memory()))
        local y = p:to(gpu.kind)
        p:fill_(-1)
        assert.equal(x:to_bytes(), y:to_bytes())
        p:copy_(y)
        assert.equal(x:to_bytes(), p:to_bytes())
      end
      fails("pin_memory: only tensors on the CPU can be pinned", lt.zeros(1, device).pin_memory, lt.zeros(1, device))
      assert.is_false(lt.zeros(1, device):is_pinned())
    end)

    it("views are pinned, too, and garbage goes", function()
      local v = numbered(100, host):pin_memory()[{ {3, 5} }]
      assert.is_true(v:is_pinned())
      for _ = 1, 50 do lt.zeros(500, 1000, host):pin_memory() end
      collectgarbage()
      assert.same({2, 3, 4}, v:to(gpu.kind):totable())
    end)
  end)

  describe("out of memory", function()
    gpu.it_emulated("is an error with what is live and the largest tensor; the device goes on", function()
      collectgarbage()
      gpu.api.reopen(gpu.kind)
      gpu.emulator.configure "memory=64M"
      local x = lt.zeros(10, MIB, {device = gpu.kind, dtype = "float32"})
      local line = debug.getinfo(1, "l").currentline - 1
      local cache = cached and "2.0 MiB" or "0 bytes"
      local small = lt.tensor({1, 2}, device)
      local got = message_of(function() return lt.zeros(7, MIB, device) end)
      gpu.emulator.configure "memory=512M"
      assert.equal(("out of memory on " .. gpu.kind .. ":0: asked for 28.0 MiB; 40.0 MiB live in 2 tensors, %s cached; " ..
                    "largest: [10, 1048576] float32 made at spec/gpu/memory_spec.lua:%d"):format(cache, line), got)
      assert.same({1, 2}, small:totable())
      assert.equal(0, x:sum():item())
    end)

    gpu.it_emulated("comes after a collection and after the cache was emptied", function()
      collectgarbage()
      gpu.api.reopen(gpu.kind)
      gpu.emulator.configure "memory=64M"
      local ok, message = pcall(function()
        for k = 1, 60 do lt.empty(k % 7 + 1, MIB, device) end       -- more garbage than the memory has space for
        local scratch = lt.rand(3, MIB, device):permute_dims(2, 1)
        return scratch:sum():item()
      end)
      gpu.emulator.configure "memory=512M"
      assert.is_true(ok, message)
    end)

    describe("for an op's scratch memory", function()
      -- Each function makes its tensors. It returns a function that needs scratch memory only, and the expected
      -- result of that function.
      local float = {device = gpu.kind, dtype = "float32"}
      local ops = {
        sum = function()
          local x, out = lt.ones(MIB, float), lt.zeros({}, float)
          return function() return x:sum({out = out}):item() end, MIB
        end,
        softmax = function()
          local x = lt.ones(MIB, float)
          return function() return lt.softmax(x, {out = x})[1]:item() end, 2^-20
        end,
        index = function()
          local x = lt.ones(MIB, float)
          local mask = x:gt(0)
          return function() return x[mask].size end, MIB
        end,
        matmul = function()
          local a, b, out = lt.full({512, 512}, 2, {device = gpu.kind, dtype = "int32"}), lt.full({512, 512}, 3, float),
            lt.zeros(512, 512, float)
          return function() return lt.matmul(a, b, {out = out})[{1, 1}]:item() end, 512 * 6
        end,
        to = function()
          local x = lt.arange(MIB, float):reshape(1024, 1024)
          return function() return x:transpose(1, 2):to("cpu")[{2, 1}]:item() end, 1
        end,
      }

      -- Returns tensors that fill the rest of the device.
      local function fill()
        local all, bytes = {}, 4 * MIB
        while bytes >= 256 do
          local ok, t = pcall(lt.empty, bytes, {device = gpu.kind, dtype = "uint8"})
          if ok then all[#all + 1] = t else bytes = bytes // 4 end
        end
        return all
      end

      -- With the collector stopped, returns the error of the op on a device full of live tensors, its result on a
      -- device full of garbage, and the expected result.
      local function on_full_device(op)
        collectgarbage()
        lt.empty_cache(gpu.kind)
        gpu.emulator.configure "memory=64M"
        collectgarbage "stop"
        local run, expected = op()
        local all = fill()
        local refused = message_of(run)
        for k in pairs(all) do all[k] = nil end
        local _, got = pcall(run)
        collectgarbage "restart"
        gpu.emulator.configure "memory=512M"
        return refused, got, expected
      end

      for name, op in pairs(ops) do
        gpu.it_emulated(name .. " collects garbage, or says what is live", function()
          local refused, got, expected = on_full_device(op)
          assert.matches("^out of memory on " .. gpu.kind .. ":0: scratch of " .. name ..
                         "; %d+%.%d MiB live in %d+ tensors, .+ cached; largest: ", refused)
          assert.equal(expected, got)
        end)
      end
    end)

    -- cuBLAS and cuSOLVER allocate memory when they start, and report a full device in various words.
    for name, op in pairs {
      matmul = function(x) return x:matmul(x) end,
      inv = function(x) return lt.linalg.inv(x) end,
    } do
      gpu.it_emulated("for a library that starts, at " .. name, function()
        local float, all = {device = gpu.kind, dtype = "float32"}, {}
        collectgarbage()
        gpu.api.reopen(gpu.kind)
        gpu.emulator.configure "memory=64M"
        local x = lt.eye(4, float)
        for bytes = 22, 8, -2 do
          repeat
            local ok, t = pcall(lt.empty, 1 << bytes, {device = gpu.kind, dtype = "uint8"})
            if ok then all[#all + 1] = t end
          until not ok
        end
        local refused = message_of(function() return op(x) end)
        for k in pairs(all) do all[k] = nil end
        local got = op(x):to("cpu")
        gpu.emulator.configure "memory=512M"
        assert.matches("^out of memory on " .. gpu.kind .. ":0: ", refused)
        assert.same(lt.eye(4, {device = "cpu", dtype = "float32"}):totable(), got:totable())
      end)
    end

    gpu.it_emulated("whichever allocation fails: nothing is lost", function()
      local x = numbered(1000, device)
      for n = 1, 12 do
        gpu.emulator.configure("fail_alloc=" .. n)
        local ok, got = pcall(function()
          local y = lt.empty(n, 300, 1000, device)
          y:fill_(1)
          return (y:sum() + x:sum()):item()
        end)
        if ok then assert.equal(n * 300000 + 499500, got) end
      end
      gpu.emulator.configure "fail_alloc=0"
      assert.equal(499500, x:sum():item())
    end)
  end)

  gpu.it_emulated("copies and pinned buffers that fail are errors; the device goes on", function()
    local x = numbered(3 * 2^20, host)
    for n = 1, 8 do
      gpu.emulator.configure("fail_copy=" .. n)
      local ok, got = pcall(function() return x:to(gpu.kind):to_bytes() end)
      gpu.emulator.configure "fail_copy=0"
      if ok then assert.equal(x:to_bytes(), got) else assert.truthy(got:find "^%S+: .*copy" or got:find "copy to") end
      assert.equal(x:to_bytes(), x:to(gpu.kind):to_bytes())
    end
    for n = 1, 6 do
      gpu.api.reopen(gpu.kind)
      gpu.emulator.configure("fail_host_alloc=" .. n)
      pcall(function() return x:to(gpu.kind):to_bytes() end)
      gpu.emulator.configure "fail_host_alloc=0"
      assert.equal(x:to_bytes(), x:to(gpu.kind):to_bytes())
    end
  end)

  describe("an index out of range", function()
    local waits = {
      item = function(t) return t[1]:item() end, totable = function(t) return t:totable() end, tostring = function(t) return tostring(t) end,
      to_bytes = function(t) return t:to_bytes() end, to = function(t) return t:to "cpu" end,
      synchronize = function() lt.synchronize(gpu.kind) end, ["all devices"] = function() lt.synchronize() end,
      ["stream:synchronize"] = function() lt.current_stream(gpu.kind):synchronize() end,
      save = function(t)
        local path = os.tmpname()
        local ok, message = pcall(lt.save, path, t)
        os.remove(path)
        if not ok then error(message, 0) end
      end,
    }
    for name, wait in pairs(waits) do
      it("is told at the next wait in the words of the CPU: " .. name, function()
        local words = message_of(function() return lt.arange(4, host):take(lt.tensor({1, 7}, host), 1) end)
        local x = lt.arange(4, device)
        local y = x:take(lt.tensor({1, 7}, device), 1)
        assert.equal(words, message_of(wait, y))
        assert.is_nil(message_of(wait, y))                -- raised only once
        assert.same({3, 0}, x:take(lt.tensor({4, 1}, device), 1):totable())
      end)
    end

    it("the first of several is told", function()
      local x, i = lt.arange(4, device), lt.tensor({9}, device)
      local _ = {x:take(lt.tensor({0}, device), 1), x[i]}
      fails("take: index 0 in dim 1: Lua tensors start at 1", lt.synchronize, gpu.kind)
      lt.synchronize()
      _ = {x[i]}
      fails("index 9 in dim 1: out of range for length 4", lt.synchronize, gpu.kind)
    end)
  end)

  describe("a device that is reopened", function()
    it("has lost its tensors; freeing them is harmless; the CPU's stay", function()
      local x, c, p = lt.ones(3, device), lt.ones(3, host), numbered(10, host):pin_memory()
      local view = x[{ {1, 2} }]
      gpu.api.reopen(gpu.kind .. ":0")
      local lost = "this tensor was lost when " .. gpu.kind .. ":0 was reopened"
      fails("add: argument 1: " .. lost, function() return x + 1 end)
      fails("add: argument 2: " .. lost, function() return lt.ones(3, device) + x end)
      fails("totable: argument 1: " .. lost, view.totable, view)
      fails("concat: element 1: " .. lost, lt.concat, {x})
      fails("sqrt: option out: " .. lost, lt.sqrt, lt.ones(3, device), {out = x})
      assert.equal("tensor (lost)", tostring(x))
      x:free()
      view:free()
      fails("add: argument 1: this tensor was freed", function() return x + 1 end)
      assert.same({1, 1, 1}, c:totable())
      assert.is_false(p:is_pinned())
      assert.same({0, 1, 2}, p[{ {1, 3} }]:to(gpu.kind):totable())
      collectgarbage()
      assert.equal(0, live())
      assert.same({2, 2}, (lt.ones(2, device) * 2):totable())
    end)

    it("bad arguments are errors", function()
      fails("reopen: device cpu cannot be reopened", gpu.api.reopen, "cpu")
      local other = gpu.kind == "cuda" and "rocm" or "cuda"
      fails(("reopen: device %s:0 belongs to lt.%s"):format(gpu.kind, gpu.kind), lt[other].reopen, gpu.kind)
      assert.error_matches(function() gpu.api.reopen(gpu.kind .. ":99") end, 'reopen: no device "' .. gpu.kind .. ':99"', nil, true)
    end)

    it("does not touch other devices", function()
      if #lt.devices() < 3 then return end
      local y = lt.ones(3, {device = gpu.kind .. ":1"})
      gpu.api.reopen(gpu.kind .. ":0")
      assert.same({2, 2, 2}, (y + 1):totable())
    end)

    gpu.it_emulated("goes on after an error that outlives its call", function()
      local x = lt.ones(3, device)
      gpu.emulator.configure "sticky,fail_launch=1"
      local message = message_of(function() return (x + 1):totable() end)
      gpu.emulator.configure "sticky=0"
      assert.truthy(message:find('the device is lost: start the script anew, or try lt.' .. gpu.kind .. '.reopen("' .. gpu.kind .. ':0")', 1, true), message)
      assert.truthy(message_of(function() return lt.ones(2, device) end):find("the device is lost", 1, true))
      assert.equal(6, lt.full({3}, 2, host):sum():item())
      gpu.api.reopen(gpu.kind)
      fails("add: argument 1: this tensor was lost when " .. gpu.kind .. ":0 was reopened", function() return x + 1 end)
      assert.equal(3, lt.ones(3, device):sum():item())
    end)

    gpu.it_emulated("says so if the driver does not open a lost device again", function()
      local x = lt.ones(3, device)
      gpu.emulator.configure "sticky,lost,fail_launch=1"
      pcall(function() return (x + 1):totable() end)
      gpu.emulator.configure "sticky=0"
      for _ = 1, 2 do
        assert.error_matches(function() gpu.api.reopen(gpu.kind) end, "reopen: opening the device: " ..
          ".+; the device is lost to this process: start the script anew$")
        assert.truthy(message_of(function() return lt.ones(2, device) end):find("the device is lost", 1, true))
      end
      assert.equal(6, lt.full({3}, 2, host):sum():item())
      gpu.emulator.configure "lost=0"
      gpu.api.reopen(gpu.kind)
      assert.equal(3, lt.ones(3, device):sum():item())
    end)
  end)
end)
