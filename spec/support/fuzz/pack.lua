-- Adds the inputs that a long run found to git: the inputs of FOLDER/corpus/TARGET are added to the file
-- spec/fuzz/found/TARGET, with which later runs begin. Each input is preceded by its length (4 bytes).
--   lua pack.lua FOLDER TARGET…
local folder = arg[1]

local function read(path)
  local file <close> = assert(io.open(path, "rb"))
  return file:read "a"
end

-- The inputs of a pack, each once. The pack may be missing.
local function packed(path, list)
  local file <close> = io.open(path, "rb")
  local text, at = file and file:read "a" or "", 1
  while at <= #text do
    local input, after = ("<s4"):unpack(text, at)
    list[#list + 1], list[input], at = ("<s4"):pack(input), true, after
  end
  return list
end

local function inputs_of(name)
  local list = packed("spec/fuzz/found/" .. name, {})
  local pipe <close> = assert(io.popen(("find %s/corpus/%s -type f | sort"):format(folder, name)))
  for path in pipe:lines() do
    local input = read(path)
    if not list[input] then list[#list + 1], list[input] = ("<s4"):pack(input), true end
  end
  table.sort(list, function(a, b) return #a < #b or #a == #b and a < b end)
  return list
end

for i = 2, #arg do
  local list = inputs_of(arg[i])
  local file <close> = assert(io.open("spec/fuzz/found/" .. arg[i], "wb"))
  assert(file:write(table.concat(list)))
  print(("%s: %d inputs"):format(arg[i], #list))
end
