-- tags: process divided
-- Runs the examples as a user does: with small options, and with wrong options.

local format = require "luatensor.page.format"
local gpu = require "spec.support.gpu"
local helpers = require "spec.support.helpers"
local lt = require "luatensor"
local shell = require "spec.support.shell"

local data, nn = lt.data, lt.nn

-- Returns the output (both streams) and the exit code of tools/lua with these arguments.
local function run(arguments, environment)
  local status, output = shell.run(("%s tools/lua %s"):format(environment or "", arguments))
  return output, status
end

local quick = "--rows 40 --cols 30 --threads 2 --dtype float64 "

-- The options that make each experiment as small as possible.
local small = {
  ["01_device"] = "",
  ["02_large"] = quick .. "--iterations 2",
  ["03_small"] = quick .. "--iterations 2",
  ["04_cores"] = quick .. "--seconds 0.002 --rounds 2",
  ["05_memory"] = quick .. "--seconds 0.002 --rounds 2",
  ["06_transfer"] = quick .. "--seconds 0.002 --rounds 2",
  ["07_crossover"] = "--most 32 --seconds 0.002 --dtype float64",
  ["08_training"] = "--epochs 1 --seeds 1 --batch 64 --images 100",
  ["09_speedup"] = "--most 16 --batch 64 --seconds 0.002 --steps 2",
  ["10_transformer"] = "--steps 2 --batch 2 --times 8 --width 8 --letters 8 --threads 2 --dtype float64",
}

local LOUD = "require('luatensor.experiment').run(arg[1], {table.unpack(arg, 3)}):save(arg[2])"
local QUIET = "require('luatensor.experiment').run(arg[1], {table.unpack(arg, 3)}, true)"

-- Runs an experiment in a process of its own. Returns its result, read from JSON, and its output.
local function run_and_load(name, options, environment)
  local path = os.tmpname()
  local output = shell.passes(("%s tools/lua -e \"%s\" - %s %s %s"):format(environment or "", LOUD, name, path, options))
  local made = lt.bench.load(path)
  os.remove(path)
  return made, output
end

-- Returns all figures in the blocks, as shown.
local function shown_figures(blocks)
  local list = {}
  for _, block in ipairs(blocks) do
    for _, value in pairs(block.values or {}) do list[#list + 1] = format.show(value[1], value[2]) end
    for _, row in ipairs(block.rows or {}) do
      for c, column in ipairs(block.columns) do
        local cell = type(row[c]) == "table" and row[c] or {row[c], column.unit}
        list[#list + 1] = format.show(cell[1], cell[2])
      end
    end
  end
  return list
end

describe("examples", function()
  for name, options in pairs(small) do
    it(name .. " prints what it returns, in JSON too, and nothing when quiet", function()
      assert.equal("", (shell.passes(("tools/lua -e \"%s\" - %s '' %s"):format(QUIET, name, options))))
      local made, output = run_and_load(name, options)
      assert.equal("experiment", made.kind)
      assert.equal(name, made.name)
      assert.is_nil(made.emulated)
      assert.truthy(#made:blocks() > 0)
      local flat = output:gsub("%s+", " ")                       -- long cells and lines are wrapped
      for _, figure in ipairs(shown_figures(made:blocks())) do
        for word in figure:gmatch("%S+") do assert.truthy(flat:find(word, 1, true), figure .. " is not in\n" .. output) end
      end
      for key, value in pairs(made.values) do
        -- Values named <device>_send_seconds are computed from the published figures of other devices.
        assert.equal(key:match("^(.+)_send_seconds$") or "cpu", value.device)
        assert.truthy(value.value > 0 and not value.emulated, key)
      end
    end)
  end

  -- Returns the losses that an experiment shows, with all their digits.
  local function losses_in(blocks)
    local list = {}
    local function add(value, unit)
      if unit == "number" then list[#list + 1] = ("%.17g"):format(value) end
    end
    for _, block in ipairs(blocks) do
      if block.values and block.values.loss then add(table.unpack(block.values.loss)) end
      for _, row in ipairs(block.rows or {}) do
        for c, column in ipairs(block.columns) do add(row[c], column.unit) end
      end
      for _, series in ipairs(block.series or {}) do
        for _, point in ipairs(series.points) do add(point[2], block.y.unit) end
      end
    end
    return list
  end

  for name, options in pairs {
    ["08_training"] = "--epochs 3 --seeds 1 --batch 16 --images 100", ["09_speedup"] = "--most 16 --batch 32 --seconds 0.002",
    ["10_transformer"] = "--steps 10 --batch 4 --times 16 --width 16 --letters 8",
  } do
    it(name .. " computes the same losses when its step is compiled", function()
      local eager, compiled = run_and_load(name, options), run_and_load(name, options .. " --compile")
      local losses = losses_in(eager:blocks())
      assert.truthy(#losses > 0)
      assert.same(losses, losses_in(compiled:blocks()))
      local told
      for _, block in ipairs(compiled:blocks()) do told = told or block.values and block.values.compiled end
      assert.truthy(tostring(told and told[1]):find "^compiled function: %d+ calls, %d+ operations in ")
    end)
  end

  for _, case in ipairs{
    {"10_transformer", "--path /no/such", "/no/such: No such file or directory"},
    {"10_transformer", "--path /tmp", "/tmp: Is a directory"},
    {"10_transformer", "--heads 3", "--heads 3 does not divide --width 128"},
    {"10_transformer", "--times 100000000", "--times 100000000: the text has "},
    {"08_training", "--curve /nope/x.csv", "/nope/x.csv: No such file or directory"},
  } do
    it(case[1] .. " " .. case[2] .. " ends in one line, at once", function()
      local output, status = run(("examples/%s.lua %s"):format(case[1], case[2]))
      assert.truthy(status == 1 or status == 2)
      assert.truthy(output:find(("examples/%s.lua: %s"):format(case[1], case[3]), 1, true), output)
      assert.equal(1, select(2, output:gsub("\n", "")))
    end)
  end

  it("11_images learns digits from PNG files, draws figures, and saves the best network", function()
    local folder = shell.folder()
    local output, status = run(("examples/11_images.lua %s"):format(folder))
    assert.equal(0, status)
    local accuracy, path = output:match "\n359 test images: accuracy (%S+); plots and network: (%S+)\n"
    assert.equal(folder, path, output)
    assert.truthy(output:find("ImageFolder: 1797 images of 10 classes in " .. folder, 1, true), output)
    assert.truthy(output:find "epochs: %d+ of 30 in [%d.]+ s, loss 0%.%d+, validation 0%.%d+\n", output)

    -- Another method, the nearest mean of a class, is right in nine of ten cases, although it has seen all images.
    local x, y = data.digits():all()
    local one_hot = nn.functional.one_hot(y, 10):to "float32"
    local means = one_hot.T:matmul(x) / one_hot:sum(1):unsqueeze(2)
    local distances = (x:unsqueeze(2) - means):square():sum(3)
    local nearest = distances:argmin(2):equal(y):to("float32"):mean():item()
    assert.is_true(nearest > 0.85 and tonumber(accuracy) > nearest, ("%s, nearest mean %g"):format(accuracy, nearest))

    -- The matrix in the terminal has all test images, and its diagonal the right ones.
    local right, all = 0, 0
    for row, cells in output:match("\nConfusion matrix\n(.*)$"):gmatch "\n(%d) ([ %d]+)%f[\n]" do
      local column = 0
      for count in cells:gmatch "%d+" do
        all, right = all + count, right + (column == tonumber(row) and count or 0)
        column = column + 1
      end
    end
    assert.same({359, accuracy}, {all, ("%.3f"):format(right / 359)})

    -- The file of the best network gives the same accuracy for the same test images.
    lt.manual_seed(1)
    local images = data.ImageFolder(folder .. "/images", {mode = "gray", transform = data.transforms.to_float()})
    local _, _, tested = data.split(images, {0.6, 0.2, 0.2}, {stratify = true})
    local model = nn.Sequential(nn.Conv2d(1, 16, 3, {padding = 1}), nn.ReLU(), nn.MaxPool2d(2),
                                nn.Conv2d(16, 32, 3, {padding = 1}), nn.ReLU(), nn.Flatten(), nn.Linear(512, 10))
    model:load_state_dict(lt.load(folder .. "/best.safetensors"))
    local inputs, classes = tested:all()
    local hits = model(inputs):argmax(2):equal(classes):to("int64"):sum():item()
    assert.equal(right, hits)
    for _, name in ipairs {"loss", "confusion"} do
      assert.truthy(shell.read(("%s/%s.svg"):format(folder, name)):find "<svg.*</svg>%s*$", name)
    end
    shell.passes("rm -r " .. folder)
  end)

  it("12_table reads a table and predicts weights", function()
    local output, status = run("examples/12_table.lua")
    assert.equal(0, status)
    assert.truthy(output:find("344 rows, 8 columns", 1, true), output)
    local r2, grams = output:match "68 test birds: R² ([%d.]+), mean error (%d+) g\n$"
    assert.is_true(tonumber(r2) > 0.7 and tonumber(grams) < 350, output)        -- the mean alone: R² 0, 690 g
  end)

  it("10_transformer sends no bytes to the terminal that are no text", function()
    local path, bytes = os.tmpname(), {}
    for i = 0, 255 do bytes[i + 1] = string.char(i) end
    shell.write(path, table.concat(bytes):rep(4))
    local output, status = run("examples/10_transformer.lua " .. small["10_transformer"] .. " --letters 200 --path " .. path)
    os.remove(path)
    assert.equal(0, status)
    assert.truthy(utf8.len(output) and output:find("·", 1, true), output)
    assert.falsy(output:find "[%z\1-\9\11-\31\127]")
  end)

  it("say that the clock is read after a synchronisation", function()
    assert.truthy(run("examples/02_large.lua " .. small["02_large"]):find("elapsed time [%d.]+ %S+ %(read after a synchronisation%)"))
  end)

  it("01_device prints a device or why there is none", function()
    local output, status = run("examples/01_device.lua")
    assert.equal(0, status)
    assert.truthy(output:find("\ncpu "))
    assert.truthy(output:find("GPU not found: ", 1, true) or output:find("\nFound: cuda:0 (emulated)\n", 1, true), output)
  end)

  local wrong = {
    {"--rows 0", "--rows takes a whole number from 1 on, not \"0\""},
    {"--rows", "--rows needs a value"},
    {"--cols=2.5", "--cols takes a whole number from 1 on, not \"2.5\""},
    {"--threads 5000", "--threads takes a whole number from 1 to 1024, not \"5000\""},
    {"--dtype int8", "--dtype takes a floating-point dtype such as float32, not \"int8\""},
    {"--device abacus", "--device abacus: "},
    {"--speed 3", "unknown option: --speed"},
    {"fast", "unknown option: fast"},
  }
  for _, case in ipairs(wrong) do
    it("02_large " .. case[1] .. " is a usage error", function()
      local output, status = run("examples/02_large.lua " .. case[1])
      assert.equal(2, status)
      assert.truthy(output:find("examples/02_large.lua: " .. case[2], 1, true), output)
      assert.falsy(output:find("traceback", 1, true))
      assert.equal(1, select(2, output:gsub("\n", "")))
    end)
  end

  it("--help lists the options", function()
    local output, status = run("examples/02_large.lua --help")
    assert.equal(0, status)
    for _, option in ipairs{"device", "iterations", "rows", "cols", "dtype", "threads"} do
      assert.truthy(output:find("--" .. option, 1, true), option)
    end
  end)
end)

for _, kind in ipairs(helpers.in_turn {"cuda", "rocm"}) do describe("examples on an emulated GPU of the kind " .. kind, function()
  if not shell.exists(gpu.folder .. "/libcuda.so.1") then return pending("make emulator builds it") end
  local environment, device = gpu.only(kind), kind .. ":0"

  for name, options in pairs(small) do
    it(name .. " runs and says what its figures are worth", function()
      local made, output = run_and_load(name, (name == "01_device" and "" or "--device " .. kind .. " ") .. options, environment)
      assert.truthy(output:find(device, 1, true), output)
      if name == "01_device" then return end                      -- this experiment measures nothing
      assert.truthy(output:find("An emulator of a GPU on the CPU: its times say nothing about a GPU.", 1, true), output)
      assert.is_true(made.emulated)
      for key, value in pairs(made.values) do
        assert.equal(value.device == device or nil, value.emulated, key)
      end
      for _, block in ipairs(made:blocks()) do
        assert.falsy((block.title or ""):find("notebook's figures", 1, true), "beside an emulated device's")
      end
    end)
  end

  it("01_device finds it", function()
    local output, status = run("examples/01_device.lua", environment)
    assert.equal(0, status, output)
    assert.truthy(output:find("\n" .. device .. " %(emulated%) +Emulated GPU 0 "), output)
    assert.truthy(output:find("\nFound: " .. device .. " (emulated)\n", 1, true), output)
  end)

  it("the bench measures rows, a graph among them", function()
    local output, status = run(("bench/bench.lua --device %s --rows 'notebook, small' --rounds 1 --noisy yes --wait 1"):format(kind),
      environment)
    assert.equal(0, status, output)
    for _, words in ipairs {"An emulator of a GPU on the CPU", "measured limits: read ", "\nnotebook, small iteration ",
                            "\nnotebook, small iteration, as a graph "} do
      assert.truthy(output:find(words, 1, true), words .. "\n" .. output)
    end
    assert.falsy(output:find("bench/rows.lua", 1, true), output)
  end)

  it("demo runs them all", function()
    local output, status = run("examples/demo.lua --iterations 1 --rows 16 --cols 8 --seconds 0.002", environment)
    assert.equal(0, status, output)
    for _, title in ipairs {"01_device", "02_large --device cpu", "02_large --device " .. device, "03_small --device " .. device, "04_cores",
                            "05_memory --device " .. device, "06_transfer", "07_crossover"} do
      assert.truthy(output:find("\n== " .. title, 1, true), title .. "\n" .. output)
    end
    assert.falsy(output:find("traceback", 1, true), output)
    local last = output:match("\n== The notebook's figures beside this machine's\n(.*)$")
    assert.truthy(last:find("here, cpu", 1, true), output)       -- the notebook's sizes are 70 × 30, whatever --rows is
    assert.truthy(last:find("! Claim 12: not the notebook's loop", 1, true), output)
    assert.falsy(last:find(kind, 1, true), output)
  end)
end) end

describe("without a GPU", function()
  if lt.cuda.is_available() then return pending("there is one") end
  it("06 and 07 say why, what the CPU did, and what a GPU would have to beat", function()
    local output, status = run("examples/06_transfer.lua " .. small["06_transfer"])
    assert.equal(0, status, output)
    for _, words in ipairs{"! GPU not found: ", "memory → memory", "(published, not measured): sending two matrices takes "} do
      assert.truthy(output:find(words, 1, true), words .. "\n" .. output)
    end
    output, status = run("examples/07_crossover.lua " .. small["07_crossover"])
    assert.equal(0, status, output)
    for _, words in ipairs{"! GPU not found: ", "Only cpu was measured", "have to beat", "x + y: 2 sizes"} do
      assert.truthy(output:find(words, 1, true), words .. "\n" .. output)
    end
  end)
end)

describe("bench/bench.lua", function()
  -- A program in place of Python. It answers as peers/peer.py does, with the seconds of a round, and as if torch.compile
  -- found no C++ compiler.
  local peer = [[
#!/bin/sh
echo "Stand-in"
while read -r word rest; do
  case $word:$5 in
    row:compiled) printf 'error\tno C++ compiler\n' ;;
    quit:*) exit ;;
    *) echo 1000 ;;
  esac
done
]]

  it("shows that torch.compile is missing, and goes on", function()
    local path = os.tmpname()
    shell.write(path, peer)
    local output, status = run("bench/bench.lua --rows 'gelu by hand 10³' --rounds 1 --noisy yes --wait 1",
      "PYTHON='sh " .. path .. "'")
    os.remove(path)
    assert.equal(0, status, output)
    local eager, compiled = output:match "\n(gelu by hand 10³ [^\n]*)\n.*\n(gelu by hand 10³ [^\n]*)\n"
    assert.truthy(eager and eager:find(format.show(1000, "s"), 1, true), output)
    assert.truthy(compiled:find("no C++ compiler", 1, true), output)
    assert.equal(2, select(2, compiled:gsub("%d %S+ %(", "")))          -- times of lt.compile and lt.elementwise
  end)
end)

describe("bench/chains.lua", function()
  local chains = require "bench.chains"

  it("has a kernel that computes the bits of its chain", function()
    local x = lt.linspace(-6, 6, 1001)
    assert.equal(chains.gelu(x):to_bytes(), chains.gelu_kernel(x):to_bytes())
  end)

  it("has formulas that are right", function()
    -- without arbitrage, the prices of a call and a put differ by the discounted difference of price and strike
    local call, put = chains.black_scholes(lt.tensor {42.0}, lt.tensor {40.0}, lt.tensor {0.5})
    assert.near(42 - 40 * math.exp(-0.025), (call - put):item(), 1e-5)
    local flat = lt.ones(4, 4)
    assert.same(flat:totable(), chains.wave(flat, flat):totable())
    local still = lt.zeros(3, 3)
    local bump = lt.tensor {{0.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 0.0}}
    local moved = chains.wave(bump, still)
    assert.near(2 - 0.4, moved[{2, 2}]:item(), 1e-6)
    for _, place in ipairs {{1, 2}, {2, 1}, {2, 3}, {3, 2}} do assert.near(0.1, moved[place]:item(), 1e-6) end
  end)
end)

describe("bench/rows.lua", function()
  local rows = require "bench.rows"

  it("has rows that are Lua", function()
    for _, row in ipairs(rows) do
      assert(load("return " .. row[3], row[1]))
      if row.kernel then assert(load("return " .. row.kernel, row[1])) end
      if row.setup then assert(load(row.setup[1], row[1])) end
    end
  end)

  it("has no name twice, and a gate wherever there is an aim", function()
    local seen = {}
    for _, row in ipairs(rows) do
      assert.falsy(seen[row[1]], row[1])
      seen[row[1]] = true
      assert.equal(row.gate ~= nil, row.aim ~= nil, row[1])
      assert.equal(row.share_gate ~= nil, row.share_aim ~= nil, row[1])
      assert.equal(row.compiled_gate ~= nil, row.compiled_aim ~= nil, row[1])
      assert.truthy(row.compiled or not (row.compiled_gate or row.kernel), row[1])
    end
  end)
end)

describe("lt.limits", function()
  it("gives positive rates", function()
    local limits = lt.limits("cpu", "float64")
    for _, name in ipairs{"flops", "read", "copy"} do assert.truthy(limits[name] > 0, name) end
  end)

  it("refuses what is no device or dtype", function()
    assert.error_matches(function() lt.limits("abacus") end, "limits")
    assert.error_matches(function() lt.limits("cpu", "float33") end, "limits")
  end)
end)
