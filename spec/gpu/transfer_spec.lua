-- tags: unsanitized uncollected unplugged
-- Tests copies between the host and GPUs that run after the call: page-locked memory must keep its elements until then.
-- The emulator runs queued work as late as possible, so a missing wait gives wrong elements.
local helpers = require "spec.support.helpers"
local lt = require "luatensor"
local gpu = require "spec.support.gpu"
local shell = require "spec.support.shell"
local message_of = helpers.message_of

local N = 2^17                                    -- numbers: 512 KiB, which no buffer of small copies takes
local host = {device = "cpu"}

local function numbered(n, options) return lt.arange(n, {dtype = "int32", device = options.device}) end

-- Calls fn, and returns the number of waits for the device and for events meanwhile, then the results of fn.
local function waits(fn)
  local before = gpu.emulator.counts().waits
  local results = table.pack(fn())
  return gpu.emulator.counts().waits - before, table.unpack(results, 1, results.n)
end

-- Ways to set page-locked memory of N numbers to -1.
local changes = {
  fill_ = function(p) p:fill_(-1) end,
  copy_ = function(p) p:copy_(lt.full({N}, -1, {dtype = "int32", device = "cpu"})) end,
  assignment = function(p) p[{ {1, N} }] = -1 end,
  ["option out"] = function(p) lt.minimum(p, -1, {out = p}) end,
  ["a view"] = function(p) p:reshape(2, -1).T:fill_(-1) end,
  ["a compiled function"] = function(p) lt.compile(function(x) return x:fill_(-1) end)(p) end,
}

gpu.describe("copies", {{LUATENSOR_EMULATOR = "devices=2,order=lazy,leaks=1"},
                                              {LUATENSOR_EMULATOR = "order=lazy,guard=1,leaks=1", LUATENSOR_GPU_CACHE = "off"}},
             function()
  describe("of page-locked memory", function()
    for name, change in pairs(changes) do
      it("are done before the memory changes by " .. name, function()
        local p = numbered(N, host):pin_memory()
        local x, y = p:to(gpu.kind), lt.zeros(N, {dtype = "int32", device = gpu.kind})
        y:copy_(p)
        change(p)
        assert.same({-1, -1}, {p[1]:item(), p[N]:item()})
        assert.equal(numbered(N, host):to_bytes(), x:to_bytes())
        assert.equal(numbered(N, host):to_bytes(), y:to_bytes())
      end)
    end

    gpu.it_emulated("do not wait, and the next use of the memory waits once", function()
      local p, x = numbered(N, host):pin_memory(), lt.zeros(N, {dtype = "int32", device = gpu.kind})
      x:copy_(p)
      lt.synchronize()
      assert.equal(0, (waits(function()
        x:add_(1)
        x:copy_(p)
        x:copy_(p)
        return p:to(gpu.kind)
      end)))
      assert.equal(1, (waits(function() p:fill_(-1) end)))
      assert.equal(0, (waits(function() p:fill_(-2) end)))
      assert.equal(N - 1, x[N]:item())
    end)

    gpu.it_emulated("of at most 64 KiB leave the memory free at once", function()
      for _, bytes in ipairs {1, 1000, 1 << 16} do
        local p = lt.full({bytes}, 7, {dtype = "uint8", device = "cpu"}):pin_memory()
        local x = p:to(gpu.kind)
        assert.equal(0, (waits(function() p:fill_(9) end)))
        assert.equal(7 * bytes, x:sum():item())
      end
    end)

    it("are done before other libraries change the memory", function()
      local p = numbered(N, host):pin_memory()
      local x = p:to(gpu.kind)
      local other = lt.from_dlpack(p:to_dlpack())
      other:fill_(-1)
      assert.equal(N - 1, x[N]:item())
      x:copy_(p)                                   -- luatensor cannot know when the other library changes the memory again
      other:fill_(-2)
      assert.equal(-1, x[N]:item())
    end)

    it("are done before a graph of the CPU changes the memory", function()
      local p = numbered(N, host):pin_memory()
      local graph = lt.graph(function() p:add_(1) end, {device = "cpu"})
      local start = p[1]:item()
      local x = p:to(gpu.kind)
      graph:replay()
      assert.equal(start + N - 1, x[N]:item())
      assert.equal(start + N, p[N]:item())
    end)

    it("keep the memory that the script frees", function()
      local x, expected = lt.zeros(N, {dtype = "int32", device = gpu.kind}), 0
      for k = 1, 5 do
        local p = (numbered(N, host) + k):pin_memory()
        local y = p:to(gpu.kind)
        x:add_(y)
        p:free()
        expected = expected + N - 1 + k
      end
      collectgarbage()
      assert.equal(expected, x[N]:item())
    end)

    it("keep it also while other page-locked memory is made and freed", function()
      local made = {}
      for k = 1, 12 do
        local p = lt.full({8, 2^20}, k, {dtype = "int32", device = "cpu"}):pin_memory()     -- 32 MiB
        made[k] = p:to(gpu.kind)[{1, {1, 3}}]:clone()
        p:free()
      end
      for k, x in ipairs(made) do assert.same({k, k, k}, x:totable()) end
    end)

    it("of several streams are all done before the memory changes", function()
      local p = numbered(N, host):pin_memory()
      local a, b = lt.stream(gpu.kind), lt.stream(gpu.kind)
      local x, y
      lt.with_stream(a, function() x = p:to(gpu.kind) end)
      lt.with_stream(b, function() y = p:to(gpu.kind) end)
      p:fill_(-1)
      for _, t in ipairs {x, y} do assert.equal(numbered(N, host):to_bytes(), t:to_bytes()) end
    end)

    it("to several GPUs are all done before the memory changes", function()
      if #lt.devices() < 3 then return end
      local p = numbered(N, host):pin_memory()
      local x, y = p:to(gpu.kind .. ":0"), p:to(gpu.kind .. ":1")
      p:fill_(-1)
      for _, t in ipairs {x, y} do assert.equal(numbered(N, host):to_bytes(), t:to_bytes()) end
    end)

    for _, mode in ipairs {"sequence", "together", "threads", "fork"} do
      gpu.it_emulated("belong to their Lua states: " .. mode, function()
        local program = "build/spec/states_host"
        if not shell.exists(program) then return end
        shell.passes(("LUATENSOR_TEST_DEVICE=%s LUATENSOR_EMULATOR=order=lazy %s %s spec/support/scripts/page_locked.lua"):format(
          gpu.kind, program, mode))
      end)
    end

    it("end when the device is reopened", function()
      local p, q = numbered(N, host):pin_memory(), numbered(N, host):pin_memory()
      local x, y = p:to(gpu.kind), q:to(gpu.kind)
      q:free()
      gpu.api.reopen(gpu.kind .. ":0")
      p:fill_(3)
      assert.equal(3 * N, p:to(gpu.kind):sum():item())
      x:free()
      y:free()
    end)

    gpu.it_emulated("that fail are errors; the device goes on", function()
      for _, kind in ipairs {"fail_copy=1", "fail_object=1"} do
        gpu.api.reopen(gpu.kind .. ":0")
        local x = lt.zeros(N, {dtype = "int32", device = gpu.kind})
        local p = numbered(N, host):pin_memory()
        lt.synchronize()
        gpu.emulator.configure(kind)
        local message = message_of(x.copy_, x, p)
        gpu.emulator.configure "fail_copy=0,fail_object=0"
        if kind == "fail_copy=1" then assert.matches("^copy_: copy to the device: ", message) end
        p:fill_(5)
        x:copy_(p)
        p:fill_(6)
        assert.equal(5 * N, x:sum():item())
      end
    end)
  end)

  describe("of ordinary memory", function()
    it("hold the same elements with any number of threads", function()
      local before = lt.get_num_threads()
      for _, n in ipairs {2^16 - 1, 2^18 + 3, 5 * 2^20 + 1} do
        local x = numbered(n, host)
        local expected = x:to_bytes()
        for threads = 1, 5 do
          lt.set_num_threads(threads)
          local y = x:to(gpu.kind)
          assert.equal(expected, y:to_bytes())
          assert.equal(expected, y:to("cpu"):to_bytes())
        end
      end
      lt.set_num_threads(before)
    end)
  end)

  describe("between GPUs", function()
    local first, second = gpu.kind .. ":0", gpu.kind .. ":1"

    -- Copies there and back, and returns the number of copies without the host.
    local function direct()
      local before = gpu.emulator.counts().direct
      local x = numbered(1000, {device = first})
      local y = x:to(second)
      assert.equal(numbered(1000, host):to_bytes(), y:to_bytes())
      assert.equal(numbered(1000, host):to_bytes(), y:to(first):to_bytes())
      return gpu.emulator.counts().direct - before
    end

    gpu.it_emulated("let each GPU access the other's memory, also after a GPU was reopened", function()
      if #lt.devices() < 3 then return end
      assert.equal(2, direct())
      assert.equal(2, direct())
      gpu.api.reopen(second)
      assert.equal(2, direct())
      gpu.api.reopen(first)
      assert.equal(2, direct())
    end)

    gpu.it_emulated("go through the host where GPUs have no access", function()
      if #lt.devices() < 3 then return end
      gpu.api.reopen(first)
      gpu.api.reopen(second)
      gpu.emulator.configure "peers=0"
      assert.equal(0, direct())
      gpu.emulator.configure "peers=1"
      gpu.api.reopen(first)
      assert.equal(2, direct())
    end)
  end)
end)
