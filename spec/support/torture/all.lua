-- The tests of `make torture`, for errors that no single spec detects. Each part is a command, which passes if its
-- exit status is 0. The part's own line "N passed, N failed, N skipped", or a number found by a pattern, gives the
-- number of trials.
--
--     tools/lua spec/support/torture/all.lua [TEXT]
--
-- With TEXT, runs only the parts whose names contain TEXT. Ends with "N passed, N failed, N skipped".
local lua, hosts, threads = "tools/lua", "build/spec/", "build/spec/thread/"
local folder, scripts = "spec/support/torture/", "spec/support/scripts/"

-- Lua and OpenBLAS are not instrumented, so ThreadSanitizer does not see their locks and must ignore their accesses.
local tsan = "BUILD=build/sanitize-thread TSAN_OPTIONS='ignore_noninstrumented_modules=1 exitcode=66' " ..
  "spec/support/torture/with_paths "

local parts = {
  {"kill -9 while files are saved", lua .. " " .. folder .. "saves.lua 1000", needs = folder .. "saves.lua"},
  {"kill -9 at each system call of a save", lua .. " " .. folder .. "calls.lua", needs = folder .. "calls.lua"},
  {"kill -9 of a process of a distributed job", lua .. " " .. folder .. "many.lua 50", needs = folder .. "many.lua"},
  {"hooks that raise at every event", lua .. " " .. folder .. "hooks.lua 1", trials = "(%d+) errors raised",
   needs = folder .. "hooks.lua"},
  {"the matrix of environments", lua .. " " .. folder .. "environment.lua", needs = folder .. "environment.lua"},
  {"threads: DLPack structs end elsewhere", tsan .. threads .. "embed_host drop 20000", trials = 20000, needs = threads .. "embed_host"},
  {"threads: operations end by a flag of another thread", tsan .. threads .. "embed_host cancel", needs = threads .. "embed_host"},
  {"threads: states at once", tsan .. threads .. "states_host threads " .. folder .. "threads.lua", trials = 50,
   needs = threads .. "states_host"}
}
-- A plugin of PJRT is tested if LUATENSOR_PJRT_XLA names one.
local pjrt = os.getenv "LUATENSOR_PJRT_XLA" and {"fault_pjrt_setup", "fault_pjrt"} or nil
for _, which in ipairs {"lua", "module"} do
  for _, run in ipairs {{"fault_setup", "fault_script"}, {"fault_setup", "fault_numeric"}, {"fault_modes_setup", "fault_modes"},
                        {"fault_files_setup", "fault_files"}, {"fault_train_setup", "fault_train"},
                        {"fault_nothing", "fault_load"}, pjrt} do
    parts[#parts + 1] = {
      ("the %s allocator fails at every n: %s"):format(which, run[2]),
      ("spec/support/torture/with_paths %sfault_host %s 1 %s%s.lua %s%s.lua"):format(hosts, which, scripts, run[1], scripts, run[2]),
      trials = "(%d+) allocations failed", needs = hosts .. "fault_host"
    }
  end
end

local function exists(path)
  local file <close> = io.open(path)
  return file ~= nil
end

local function capture(command)
  local pipe <close> = assert(io.popen("(" .. command .. ") 2>&1; echo \"status $?\""))
  local output, status = pipe:read("a"):match "^(.*)status (%d+)\n$"
  return output, tonumber(status)
end

-- Runs a part. Returns the numbers passed, failed and skipped, and the output.
local function run(part)
  if part.needs and not exists(part.needs) then return 0, 0, 1, "" end
  local output, status = capture(part[2])
  local passed, failed, skipped = output:match "(%d+) passed, (%d+) failed, (%d+) skipped%s*$"
  if passed then return passed, failed + (status ~= 0 and failed == "0" and 1 or 0), skipped, output end
  if status ~= 0 then return 0, 1, 0, output end
  return type(part.trials) == "number" and part.trials or part.trials and output:match(part.trials) or 1, 0, 0, output
end

local total = {0, 0, 0}
for _, part in ipairs(parts) do
  if not arg[1] or part[1]:find(arg[1], 1, true) then
    local counts = table.pack(run(part))
    for k = 1, 3 do total[k] = total[k] + math.tointeger(tonumber(counts[k])) end
    print(("%-60s %6s passed %3s failed %2s skipped"):format(part[1], counts[1], counts[2], counts[3]))
    if tonumber(counts[2]) > 0 then print(counts[4]) end
    io.stdout:flush()
  end
end
print(("%d passed, %d failed, %d skipped"):format(total[1], total[2], total[3]))
os.exit(total[2] == 0 and 0 or 1)
