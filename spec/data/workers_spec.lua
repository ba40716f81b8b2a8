-- tags: process
-- Tests loaders whose batches are fetched by worker processes.
local core = require "luatensor.core"
local data = require "luatensor.data"
local helpers = require "spec.support.helpers"
local interpreter = require "luatensor.base.interpreter"
local lt = require "luatensor"
local shell = require "spec.support.shell"

local fails = helpers.fails

-- Makes a data set of n samples: the numbers of the samples plus a random number below 1, their names, and the number of
-- the process. Sample `broken` raises an error.
local function maker(n, broken)
  return function()
    local ds = {size = n}
    function ds.get(_, indices)
      local names = {}
      for k, i in ipairs(indices:totable()) do
        if i == broken then error("the file is damaged") end
        names[k] = "sample " .. i
      end
      local stat <close> = assert(io.open "/proc/self/stat")
      return indices:to "float64" + lt.rand(indices.shape, {dtype = "float64"}), names, stat:read "n"
    end
    return ds
  end
end
local LINE = debug.getinfo(maker(1)().get, "S").linedefined + 3          -- the line of the error

local function pid_of_this()
  local stat <close> = assert(io.open "/proc/self/stat")
  return stat:read "n"
end

-- Returns the state of a process as ps writes it, such as "Z" for a zombie; nil if the process is gone.
local function state_of(pid)
  local file = io.open(("/proc/%d/stat"):format(pid))
  local text = file and file:read "a"
  if file then file:close() end
  return text and text:match "%) (%a)"
end

local function wait_for_end(pid)
  for _ = 1, 200 do
    if not state_of(pid) then return end
    core.sleep(0.02)
  end
  error(("process %d is in state %s"):format(pid, state_of(pid)))
end

-- Returns the batches of an epoch as lists {numbers, names}, and the list of the processes of the batches.
local function epoch(loader, most)
  local batches, pids = {}, {}
  for x, names, pid in loader:batches() do
    batches[#batches + 1], pids[#pids + 1] = {x:totable(), names}, pid
    if #batches == most then break end
  end
  return batches, pids
end

local function order(batches)
  local all = {}
  for _, batch in ipairs(batches) do
    for k, x in ipairs(batch[1]) do
      all[#all + 1] = x // 1
      assert.equal(("sample %d"):format(x // 1), batch[2][k])
    end
  end
  return all
end

local function kill(signal, pid) shell.passes(("kill -%s %d"):format(signal, pid)) end

describe("a loader with workers", function()
  local loaders = {}
  for n = 0, 3 do loaders[n] = data.Loader(maker(10), {batch_size = 3, workers = n}) end
  teardown(function()
    for n = 0, 3 do
      local _ <close> = loaders[n]
    end
  end)

  it("gives the batches in order, each from the next worker", function()
    for n = 1, 3 do
      local batches, pids = epoch(loaders[n])
      assert.same({1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0}, order(batches))
      assert.same({3, 3, 3, 1}, {#batches[1][1], #batches[2][1], #batches[3][1], #batches[4][1]})
      for i = 1, 4 do
        for k = 1, i - 1 do assert.equal((i - k) % n == 0, pids[i] == pids[k]) end
      end
    end
  end)

  it("gives the same random numbers for any number of workers, which are those of the batch's seed", function()
    for n = 0, 3 do
      lt.manual_seed(7)
      local loader, seen = loaders[n], 0
      for x in loader:batches() do
        local seed = loader:state_dict().batch_seed + seen
        local noise = lt.rand({#x}, {dtype = "float64", generator = lt.generator{seed = seed}})
        assert.same((lt.arange(seen + 1, seen + #x + 1) + noise):totable(), x:totable())
        seen = seen + #x
      end
      -- The loop drew one number from the default generator, the seed of the epoch.
      local generator = lt.generator{seed = 7}
      lt.randint(1, math.maxinteger, {1}, {generator = generator})
      assert.equal(lt.rand(1, {generator = generator}):item(), lt.rand(1):item())
    end
  end)

  it("draws other numbers in the next epoch", function()
    assert.not_same(epoch(loaders[2]), epoch(loaders[2]))
  end)

  it("shuffles, takes samplers, and leaves out the last batch like a loader without workers", function()
    local sampler = {indices = function() return lt.tensor{9, 2, 2, 7, 1} end}
    setmetatable(sampler, {__len = function() return 5 end})
    local made = maker(10)
    for _, options in ipairs{{shuffle = true}, {sampler = sampler}, {shuffle = true, drop_last = true}} do
      options.batch_size = 2
      local all = {}
      for _, n in ipairs{0, 2} do
        options.workers, options.generator = n, options.shuffle and lt.generator{seed = 5} or nil
        local loader <close> = data.Loader(made, options)
        lt.manual_seed(9)
        all[n] = epoch(loader)
      end
      assert.same(all[0], all[2])
      if options.sampler then assert.same({9.0, 2.0, 2.0, 7.0, 1.0}, order(all[2])) end
    end
  end)

  it("continues an epoch from the state of a loader with another number of workers", function()
    lt.manual_seed(11)
    local whole = epoch(loaders[3])
    lt.manual_seed(11)
    local loader, first = loaders[1], nil
    for x in loader:batches() do
      first = first or x:totable()
      if #x == 3 and x[1]:item() >= 4 then break end
    end
    local state = loader:state_dict()
    assert.equal(6, state.position)
    assert.same(whole[1][1], first)
    for n = 0, 3 do
      loaders[n]:load_state_dict(state)
      assert.same({whole[3], whole[4]}, epoch(loaders[n]))
    end
    fails("load_state_dict: batch_seed: integer expected, got nil", loader.load_state_dict, loader, {position = 3})
  end)

  it("may be left early, and nested; the workers remain", function()
    local _, pids = epoch(loaders[2])
    assert.equal(1, #epoch(loaders[2], 1))
    local batches, again = epoch(loaders[2])
    assert.same({1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0}, order(batches))
    assert.same(pids, again)
    for x, _, pid in loaders[2]:batches() do
      if x[1]:item() < 2 then
        local inner, others = epoch(loaders[2], 2)
        assert.equal("sample 1", inner[1][2][1])
        assert.not_equal(pid, others[1])
      end
    end
    -- The pool keeps one of two workers with the same number.
    local _, rest = epoch(loaders[2])
    assert.is_nil(state_of(pids[1]))
    local bar = lt.train.progress(loaders[2])
    bar._stream = false
    for x in bar:batches() do if #x == 3 then break end end
    assert.same(rest, select(2, epoch(loaders[2])))
  end)

  it("gets every kind of value from them", function()
    local function make()
      return {size = 1, get = function()
        local all = {}
        for i, dtype in ipairs{"bool", "uint8", "int64", "float16", "bfloat16", "float64", "complex64"} do
          all[i] = lt.tensor{{1, 0}, {1, 1}}:to(dtype)
        end
        return {all = all, [2.5] = -0.0, big = math.mininteger, text = "a\0b", yes = true, inf = {1 / 0, {}}}, nil,
          lt.zeros(0, 3), lt.tensor(4.5), lt.arange(6):reshape(2, 3):transpose(1, 2), ("x"):rep(300000)
      end}
    end
    local loader <close> = data.Loader(make, {workers = 1, map = function(...) return table.pack(...) end})
    for got in loader:batches() do
      assert.equal(6, got.n)
      local t = got[1]
      for i, dtype in ipairs{"bool", "uint8", "int64", "float16", "bfloat16", "float64", "complex64"} do
        assert.equal(dtype .. "[2, 2]", t.all[i].dtype .. tostring(t.all[i].shape))
        assert.same({{1, 0}, {1, 1}}, t.all[i]:real():to("int64"):totable())
      end
      assert.equal(-1 / 0, 1 / t[2.5])
      assert.same({math.mininteger, "a\0b", true, {1 / 0, {}}}, {t.big, t.text, t.yes, t.inf})
      assert.is_nil(got[2])
      assert.equal("[0, 3]", tostring(got[3].shape))
      assert.equal(4.5, got[4]:item())
      assert.same({{0, 3}, {1, 4}, {2, 5}}, got[5]:totable())
      assert.equal(("x"):rep(300000), got[6])
    end
  end)

  it("moves batches to a device", function()
    local loader <close> = data.Loader(data.TensorDataset(lt.arange(4, {device = "cpu"})),
                                       {workers = 1, batch_size = 4, device = helpers.device})
    for x in loader:batches() do assert.same({{0, 1, 2, 3}, helpers.device}, {x:totable(), x.device}) end
  end)

  it("copies the data set with its class, its functions and what they use", function()
    local count, names, Squares = 0, {"a", "b"}, {}
    Squares.__index = Squares
    local function square(i) return i <= 0 and 0 or square(i - 1) + 2 * i - 1 end       -- calls itself
    function Squares:get(indices)
      count = count + 1
      local list = {}
      for k, i in ipairs(indices:totable()) do list[k] = square(i) end
      return self.names[count], lt.tensor(list), tostring(self)
    end
    Squares.__tostring = function() return "squares" end
    local ds = setmetatable({size = 4, names = names}, Squares)
    local loader <close> = data.Loader(ds, {workers = 1, batch_size = 2})
    local all = {}
    for name, x, text in loader:batches() do all[#all + 1] = {name, x:totable(), text} end
    assert.same({{"a", {1, 4}, "squares"}, {"b", {9, 16}, "squares"}}, all)
    assert.equal(0, count)
    assert.equal("Loader: 2 batches of 2 from squares", tostring(loader))
  end)

  it("uses the default float dtype of the script", function()
    lt.set_default_dtype "float64"
    local loader <close> = data.Loader(function() return data.TensorDataset(lt.zeros(2)) end, {workers = 1})
    lt.set_default_dtype "float32"
    for x in loader:batches() do assert.equal("float64", x.dtype) end
    assert.matches("^Loader: 2 batches of 1 from TensorDataset: %[2%] float64$", tostring(loader))
    fails("Loader: the data set is in the workers, not in this process", loader.dataset.get)
  end)

  it("raises the error of a sample, and goes on in the next loop", function()
    local loader <close> = data.Loader(maker(6, 5), {batch_size = 2, workers = 2})
    for _ = 1, 2 do
      local seen, problem = 0, nil
      local ok, message = pcall(function()
        for _ in loader:batches() do seen = seen + 1 end
      end)
      assert.is_false(ok)
      assert.equal(2, seen)
      assert.matches(("workers_spec.lua:%%d+: Loader: worker 1, sample 5: [^\n]*workers_spec.lua:%d: the file is damaged$")
        :format(LINE), message)
      problem = loader:state_dict()
      assert.equal(4, problem.position)
    end
  end)

  it("names the fields of an error that is a table, and other values", function()
    local values = {{code = 1, [2] = "a", list = {}}, setmetatable({}, {__tostring = function() return "text" end}), 7, true}
    local ds = {size = #values, get = function(_, i) error(values[i[1]:item()]) end}
    for i, text in ipairs{'error value: {2 = "a", code = 1, list = a table}', "text", "error value: 7", "error value: true"} do
      local loader <close> = data.Loader(ds, {workers = 1})
      loader:load_state_dict{position = i - 1, batch_seed = 1}
      local message = select(2, pcall(loader:batches()))
      assert.truthy(message:find(text, 1, true), message)
      assert.matches(("Loader: worker 1, sample %d: "):format(i), message)
    end
  end)

  it("raises an error that names the signal if a worker dies, and replaces the worker", function()
    local loader = loaders[2]
    local _, pids = epoch(loader)
    local batches = {}
    fails("Loader: worker 2 crashed (signal 9, SIGKILL); memory may have run out", function()
      for x in loader:batches() do
        batches[#batches + 1] = x
        if #batches == 1 then kill("KILL", pids[2]) end
      end
    end)
    assert.is_nil(state_of(pids[2]))
    assert.truthy(state_of(pids[1]))
    local state = loader:state_dict()
    assert.equal(#batches * 3, state.position)
    loader:load_state_dict(state)
    assert.equal(4 - #batches, #epoch(loader))
    local all, new = epoch(loader)
    assert.same({1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0}, order(all))
    assert.equal(pids[1], new[1])
    assert.not_equal(pids[2], new[2])
  end)

  it("replaces workers that died between two epochs", function()
    local loader = loaders[3]
    local whole, pids = epoch(loader)
    for _ = 1, 2 do
      for i = 1, 3 do kill("KILL", pids[i]) end
      for i = 1, 3 do while state_of(pids[i]) ~= "Z" do core.sleep(0.01) end end
      local batches, new = epoch(loader)
      assert.same(order(whole), order(batches))
      for i = 1, 3 do
        assert.is_nil(state_of(pids[i]))
        assert.not_equal(pids[i], new[i])
      end
      epoch(loader, 1)                                   -- leaves answers that no loop has taken
      pids = new
    end
  end)

  it("works after an error at any instruction of a loop, as from Ctrl-C", function()
    local loader <close> = data.Loader(data.TensorDataset(lt.arange(4, {device = "cpu"})), {workers = 1, batch_size = 2})
    local function loop()
      local all = {}
      for x in loader:batches() do all[#all + 1] = x:totable() end
      return all
    end
    loop()
    local interrupted = 0
    for limit = 1, 3000, 7 do
      local count = 0
      local function stop()
        count = count + 1
        if count < limit then return end
        debug.sethook()
        error "interrupted!"
      end
      local ok = pcall(function()
        debug.sethook(stop, "", 1)
        loop()
        debug.sethook()
      end)
      if not ok then interrupted = interrupted + 1 end
      assert.same({{0, 1}, {2, 3}}, loop())
    end
    assert.truthy(interrupted > 100)
  end)

  it("ends the workers with a variable, and with itself", function()
    local pids
    do
      local loader <close> = data.Loader(maker(2), {workers = 2})
      pids = select(2, epoch(loader))
    end
    assert.same({nil, nil}, {state_of(pids[1]), state_of(pids[2])})
    pids = select(2, epoch(data.Loader(maker(2), {workers = 1})))
    collectgarbage()
    collectgarbage()
    assert.is_nil(state_of(pids[1]))
  end)
end)

describe("a script with workers", function()
  -- The script writes the numbers of its process and of a worker. Then the process that is named `slow` waits.
  local code = [[
    local core, data = require "luatensor.core", require "luatensor.data"
    local slow = %q
    local function pid()
      local stat <close> = assert(io.open "/proc/self/stat")
      return stat:read "n"
    end
    local ds = {size = 9, get = function(_, i)
      if slow == "worker" and i[1]:item() > 1 then core.sleep(1000) end
      return pid()
    end}
    for worker in data.Loader(ds, {workers = 1}):batches() do
      io.stdout:write(pid(), " ", worker, "\n")
      io.stdout:flush()
      if slow == "script" then core.sleep(1000) end
    end]]

  local function ends_after(signal, slow, text)
    local child <close> = assert(core.child({assert(interpreter(arg)), "-e", code:format(slow)}, 20))
    local pid, worker = child:read(10):match "^(%d+) (%d+)\n$"
    kill(signal, pid)
    local parts = {}
    for more in function() return child:read(5) end do parts[#parts + 1] = more end
    assert.truthy(table.concat(parts):find(text, 1, true))
    wait_for_end(worker)
  end

  it("ends its workers if Ctrl-C ends the script", function() ends_after("INT", "worker", "interrupted!") end)
  it("ends its workers if it is killed", function() ends_after("KILL", "script", "") end)
end)

describe("Loader with workers refuses", function()
  local ds = data.TensorDataset(lt.zeros(3, {device = "cpu"}))

  it("options that do not fit", function()
    fails("Loader: workers: -1 is out of range", data.Loader, ds, {workers = -1})
    fails("Loader: workers: integer expected, got 1.5", data.Loader, ds, {workers = 1.5})
    fails("Loader: workers: integer expected, got boolean", data.Loader, ds, {workers = true})
    fails("Loader: interpreter: string expected, got number", data.Loader, ds, {workers = 1, interpreter = 5.4})
    fails("Loader: data set expected, got nil", data.Loader, nil, {workers = 1})
    fails("Loader: data set expected, got number", data.Loader, function() return 7 end)
  end)

  it("a program that is no interpreter", function()
    local before = arg
    for _, none in ipairs{{[0] = "host"}, false} do
      rawset(_G, "arg", none or nil)
      local ok, message = pcall(data.Loader, ds, {workers = 1})
      rawset(_G, "arg", before)
      assert.is_false(ok)
      assert.matches('Loader: workers: this program is no Lua interpreter; name one by option interpreter = "lua5.4"$', message)
    end
    for program, code in pairs{["/nowhere/lua"] = 127, ["false"] = 1} do
      fails(('Loader: worker 1 ended with exit code %d; is "%s" an interpreter of Lua 5.4 that finds luatensor?'):format(code, program),
            data.Loader, maker(1), {workers = 1, interpreter = program})
    end
  end)

  it("what cannot be sent", function()
    local file, generator, insert = io.stdout, lt.generator{seed = 1}, table.insert
    fails("Loader: the function: file is a FILE*, which cannot be sent to another process", data.Loader,
          function() return file end, {workers = 1})
    fails("Loader: the data set: options.generator is a generator, which cannot be sent to another process", data.Loader,
          {size = 1, get = function() return insert end, options = {generator = generator}}, {workers = 1})
    fails("Loader: the data set: get is a C function, which cannot be sent to another process", data.Loader,
          {size = 1, get = coroutine.wrap(print)}, {workers = 1})
  end)

  it("a function that makes no data set, and batches of other values", function()
    fails("Loader: worker 1, making the data set: Loader: data set expected, got number", data.Loader, function() return 7 end,
          {workers = 1})
    local here = debug.getinfo(1, "l").currentline + 1
    local function make() return io.open("/nowhere/at all"):read "a" end
    collectgarbage "stop"
    local message = select(2, pcall(data.Loader, make, {workers = 1}))
    assert.equal("", (shell.passes(("ps -o args= --ppid %d | grep 'data[.]serve' || true"):format(pid_of_this()))))
    collectgarbage "restart"
    assert.matches(("Loader: worker 1, making the data set: [^\n]*workers_spec.lua:%d: attempt to index a nil value"):format(here), message)
    local loader <close> = data.Loader({size = 1, get = function() return {{print}} end}, {workers = 1})
    fails("Loader: worker 1, sample 1: Loader: the batch: values.1.1.1 is a function, which cannot be sent to another process",
          loader:batches())
  end)
end)
