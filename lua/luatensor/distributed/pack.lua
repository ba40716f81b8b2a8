--- Joins tensors to long vectors, because a group sends one long vector faster than many short tensors.

local engine = require "luatensor.autograd.engine"
local lt = require "luatensor"

local pack = {}

-- Bytes of a vector of pack.broadcast. Longer vectors would be no faster, but take more memory beside the tensors.
local VECTOR <const> = 32 << 20

-- Returns the number of bytes of an element. Names of dtypes end with their number of bits, except bool, which has 8.
local function bytes_of(dtype) return (math.tointeger(dtype:match "%d+$") or 8) // 8 end

--- Divides a list of tensors into lists with one dtype and one device each. A list is closed when its tensors have at
-- least `most` bytes together.
-- @treturn table the lists, each in the order of the tensors
function pack.divide(tensors, most)
  local lists, open = {}, {}
  for _, x in ipairs(tensors) do
    local kind = x.dtype .. " " .. x.device
    local list = open[kind]
    if not list or list.bytes >= most then
      list = {bytes = 0}
      open[kind], lists[#lists + 1] = list, list
    end
    list[#list + 1] = x
    list.bytes = list.bytes + x.size * bytes_of(x.dtype)
  end
  return lists
end

--- Returns a new vector of the elements of all tensors in a list.
function pack.join(list)
  local vectors = {}
  for i, x in ipairs(list) do vectors[i] = x:detach():reshape(-1) end
  return #vectors == 1 and vectors[1]:clone() or lt.concatenate(vectors)
end

--- Copies the vector's elements to tensors. For each tensor x of the list, the elements go to target(x), or nowhere if
-- target(x) is nil.
function pack.copy(vector, list, target)
  local at = 1
  for _, x in ipairs(list) do
    local to = target(x)
    if to then to:copy_(vector:narrow(1, at, x.size):reshape(x.shape)) end
    at = at + x.size
  end
end

local function itself(x) return x end

--- Gives all processes of a group the values that the tensors have in process `root`.
function pack.broadcast(group, tensors, root)
  local _ <close> = engine.recording(false)
  for _, list in ipairs(pack.divide(tensors, VECTOR)) do
    local vector = pack.join(list)
    group:broadcast(vector, {root = root, out = vector})
    if group:rank() ~= root then pack.copy(vector, list, itself) end
  end
end

return pack
