--- What small command-line scripts share: options, a progress bar, timing, tables on the terminal.
-- The scripts of `examples/` are made with it.
-- @module luatensor.experiment

local lt = require "luatensor"

local experiment = {}

-- ---- options ------------------------------------------------------------------------------------

-- The accelerator where there is one, else the CPU.
local function best_device()
  local ok, device = pcall(lt.accelerator)
  return ok and device or "cpu"
end

--- Options that scripts have in common; @{options} takes their names.
experiment.common = {
  device     = {kind = "device", help = "where the tensors live", default = best_device},
  iterations = {kind = "count", help = "how often the loop runs"},
  rows       = {kind = "count", help = "rows of each matrix"},
  cols       = {kind = "count", help = "columns of each matrix"},
  dtype      = {kind = "dtype", help = "dtype of the elements", default = "float32"},
  threads    = {kind = "threads", help = "CPU threads", default = lt.get_num_threads},
}

-- Kinds of options. Each reader returns the value, or nil and what is wrong with the text.
local readers = {
  count = function(text)
    local n = math.tointeger(tonumber(text))
    if n and n >= 1 then return n end
    return nil, ("takes a whole number from 1 on, not %q"):format(text)
  end,
  threads = function(text)
    local n = math.tointeger(tonumber(text))
    if n and pcall(lt.set_num_threads, n) then return n end
    return nil, ("takes a whole number from 1 to 1024, not %q"):format(text)
  end,
  device = function(text)
    local ok, device = pcall(lt.device, text)
    if ok then return device end
    return nil, ("%s: %s"):format(text, device)
  end,
  dtype = function(text)
    if pcall(lt.finfo, text) then return text end
    return nil, ("takes a floating-point dtype such as float32, not %q"):format(text)
  end,
  text = function(text) return text end,
}

local function usage_error(message)
  io.stderr:write(("%s: %s (--help lists the options)\n"):format(arg and arg[0] or "script", message))
  os.exit(2, true)
end

local function print_help(description, known)
  print(description .. (#known > 0 and "\n" or ""))
  for _, option in ipairs(known) do
    local default = option.value == nil and "" or (" (%s)"):format(option.value)
    print(("  --%-12s %s%s"):format(option.name, option.help, default))
  end
  os.exit(0, true)
end

-- A wanted option completed from the common ones: "rows", {"rows", 7000} or a row of its own.
local function complete(item)
  if type(item) == "string" then item = {item} end
  local option = {name = item[1]}
  for key, value in pairs(item.kind and item or experiment.common[option.name]) do option[key] = value end
  option.value = item[2]
  if option.value == nil then option.value = option.default end
  if type(option.value) == "function" then option.value = option.value() end
  return option
end

-- "--name value" and "--name=value" of argv become the options' values.
local function read_arguments(argv, known, by_name, description)
  local i = 1
  while i <= #argv do
    local name, text = argv[i]:match("^%-%-([%w-]+)=?(.*)$")
    if name == "help" then print_help(description, known) end
    local option = by_name[name or ""]
    if not option then usage_error("unknown option: " .. argv[i]) end
    if not argv[i]:find("=", 1, true) then
      i = i + 1
      text = argv[i]
      if not text then usage_error(("--%s needs a value"):format(name)) end
    end
    local value, wrong = readers[option.kind](text)
    if value == nil then usage_error(("--%s %s"):format(name, wrong)) end
    option.value = value
    i = i + 1
  end
end

--- Reads a script's options. A wrong one is reported on the standard error and ends the script with exit code 2.
-- `--help` prints the description and the options.
-- @tparam table argv the script's arguments: `{...}`
-- @string description what the script does
-- @tparam table wanted the options: names of @{common} ones, `{"name", default}`, or
--   `{"name", default, kind = "count" | "threads" | "device" | "dtype" | "text", help = "…"}`
-- @treturn table values by name
function experiment.options(argv, description, wanted)
  local known, by_name, values = {}, {}, {}
  for i, item in ipairs(wanted) do
    known[i] = complete(item)
    by_name[known[i].name] = known[i]
  end
  read_arguments(argv, known, by_name, description)
  for name, option in pairs(by_name) do values[name] = option.value end
  if values.threads then lt.set_num_threads(values.threads) end
  return values
end

-- ---- timing -------------------------------------------------------------------------------------

local function is_terminal() return os.execute("test -t 1") == true end

local function draw_bar(done, total, seconds)
  local width = 40
  local filled = done * width // total
  io.write(("\r[%s%s] %d/%d, %.0f s left\27[K"):format(("#"):rep(filled), ("."):rep(width - filled), done, total,
    seconds / done * (total - done)))
  io.stdout:flush()
end

--- A progress bar for a loop of `total` rounds: call the result with the number of each round that is done.
-- It shows itself on a terminal, in loops of more than a second, and is gone in the end.
-- @int total how many rounds there will be
-- @treturn function
function experiment.progress(total)
  if not is_terminal() then return function() end end
  local start, look = lt.clock(), 1
  return function(done)
    if done < look then return end                            -- the clock is not read every round
    local seconds = lt.clock() - start
    look = math.min(total, done + 1 + done // (10 * seconds + 1))   -- about ten times a second
    if seconds < 1 then return end
    if done < total then draw_bar(done, total, seconds) else io.write("\r\27[K") end
  end
end

--- Seconds that `work` takes: the least of `rounds` calls after one to warm up, each until the device is done.
-- @tparam function work
-- @string device where it works
-- @int[opt=3] rounds
-- @treturn number
function experiment.seconds(work, device, rounds)
  local least = math.huge
  for round = 0, rounds or 3 do
    lt.synchronize(device)
    local start = lt.clock()
    work()
    lt.synchronize(device)
    if round > 0 then least = math.min(least, lt.clock() - start) end
  end
  return least
end

--- Seconds that one call of `work` takes, however short: the least of three rounds of as many calls as it takes to read
-- the clock with confidence. On a GPU a round ends when the device is done.
-- @tparam function work
-- @string device where it works
-- @number[opt=0.01] least seconds that a round lasts
-- @treturn number
function experiment.seconds_a_call(work, device, least)
  local calls = 1
  local function round()
    for _ = 1, calls do work() end
  end
  local seconds = experiment.seconds(round, device, 1)
  while seconds < (least or 0.01) do
    calls = 2 * calls
    seconds = experiment.seconds(round, device, 1)
  end
  return math.min(seconds, experiment.seconds(round, device, 2)) / calls
end

-- ---- output -------------------------------------------------------------------------------------

-- utf8.len, because "×" is one character of three bytes.
local function pad(text, width, to_the_right)
  local space = (" "):rep(width - utf8.len(text))
  return to_the_right and space .. text or text .. space
end

local function print_row(row, widths)
  local cells = {}
  for i, cell in ipairs(row) do cells[i] = pad(cell, widths[i], i > 1) end
  print((table.concat(cells, "  "):gsub("%s+$", "")))
end

--- Seconds in words, three digits and the unit that suits them: "2.89 s", "13.1 ms", "640 µs".
-- @number seconds
-- @treturn string
function experiment.show_time(seconds)
  local value, unit = seconds, "s"
  if seconds < 0.9995e-3 then value, unit = 1e6 * seconds, "µs"
  elseif seconds < 0.9995 then value, unit = 1e3 * seconds, "ms" end
  return (value < 99.95 and "%.3g %s" or "%.0f %s"):format(value, unit)     -- not 1e+03
end

--- Prints rows as aligned columns, the first one to the left, the others to the right.
-- @tparam table rows sequence of sequences of strings; the first row is the head
function experiment.print_table(rows)
  local widths, rule = {}, {}
  for _, row in ipairs(rows) do
    for i, cell in ipairs(row) do widths[i] = math.max(widths[i] or 0, utf8.len(cell)) end
  end
  for i, width in ipairs(widths) do rule[i] = ("-"):rep(width) end
  for r, row in ipairs(rows) do
    print_row(row, widths)
    if r == 1 then print_row(rule, widths) end
  end
end

local function info_of(device)
  for _, info in ipairs(lt.devices()) do
    if info.device == device then return info end
  end
end

--- A device in words: what it is called, its cores, instruction set or compute capability, threads in use, memory.
-- @string device
-- @treturn string
function experiment.describe(device)
  local info = info_of(device)
  if not info then return device end
  local cores = info.kind == "cpu" and "%d cores" or "%d multiprocessors"
  local isa = info.kind == "cpu" and info.isa or "compute capability " .. info.isa
  local words = {info.name, cores:format(info.cores), isa}
  if info.kind == "cpu" then words[#words + 1] = lt.get_num_threads() .. " threads in use" end
  if info.memory then words[#words + 1] = ("%.1f GiB"):format(info.memory / 2 ^ 30) end
  words[#words + 1] = info.software
  return ("%s: %s"):format(device, table.concat(words, ", "))
end

--- Says what stands behind a script's figures: why the CPU, where there is no GPU; that an emulator is none.
-- @string device where the script worked
function experiment.print_caveats(device)
  local found, reason = lt.cuda.is_available()
  if not found then
    print("GPU not found: " .. reason)
  elseif device ~= "cpu" and info_of(device).name:find("^Emulated") then
    print("An emulator of a GPU on the CPU: its times say nothing about a GPU.")
  end
end

return experiment
