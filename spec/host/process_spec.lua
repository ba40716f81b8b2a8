-- tags: process blas
-- Tests whole processes: exits, Ctrl-C, several states, forks.
local shell = require "spec.support.shell"

local run, passes = shell.run, shell.passes
local scripts = "spec/support/scripts/"

local function host(name)
  local path = "build/spec/" .. name
  return shell.exists(path) and path or nil
end

describe("a process", function()
  it("exits cleanly, 50 times", function()
    for _ = 1, 50 do
      passes [[lua5.4 -e 'local lt = require "luatensor"; local x = lt.ones(300, 300); x = x:matmul(x) + 1']]
    end
  end)

  it("collects garbage before every k-th tensor, where LUATENSOR_GCSTRESS says so", function()
    local script = [[local lt, marks = require "luatensor", {}
      collectgarbage "stop"
      for i = 1, 9 do
        marks[i] = "-";
        (function() setmetatable({}, {__gc = function() if marks[i] == "-" then marks[i] = "g" end end}) end)()
        lt.ones(1)
        if marks[i] == "-" then marks[i] = "." end
      end
      io.write(table.concat(marks))]]
    for setting, want in pairs {["1"] = "ggggggggg", [""] = "ggggggggg", ["3"] = "..g..g..g", ["3:1"] = ".g..g..g.",
                                ["3:5"] = "g..g..g..", ["7:3"] = "...g....."} do
      local _, output = run(("LUATENSOR_GCSTRESS='%s' lua5.4 -e '%s'"):format(setting, script))
      assert.equal(want, output, setting)
    end
    local _, output = run(("env -u LUATENSOR_GCSTRESS lua5.4 -e '%s'"):format(script))
    assert.equal(".........", output)
  end)

  it("exits cleanly by os.exit, with and without closing the state", function()
    passes [[lua5.4 -e 'local lt = require "luatensor"; x = lt.ones(300, 300); x = x:matmul(x); os.exit(0, true)']]
    passes [[lua5.4 -e 'local lt = require "luatensor"; x = lt.ones(300, 300); x = x:matmul(x); os.exit(0, false)']]
  end)

  it("exits cleanly after an error", function()
    local status, output = run [[lua5.4 -e 'local lt = require "luatensor"; x = lt.ones(300, 300); x = x + lt.ones(7)']]
    assert.equal(1, status)
    assert.is_truthy(output:find("do not broadcast", 1, true))
  end)

  it("ends a loop by Ctrl-C with Lua's own words", function()
    local status, output = run("out=$(mktemp); lua5.4 " .. scripts .. "loop.lua >$out 2>&1 & pid=$!; " ..
      "for i in $(seq 400); do grep -q ready $out && break; sleep 0.05; done; " ..
      "kill -INT $pid; wait $pid; s=$?; cat $out; rm $out; exit $s")
    assert.equal(1, status)
    assert.is_truthy(output:find("interrupted!", 1, true), output)
  end)

  for script, words in pairs {endless = "interrupted!\n4.0\n", endless_coroutine = "endless_coroutine.lua:6: interrupted!"} do
    it("ends an operation of hours by Ctrl-C: " .. script, function()
      local _, output = run("out=$(mktemp); timeout 60 lua5.4 " .. scripts .. script .. ".lua >$out 2>&1 & pid=$!; " ..
        "for i in $(seq 400); do grep -q ready $out && break; sleep 0.05; done; sleep 0.2; " ..
        "kill -INT $(ps -o pid= --ppid $pid || echo $pid); wait $pid; s=$?; cat $out; rm $out; exit $s")
      assert.is_truthy(output:find(words, 1, true), output)
    end)
  end

  it("runs with any table of kernels and any number of threads", function()
    for _, isa in ipairs {"baseline", "avx2", "avx512"} do
      passes("LUATENSOR_CPU=" .. isa .. " lua5.4 " .. scripts .. "small.lua")
    end
    for _, threads in ipairs {"1", "2", "7"} do
      passes("OMP_NUM_THREADS=" .. threads .. " lua5.4 " .. scripts .. "small.lua")
    end
  end)

  it("names the chosen table as LUATENSOR_CPU does, and refuses other values of the variable", function()
    local script = [[local ok, lt = pcall(require, "luatensor")  print(ok and lt.devices()[1].isa or lt)]]
    local function says(value) return passes(("LUATENSOR_CPU='%s' lua5.4 -e '%s'"):format(value, script)) end
    assert.equal("baseline\n", says "baseline")
    assert.matches("^%w+\n$", says "avx512")
    for _, value in ipairs {"nonsense", "base", "AVX2", ""} do
      assert.equal(('luatensor: LUATENSOR_CPU is "%s"; baseline, avx2 or avx512 expected\n'):format(value), says(value))
    end
  end)

  it("draws the same 100 000 numbers with any table of kernels", function()
    local script = [[local lt = require "luatensor"
      lt.manual_seed(7)
      local function sums(name, dtype, bits)      -- prints a sum of the bits of each number with a weight of its own
        local x = lt[name](100000, {dtype = dtype})
        local words = lt.from_bytes(x:to_bytes(), {#x}, {dtype = bits}):to("int64")
        print(name, dtype, (words * lt.arange(1, #x + 1)):sum():item())
      end
      sums("randn", "float32", "int32") sums("randn", "float64", "int64") sums("randn", "float16", "int16")
      sums("randn", "bfloat16", "int16") sums("rand", "float32", "int32") sums("rand", "float64", "int64")]]
    local first
    for _, isa in ipairs {"baseline", "avx2", "avx512"} do
      local output = passes(("LUATENSOR_CPU=%s lua5.4 -e '%s'"):format(isa, script))
      first = first or output
      assert.equal(first, output, isa)
    end
  end)
end)

describe("Lua states in one process", function()
  local states = host "states_host"

  for _, mode in ipairs {"sequence", "together", "threads", "fork"} do
    it("work: " .. mode, function()
      if not states then return pending "make test-hosts builds the host" end
      passes(("%s %s %ssmall.lua"):format(states, mode, scripts))
    end)
  end
end)

describe("threads", function()
  it("that the system refuses are fewer, and not an error or the end of the process", function()
    local script = [[local lt = require "luatensor"
      print(lt.zeros(1000, 3000):exp():sum():item(), lt.get_num_threads() < 1000)]]
    local _, text = run(("ulimit -v 700000; OMP_NUM_THREADS=1000 lua5.4 -e '%s'"):format(script))
    assert.truthy(text:find("3000000.0\ttrue", 1, true), text)
  end)
end)

describe("== of tensors", function()
  local says = ": == asks whether these are the same tensor; values: lt.equal_all(x, y), x:equal(y)"
  local function warnings(script)
    local output = passes(("lua5.4 -W -e '%s'"):format(script))
    local list = {}
    for line in output:gmatch "Lua warning: ([^\n]*)" do list[#list + 1] = line end
    return list, output
  end

  it("warns once a line, and asks for identity as before", function()
    local list, output = warnings [[
      local lt = require "luatensor"
      local x, y = lt.ones(2), lt.ones(2)
      for i = 1, 3 do local same = x == y end
      print(x == y, x ~= y, x == x, x == io.stdout, x == 1, x == nil, ({[x] = 1})[y])]]
    assert.same({"(command line):3" .. says, "(command line):4" .. says}, list)
    assert.truthy(output:find("false\ttrue\ttrue\tfalse\tfalse\tfalse\tnil\n", 1, true), output)
  end)

  it("is silent where nobody turned warnings on", function()
    assert.equal("", passes [[lua5.4 -e 'local lt = require "luatensor"; local same = lt.ones(1) == lt.ones(1)']])
  end)

  it("is not what our own code compares tensors by", function()
    assert.same({}, (warnings [[
      local lt = require "luatensor"
      local x = lt.eye(2):requires_grad_()
      lt.einsum("ij->ij", x)
      lt.linalg.matrix_power(x, 0)
      x:backward(lt.ones(2, 2))
      lt.grad(function(t) return (t * t):sum() end)(x)
      local mha = lt.nn.MultiheadAttention(4, 2, {batch_first = true})
      local q = lt.rand(2, 3, 4)
      mha(q, q, q)
      mha(q, q, lt.rand(2, 3, 4)):sum():backward()
      lt.optim.LBFGS(mha:parameters(), {lr = 1}):step(function() local loss = mha(q, q, q):square():sum() loss:backward() return loss end)
      lt.nn.Sequential(lt.nn.Identity(), lt.nn.ReLU())(q)
      lt.unique(q)
      lt.searchsorted(lt.ones(3), lt.ones(2))]]))
  end)
end)

describe("a script that comes from a pipe", function()
  it("is not read again for a field that a module has not", function()
    local status, output = run [[d=$(mktemp -d); mkfifo $d/f; (echo 'print(require("luatensor.nn").Linear(2, 2).foo)' > $d/f &) ; \
      timeout 60 tools/lua $d/f; s=$?; rm -r $d; exit $s]]
    assert.equal(0, status, output)
    assert.equal("nil\n", output)
  end)
end)

describe("the prompt", function()
  for _, program in ipairs {"tools/lua", "bin/luatensor"} do
    it("of " .. program .. " -i has the module's tables, and warns", function()
      local status, output = run(([[printf '%%s\n' 'x = lt.ones(2, 3)' 'print(x.size, nn.Linear, optim.SGD, data.digits)' \
        'x == lt.ones(2)' 'x == lt.ones(2)' | %s -i]]):format(program))
      assert.equal(0, status)
      assert.truthy(output:find "6\tclass: 0x%x+\tclass: 0x%x+\tfunction: ", output)
      local _, warned = output:gsub("Lua warning: stdin:1: == asks", "")
      assert.equal(2, warned)
    end)

    it("of " .. program .. " -i runs a script and passes its arguments", function()
      local status, output = run(([[f=$(mktemp); echo 'print(lt.ones(2).size, ...)' > $f; %s -i $f "a b" c </dev/null; s=$?; rm $f; exit $s]]):format(program))
      assert.equal(0, status)
      assert.truthy(output:find("2\ta b\tc\n", 1, true), output)
    end)
  end
end)

describe("what cannot run", function()
  it("a checkout that is not built says so", function()
    if run [[unset LUA_PATH LUA_CPATH; cd / && lua5.4 -e 'assert(package.searchpath("luatensor.core", package.cpath))']] == 0 then
      return pending "Lua has no installed luatensor, which would be found"
    end
    local copy = "d=$(mktemp -d); cp -r lua bin tools $d; mkdir $d/src; touch $d/src/core.c; "
    local function fails(command)
      local status, output = run(copy .. ("(unset LUA_PATH LUA_CPATH; cd / && %s); s=$?; rm -r $d; exit $s"):format(command))
      assert.equal(1, status)
      assert.truthy(output:find("^[^\n]*luatensor: package%.cpath does not lead to [^\n]*: run make in /"), output)
      assert.falsy(output:find("luatensor: luatensor:", 1, true), output)
    end
    fails [[$d/tools/lua -e 'require "luatensor"']]
    fails [[$d/tools/lua -e 'require "luatensor.nn"']]
    fails [[$d/bin/luatensor info]]
  end)

  it("another Lua is named", function()
    for _, lua in ipairs {"lua5.1", "lua5.2", "lua5.3", "luajit"} do
      if run("command -v " .. lua) == 0 then
        local status, output = run(("LUA_PATH='lua/?.lua;lua/?/init.lua' %s -e '%s'"):format(lua,
          [[pcall(require, "luatensor") pcall(require, "luatensor.nn") require "luatensor.nn"]]))
        assert.equal(1, status)
        assert.truthy(output:find "luatensor needs Lua 5%.4 or 5%.5, this is Lua%w* [%d.]+", output)
        status, output = run(lua .. " bin/luatensor --version")
        assert.equal(1, status)
        assert.truthy(output:find "^luatensor needs Lua 5%.4 or 5%.5, this is Lua[^\n]+\n$", output)
      end
    end
  end)
end)

describe("bin/luatensor without the Lua files", function()
  it("says what to do", function()
    local status, output = run [[d=$(mktemp -d); cp bin/luatensor $d; (unset LUA_PATH LUA_CPATH; cd / && $d/luatensor); s=$?; \
      rm -r $d; exit $s]]
    assert.equal(1, status)
    assert.truthy(output:find "^luatensor: found no Lua files of luatensor for Lua 5[^\n]+, or set LUA_PATH\n$", output)
  end)
end)

describe("numbers", function()
  it("keep a metatable that they have", function()
    local output = passes [[lua5.4 -e '
      local mine = {__index = math}
      debug.setmetatable(0, mine)
      local lt = require "luatensor"
      print(debug.getmetatable(0) == mine, mine.__call, (2.5):floor(), pcall(function() return lt.ones(2):size(1) end))']]
    assert.truthy(output:find("^true\tnil\t2\tfalse\t.*attempt to call a number value"), output)
  end)
end)
