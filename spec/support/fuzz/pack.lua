-- Takes over into git what a long run found: the inputs of FOLDER/corpus/TARGET, each with its length (4 bytes) in front,
-- become the file spec/fuzz/found/TARGET, with which later runs begin.
--   lua pack.lua FOLDER TARGET…
local folder = arg[1]

local function read(path)
  local file <close> = assert(io.open(path, "rb"))
  return file:read "a"
end

local function inputs_of(name)
  local list = {}
  local pipe <close> = assert(io.popen(("find %s/corpus/%s -type f | sort"):format(folder, name)))
  for path in pipe:lines() do list[#list + 1] = ("<s4"):pack(read(path)) end
  table.sort(list, function(a, b) return #a < #b or #a == #b and a < b end)
  return list
end

for i = 2, #arg do
  local list = inputs_of(arg[i])
  local file <close> = assert(io.open("spec/fuzz/found/" .. arg[i], "wb"))
  assert(file:write(table.concat(list)))
  print(("%s: %d inputs"):format(arg[i], #list))
end
