--- Names that PyTorch gives to what we count from 1.

local core = require "luatensor.core"
local blame = require "luatensor.autograd.blame"

local pytorch = {}

local function plus_one(text) return ("%d"):format(math.tointeger(tonumber(text)) + 1) end

-- "0.weight" → "1.weight"; "rnn.weight_ih_l0" → "rnn.weight_ih_l1"
local function rename(name)
  local parts = {}
  for part in (name .. "."):gmatch("(.-)%.") do
    if part:find("^%d+$") then part = plus_one(part) end
    parts[#parts + 1] = part
  end
  parts[#parts] = parts[#parts]:gsub("^([%a_]+_[ihr]+_l)(%d+)", function(head, n) return head .. plus_one(n) end)
  return table.concat(parts, ".")
end

--- The state of a network of PyTorch by our names: layers in a Sequential and layers of recurrent networks count from
-- 1. `model:load_state_dict(nn.rename_pytorch(lt.load "model.safetensors"))`.
-- @function nn.rename_pytorch
-- @tab state tensors by PyTorch's names
-- @treturn table the same tensors by ours
function pytorch.rename_pytorch(state)
  if type(state) ~= "table" then blame.fail("rename_pytorch", "table expected, got %s", core.type_name(state)) end
  local renamed = {}
  for name, x in pairs(state) do renamed[type(name) == "string" and rename(name) or name] = x end
  return renamed
end

return pytorch
