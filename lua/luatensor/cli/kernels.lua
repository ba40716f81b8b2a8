--- The command `luatensor kernels`: compiles the GPU kernels of a list ahead of their first use, and shows or trims the
-- cache of compiled kernels.

local arguments = require "luatensor.cli.arguments"
local core = require "luatensor.core"
local format = require "luatensor.page.format"
local progress = require "luatensor.bench.progress"

local kernels = {
  summary = "compiles GPU kernels ahead of their first use, and trims their cache",
  description = "Compiles the kernels of lists for GPUs of this architecture and stores them in the cache, so that " ..
    "scripts on such GPUs compile nothing. This needs the run-time compiler of the GPU's vendor, but no GPU. A " ..
    "script writes its list to the file that LUATENSOR_KERNELS_LOG names. Without arguments, the command shows the " ..
    "cache.",
  example = "luatensor kernels --arch sm_90 kernels.txt",
}

function kernels.define(parser)
  parser:argument("lists", "files with the kernels that scripts have used"):args "*":argname "<list>"
  arguments.add_all(parser, {
    {name = "arch", kind = "text", help = "architecture of the GPUs: sm_90 (NVIDIA), gfx90a:sramecc+:xnack- (AMD)"},
    {name = "trim", kind = "bytes", help = "removes the kernels that were not used for the longest time, until the " ..
      "others have this size, such as 500M"},
  })
end

-- ---- the cache ----------------------------------------------------------------------------------

-- Returns the cache's folder. If files cannot be written there, raises an error.
local function cache_folder()
  local folder, problem = core.cache_folder()
  if not folder then error(problem, 0) end
  return folder
end

local function sized(count, bytes)
  return ("%d compiled %s, %s"):format(count, format.noun(count, "kernel"), format.show(bytes, "B"))
end

local function describe(folder)
  local count, bytes, most = core.kernels_on_disk()
  if not count then error(("%s: %s"):format(folder, bytes), 0) end
  return ("%s: %s of at most %s (LUATENSOR_CACHE_SIZE)"):format(folder, sized(count, bytes), format.show(most, "B"))
end

local function trim(folder, most)
  local count, bytes = core.trim_kernels(most)
  if not count then error(("%s: %s"):format(folder, bytes), 0) end
  return ("removed: %s\n%s"):format(sized(count, bytes), describe(folder))
end

-- ---- lists --------------------------------------------------------------------------------------

-- Appends the lines of a list to `lines` that it does not contain yet. Raises an error if the list is damaged or of
-- another version.
local function read_list(path, lines)
  local text, problem = core.read_file(path, 2)
  if not text then error(("%s: %s"):format(path, problem), 0) end
  local head, rest = text:match "^([^\n]*)\n(.*)$"
  if head ~= core.kernel_list_head then
    local version = (head or ""):match "^luatensor kernels (%d+)$"
    error(("%s: %s; the first line of a list is %q"):format(path,
      version and "a list of version " .. version or "no list of kernels", core.kernel_list_head), 0)
  end
  local number = 1
  for line in rest:gmatch "([^\n]*)\n?" do
    number = number + 1
    if line ~= "" and not core.kernel_is_intact(line) then error(("%s:%d: damaged line"):format(path, number), 0) end
    if line ~= "" and not lines[line] then
      lines[#lines + 1], lines[line] = line, true
    end
  end
end

-- Compiles the kernels. Returns the number of kernels for each outcome, and a list of messages about failures.
local function compile(arch, lines, folder)
  local outcomes, failures = {compiled = 0, there = 0, failed = 0}, {}
  local task <close> = progress.task("kernels", #lines)
  for _, line in ipairs(lines) do
    task:step(arch)
    local outcome, reason = core.compile_kernel(arch, line)
    if outcome == "not kept" then error(("%s: %s"):format(folder, reason), 0) end
    outcomes[outcome] = outcomes[outcome] + 1
    if outcome == "failed" then failures[#failures + 1] = "FAILED " .. reason end
  end
  return outcomes, failures
end

local function fill(folder, arch, paths)
  local lines = {}
  for _, path in ipairs(paths) do read_list(path, lines) end
  local able, problem = core.can_compile(arch)
  if not able then error(problem, 0) end
  describe(folder)                               -- raises an error if the folder is not used
  local outcomes, out = compile(arch, lines, folder)
  out[#out + 1] = ("%s: %d compiled, %d already in the cache, %d failed"):format(arch, outcomes.compiled,
    outcomes.there, outcomes.failed)
  if arch:find "^gfx[^:]*$" then
    out[#out + 1] = ("GPUs whose names have features, such as %s:xnack-, do not find these kernels"):format(arch)
  end
  out[#out + 1] = describe(folder)
  return table.concat(out, "\n"), outcomes.failed > 0 and 1 or 0
end

-- ---- the command --------------------------------------------------------------------------------

function kernels.run(options)
  local arch, lists = options.arch, options.lists
  if arch and not (arch:find "^sm_%d%d%d?$" or arch:find "^gfx%x+[%w:+-]*$") then
    arguments.fail("--arch takes an architecture such as sm_90 or gfx90a, not %q", arch)
  elseif arch and #lists == 0 then
    arguments.fail "--arch needs a list of kernels: LUATENSOR_KERNELS_LOG=<list> lua script.lua writes one"
  elseif #lists > 0 and not arch then
    arguments.fail "a list of kernels needs --arch"
  elseif arch and options.trim then
    arguments.fail "--arch and --trim exclude each other"
  end
  local folder = cache_folder()
  if arch then return fill(folder, arch, lists) end
  return options.trim and trim(folder, options.trim) or describe(folder)
end

return kernels
