-- Runs the targets of `make fuzz` one after the other, each in a process of its own.
--   lua run.lua SECONDS INPUTS SEED FOLDER [TARGET …]
-- The targets share SECONDS, which include the start of the processes. A target ends earlier after INPUTS inputs. The
-- targets of parsers in C are the programs FOLDER/NAME.fuzz, which contain libFuzzer. loop.lua runs all other targets.
-- Inputs that reached new edges of the code are kept in FOLDER/corpus. The environment variable LOOP_ENVIRONMENT has
-- shell assignments for the processes of loop.lua. Files that are written for each input are in a folder in memory if
-- the system has one. The last line of the output is "N passed, N failed, N skipped".
local SECONDS, INPUTS, SEED, FOLDER = tonumber(arg[1]), tonumber(arg[2]), tonumber(arg[3]), arg[4]
local HANGS <const> = 60                     -- seconds after which an input counts as hung

local loops = {"npy", "npz", "safetensors", "checkpoint", "json", "results", "idx", "csv", "groups", "einsum", "elementwise",
               "kernel", "names", "arguments", "state", "bytes", "options", "index"}
local parsers = {"npy", "csv", "gzip", "dlpack", "text", "png", "netpbm", "jpeg"}

local function run(command)
  local pipe <close> = assert(io.popen(command .. " 2>&1; echo \"status $?\""))
  local body, status = pipe:read("a"):match "^(.*)status (%d+)\n$"
  return body, tonumber(status)
end

-- Like run, but runs the command again, at most twice, if LeakSanitizer itself broke down at the end. Now and then it
-- cannot stop the process's threads, and then knows nothing about leaks.
local function run_target(command)
  local body, status
  for _ = 1, 3 do
    body, status = run(command)
    if not body:find("LeakSanitizer has encountered a fatal error", 1, true) then break end
  end
  return body, status
end

local function exists(path)
  local file <close> = io.open(path, "rb")
  return file ~= nil
end

-- Returns a line that summarises the output of a run: libFuzzer's statistics, or the last line of loop.lua that counts
-- inputs. Returns nil if the output has neither.
local function summary(name, body)
  local inputs = body:match "number_of_executed_units:%s*(%d+)"
  if not inputs then return body:match((".*(%s: %%d+ inputs[^\n]*)"):format(name)) end
  local last, edges = 0, 0
  for at, covered in body:gmatch "#(%d+)%s+%u+%s+cov: (%d+)" do      -- libFuzzer's lines INITED, NEW, REDUCE and pulse
    if tonumber(covered) > edges then last, edges = at, tonumber(covered) end
  end
  return ("%s by libFuzzer: %s inputs, %d edges, last new one at input %s"):format(name, inputs, edges, last)
end

-- Returns the reason why a process failed: the first error of a sanitizer in its output, or else the last line.
local function reason(body)
  return body:match "(ERROR: [^\n]*)" or body:match "([^\n]*runtime error: [^\n]*)" or body:match "([^\n]*)\n*$"
end

local scratch = run "mktemp -d /dev/shm/luatensor-fuzz.XXXXXX 2>/dev/null || mktemp -d":match "[^\n]+"

local function loop(name, seconds)
  return ("%s timeout %d tools/lua spec/support/fuzz/loop.lua %s %d %d %d %s %s"):format(
    os.getenv "LOOP_ENVIRONMENT" or "", seconds + HANGS, name, seconds, INPUTS, SEED, FOLDER, scratch)
end

-- Copies the input that a process of loop.lua was testing when the process ended, and returns the path of the copy.
local function keep_input(name)
  local from <close> = io.open(scratch .. "/" .. name .. ".input", "rb")
  local text, path = from and from:read "a" or "", FOLDER .. "/" .. name .. ".input"
  local to <close> = assert(io.open(path, "wb"))
  to:write(#text > 4 and ("<s4"):unpack(text) or "")
  return path
end

local function parser(name, seconds)
  local environment = "ASAN_OPTIONS=quarantine_size_mb=1:thread_local_quarantine_size_kb=16 UBSAN_OPTIONS=print_stacktrace=1"
  local options = ("-max_total_time=%d -runs=%d -seed=%d -timeout=%d -max_len=2048 -print_final_stats=1"):format(seconds, INPUTS, SEED,
                                                                                                   HANGS)
  return ("%s %s/%s.fuzz %s -artifact_prefix=%s/%s- %s/corpus/%s.fuzz spec/fuzz/corpus/%s"):format(
    environment, FOLDER, name, options, FOLDER, name, FOLDER, name, name)
end

local wanted = {}
for i = 5, #arg do wanted[arg[i]] = true end
local function is_wanted(name) return #arg < 5 or wanted[name] end

local tasks, skipped = {}, 0
for _, name in ipairs(loops) do
  if is_wanted(name) then tasks[#tasks + 1] = {name, loop} end
end
for _, name in ipairs(parsers) do
  local file = name .. ".fuzz"
  if is_wanted(file) and exists(FOLDER .. "/" .. file) then tasks[#tasks + 1] = {name, parser, file}
  elseif is_wanted(file) then skipped = skipped + 1 end
end
if skipped > 0 then print "libFuzzer is not installed (libclang-rt-dev): its targets are skipped" end

local passed, failed, lines, deadline = 0, 0, {}, os.time() + SECONDS
for i, task in ipairs(tasks) do
  os.execute(("mkdir -p %s/corpus/%s"):format(FOLDER, task[3] or task[1]))
  local body, status = run_target(task[2](task[1], math.max(1, (deadline - os.time()) // (#tasks - i + 1))))
  print(summary(task[1], body) or body)
  io.stdout:flush()
  if status == 0 then passed = passed + 1 else
    failed = failed + 1
    local said = body:match "(FAILED fuzz [^\n]*)"
                 or ("FAILED fuzz %s: %s: %s"):format(task[1], body:match "Test unit written to (%S+)" or keep_input(task[1]),
                                                     status == 124 and "it hangs" or reason(body))
    print(body)
    lines[#lines + 1] = said
  end
end
os.execute("rm -rf " .. scratch)
for _, line in ipairs(lines) do print(line) end
print(("%d passed, %d failed, %d skipped"):format(passed, failed, skipped))
os.exit(failed == 0)
