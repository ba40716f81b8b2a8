--- Explains why the C module luatensor.core could not be found or loaded, and says what to do. The messages of Lua and
-- of the system's loader say neither.

local release = require "luatensor.base.version"

local loading = {}

local unexported <const> = "this program does not export Lua's functions: link it with -rdynamic (or -Wl,-E), " ..
  "or open the shared library of Lua with RTLD_GLOBAL"

local function stranger(path)
  return path .. " is not the C module of luatensor: correct LUA_CPATH, or install luatensor again"
end

-- Patterns of messages of glibc's loader, of musl's loader and of Lua. Each has an explanation: a text, or a function
-- of the pattern's capture.
local meanings = {
  {"from file '([^']+)'.*luaopen_luatensor_core", stranger},
  {"undefined symbol: _?luaL?_", unexported},
  {"Error relocating [^:]+: _?luaL?_[%w_]+: symbol not found", unexported},
  {"version mismatch: app%. needs (%d+)", function(number)
    local major, minor = number:match "^(%d)%d(%d)$"
    return ("luatensor.core was built for Lua %s.%s, this is %s: install luatensor for this Lua"):format(
      major or number, minor or "?", _VERSION)
  end},
  {"version `(GLIBC_[%d.]+)' not found", function(version)
    return ("this system's C library is older than %s, which this build of luatensor needs: build it here, from the " ..
      "sources (luarocks build luatensor, or make)"):format(version:gsub("_", " "))
  end},
  {"wrong ELF class", "luatensor.core is for another kind of processor: build it here, from the sources " ..
    "(luarocks build luatensor, or make)"},
}

-- Packages of Debian and Ubuntu, each with a pattern for the names of the libraries that it contains.
local packages = {{"^libopenblas", "libopenblas0-openmp"}, {"^libgomp", "libgomp1"}, {"^libz%.", "zlib1g"},
                  {"^libgfortran", "libgfortran5"}, {"^libquadmath", "libquadmath0"}, {"^libgcc_s", "libgcc-s1"}}

local function missing(library)
  for _, row in ipairs(packages) do
    if library:find(row[1]) then
      return ("%s is missing on this system: install it (Debian and Ubuntu: %s)"):format(library, row[2])
    end
  end
  return library .. " is missing on this system: install the package that has it"
end

local CORE <const> = "luatensor/core.so"

local function damaged(path)
  return path:find("core.so", 1, true) and
    path .. " is damaged: install luatensor again, or in a checkout run make clean && make" or
    path .. " is damaged: install its package again"
end

-- Ends of messages of the system's loader about a file that is empty, cut off, or no library.
local damages = {"file too short", "invalid ELF header", "cannot read file data"}

--- Returns an explanation of an error of `require "luatensor.core"`; nil if the error is unknown.
function loading.meaning(problem)
  problem = tostring(problem)
  for _, row in ipairs(meanings) do
    local found = problem:match(row[1])
    if found then return type(row[2]) == "string" and row[2] or row[2](found) end
  end
  for _, words in ipairs(damages) do
    local path = problem:match("([^\t\n:]+): " .. words)
    if path then return damaged(path) end
  end
  local library = problem:match "([^%s/:]+): cannot open shared object file"
    or problem:match "Error loading shared library ([^%s/:]+): No such file"
  -- Lua has already opened core.so, so the file exists. glibc also gives this message for a library that was compiled
  -- for another processor.
  if library and library:find "^core%." then return loading.meaning "wrong ELF class" end
  return library and missing(library)
end

-- ---- the file -----------------------------------------------------------------------------------

local function is_there(path)
  local file = io and io.open(path)
  return file and file:close()
end

-- Returns the folder that contains the folder luatensor of the Lua files. The result is "" if the folder is unknown: in
-- a state without debug, or in a program that contains the Lua files.
local function lua_folder()
  local source = debug and debug.getinfo(1, "S").source or ""
  return source:match "^@(.*)luatensor[/\\]base[/\\]loading%.lua$" or ""
end

-- Says what to do if package.cpath does not lead to the C module. The place of this file tells a checkout from an
-- installed tree. In a state without debug or io the place is unknown.
local function cure()
  local folder = io and lua_folder() or ""
  local root = folder:match "^(.*)lua[/\\]$"
  local prefix, version = folder:match "^(.*)share[/\\]lua[/\\]([%d.]+)[/\\]$"
  local libraries = root and root .. "build" or prefix and ("%slib/lua/%s"):format(prefix, version)
  if libraries and is_there(libraries .. "/" .. CORE) then return ('set LUA_CPATH="%s/?.so;;"'):format(libraries) end
  if root and is_there(root .. "src/core.c") then
    local here = root == "" and "." or root:sub(1, -2)
    return ("run make in %s, or set LUA_CPATH if the C module is built elsewhere"):format(here)
  end
  return ('set LUA_CPATH="FOLDER/?.so;;", where FOLDER/%s is the C module (the LIBDIR of make install), ' ..
    "or install luatensor again if there is no such file"):format(CORE)
end

--- Explains an error of `require "luatensor.core"` in one sentence. Other values are returned unchanged.
-- @param problem
-- @return the sentence, or `problem`
function loading.explain(problem)
  if tostring(problem):find "^module 'luatensor%.core' not found:" then
    return ("luatensor: package.cpath does not lead to the C module %s: %s"):format(CORE, cure())
  end
  local meaning = loading.meaning(problem)
  return meaning and ("luatensor: %s (%s)"):format(meaning, tostring(problem):match "%S[^\n]*$") or problem
end

-- Says in one sentence how the C module does not fit to the Lua files: `problem` follows the module's path, and `files`
-- follows the folder of the Lua files.
local function unfit(path, problem, files)
  local folder = lua_folder()
  local place = folder == "" and "" or (" in %sluatensor"):format(folder)
  return ("luatensor: the C module %s %s the Lua files%s %s: install luatensor again, or in a checkout run make")
    :format(path or CORE, problem, place, files)
end

--- Says that the C module is of another version than the Lua files. If both are of the same version, returns nil, and
-- from then on a name that the C module lacks raises an error. In a checkout a module that was built from older
-- sources can have the same version.
-- @param core the result of `require "luatensor.core"`
-- @string[opt] path the file of the C module
-- @treturn string|nil
function loading.mismatch(core, path)
  if type(core) ~= "table" then return "luatensor: " .. stranger(path or CORE) end
  local found = core.version and "luatensor " .. core.version or "another version of luatensor"
  if found ~= release then return unfit(path, ("is of %s, but"):format(found), "are of " .. release) end
  setmetatable(core, {__metatable = false, __index = function(_, name)
    error(unfit(path, ("has no %q, which"):format(tostring(name)), "use"), 0)
  end})
  return nil
end

--- Says that a 64-bit ELF file is cut off. The system's loader checks only the first bytes of a file, so a cut file
-- would end the process by a signal. Returns nil for other files, and in a state without io.
-- @string path
-- @treturn string|nil
function loading.damage(path)
  local file <close> = io and io.open(path, "rb")
  local header = file and file:read(64) or ""
  if #header < 64 or header:sub(1, 6) ~= "\127ELF\2\1" then return nil end
  -- The linker writes the table of sections at the end of the file. The header has the address of this table at offset
  -- 0x28, and the size and the number of its rows at offset 0x3A.
  local at, size, count = ("<I8"):unpack(header, 0x28 + 1), ("<I2 I2"):unpack(header, 0x3A + 1)
  return file:seek "end" < at + size * count and "luatensor: " .. damaged(path) or nil
end

return loading
