-- tags: process
-- Tests luatensor doctor as a user runs it: on the CPU, on the emulated GPU, with faults, and interrupted.

local cases = require "luatensor.doctor.cases"
local core = require "luatensor.core"
local doctor_row = require "luatensor.doctor.row"
local families = require "luatensor.doctor.families"
local json = require "luatensor.io.json"
local lt = require "luatensor"
local luatensor = require "spec.support.command"
local process = require "luatensor.doctor.process"
local queues = require "luatensor.doctor.queues"
local report = require "luatensor.doctor.report"
local shell = require "spec.support.shell"

local file, saved = luatensor.file, luatensor.saved
local build = os.getenv "BUILD" or "build"
local without_gpu = "LUATENSOR_CUDA_PATH=/nowhere LUATENSOR_ROCM_PATH=/nowhere "

teardown(luatensor.clean)

-- Runs doctor with the result file `name`. Returns the exit status, the output and the saved result.
local function examine(name, arguments, environment)
  local status, output = luatensor.run(("doctor --out %s %s"):format(file(name), arguments), environment)
  return status, output, saved(name)
end

-- Returns {stage = result} of a saved file.
local function results(made)
  local found = {}
  for _, stage in ipairs(made.stages) do found[stage.name] = stage.result end
  return found
end

local function stage_of(made, name)
  for _, stage in ipairs(made.stages) do
    if stage.name == name then return stage end
  end
end

-- Returns the messages that a stage of `module` sends in this process, for the CPU.
local function messages_of(run, seconds)
  local sent = {}
  local out = {write = function(_, _, text) sent[#sent + 1] = json.decode(text) end, flush = function() end}
  run(report.new{device = core.host_device, info = {kind = "cpu", device = core.host_device}, seconds = seconds, out = out})
  return sent
end

-- Returns the first message with a problem.
local function problem_in(messages)
  for _, message in ipairs(messages) do
    if message.problem then return message.problem end
  end
end

describe("doctor without a GPU", function()
  local status, output, made

  setup(function() status, output, made = examine("cpu.json", "--seconds 2", without_gpu) end)

  it("tests the CPU, says so, and saves every stage", function()
    assert.equal(0, status, output)
    assert.truthy(output:find("There is no GPU on this machine, so the CPU was tested.", 1, true), output)
    assert.equal("cpu", made.device)
    assert.truthy(made.without:find("no NVIDIA driver", 1, true))
    local found = results(made)
    for _, name in ipairs{"versions", "kernels", "families", "products", "errors", "transfers", "graphs", "races"} do
      assert.equal("sound", found[name], name)
    end
    assert.equal("skipped", found.full)
    assert.truthy(found.speed == "sound" or found.speed == "flagged")
  end)

  it("names the MPI of this machine, or says that there is none", function()
    local engine = stage_of(made, "versions").about:match "; (MPI.*)"
    assert.truthy(engine:find "^MPI: %S" or engine:find "^MPI not found: %S", engine)
  end)

  it("counts its checks, and saves the figures", function()
    assert.equal(#cases.of(core.host_device), stage_of(made, "kernels").passed)
    assert.is_true(stage_of(made, "families").passed >= 3 * 20)
    local speed = stage_of(made, "speed")
    assert.equal("launch", speed.figures[1].name)
    assert.is_true(speed.figures[1].value > 0)
  end)

  it("can be shown again from its file", function()
    local again, text = luatensor.run("doctor --from " .. file "cpu.json")
    assert.equal(0, again, text)
    assert.truthy(text:find(made.verdict:sub(1, 40), 1, true), text)
  end)

  it("has a call of each family of kernels", function()
    local there = {}
    for _, row in ipairs(cases.list) do there[row.family] = true end
    for family in shell.read("src/families.def"):gmatch "\n[^\n*#]-FAMILY%((%w+)," do
      assert.is_true(there[family], family)
    end
  end)
end)

describe("doctor finds", function()
  it("factors that are rounded before a product", function()
    local full = lt.full
    lt.full = function(shape, _, options) return full(shape, 1, options) end
    local ok, messages = pcall(messages_of, families.products, 1)
    lt.full = full
    assert.is_true(ok, messages)
    assert.equal("product, 8 × 8: relative error 0.00049: the factors were rounded", problem_in(messages))
    assert.is_nil(problem_in(messages_of(families.products, 1)))
  end)

  it("a call whose results differ from call to call", function()
    local kept, count = cases.list, 0
    cases.list = {{family = "map", name = "unsteady", make = function(n) return {lt.zeros(n)} end, call = function(x)
      count = count + 1
      return x[1] + (count == 9 and 1 or 0)
    end}}
    local ok, messages = pcall(messages_of, queues.races, 5)
    cases.list = kept
    assert.is_true(ok, messages)
    assert.truthy(problem_in(messages):find "^unsteady: %d+ elements differ in %d+ calls$")
  end)

  it("speeds that are off by more than two, in either direction", function()
    local function flagged(unit, value, projected)
      local row = doctor_row.new{name = "speed", title = "speeds"}
      row:take{passed = 1}
      row:take{figure = {name = "it", unit = unit, value = value, projected = projected}}
      row:finish(1)
      return row.result
    end
    assert.equal("flagged", flagged("s", 2.1, 1))
    assert.equal("flagged", flagged("s", 0.4, 1))
    assert.equal("flagged", flagged("B/s", 0.4, 1))
    assert.equal("sound", flagged("B/s", 0.6, 1))
    assert.equal("sound", flagged("s", 1.9, 1))
    assert.equal("sound", flagged("s", 1.9))
  end)

  it("a broken driver: one stage, a sentence, exit status 1", function()
    shell.passes("mkdir -p " .. file "broken")
    luatensor.write("broken/libcuda.so.1", "nonsense")
    local environment = ("LUATENSOR_ROCM_PATH=/nowhere LUATENSOR_CUDA_PATH=%s "):format(file "broken")
    for _, device in ipairs{"", " --device cuda"} do
      local status, output, made = examine("broken.json", "--seconds 2" .. device, environment)
      assert.equal(1, status, output)
      assert.truthy(made.verdict:find("^No device was tested: the device cannot be used: "), made.verdict)
      assert.truthy(made.verdict:find("libcuda.so.1: file too short; what to do: ", 1, true), made.verdict)
      assert.same({versions = "wrong"}, results(made))
    end
  end)

  it("a driver that crashes", function()
    shell.passes("mkdir -p " .. file "crashing")
    local library = "__attribute__((constructor)) static void f(void) { __builtin_trap(); }"
    shell.passes(("echo '%s' | cc -shared -fPIC -xc - -o %s/libcuda.so.1"):format(library, file "crashing"))
    local status, output, made = examine("crashing.json", "--seconds 2", "LUATENSOR_CUDA_PATH=" .. file "crashing" .. " ")
    assert.equal(1, status, output)
    assert.truthy(made.verdict:find "^No device was tested: crashed %(signal %d+, %u+%) at: looking for the device%.$", made.verdict)
    assert.same({versions = "crashed"}, results(made))
  end)

  it("a stage that does not answer", function()
    local start = lt.clock()
    local ended = process.run({name = "families"}, 60, 1, core.host_device, function() end)
    assert.equal("no answer in 1 s", ended)
    assert.is_true(lt.clock() - start < 10)
  end)
end)

-- Starts doctor, waits until a child has spent 0.5 s of processor time in the stage, and evaluates shell code in which
-- $doctor and $child are the processes. Returns the exit status of doctor, and the saved result.
local function disturb(name, arguments, stage, code)
  local status, output = shell.run(([[
    %sbin/luatensor doctor --out %s %s >/dev/null 2>&1 & doctor=$!
    tries=0
    until child=$(pgrep -P $doctor -f 'doctor.child.*"%s"') || [ $tries = 400 ]; do sleep 0.02; tries=$((tries + 1)); done
    until [ "$(cut -d' ' -f14 /proc/$child/stat 2>/dev/null || echo 50)" -ge 50 ] || [ $tries = 800 ]; do
      sleep 0.02; tries=$((tries + 1))
    done
    %s
    wait $doctor]]):format(without_gpu, file(name), arguments, stage, code))
  return status, saved(name), output
end

describe("doctor goes on", function()
  it("after a child that crashes", function()
    local arguments = "--seconds 40 --stage families --stage errors"
    local status, made, output = disturb("crash.json", arguments, "families", "kill -SEGV $child")
    assert.equal(1, status, output)
    assert.same({versions = "sound", families = "crashed", errors = "sound"}, results(made))
    local stage = stage_of(made, "families")
    assert.equal("crashed (signal 11, SIGSEGV)", stage.ended)
    assert.truthy(stage.doing:find "elements, offset %d$")
    assert.equal("Not sound on the CPU", made.verdict:match "Not sound on the CPU")
  end)

  it("until Ctrl-C, which leaves a readable file and exit status 1", function()
    local status, made, output = disturb("stopped.json", "--seconds 40", "families", "kill -INT $doctor")
    assert.equal(1, status, output)
    assert.equal("Not complete: interrupted by Ctrl-C in stage 3 of 10, families beside the CPU.", made.verdict)
    assert.same({versions = "sound", kernels = "sound", families = "interrupted"}, results(made))
  end)
end)

describe("doctor on the emulated GPU", function()
  if not shell.exists(build .. "/spec/emulator/libcuda.so.1") then
    return pending "make emulator builds what this needs"
  end
  local environment = ("LUATENSOR_ROCM_PATH=/nowhere LUATENSOR_CUDA_PATH=%s/spec/emulator LUATENSOR_CACHE=%s/spec/kernels ")
    :format(build, build)

  it("runs its stages, and says that the GPU is emulated", function()
    local status, output, made = examine("emulated.json", "--seconds 4", environment .. "LUATENSOR_EMULATOR=memory=64M,table=/dev/null ")
    assert.equal(0, status, output)
    assert.is_true(made.emulated)
    assert.equal("cuda:0", made.device)
    for name, result in pairs(results(made)) do assert.equal("sound", result, name) end
    assert.truthy(output:find("An emulator of a GPU on the CPU", 1, true), output)
    local stage = stage_of(made, "kernels")
    assert.is_true(#stage.kernels >= 20)
    for _, kernel in ipairs(stage.kernels) do assert.equal(32, kernel.registers, kernel.name) end
    assert.is_true(stage_of(made, "full").figures[1].value > 16 << 20)
  end)

  it("finds a kernel that computes wrongly, and no other", function()
    local folder = file "kernels"
    shell.passes(("mkdir %s && cp src/gpu/kernels/softmax.cuh %s"):format(folder, folder))
    shell.passes(("sed -i 's/double sum = 0;/double sum = 1;/' %s/softmax.cuh"):format(folder))
    local status, output, made = examine("wrong.json", "--seconds 2 --stage kernels",
      ("%sLUATENSOR_KERNELS=%s "):format(environment, folder))
    assert.equal(1, status, output)
    local stage = stage_of(made, "kernels")
    assert.equal("wrong", stage.result)
    local found = {}
    for i, problem in ipairs(stage.problems) do found[i] = problem:match "^[^(]+ %(.-%)" end
    assert.same({"softmax (softmax)", "tiled (lt.compile)"}, found)
    assert.truthy(stage.problems[1]:find "instead of 0.25")
  end)

  it("says which checks fail if the GPU is lost", function()
    local status, output, made = examine("lost.json", "--seconds 2 --stage kernels --stage errors",
      environment .. "LUATENSOR_EMULATOR=fail_launch=3,sticky,lost ")
    assert.equal(1, status, output)
    assert.equal("wrong", results(made).kernels)
    assert.truthy(stage_of(made, "kernels").failed > 20)
  end)
end)

describe("doctor's options", function()
  it("are checked before anything is tested", function()
    luatensor.complains(2, "--device takes a name such as cuda or cuda:0, not \"a b\"", "doctor --device 'a b'")
    luatensor.complains(1, "/nowhere/x.json: No such file or directory", "doctor --out /nowhere/x.json")
    luatensor.complains(1, "spec/data/public_surface.txt: no JSON", "doctor --from spec/data/public_surface.txt")
  end)
end)

