-- Helpers of specs of convolutions and pooling, which store images as flat lists and compute with nested loops.
local lt = require "luatensor"
local gradient = require "spec.support.gradient"
local helpers = require "spec.support.helpers"

local planes = {}

-- Returns a tensor of pseudo-random multiples of 1/2 from -2 to 2, and the list of its elements. Products of such
-- numbers, and sums of a few products, are exact in every float dtype.
function planes.halves(shape, dtype, seed)
  local n = 1
  for _, length in ipairs(shape) do n = n * length end
  local list = gradient.values(n, -4, 4, seed)
  for i, v in ipairs(list) do list[i] = math.floor(v + 0.5) / 2 end
  if n == 0 then return lt.zeros(shape, {dtype = dtype, device = helpers.device}), list end
  return lt.tensor(list, {dtype = dtype, device = helpers.device}):reshape(shape), list
end

-- Returns a function that reads element (b, c, i, j) of a flat list: image, channel, row and column, 0-based. Outside
-- of the rows and columns it returns 0.
function planes.reader(list, shape)
  return function(b, c, i, j)
    if i < 0 or j < 0 or i >= shape[3] or j >= shape[4] then return 0 end
    return list[((b * shape[2] + c) * shape[3] + i) * shape[4] + j + 1]
  end
end

-- Calls visit(b, c, i, j) for all elements of a shape in row-major order: image, channel, row and column, 0-based.
function planes.each(shape, visit)
  for b = 0, shape[1] - 1 do
    for c = 0, shape[2] - 1 do
      for i = 0, shape[3] - 1 do
        for j = 0, shape[4] - 1 do visit(b, c, i, j) end
      end
    end
  end
end

-- Fails if tensor x differs from `shape`, or if its elements in row-major order differ from the flat list.
function planes.check(what, shape, list, x)
  local text = "[" .. table.concat(shape, ", ") .. "]"
  if tostring(x.shape) ~= text then error(("%s: shape %s, not %s"):format(what, tostring(x.shape), text), 2) end
  local got = #list > 0 and x:detach():to("float64"):flatten():totable() or {}
  for i, v in ipairs(list) do
    if got[i] ~= v then error(("%s: number %d is %s, not %s"):format(what, i, got[i], v), 2) end
  end
end

-- True unless call() raises an error "… not available on …", which means that the device under test lacks the kernel.
-- Then the specs of this kernel are pending.
function planes.available(call)
  local ok, message = pcall(call)
  return ok or not tostring(message):find("not available on", 1, true)
end

return planes
