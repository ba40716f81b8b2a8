-- Documents the public names from the documentation comments of the sources and from the op table:
--
--   tools/lua tools/annotate.lua            library/, annotations for editors (LuaLS) and for lt.help
--   tools/lua tools/annotate.lua --reference folder/   the reference's pages of the site (make doc), from library/
--   tools/lua tools/annotate.lua --missing  lists the public names without documentation
--
-- Run this script from the repository's root. With dofile, it returns the table {collect, missing, luals}.

local core = require "luatensor.core"
local lt = require "luatensor"
-- accesses these modules, because lt loads each of them at the first access
assert(lt.bench and lt.advise and lt.nn and lt.optim and lt.data and lt.distributed and lt.plot and lt.help)
local luals = require "tools.annotate.luals"
local names = require "tools.annotate.names"
local read = require "tools.annotate.read"

local annotate = {collect = read.collect}

--- Returns the annotations: the text of each file, by its path below library/.
function annotate.luals() return luals.files(read.collect()) end

local function is_documented(name, space, by_name)
  return names.has_doc(name, by_name) or names.alias_of(name, space, by_name)
end

--- Returns the public functions, methods and properties without documentation.
function annotate.missing()
  local _, by_name = annotate.collect()
  local missing = {}
  local function look(space, prefix)
    for _, name in ipairs(names.of(space)) do
      local value = rawget(space, name)
      if type(value) == "table" and prefix == "lt." then
        for _, inner in ipairs(names.of(value)) do
          if names.is_callable(value[inner]) and not by_name[name .. "." .. inner] then
            missing[#missing + 1] = prefix .. name .. "." .. inner
          end
        end
      elseif not names.is_constant(value) and not is_documented(name, space, by_name) then
        missing[#missing + 1] = prefix .. name
      end
    end
  end
  look(lt, "lt.")
  look(core.methods, "x:")
  for _, name in ipairs(names.of(core.properties)) do
    if not names.properties[name] then missing[#missing + 1] = "x." .. name end
  end
  return missing
end

-- ---- the script ---------------------------------------------------------------------------------

-- Replaces the contents of a folder. `files` has the text of each new file, by the path of the file below the folder.
local function write_all(folder, files)
  os.execute("rm -rf " .. folder)
  for path, text in pairs(files) do
    os.execute("mkdir -p " .. (folder .. path):match "^.*/")
    local file <close> = assert(io.open(folder .. path, "w"))
    file:write(text)
  end
end

if arg and arg[0] and arg[0]:find("annotate.lua$") then
  if arg[1] == "--missing" then
    for _, name in ipairs(annotate.missing()) do print(name) end
  elseif arg[1] == "--reference" then
    write_all(arg[2], require("tools.annotate.reference").files())
  else
    write_all("library/", annotate.luals())
  end
end

return annotate
