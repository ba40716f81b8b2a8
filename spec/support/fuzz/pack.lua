-- Keeps the inputs that a long run of `make fuzz` found: adds the files of FOLDER/corpus/TARGET to the pack file
-- spec/fuzz/found/TARGET, which is in git. Later runs begin with the inputs of this file.
--   lua pack.lua FOLDER TARGET…
local packs = require "spec.support.fuzz.packs"

local folder = arg[1]

local function read(path)
  local file <close> = assert(io.open(path, "rb"))
  return file:read "a"
end

for i = 2, #arg do
  local pack, list, known = "spec/fuzz/found/" .. arg[i], {}, {}
  packs.read(pack, list)
  for _, input in ipairs(list) do known[input] = true end
  local pipe <close> = assert(io.popen(("find %s/corpus/%s -type f | sort"):format(folder, arg[i])))
  for path in pipe:lines() do
    local input = read(path)
    if not known[input] then list[#list + 1], known[input] = input, true end
  end
  packs.write(pack, list)
  print(("%s: %d inputs"):format(arg[i], #list))
end
