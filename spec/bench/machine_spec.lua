-- tags: unsanitized unplugged
-- Tests the machine's limits: how they are measured and stored, and the identity of the machine.
local core = require "luatensor.core"
local lt = require "luatensor"
local helpers = require "spec.support.helpers"

local fails = helpers.fails

describe("a working set", function()
  it("has a bandwidth and, on the CPU, a latency", function()
    local set = core.working_set("cpu", 5000)
    assert.is_true(set.read > 0 and set.read < math.huge)
    assert.is_true(set.latency > 0 and set.latency < 1)
  end)
  it("gives its memory back", function()
    local before = helpers.live "cpu"
    core.working_set("cpu", 2 ^ 20)
    assert.equal(before, lt.memory("cpu").live)
  end)
  it("of nothing, or of more than there is, is an error", function()
    assert.has_error(function() core.working_set("cpu", 0) end)
    fails("working_set: out of memory", core.working_set, "cpu", math.maxinteger)
    fails("working_set: out of memory", core.working_set, "cpu", 1 << 50)
  end)
end)

local bench = require "luatensor.bench"
local caches = require "luatensor.bench.machine.caches"
local gpu = require "spec.support.gpu"
local idle = require "luatensor.bench.idle"
local interrupt = require "luatensor.bench.interrupt"
local limits_file = require "luatensor.bench.machine.limits_file"
local machine = require "luatensor.bench.machine"
local meters = require "luatensor.bench.machine.meters"
local share = require "luatensor.bench.machine.share"
local shell = require "spec.support.shell"

local function write(path, text)
  local file <close> = assert(io.open(path, "wb"))
  file:write(text)
end

local function read(path)
  local file <close> = assert(io.open(path, "rb"))
  return file:read "a"
end

describe("the identity", function()
  it("is what the figures were measured on", function()
    local identity = require "luatensor.bench.machine.identity"()
    assert.equal(lt._VERSION, identity.luatensor)
    assert.equal(lt.get_num_threads(), identity.threads)
    assert.equal(core.processors(), identity.processors)
    assert.equal(lt.devices()[1].name, identity.devices[1].name)
    assert.truthy(identity.config:find("kernels", 1, true))
    local release = shell.passes("cat /proc/sys/kernel/osrelease 2>/dev/null; true"):gsub("\n", "")
    if release ~= "" then assert.truthy(identity.system:find(release, 1, true), identity.system) end
  end)
end)

describe("the processor's caches", function()
  local folder
  before_each(function() folder = shell.folder() end)
  after_each(function() shell.passes("rm -r " .. folder) end)
  local function tree(rows)
    for i, row in ipairs(rows) do
      local path = ("%s/sys/devices/system/cpu/cpu0/cache/index%d"):format(folder, i - 1)
      shell.passes("mkdir -p " .. path)
      for k, name in ipairs{"level", "type", "size", "shared_cpu_list"} do write(path .. "/" .. name, row[k] .. "\n") end
    end
    return folder
  end
  it("are what the system says of those that hold data", function()
    assert.same({
      {name = "L1", bytes = 49152, shared = 2}, {name = "L2", bytes = 2097152, shared = 2},
      {name = "L3", bytes = 33554432, shared = 6},
    }, caches.list(tree{{1, "Data", "48K", "0,4"}, {1, "Instruction", "32K", "0,4"}, {2, "Unified", "2M", "0,4"},
      {3, "Unified", "32M", "0-3,6-7"}}))
  end)
  it("are none where it says nothing, or nonsense", function()
    assert.same({}, caches.list(folder))
    assert.same({}, caches.list(tree{{1, "Data", "many", "0"}}))
  end)
  it("are divided between the threads that use them", function()
    local l3 = {bytes = 1024, shared = 8}
    assert.equal(1024, caches.part(l3, 1, 8))
    assert.equal(256, caches.part(l3, 4, 8))
    assert.equal(128, caches.part(l3, 8, 8))
    assert.equal(512, caches.part(l3, 2, 8))
    assert.equal(512, caches.part(l3, 4, 16))                 -- the other processors belong to the other socket
    assert.equal(1024, caches.part({bytes = 1024, shared = 1}, 8, 8))
  end)
end)

-- Fake meters count their calls and return given figures instead of measuring.
local calls, others, watched                     -- watched: called at each product
local function fake_meters()
  calls, others, watched = {}, 0, function() end
  local function count(name) calls[name] = (calls[name] or 0) + 1 end
  stub(idle, "watch", function() return {others = function() return others end} end)
  stub(meters, "limits", function(_, dtype)
    count "limits"
    return {flops = dtype == "float32" and 100e9 or 50e9, read = 20e9, copy = 25e9}
  end)
  stub(meters, "sizes", function() return {2 ^ 10, 2 ^ 20, 2 ^ 28, 2 ^ 29, 2 ^ 30} end)
  stub(meters, "working_set", function(_, bytes)
    count "working_set"
    return {read = bytes < 2 ^ 20 and 400e9 or bytes == 2 ^ 20 and 200e9 or 21e9, latency = 1e-9}
  end)
  stub(meters, "gemm", function(_, dtype)
    count "gemm"
    watched()
    if dtype == "bfloat16" then error("matmul: no bfloat16 here", 0) end
    return {n = 1000, flops = dtype == "float64" and 45e9 or 90e9, min = 0.02, q1 = 0.021, median = 0.022, q3 = 0.023}
  end)
  stub(meters, "call", function() return {call = 2e-7, single = 3e-7, wait = 1e-7} end)
  stub(meters, "transfer", function() return {latency = 1e-5, bandwidth = 10e9, bytes = 2 ^ 26} end)
end

-- before() replaces functions by stubs, and after() restores them. Tests that store limits also replace the cache
-- folder.
local snapshot
local function before() snapshot = assert:snapshot() fake_meters() end
local function after() snapshot:revert() end

describe("bench.machine", function()
  local folder
  before_each(function()
    before()
    folder = shell.folder()
    stub(core, "cache_folder", function() return folder end)
  end)
  after_each(function()
    after()
    shell.passes(("chmod u+w %s; rm -r %s"):format(folder, folder))
  end)
  local function files() return shell.passes("ls " .. folder) end

  it("measures every figure once", function()
    local made = bench.machine{devices = {"cpu"}}
    local cpu = made.devices[1]
    assert.equal("machine", made.kind)
    assert.equal(1, #made.devices)
    assert.same({{dtype = "float32", flops = 100e9}, {dtype = "float64", flops = 50e9}}, cpu.arithmetic)
    assert.same({"float32", "float64", "float16"}, {cpu.products[1].dtype, cpu.products[2].dtype, cpu.products[3].dtype})
    assert.equal(25e9, cpu.copy)
    assert.equal(2e-7, cpu.call)
    assert.equal(lt.get_num_threads(), cpu.threads)
    assert.same({limits = 2, working_set = 4, gemm = 4}, calls)
  end)
  it("measures arithmetic again where products are faster than it can be", function()
    -- The float32 rates in FLOP/s that the first measurement and its repetitions return.
    local rates = {60e9, 70e9, 95e9, 110e9}
    local looks = 0
    stub(meters, "limits", function(_, dtype)
      if dtype == "float32" then looks = looks + 1 end
      return {flops = dtype == "float32" and rates[looks] or 50e9, read = 20e9, copy = 25e9}
    end)
    assert.equal(95e9, bench.machine{devices = {"cpu"}}.devices[1].arithmetic[1].flops)
    assert.equal(3, looks)                                 -- 95e9 exceeds the products' rate of 90e9
    looks, rates = 0, {60e9, 50e9, 55e9, 40e9}
    assert.equal(60e9, bench.machine{devices = {"cpu"}, fresh = true}.devices[1].arithmetic[1].flops)
    -- no further attempt is made, and the page says that the figure is no limit
    assert.equal(4, looks)
  end)
  it("stops the sweep where two sizes are no faster than memory, whose rate is the better one", function()
    local cpu = bench.machine{devices = {"cpu"}}.devices[1]
    assert.equal(4, #cpu.levels)
    assert.equal(21e9, cpu.read)
  end)
  it("tells what could not be measured, and goes on", function()
    local made = bench.machine{devices = {"cpu"}}
    assert.same({{what = "products of bfloat16", problem = "matmul: no bfloat16 here"}}, made.devices[1].problems)
    assert.truthy(tostring(made):find("cpu, products of bfloat16: not measured: matmul: no bfloat16 here", 1, true))
  end)
  it("keeps what it measured, and measures again when told", function()
    local first = bench.machine{devices = {"cpu"}}
    assert.is_nil(first.not_stored)
    assert.truthy(files():find "^limits%-%x+%.json\n$")
    calls = {}
    local second = bench.machine{devices = {"cpu"}}
    assert.same({}, calls)
    assert.equal(first.devices[1].made, second.devices[1].made)
    assert.same(first.devices[1].levels, second.devices[1].levels)
    bench.machine{devices = {"cpu"}, fresh = true}
    assert.equal(4, calls.gemm)
  end)
  it("measures float32 as such where the script has chosen TF32, which the script keeps", function()
    local seen
    watched = function() seen = lt.get_matmul_precision() end
    lt.set_matmul_precision("tf32")
    bench.machine{devices = {"cpu"}, fresh = true}
    local after_it = lt.get_matmul_precision()
    lt.set_matmul_precision("ieee")
    assert.equal("ieee", seen)
    assert.equal("tf32", after_it)
  end)

  it("measures anew for other threads", function()
    bench.machine{devices = {"cpu"}}
    calls = {}
    local threads = lt.get_num_threads()
    lt.set_num_threads(threads + 1)
    local ok, made = pcall(bench.machine, {devices = {"cpu"}})
    lt.set_num_threads(threads)
    assert(ok, made)
    assert.equal(4, calls.gemm)
    assert.equal(threads + 1, made.devices[1].threads)
    assert.equal(2, select(2, files():gsub("\n", "")))
  end)
  it("measures anew where the file is damaged", function()
    bench.machine{devices = {"cpu"}}
    local path = folder .. "/" .. files():gsub("\n", "")
    local text = read(path)
    for _, damaged in ipairs{"", "{", text:sub(1, -20), text:gsub("100000000000", "900000000000"), text:gsub("limits %d", "limits 0"),
                             '{"format": "luatensor", "version": 1, "kind": "machine"}', "\0\1\2"} do
      assert.not_equal(text, damaged)
      write(path, damaged)
      calls = {}
      local made = bench.machine{devices = {"cpu"}}
      assert.equal(4, calls.gemm, damaged:sub(1, 60))
      assert.equal(100e9, made.devices[1].arithmetic[1].flops)
      assert.equal(#text, #read(path))
    end
  end)
  it("does not keep what was measured beside other work", function()
    others = 0.3
    local made = bench.machine{devices = {"cpu"}}
    assert.equal("", files())
    assert.equal(0.3, made.others)
    assert.truthy(tostring(made):find("Not kept for other runs: others used the processor meanwhile.", 1, true))
    assert.truthy(tostring(made):find("Others used 30.0 % of the processor", 1, true))
  end)
  it("does not keep what was measured in a hurry", function()
    local made = bench.machine{devices = {"cpu"}, seconds = 0.001}
    assert.equal("", files())
    assert.truthy(made.not_stored:find("less time", 1, true))
  end)
  it("works where nothing can be kept", function()
    core.cache_folder:revert()
    stub(core, "cache_folder", function() return nil, "no folder for a cache" end)
    local made = bench.machine{devices = {"cpu"}}
    assert.equal("no folder for a cache", made.not_stored)
    assert.equal(90e9, made.devices[1].products[1].flops)
    core.cache_folder:revert()
    stub(core, "cache_folder", function() return folder .. "/not/there" end)
    assert.truthy(bench.machine{devices = {"cpu"}}.not_stored:find("No such file or directory", 1, true))
  end)
  it("keeps what was measured before a Ctrl-C, for the caller alone", function()
    meters.gemm:revert()
    stub(meters, "gemm", function() error("interrupted!", 0) end)
    local ok, problem = pcall(bench.machine, {devices = {"cpu"}})
    assert.is_false(ok)
    local partial = interrupt.partial(problem)
    assert.equal("stopped after 2 of 8 measurements", partial.incomplete)
    assert.equal(2, #partial.devices[1].arithmetic)
    assert.truthy(tostring(partial):find("Not complete: stopped after 2 of 8", 1, true))
    assert.equal("", files())
  end)
  it("is saved and loaded", function()
    local made = bench.machine{devices = {"cpu"}}
    made:save(folder .. "/result.json")
    local loaded = bench.load(folder .. "/result.json")
    assert.equal(tostring(made), tostring(loaded))
  end)
  it("names what changed, for bench.diff", function()
    local made = bench.machine{devices = {"cpu"}}
    assert.equal("cpu: product of 1000 × 1000, float32", made:timings()[1].name)
    assert.equal(0, #bench.diff(made, made).only_before)
  end)
  it("refuses what is no option", function()
    fails('bench.machine: unknown option "sizes"; known: devices, fresh, seconds', bench.machine, {sizes = 1})
    fails("bench.machine: fresh: boolean expected, got number", bench.machine, {fresh = 1})
    fails("bench.machine: devices: a list of names expected, got string", bench.machine, {devices = "cpu"})
    fails('bench.machine: devices: unknown device "npu"; known: cpu, cuda, rocm, auto', bench.machine, {devices = {"npu"}})
    fails("bench.machine: seconds: number expected, got string", bench.machine, {seconds = "1"})
  end)
end)

describe("a share", function()
  local entry = {
    device = "cpu", kind = "cpu", threads = 2, read = 20e9, copy = 25e9,
    arithmetic = {{dtype = "float32", flops = 100e9}, {dtype = "float64", flops = 50e9}},
    products = {{dtype = "float32", flops = 90e9}, {dtype = "bfloat16", flops = 160e9}},
    levels = {{bytes = 1000, read = 400e9}, {bytes = 10000, read = 200e9}, {bytes = 100000, read = 22e9}},
  }
  local function of(...) return share.of(entry, ...) end
  it("of arithmetic is of the best that was measured for the dtype", function()
    assert.same({0.5, "arithmetic of float32"}, {of(50e9, "flops", "float32")})
    assert.same({0.5, "arithmetic of float32"}, {of(50e9, "flops")})
    assert.same({0.5, "products of bfloat16"}, {of(80e9, "flops", "bfloat16")})
    assert.same({0.25, "arithmetic of float32"}, {of(25e9, "flops", "float16")})
    assert.same({0.5, "arithmetic of float64"}, {of(25e9, "flops", "complex128")})
    assert.same({nil, "arithmetic of int32 was not measured"}, {of(25e9, "flops", "int32")})
  end)
  it("of memory is beside the level that holds the working set", function()
    assert.same({0.5, "reading memory"}, {of(10e9, "read")})
    assert.same({0.4, "copying memory"}, {of(10e9, "copy", nil, 10 ^ 9)})
    assert.same({0.5, "reading memory"}, {of(10e9, "read", nil, 200000)})
    assert.same({0.5, "reading a working set of this size"}, {of(100e9, "read", nil, 20000)})
    assert.same({0.25, "reading a working set of this size"}, {of(100e9, "read", nil, 2000)})
    assert.same({nil, "in cache"}, {of(100e9, "copy", nil, 20000)})
  end)
  -- With noise, the largest working set looks three times as fast as memory.
  it("of what exceeds every cache is of memory, however fast it looked", function()
    local odd = {device = "cpu", kind = "cpu", threads = 2, cores = 2, read = 20e9, copy = 25e9, arithmetic = {}, products = {},
      levels = {{bytes = 1000, read = 400e9}, {bytes = 100000, read = 60e9}}}
    assert.same({nil, "in cache"}, {share.of(odd, 10e9, "copy", nil, 180000)})
    odd.caches = {{name = "L1", bytes = 1000, shared = 1}, {name = "L2", bytes = 19000, shared = 1}}
    assert.same({nil, "in cache"}, {share.of(odd, 10e9, "copy", nil, 180000)})       -- no third level is reported
    odd.caches[3] = {name = "L3", bytes = 40000, shared = 2}                         -- 80000 bytes in total
    assert.same({nil, "in cache"}, {share.of(odd, 10e9, "copy", nil, 160000)})
    assert.same({0.4, "copying memory"}, {share.of(odd, 10e9, "copy", nil, 160002)})
    assert.same({0.5, "reading memory"}, {share.of(odd, 10e9, "read", nil, 180000)})
  end)
  it("of a row of a split is of what its work is limited by", function()
    local function limit(row)
      row.calls, row.bytes, row.flops = row.calls or 1, row.bytes or 0, row.flops or 0
      return {share.of_row(entry, row)}
    end
    entry.transfers = {{pinned = true, out = false, bandwidth = 5e9}, {pinned = false, out = true, bandwidth = 2e9}}
    assert.same({100e9, "flops"}, limit{part = "kernels", flops = 10, bytes = 20, dtype = "float32"})
    assert.same({25e9, "bytes"}, limit{part = "kernels", bytes = 10 ^ 9, dtype = "int32"})
    -- 20000 bytes a call are in the cache
    assert.same({}, limit{part = "kernels", bytes = 40000, calls = 2})
    assert.same({2e9, "bytes"}, limit{part = "to_host", bytes = 100})
    assert.same({}, limit{part = "to_device", bytes = 100})
    assert.same({}, limit{part = "waiting"})
  end)
  it("beyond the limit is shown, with a note", function()
    local value, _, note = of(30e9, "read")
    assert.equal(1.5, value)
    assert.equal("note", note.kind)
    assert.is_nil((select(3, of(20.5e9, "read"))))
  end)
  it("is not told where nothing was measured", function()
    before()
    stub(core, "cache_folder", function() return nil, "none" end)
    stub(limits_file, "words", function() return "another machine" end)
    assert.is_nil(machine.known("tpu"))
    assert.is_nil(machine.limit{device = "cpu", part = "kernels", flops = 1, bytes = 1, calls = 1})
    assert.same({nil, "the limits of cpu were not measured"}, {machine.share(1e9, "read", "cpu")})
    bench.machine{devices = {"cpu"}}
    assert.same({0.5, "copying memory"}, {machine.share(12.5e9, "copy", "cpu")})
    assert.equal(25e9, machine.limit{device = "cpu", part = "kernels", flops = 0, bytes = 1e9, calls = 1})
    after()
  end)
end)

describe("the real meters", function()
  it("give figures", function()
    local cost = meters.call("cpu", 0.001)
    assert.is_true(cost.call > 0 and cost.call < 1)
    local product = meters.gemm("cpu", "float32", 0.001)
    assert.is_true(math.abs(product.flops * product.min / (2 * product.n ^ 3) - 1) < 1e-9)
    local sizes = meters.sizes("cpu", 0.25)
    for i = 2, #sizes do assert.equal(2 * sizes[i - 1], sizes[i]) end
    assert.is_true(#meters.sizes("cpu", 0.001) < #sizes)
  end)
end)

gpu.describe("the limits of a GPU", {{}}, function()
  local folder
  before_each(function()
    snapshot = assert:snapshot()
    folder = shell.folder()
    stub(core, "cache_folder", function() return folder end)
  end)
  after_each(function()
    after()
    shell.passes("rm -r " .. folder)
  end)
  it("are measured, and marked where it is emulated", function()
    local made = bench.machine{devices = {gpu.kind}, seconds = 0.001}
    local entry = made.devices[1]
    assert.same({}, entry.problems)
    assert.equal(4, #entry.transfers)
    for _, row in ipairs(entry.transfers) do assert.is_true(row.bandwidth > 0 and row.latency > 0) end
    assert.is_true(entry.call > 0 and entry.single > 0 and entry.wait > 0 and #entry.levels > 0)
    local emulated = gpu.emulator and true or nil
    assert.equal(emulated, entry.emulated)
    assert.equal(emulated, made.emulated)
    assert.equal(gpu.emulator ~= nil, tostring(made):find("An emulated device", 1, true) ~= nil)
  end)
  gpu.it_emulated("that is emulated are kept apart from the real machine's", function()
    fake_meters()
    local made = bench.machine()
    assert.equal(#lt.devices(), #made.devices)
    local names = {}
    for name in shell.passes("ls " .. folder):gmatch "[^\n]+" do names[#names + 1] = name end
    assert.equal(2, #names)
    assert.truthy(names[1]:find "^limits%-%x+%.json$" and names[2]:find "^limits%-emulated%-%x+%.json$")
    assert.is_nil(read(folder .. "/" .. names[1]):find("mulated", 1, true))
    assert.truthy(read(folder .. "/" .. names[2]):find '"emulated": *true')
    calls = {}
    bench.machine()
    assert.same({}, calls)
  end)
end)
