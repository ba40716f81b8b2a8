--- Replaces LuaFileSystem, a C module, if busted runs on a Lua without it. Contains the functions that busted and
-- Penlight need to run one named file of specs in the current folder. `make test-lua` adds this file to the package
-- path.
local lfs = {}

-- Returns the attributes of a path. The path exists if it can be opened, and it is a folder if "." inside it can be
-- opened.
function lfs.attributes(path, wanted)
  local folder = io.open(path .. "/.")
  local file = folder or io.open(path)
  if not file then return nil, "cannot obtain information from file '" .. path .. "'", 2 end
  file:close()
  local attributes = {mode = folder and "directory" or "file"}
  if wanted then return attributes[wanted] end
  return attributes
end
lfs.symlinkattributes = lfs.attributes

function lfs.currentdir() return os.getenv "PWD" end

function lfs.chdir(path)
  if path == "." or path == "./" then return true end
  return nil, "no folder but the current one here", 1
end

local function refuse() return nil, "not here: this is not LuaFileSystem", 1 end
lfs.mkdir, lfs.rmdir, lfs.dir = refuse, refuse, refuse

return lfs
