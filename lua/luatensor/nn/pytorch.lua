--- nn.rename_pytorch, which renames the tensors of a PyTorch network. PyTorch counts layers in names from 0, as in
-- "0.weight"; luatensor counts from 1.

local core = require "luatensor.core"
local blame = require "luatensor.base.blame"

local pytorch = {}

local LONGEST <const> = 18           -- 18 digits always fit an integer; no layer has a longer number

local function plus_one(digits) return #digits <= LONGEST and ("%d"):format(tonumber(digits) + 1) or digits end

-- Returns a name whose numbers count from 1: "0.weight" → "1.weight"; "rnn.weight_ih_l0" → "rnn.weight_ih_l1".
local function rename(name)
  local parts = {}
  for part in (name .. "."):gmatch("(.-)%.") do
    parts[#parts + 1] = part:find("^%d+$") and plus_one(part) or part
  end
  parts[#parts] = parts[#parts]:gsub("^([%a_]+_[ihr]+_l)(%d+)", function(head, n) return head .. plus_one(n) end)
  return table.concat(parts, ".")
end

--- Renames the state of a PyTorch network: the numbers of layers in a Sequential, and of layers of recurrent
-- networks, count from 1. Example: `model:load_state_dict(nn.rename_pytorch(lt.load "model.safetensors"))`.
-- @function nn.rename_pytorch
-- @tab state tensors by PyTorch's names
-- @treturn table the same tensors by luatensor's names
-- @raise if two names would become one, such as "0.weight" and "00.weight"
function pytorch.rename_pytorch(state)
  if type(state) ~= "table" then blame.fail("rename_pytorch", "table expected, got %s", core.type_name(state)) end
  local renamed = {}
  for name, x in pairs(state) do
    local ours = type(name) == "string" and rename(name) or name
    if renamed[ours] ~= nil then blame.fail("rename_pytorch", "two tensors would be called %q", ours) end
    renamed[ours] = x
  end
  return renamed
end

return pytorch
