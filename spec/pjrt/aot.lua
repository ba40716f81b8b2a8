-- Compiles the programs of a folder for a topology of devices, and counts the results:
--
--      tools/lua spec/pjrt/aot.lua --label v5e:2x2 COMPILER PLUGIN FOLDER TOPOLOGY PROCESSES RESULTS
--
-- COMPILER is the program of aot.c, and PROCESSES the number of programs that are compiled at the same time. A program that
-- the plugin refuses is a failure, unless the table `known` has its message. A program that takes longer than LIMIT is skipped,
-- and named. The file RESULTS keeps the results except failures. A run with the same version of the plugin reads them, and
-- compiles only the other programs, so that a run that was stopped goes on.

local LIMIT = 60                         -- seconds of processor time for a program
local NAMED = 5                          -- programs that took longest

-- The refusals that are known: {a pattern of the message, the reason}.
local known = {
  {"rewriting is not implemented: %%dot[.%d]* = [su]64", "the compiler has no products of 64-bit integers; on a TPU the CPU computes them"},
  {"Unexpected operand type for FFT: f64", "the compiler has no Fourier transforms of float64; on a TPU the CPU computes them"},
  {"Unexpected operand type for FFT: c128", "the compiler has no Fourier transforms of complex128; on a TPU the CPU computes them"},
  {("^stopped after %d seconds"):format(LIMIT), ("the compiler takes longer than %d s"):format(LIMIT)},
}

local compiler, plugin, folder, topology, processes, results = table.unpack(arg, 3)

local function quoted(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

-- Returns the reason of a known refusal, or nil.
local function reason(message)
  for _, row in ipairs(known) do
    if message:find(row[1]) then return row[2] end
  end
end

-- Starts the compiler with files, or without any. Without the first variable, it would search for a TPU for minutes; without the
-- second one, only one process at a time could load it.
local function start(files)
  return assert(io.popen(("TPU_SKIP_MDS_QUERY=1 ALLOW_MULTIPLE_LIBTPU_LOAD=1 %s %s %s %s %d %s 2>%s"):format(
    quoted(compiler), quoted(plugin), quoted(topology), processes, LIMIT, files, quoted(folder .. "/" .. topology .. ".log"))))
end

local function lines_of(command)
  local list = {}
  local pipe <close> = assert(io.popen(command))
  for line in pipe:lines() do list[#list + 1] = line end
  return list
end

local function version()
  local pipe = start ""
  local text = pipe:read "l"
  return pipe:close() and text or error(("%s: see %s/%s.log"):format(topology, folder, topology), 0)
end

-- Reads the results of earlier runs with the same version: a table from a program's name to {seconds =, message =}. Opens the file
-- to append the results of this run.
local function open_results(head)
  local earlier, old = {}, io.open(results)
  local same = old and old:read "l" == head
  for line in same and old:lines() or function() end do
    local name, seconds, message = line:match "^(%S+)\t(%S+)\t(.*)$"
    if name then earlier[name] = {seconds = tonumber(seconds), message = message} end
  end
  if old then old:close() end
  local file = assert(io.open(results, same and "a" or "w"))
  if not same then file:write(head, "\n") end
  return earlier, file
end

local passed, failed, skipped, seconds, list = 0, 0, 0, 0, {}

local function count(name, result)
  local why = reason(result.message)
  seconds = seconds + result.seconds
  list[#list + 1] = {name, result.seconds}
  if result.message == "compiled" then
    passed = passed + 1
  elseif why then
    skipped = skipped + 1
    print(("skipped: %s for %s: %s"):format(name, topology, why))
  else
    failed = failed + 1
    print(("FAILED %s/%s for %s: %s"):format(folder, name, topology, result.message))
  end
end

local head = version()
local earlier, file = open_results(head)
local old, new = 0, {}
for _, name in ipairs(lines_of(("cd %s && ls -Sr *.mlir"):format(quoted(folder)))) do       -- the smallest one first
  local result = earlier[name]
  if result and (result.message == "compiled" or reason(result.message)) then
    old = old + 1
    count(name, result)
  else
    new[#new + 1] = quoted(folder .. "/" .. name)
  end
end
print(("%s: %s; %d programs, and %d results of earlier runs"):format(topology, head, #new, old))

local pipe = #new > 0 and start(table.concat(new, " "))
for line in pipe and pipe:lines() or function() end do
  local name, time, message = line:match "([^/\t]+)\t(%S+)\t(.*)$"
  count(name, {seconds = tonumber(time), message = message})
  if message == "compiled" or reason(message) then
    file:write(("%s\t%s\t%s\n"):format(name, time, message))
    file:flush()
  end
end
file:close()
if pipe and not pipe:close() then
  failed = failed + 1
  print(("FAILED %s: see %s/%s.log"):format(topology, folder, topology))
end
table.sort(list, function(a, b) return a[2] > b[2] end)
for k = 1, math.min(NAMED, #list) do print(("%s takes %.1f CPU-s"):format(table.unpack(list[k]))) end
print(("%s: %d programs in %.0f CPU-s"):format(topology, #list, seconds))
print(("%d passed, %d failed, %d skipped"):format(passed, failed, skipped))
os.exit(failed == 0)
