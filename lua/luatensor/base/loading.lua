--- Explains why the C module luatensor.core could not be loaded, and says what to do. The message of the system's
-- loader says neither.

local loading = {}

local unexported <const> = "this program does not export Lua's functions: link it with -rdynamic (or -Wl,-E), " ..
  "or open the shared library of Lua with RTLD_GLOBAL"

local function damaged(file) return file .. " is damaged: install it again" end

-- Patterns of messages of glibc's loader, of musl's loader and of Lua. Each has an explanation: a text, or a function
-- of the pattern's capture.
local meanings = {
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
  {"([^%s/]+): file too short", damaged},
  {"([^%s/]+): invalid ELF header", damaged},
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

--- Returns an explanation of an error of `require "luatensor.core"`; nil if the error is unknown.
function loading.meaning(problem)
  problem = tostring(problem)
  for _, row in ipairs(meanings) do
    local found = problem:match(row[1])
    if found then return type(row[2]) == "string" and row[2] or row[2](found) end
  end
  local library = problem:match "([^%s/:]+): cannot open shared object file"
    or problem:match "Error loading shared library ([^%s/:]+): No such file"
  -- Lua has already opened core.so, so the file exists. glibc also gives this message for a library that was compiled
  -- for another processor.
  if library and library:find "^core%." then return loading.meaning "wrong ELF class" end
  return library and missing(library)
end

return loading
