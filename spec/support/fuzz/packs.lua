--- Reads and writes pack files, spec/fuzz/found/TARGET, which store kept inputs. Each input is stored after its length
--- (4 bytes).
local packs = {}

--- Adds the inputs in the pack file `path` to a list. If there is no such file, the list is unchanged.
function packs.read(path, list)
  local file <close> = io.open(path, "rb")
  local text, at, input = file and file:read "a" or "", 1, nil
  while at <= #text do
    input, at = ("<s4"):unpack(text, at)
    list[#list + 1] = input
  end
end

--- Writes a list of inputs, the shortest first.
function packs.write(path, list)
  local packed = {}
  for i, input in ipairs(list) do packed[i] = ("<s4"):pack(input) end
  table.sort(packed, function(a, b) return #a < #b or #a == #b and a < b end)
  local file <close> = assert(io.open(path, "wb"))
  assert(file:write(table.concat(packed)))
end

return packs
