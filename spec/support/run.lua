-- Runs busted on each spec file in a process of its own and adds up the counts.
--
--   tools/lua spec/support/run.lua [VARIABLE=value …] [--label text] [--jobs n] [--shares n] [--needs-gpu] [--with tag,…]
--                                  [--without tag,…] [--list] [spec/FOLDER/NAME_spec.lua …]
--
-- VARIABLE=value sets a variable in the environment of the specs. --jobs runs n files at a time (default 1), and
-- prints each file's line when the file is done. --shares runs each spec that draws its cases (helpers.drawn) in n
-- processes, which divide the cases among them, and starts the longest runs first. --with runs only files that have one
-- of the tags (tags.lua), --without only files that have none of the tags. Both apply to the named files, or to all
-- specs if no file is named. --list only prints the files. The line of a file ends with the user and system time of its
-- processes, which depend less on other processes than the elapsed time. The output ends with a line for each failure
-- and "N passed, N failed, N skipped". The exit status is 1 if a spec failed or a process crashed. A file that ends
-- without busted's counts, because of a crash, is one failure.
local tags = require "spec.support.tags"

local lua = os.getenv "LUA" or "lua5.4"

-- Returns the output of a command, and its exit status.
local function capture(command)
  local pipe <close> = assert(io.popen(command .. " 2>&1; echo \"status $?\""))
  local body, status = pipe:read("a"):match "^(.*)status (%d+)\n$"
  return body, tonumber(status)
end

local function quote(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

local function busted_path()
  local path = capture "command -v busted"
  if path == "" then error "busted is not installed: make deps installs it" end
  return path:gsub("%s+$", "")
end

local function all_specs()
  local files = {}
  for file in capture("find spec -name '*_spec.lua' | sort"):gmatch "[^\n]+" do files[#files + 1] = file end
  return files
end

-- Maps each option that takes a value to the name of its field.
local valued = {["--label"] = "label", ["--jobs"] = "jobs", ["--shares"] = "shares", ["--with"] = "with", ["--without"] = "without"}

local function parse(arguments)
  local options = {files = {}, label = "", jobs = 1, shares = 1, with = "", without = ""}
  options.environment = "LUATENSOR_FAULTS=1 "            -- enables lt._fail_after
  local i = 1
  while arguments[i] do
    local a = arguments[i]
    if a == "--needs-gpu" then
      options.needs_gpu = true
    elseif a == "--list" then
      options.list = true
    elseif valued[a] then
      i = i + 1
      options[valued[a]] = arguments[i]
    elseif a:find "^[A-Z_]+=" then
      local name, value = a:match "^([A-Z_]+)=(.*)$"
      options.environment = options.environment .. name .. "=" .. quote(value) .. " "
    else
      options.files[#options.files + 1] = a
    end
    i = i + 1
  end
  if #options.files == 0 then options.files = all_specs() end
  options.files = tags.select(options.files, options.with, options.without)
  if options.label ~= "" then options.label = options.label .. " " end
  return options
end

-- Returns a list with one line for each failure in busted's output: the place, the test, and the first line of the
-- message. If the output names no failure, the list has one line with the last line of the output.
local function failures_of(output)
  local list = {}
  for kind, where, name, message in output:gmatch "(%u%l+) %S+ (%S+ @ %d+)\n([^\n]*)\n([^\n]*)" do
    if kind ~= "Pending" then list[#list + 1] = ("%s: %s: %s"):format(where, name, message) end
  end
  if #list == 0 then list[1] = "broke down; it ended with: " .. (output:match "([^\n]*)\n*$" or "") end
  return list
end

-- Returns the seconds in a line of the shell's `times`: "0m1.50s 0m0.25s" is 1.75.
local function cpu_seconds(line)
  local sum = 0
  for minutes, seconds in line:gmatch "(%d+)m([%d.]+)s" do sum = sum + 60 * minutes + seconds end
  return sum
end

-- Returns whether a spec draws its cases, so that LUATENSOR_TEST_SHARE selects a part of them.
local function draws(file)
  local spec <close> = assert(io.open(file))
  return spec:read("a"):find "helpers%.drawn" ~= nil
end

-- Returns the list of runs: tables with the `file` of a spec and the value `share` of LUATENSOR_TEST_SHARE, which is
-- nil if the run has all cases. The longest runs come first.
local function divide(files, shares)
  local slow = tags.select(files, "many-kernels", "")
  local is_slow, whole, parts, rest = {}, {}, {}, {}
  for _, file in ipairs(slow) do is_slow[file] = true end
  for _, file in ipairs(files) do
    if shares > 1 and draws(file) then
      for offset = 0, shares - 1 do parts[#parts + 1] = {file = file, share = ("%d:%d"):format(shares, offset)} end
    else
      local list = shares > 1 and is_slow[file] and whole or rest
      list[#list + 1] = {file = file}
    end
  end
  local runs = whole
  for _, list in ipairs {parts, rest} do table.move(list, 1, #list, #runs + 1, runs) end
  return runs
end

-- Prints the line of a finished spec file, and its whole output if a spec failed. Returns a table with the counts
-- `passed`, `failed` and `skipped`, the CPU time `seconds`, and `output`: the output if a spec failed, else false.
local function report(file, printed, options)
  local output, status, times = printed:match "^(.*)status (%d+)\n[^\n]*\n([^\n]*)\n$"
  status = tonumber(status)
  local passed, failures, errors, skipped =
    output:match "(%d+) success%w* / (%d+) failure%w* / (%d+) error%w* / (%d+) pending : "
  local r = {passed = tonumber(passed) or 0, skipped = tonumber(skipped) or 0, seconds = cpu_seconds(times)}
  r.failed = passed and failures + errors or 1
  if r.failed == 0 and status ~= 0 then r.failed = 1 end
  print(("%s%-38s %5d passed %3d failed %3d skipped %6.1f CPU-s"):format(
    options.label, file, r.passed, r.failed, r.skipped, r.seconds))
  if r.failed > 0 then print(output .. "exit status " .. status) end
  io.stdout:flush()
  r.output = r.failed > 0 and output
  return r
end

-- Returns the reason why there is no GPU of the kind that the specs test, or false if there is one.
local function no_gpu(environment)
  local kind = environment:find "LUATENSOR_TEST_DEVICE=%p*rocm" and "rocm" or "cuda"
  local there, reason = require("luatensor")[kind].is_available()
  return not there and reason
end

local options = parse(arg)
if options.list then
  print(table.concat(options.files, "\n"))
  os.exit(0)
end
local busted = busted_path()
local missing = options.needs_gpu and no_gpu(options.environment)
if missing then
  print(("GPU not found: %s\n0 passed, 0 failed, %d skipped"):format(missing, #options.files))
  os.exit(0)
end
local total, lines = {passed = 0, failed = 0, skipped = 0}, {}

local folder = capture("mktemp -d"):gsub("%s+$", "")
local function path(name) return folder .. "/" .. name end
local function write(name, text)
  local file <close> = assert(io.open(path(name), "w"))
  file:write(text)
end
local function read(name)
  local file <close> = assert(io.open(path(name)))
  return file:read "a"
end

-- xargs runs up to options.jobs spec files at a time, and starts the next one as soon as one is done. The output of
-- each run goes into a file whose name is the run's number. A spec is run again, at most twice, if LeakSanitizer itself broke down at the
-- end: now and then it cannot stop the process's threads, and then knows nothing about leaks.
local runs, lines_of_runs = divide(options.files, tonumber(options.shares)), {}
for i, run in ipairs(runs) do lines_of_runs[i] = table.concat({i, run.file, run.share}, " ") end
write("runs", table.concat(lines_of_runs, "\n") .. "\n")
write("run", ([[
if [ -n "$3" ]; then export LUATENSOR_TEST_SHARE="$3"; fi
for attempt in 1 2 3; do
  { %s %s %s -o plainTerminal "$2"; echo "status $?"; times; } >%s/"$1" 2>&1 </dev/null
  grep -q "LeakSanitizer has encountered a fatal error" %s/"$1" || break
done
echo "$1"
]]):format(options.environment, lua, quote(busted), folder, folder))
local done = assert(io.popen(("xargs -P %d -L 1 sh %s <%s"):format(options.jobs, path "run", path "runs")))
local reported = 0
for number in done:lines() do
  reported = reported + 1
  local run = runs[tonumber(number)]
  local file = table.concat({run.file, run.share}, " ")
  local r = report(file, read(number), options)
  for name in pairs(total) do total[name] = total[name] + r[name] end
  for _, line in ipairs(r.output and failures_of(r.output) or {}) do
    lines[#lines + 1] = ("FAILED %s%s: %s"):format(options.label, file, line)
  end
end
done:close()
if reported < #runs then
  total.failed = total.failed + #runs - reported
  lines[#lines + 1] = ("FAILED %sthe run broke off after %d of %d files"):format(options.label, reported, #runs)
end
os.execute("rm -rf " .. quote(folder))
-- If several suites run, spec/support/sum repeats these lines after the last suite.
for _, line in ipairs(lines) do print(line) end
print(("%d passed, %d failed, %d skipped"):format(total.passed, total.failed, total.skipped))
os.exit(total.failed == 0 and 0 or 1)
