-- Measures the structure of the repository and compares it with limits that may only fall:
--
--   tools/lua tools/lint_structure.lua            the counts that differ from their limits; `make lint` runs it
--                                                on the objects of build/
--   tools/lua tools/lint_structure.lua --list     everything that was measured
--
-- A count above its limit is an error. A count below its limit is an error, too, so that the limit is lowered. Run
-- from the repository's root, after `make build`.

-- ---- limits -------------------------------------------------------------------------------------

local limits = {
  -- Circles (dependency cycles) of source files: each file in a circle needs functions of all the other files, directly
  -- or indirectly.
  circles = 0,
  files_in_circles = 0,

  -- The largest number of files in a folder of src, lua or spec.
  folder = 40,

  -- The number of names of devices in lua/luatensor: in the library, and in the files that measure. In src, no name
  -- is allowed outside of the devices' own files.
  device_names = {library = 2, wing = 11},

  -- Macros with more than MACRO_LINES lines, and macros of several lines with at least two of the words `for`,
  -- `while`, `if` and `switch`. A table, which is a macro that consists of rows X(…), may have any number of lines.
  macros = 0,
}
local MACRO_LINES = 8

-- For each folder of src: the other folders whose headers its files may include. Every file may also include the
-- headers of its own folder and the tables in src (*.def).
local rooms = {
  math = {},
  base = {"math"},
  cpu = {"base", "math"},
  gpu = {"distributed", "base", "math"},
  pjrt = {"base", "math"},
  op = {"base", "math"},
  io = {"op", "base", "math"},
  distributed = {"base", "math"},
  lua = {"distributed", "io", "op", "base", "math"},
  autograd = {"lua", "io", "op", "base", "math"},
}

-- For each folder below lua/luatensor: the other folders whose modules its files require. The folders for measuring
-- and reporting (page, bench, advise, experiment, report, doctor, cli) require the library. The library requires none
-- of them (luatensor itself loads lt.bench and lt.advise when a script first names them).
local library = {"luatensor", "base", "array", "autograd", "gradients", "io", "nn", "optim", "data", "distributed"}
local lua_rooms = {
  luatensor = library,
  base = {}, array = {"base", "gradients"}, device = {"base"}, io = {"base"},
  autograd = {"base", "gradients"}, gradients = {"base", "autograd"},
  nn = library, optim = library, data = library, distributed = library,
  train = {"plot", table.unpack(library)},
  page = {"base"}, plot = {"page", table.unpack(library)}, help = {"luatensor", "base"},
  notebook = {"help", table.unpack(library)},
  bench = {"plot", "page", table.unpack(library)},
  advise = {"bench", "page", table.unpack(library)},
  experiment = {"cli", "bench", "page", table.unpack(library)},
  report = {"advise", "experiment", "bench", "page", table.unpack(library)},
  doctor = {"cli", "bench", "page", table.unpack(library)},
  cli = {"help", "doctor", "report", "experiment", "advise", "bench", "page", table.unpack(library)},
}

-- ---- results ------------------------------------------------------------------------------------

local list = arg[1] == "--list"
local objects = (os.getenv "BUILD" or "build") .. "/obj"
local broken = false

-- Compares a count with its limit. details: lines that list the counted things.
local function compare(name, count, limit, details)
  if count ~= limit then
    broken = true
    io.stderr:write(("%s: %d, the limit is %d%s\n"):format(name, count, limit,
      count < limit and ": lower it in tools/lint_structure.lua" or ""))
  end
  if list and count > 0 then print(("%s: %d"):format(name, count)) end
  if list or count > limit then
    for _, line in ipairs(details) do print("  " .. line) end
  end
end

local function lines_of(command)
  local lines, pipe = {}, assert(io.popen(command))
  for line in pipe:lines() do lines[#lines + 1] = line end
  assert(pipe:close(), command)
  return lines
end

-- Returns the keys of several tables, each once, in order.
local function sorted_keys(...)
  local keys, seen = {}, {}
  for _, t in ipairs{...} do
    for key in pairs(t) do
      if not seen[key] then keys[#keys + 1] = key end
      seen[key] = true
    end
  end
  table.sort(keys)
  return keys
end

-- Returns the sources in C and for GPUs below src: {path =, text =, without = the text without comments}.
local function read_sources()
  local sources = {}
  for _, path in ipairs(lines_of [[find src -name '*.[ch]' -o -name '*.cuh' -o -name '*.def' | sort]]) do
    local file = assert(io.open(path))
    local text = file:read "a"
    file:close()
    sources[#sources + 1] = {path = path, text = text, without = text:gsub("/%*.-%*/", "")}
  end
  return sources
end

-- ---- circles ------------------------------------------------------------------------------------

-- Returns defined_by[symbol] and needs[file][symbol], by file names without "src/" and ".c". Kernels are compiled for
-- several instruction sets, but only the baseline's objects are read. Objects of deleted sources are ignored.
local function read_symbols(sources)
  local defined_by, needs = {}, {}
  for _, source in ipairs(sources) do
    local file = source.path:match "^src/(.*)%.c$"
    if file then needs[file] = {} end
  end
  for _, line in ipairs(lines_of("find " .. objects .. " -name '*.o' ! -name '*.avx*.o' -exec nm -P -A {} +")) do
    local path, symbol, kind = line:match "^(.*)%.o: (%S+) (%a)"
    local file = path:sub(#objects + 2):gsub("%.base$", "")
    if needs[file] and kind == "U" then
      needs[file][symbol] = true
    elseif needs[file] and kind:find "%u" then
      defined_by[symbol] = file
    end
  end
  return defined_by, needs
end

-- Returns arrows[file][other]: a symbol that `file` needs and `other` defines.
local function read_arrows(sources)
  local defined_by, needs = read_symbols(sources)
  local arrows = {}
  for file, symbols in pairs(needs) do
    arrows[file] = {}
    for _, symbol in ipairs(sorted_keys(symbols)) do
      local other = defined_by[symbol]
      if other and other ~= file then arrows[file][other] = symbol end
    end
  end
  return arrows
end

-- Returns the files that a file needs, directly or indirectly: reached[other] = the previous file on a shortest path.
local function reach(arrows, from)
  local reached, queue = {}, {from}
  for _, file in ipairs(queue) do
    for _, other in ipairs(sorted_keys(arrows[file] or {})) do
      if not reached[other] then
        reached[other] = file
        queue[#queue + 1] = other
      end
    end
  end
  return reached
end

-- Returns a shortest path from a file back to itself, as text: "a -> b (symbol) -> a (symbol)".
local function chain(arrows, reached, file)
  local text, at = "", file
  repeat
    local before = reached[at]
    text = (" -> %s (%s)"):format(at, arrows[before][at]) .. text
    at = before
  until at == file
  return file .. text
end

-- Counts circles (strongly connected components): two files are in the same circle if each of them reaches the other.
-- `what` names the files in the output.
local function check_circles(what, arrows, circles_limit, files_limit)
  local reached = {}
  for file in pairs(arrows) do reached[file] = reach(arrows, file) end
  local circles, files, details, seen = 0, 0, {}, {}
  for _, file in ipairs(sorted_keys(arrows)) do
    if reached[file][file] and not seen[file] then
      local members = {}
      for _, other in ipairs(sorted_keys(reached[file])) do
        if reached[other] and reached[other][file] then members[#members + 1] = other end
      end
      for _, member in ipairs(members) do seen[member] = true end
      circles, files = circles + 1, files + #members
      details[#details + 1] = #members .. " files: " .. table.concat(members, " ")
      details[#details + 1] = "  " .. chain(arrows, reached[file], file)
    end
  end
  compare("circles of " .. what, circles, circles_limit, details)
  compare(what .. " in circles", files, files_limit, {})
end

-- ---- files in Lua -------------------------------------------------------------------------------

-- Returns the modules below lua/luatensor: modules["luatensor.nn"] = path.
local function find_modules()
  local modules = {}
  for _, path in ipairs(lines_of "find lua/luatensor -name '*.lua'") do
    modules[path:match "^lua/(.*)%.lua$":gsub("/init$", ""):gsub("/", ".")] = path
  end
  return modules
end

-- Returns arrows[module][other], which is "require" if the module requires the other, else nil. Composed names such as
-- "luatensor.nn." .. name are ignored, because the folder's init.lua lists these modules.
local function read_requires(modules)
  local arrows = {}
  for module, path in pairs(modules) do
    arrows[module] = {}
    local file = assert(io.open(path))
    for line in file:lines() do
      local name = line:gsub("%-%-.*", ""):match "require[ (]*[\"'](luatensor[%w_.]*)[\"']"
      if name and modules[name] then arrows[module][name] = "require" end
    end
    file:close()
  end
  return arrows
end

-- Returns the folder of a module, or "luatensor" for the module luatensor itself and luatensor.prompt.
local function lua_room_of(module, modules)
  return modules[module]:match "^lua/luatensor/([^/]+)/" or "luatensor"
end

local function check_lua()
  local modules, wrong = find_modules(), {}
  local arrows = read_requires(modules)
  for _, module in ipairs(sorted_keys(modules)) do
    local room, allowed = lua_room_of(module, modules), {}
    for _, other in ipairs(lua_rooms[room] or {}) do allowed[other] = true end
    for _, name in ipairs(sorted_keys(arrows[module])) do
      local other = lua_room_of(name, modules)
      if other ~= room and not allowed[other] then
        wrong[#wrong + 1] = ("%s requires %s: a file of %s/ must not"):format(modules[module], name, room)
      end
    end
  end
  compare("requires that break the rules of rooms", #wrong, 0, wrong)
  check_circles("files in Lua", arrows, 0, 0)
end

-- ---- folders ------------------------------------------------------------------------------------

local function check_folders()
  local counts = {}
  for _, path in ipairs(lines_of "git ls-files --cached --others --exclude-standard src lua spec") do
    local folder = path:match "^(.*)/"
    counts[folder] = (counts[folder] or 0) + 1
  end
  for _, folder in ipairs(sorted_keys(counts)) do
    if counts[folder] > limits.folder then compare("files in " .. folder, counts[folder], limits.folder, {}) end
  end
end

-- ---- calls of devices ---------------------------------------------------------------------------

-- Adds the names of functions that call devices: rows of families.def, and functions of dispatch.h.
local function add_device_entries(entries, source)
  if source.path:find "/families%.def$" then
    for name in source.without:gmatch "FAMILY%(([%w_]+)," do entries[name] = true end
  elseif source.path:find "/dispatch%.h$" then
    for name in source.without:gmatch "\nint device_([%w_]+)%(" do entries[name] = true end
  end
end

-- True for files that must call functions of op/ instead of devices.
local function is_above_op(path)
  local room = path:match "^src/(%w+)/"
  return room == "lua" or room == "autograd" or room == "io" or path == "src/core.c"
end

local function check_device_calls(sources)
  local entries, calls = {}, {}
  for _, source in ipairs(sources) do add_device_entries(entries, source) end
  for _, source in ipairs(sources) do
    if is_above_op(source.path) then
      for entry in source.without:gmatch "device[_%->]+([%w_]+)%(" do
        if entries[entry] then calls[#calls + 1] = source.path .. ": " .. entry end
      end
    end
  end
  compare("calls of devices above op/", #calls, 0, calls)
end

-- ---- names of devices ------------------------------------------------------------------------

-- Words that look like a device's name: a controller of Linux's control groups, lt.cuda, a table of functions, and a
-- function of MPI.
local no_device = {["src/base/system.c"] = {cpu = true}, ["src/lua/device/device.c"] = {cuda = true},
                   ["src/distributed/mpi.c"] = {cuda = true}}

-- Checks string literals of C files outside of the devices' own files for names of devices.
local function check_device_names(sources)
  local found = {}
  for _, source in ipairs(sources) do
    local room = source.path:match "^src/(%w+)/"
    for literal in source.without:gmatch '"([^"\n]*)"' do
      for word in literal:gmatch "%a+" do
        local is_name = word == "cpu" or word == "cuda"
        if is_name and room ~= "cpu" and room ~= "gpu" and not literal:find "/" and
           not (no_device[source.path] or {})[word] then
          found[#found + 1] = ("%s: \"%s\""):format(source.path, literal)
        end
      end
    end
  end
  compare("names of devices in src", #found, 0, found)
end

-- The folders of lua/luatensor for measuring and reporting. foreign_names.lua is not examined, because its texts are
-- code for scripts, which may name devices.
local wing = {advise = true, bench = true, cli = true, doctor = true, experiment = true, page = true, report = true}

local function check_device_names_in_lua()
  local found = {library = {}, wing = {}}
  for _, path in ipairs(lines_of "find lua/luatensor -name '*.lua' ! -name foreign_names.lua | sort") do
    local where = wing[path:match "^lua/luatensor/(%w+)"] and found.wing or found.library
    local number = 0
    for line in io.lines(path) do
      number = number + 1
      for name in line:gsub("%-%-.*", ""):gmatch "[^\\][\"']%^?(%a+)" do
        if name == "cpu" or name == "cuda" then where[#where + 1] = ("%s:%d: %s"):format(path, number, line) end
      end
    end
  end
  for _, part in ipairs {"library", "wing"} do
    compare("names of devices in Lua, " .. part, #found[part], limits.device_names[part], found[part])
  end
end

-- ---- macros -------------------------------------------------------------------------------------

-- True if the macro is a table, which consists of rows X(…).
local function is_table(body) return body:gsub("[%a_][%w_]*%s*%b()", ""):find "^[%s\\]*$" ~= nil end

local function count_statements(body)
  local count = 0
  for word in body:gmatch "[%a_][%w_]*" do
    if word == "for" or word == "while" or word == "if" or word == "switch" then count = count + 1 end
  end
  return count
end

local function check_macros(sources)
  local offenders = {}
  for _, source in ipairs(sources) do
    local text = "\n" .. source.text:gsub("\\\n", "\\\f")             -- a macro is one line of this text
    for name, rest in text:gmatch "\n[ \t]*#[ \t]*define[ \t]+([%w_]+)([^\n]*\\\f[^\n]*)" do
      local body = rest:gsub("^%b()", ""):gsub("/%*.-%*/", "")
      local lines, statements = select(2, rest:gsub("\f", "")) + 1, count_statements(body)
      local is_long = lines > MACRO_LINES and not is_table(body)
      if is_long or statements > 1 then
        offenders[#offenders + 1] = ("%s: %s: %d lines, %d statements"):format(source.path, name, lines, statements)
      end
    end
  end
  compare("macros that hold code", #offenders, limits.macros, offenders)
end

-- ---- includes between folders --------------------------------------------------------------------

-- Returns the folder of a path below src, or nil for a file in src itself.
local function room_of(path) return path:match "^src/([^/]+)/" end

local function check_rooms(sources)
  local exists, wrong = {}, {}
  for _, source in ipairs(sources) do exists[source.path] = true end
  for _, source in ipairs(sources) do
    local room, allowed = room_of(source.path), {}
    for _, other in ipairs(rooms[room] or {}) do allowed[other] = true end
    for name in source.without:gmatch '#[ \t]*include[ \t]+"([^"\n]+)"' do
      local other = room_of("src/" .. name)
      if not exists["src/" .. name] then
        wrong[#wrong + 1] = ("%s includes %s: no path below src"):format(source.path, name)
      elseif room and other and other ~= room and not allowed[other] then
        wrong[#wrong + 1] = ("%s includes %s: a file of %s/ must not"):format(source.path, name, room)
      end
    end
  end
  compare("includes that break the rules of rooms", #wrong, 0, wrong)
end

-- ---- all ----------------------------------------------------------------------------------------

local sources = read_sources()
check_circles("source files", read_arrows(sources), limits.circles, limits.files_in_circles)
check_lua()
check_folders()
check_device_calls(sources)
check_device_names(sources)
check_device_names_in_lua()
check_macros(sources)
check_rooms(sources)
os.exit(not broken, true)
