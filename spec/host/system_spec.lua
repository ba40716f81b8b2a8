-- tags: unsanitized uncollected
-- Compares the core's functions that read facts from the operating system with the system's own files and commands.
local core = require "luatensor.core"
local lt = require "luatensor"
local gpu = require "spec.support.gpu"
local shell = require "spec.support.shell"

local linux = shell.exists "/proc/meminfo"

local write, read = shell.write, shell.read

local folder
before_each(function() folder = shell.folder() end)
after_each(function() shell.passes(("chmod -R u+rwx %s; rm -r %s"):format(folder, folder)) end)

-- Returns the output of a script. The script's process has the environment variables `variables`, but no other variable
-- that chooses a folder.
local function lua(variables, script)
  local words = "env -u LUATENSOR_CACHE -u XDG_CACHE_HOME -u HOME " .. variables
  return (shell.passes(("%s lua5.4 - <<'END'\nlocal core = require 'luatensor.core'\n%s\nEND"):format(words, script)))
end

describe("sleep", function()
  it("takes the time it is told", function()
    local start = lt.clock()
    assert.is_true(core.sleep(0.05))
    assert.is_true(lt.clock() - start >= 0.05)
    assert.is_true(core.sleep(0))
  end)
  it("refuses what is no time", function()
    for _, seconds in ipairs{-1, 0 / 0, math.huge} do assert.has_error(function() core.sleep(seconds) end) end
    assert.has_error(function() core.sleep("long") end)
  end)
  it("ends at a signal, and Ctrl-C is heard", function()
    if shell.run "env --default-signal=INT true" ~= 0 then return pending "env cannot set signals" end
    local script = folder .. "/sleep.lua"
    write(script, [[
      local core = require "luatensor.core"
      io.write("ready\n") io.stdout:flush()
      local ok, problem = pcall(core.sleep, 60)
      print(ok, problem)
      for _ = 1, 1e6 do end
    ]])
    -- a shell ignores SIGINT for its background children, which inherit this setting; `env` restores the default
    local start = lt.clock()
    local output = shell.passes(([[env --default-signal=INT lua5.4 %s >%s/out 2>&1 & pid=$!
      until grep -q ready %s/out; do sleep 0.05; done; sleep 0.1; kill -INT $pid; wait $pid; cat %s/out]])
      :format(script, folder, folder, folder))
    assert.is_true(lt.clock() - start < 50)
    assert.truthy(output:find("interrupted!", 1, true), output)
  end)
end)

describe("terminal", function()
  it("is none where the output goes into a pipe or a file", function()
    assert.equal("nil\tnil\n", lua("", "print(core.terminal(1), core.terminal(2))"))
    assert.is_nil(core.terminal(99))
  end)
  it("has as many columns as it says", function()
    write(folder .. "/columns.lua", "io.write(require 'luatensor.core'.terminal(1))")
    write(folder .. "/command", ("stty cols 93; lua5.4 %s/columns.lua"):format(folder))
    local status, output = shell.on_terminal("xterm", ("sh %s/command"):format(folder))
    if not status then return pending "no terminal can be made here" end
    assert.truthy(output:find "^93", output)
  end)
end)

describe("the cache folder", function()
  local script = "print(core.cache_folder())"
  it("is LUATENSOR_CACHE, made with all above it", function()
    local path = folder .. "/a/b"
    assert.equal(path .. "\n", lua(("LUATENSOR_CACHE=%s XDG_CACHE_HOME=/x HOME=/y"):format(path), script))
    shell.passes("test -d " .. path)
  end)
  it("is else in XDG_CACHE_HOME, else in HOME", function()
    assert.equal(folder .. "/luatensor\n", lua(("XDG_CACHE_HOME=%s HOME=/y"):format(folder), script))
    assert.equal(folder .. "/.cache/luatensor\n", lua("HOME=" .. folder, script))
    assert.equal(folder .. "/.cache/luatensor\n", lua("LUATENSOR_CACHE= XDG_CACHE_HOME=relative HOME=" .. folder, script))
    shell.passes(("test -d %s/.cache/luatensor"):format(folder))
  end)
  it("is nowhere without them", function()
    assert.equal("nil\tno folder for a cache: none of LUATENSOR_CACHE, XDG_CACHE_HOME and HOME names one\n", lua("", script))
  end)
  it("is told with the reason where it cannot be", function()
    local file = folder .. "/file"
    write(file, "")
    assert.equal(("nil\t%s: Not a directory\n"):format(file), lua("LUATENSOR_CACHE=" .. file, script))
    assert.equal(("nil\t%s/in: Not a directory\n"):format(file), lua(("LUATENSOR_CACHE=%s/in"):format(file), script))
    assert.truthy(lua("LUATENSOR_CACHE=/proc/nowhere", script):find "^nil\t/proc/nowhere: %u%l")
  end)
end)

-- Makes a folder that replaces /proc and /sys. `files` maps the path of each file to its contents.
local function tree(files)
  for path, text in pairs(files) do
    shell.passes(("mkdir -p $(dirname %s/%s)"):format(folder, path))
    write(folder .. "/" .. path, text)
  end
  return folder
end

local meminfo = "MemTotal:  1000 kB\nMemFree:  1 kB\nMemAvailable:    600 kB\n"

describe("memory", function()
  it("is what the machine has", function()
    if not linux then return pending "no /proc/meminfo" end
    local text = read "/proc/meminfo"
    local total, available = text:match "MemTotal:%s*(%d+)", text:match "MemAvailable:%s*(%d+)"
    local most, free = core.system_memory()
    assert.is_true(most <= total * 1024)
    -- 1 GiB of tolerance, because other processes allocate and free memory meanwhile; a control group's limit may leave
    -- less
    assert.is_true(free > 0 and free <= available * 1024 + 2 ^ 30)
  end)
  it("is that of /proc/meminfo without a group", function()
    assert.same({1024000, 614400}, {core.system_memory(tree{["proc/meminfo"] = meminfo})})
  end)
  it("that is left is unknown without a word about it", function()
    assert.same({1024000}, {core.system_memory(tree{["proc/meminfo"] = "MemTotal: 1000 kB\n"})})
  end)
  it("that tensors can take is no more than what a limit of addresses or of data leaves", function()
    if not linux then return pending "no /proc/self/limits" end
    for _, option in ipairs {"-v", "-d"} do
      local script = "require [[luatensor]] print(require [[luatensor.core]].available_memory [[cpu]])"
      local output = shell.passes(("ulimit %s 600000; lua5.4 -e '%s'"):format(option, script))
      assert.is_true(tonumber(output) < 600000 * 1024 and tonumber(output) > 2 ^ 20, output)
    end
  end)
  it("is limited by a group, what files are kept in counted as free", function()
    local files = {["proc/meminfo"] = meminfo, ["proc/self/cgroup"] = "0::/a/b\n",
      ["sys/fs/cgroup/a/b/memory.max"] = "400000\n", ["sys/fs/cgroup/a/b/memory.current"] = "300000\n",
      ["sys/fs/cgroup/a/b/memory.stat"] = "anon 1\ninactive_file 50000\n"}
    assert.same({400000, 150000}, {core.system_memory(tree(files))})
    assert.same({400000, 150000}, {core.system_memory(tree{
      ["sys/fs/cgroup/a/memory.max"] = "500000", ["sys/fs/cgroup/a/memory.current"] = "300000"})})
    assert.same({400000, 20000}, {core.system_memory(tree{["sys/fs/cgroup/a/memory.current"] = "480000"})})
    assert.same({450000, 20000}, {core.system_memory(tree{["sys/fs/cgroup/a/b/memory.max"] = "max",
      ["sys/fs/cgroup/a/memory.max"] = "450000", ["sys/fs/cgroup/a/memory.current"] = "430000"})})
  end)
  it("is limited by a group of version 1, seen from inside", function()
    local files = {["proc/meminfo"] = meminfo, ["proc/self/cgroup"] = "4:cpu,cpuacct:/\n3:memory:/docker/1234\n",
      ["sys/fs/cgroup/memory/memory.limit_in_bytes"] = "200000", ["sys/fs/cgroup/memory/memory.usage_in_bytes"] = "90000",
      ["sys/fs/cgroup/memory/memory.stat"] = "inactive_file 7\ntotal_inactive_file 10000\n"}
    assert.same({200000, 120000}, {core.system_memory(tree(files))})
    assert.same({1024000, 614400}, {core.system_memory(tree{
      ["sys/fs/cgroup/memory/memory.limit_in_bytes"] = "9223372036854771712"})})
  end)
  it("that an overfull group leaves is none", function()
    assert.same({200000, 0}, {core.system_memory(tree{["proc/meminfo"] = meminfo,
      ["sys/fs/cgroup/memory.max"] = "200000", ["sys/fs/cgroup/memory.current"] = "210000"})})
  end)
  it("that tensors can take shrinks as they take it", function()
    if not linux then return pending "no /proc/meminfo" end
    local limit = "LUATENSOR_MEMORY_LIMIT=64M"
    assert.equal("67108864\n", lua(limit, "print(core.available_memory('cpu'))"))
    assert.equal("67104768\t67108864\n", lua(limit, [[
      local lt = require "luatensor"
      local x = lt.zeros(1024)
      local with = core.available_memory("cpu")
      x:free()
      print(with, core.available_memory("cpu"))]]))
  end)
  it("that a GPU has left is its driver's, with what is kept for reuse", function()
    if not gpu.api.is_available() then return pending "no GPU" end
    local before = core.available_memory(gpu.kind)
    local x = lt.zeros(2 ^ 22, {device = gpu.kind, dtype = "uint8"})
    assert.is_true(before - core.available_memory(gpu.kind) >= 2 ^ 22)
    x:free()
    assert.is_true(before - core.available_memory(gpu.kind) < 2 ^ 22)
  end)
end)

describe("processors", function()
  it("are those that the process may use", function()
    if shell.run "nproc" ~= 0 then return pending "no nproc" end
    assert.equal(tonumber(shell.passes "env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT nproc"), (core.processors()))
    if shell.run "taskset -c 0 true" == 0 then
      assert.equal("1\n", shell.passes [[taskset -c 0 lua5.4 -e 'print((require"luatensor.core".processors()))']])
    end
  end)
  it("may have a quota", function()
    local function quota(files) return (select(2, core.processors(tree(files)))) end
    assert.is_nil(quota{["sys/fs/cgroup/cpu.max"] = "max 100000\n"})
    assert.equal(1.5, quota{["sys/fs/cgroup/cpu.max"] = "150000 100000\n"})
    assert.equal(0.5, quota{["proc/self/cgroup"] = "0::/a\n", ["sys/fs/cgroup/a/cpu.max"] = "50000 100000\n"})
  end)
  it("may have a quota of version 1", function()
    local function quota(files) return (select(2, core.processors(tree(files)))) end
    assert.is_nil(quota{["sys/fs/cgroup/cpu/cpu.cfs_quota_us"] = "-1\n", ["sys/fs/cgroup/cpu/cpu.cfs_period_us"] = "100000\n"})
    assert.equal(2.5, quota{["sys/fs/cgroup/cpu/cpu.cfs_quota_us"] = "250000\n"})
  end)
end)

gpu.describe("on a GPU", {{}}, function()
  it("an emulator says that it is one", function()
    local info = lt.devices()[2]
    assert.equal(gpu.emulator and true or nil, info.emulated)
  end)
end)

describe("a child process", function()
  -- Reads all output of a child. Returns the output, and how the child ended.
  local function output_of(words, seconds)
    local child <close> = assert(core.child(words, seconds or 10))
    local parts = {}
    for text in function() return child:read(5) end do parts[#parts + 1] = text end
    return table.concat(parts), child:finish()
  end

  it("gives both output streams and the exit status", function()
    assert.same({"one\ntwo\n", "exit", 3}, {output_of{"sh", "-c", "echo one; echo two >&2; exit 3"}})
    assert.same({"", "signal", 11}, {output_of{"sh", "-c", "kill -SEGV $$"}})
  end)

  it("has an empty input", function() assert.same({"", "exit", 0}, {output_of{"cat"}}) end)

  it("gives more output than a pipe holds", function()
    local text = output_of{"sh", "-c", "head -c 300000 /dev/zero"}
    assert.equal(300000, #text)
  end)

  it("says that a program cannot be started", function()
    assert.same({"/nowhere/x: cannot be started\n", "exit", 127}, {output_of{"/nowhere/x"}})
  end)

  it("ends by itself after its time", function()
    assert.same({"", "signal", 14}, {output_of({"sleep", "30"}, 1)})
  end)

  it("is killed with its own children at the end of its variable", function()
    local name = os.tmpname()
    do
      local child <close> = assert(core.child({"sh", "-c", "sleep 30 & echo $! > " .. name .. "; echo ready; wait"}, 60))
      assert.equal("ready\n", child:read(5))
      assert.equal("", child:read(0))
    end
    local file <close> = assert(io.open(name))
    local pid = assert(tonumber(file:read "l"))
    os.remove(name)
    local function is_running() return os.execute(("ps -o stat= -p %d | grep -qv '^Z'"):format(pid)) == true end
    for _ = 1, 100 do
      if not is_running() then break end
      core.sleep(0.05)
    end
    assert.is_false(is_running())
  end)

  it("takes only words and a time", function()
    assert.has_error(function() core.child({}, 1) end)
    assert.has_error(function() core.child({1}, 1) end)
    assert.has_error(function() core.child({"true"}, 0) end)
    assert.has_error(function() core.child({"true", ("x"):rep(10)}, 2 ^ 40) end)
  end)
end)
