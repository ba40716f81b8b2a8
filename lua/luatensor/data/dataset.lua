--- Classes of data sets: objects that return samples by their numbers.
--
-- A data set is any table with a field `size`, the number of samples, and a method `get(self, indices)`. `indices` is
-- an int64 tensor of 1-based numbers of samples. `get` returns these samples as one batch: any values, tensors or
-- not. If the data set has a field `device`, the indices are on that device, otherwise on the CPU.
-- @submodule luatensor.data

local args = require "luatensor.base.args"
local core = require "luatensor.core"
local lt = require "luatensor"
local blame = require "luatensor.base.blame"
local check = require "luatensor.data.check"
local device_of = require "luatensor.data.device_of"
local class = require "luatensor.data.class"

-- ---- tensors ----

--- Makes a data set of the rows of tensors: `data.TensorDataset(x, y)`. Sample i is row i of each tensor. Field
-- `tensors` is the list of tensors.
-- @function data.TensorDataset
-- @tparam tensor ... one or more tensors with equal numbers of rows, on one device
-- @treturn Dataset whose `get` returns copied rows of each tensor
-- @raise if tensors have different numbers of rows or different devices, or no dims
local TensorDataset = class("TensorDataset", function(...)
  local tensors = {...}
  for i = 1, math.max(1, select("#", ...)) do
    local x = args.tensor("TensorDataset", i, tensors[i])
    if x.ndim == 0 then blame.fail("TensorDataset", "argument %d: a tensor without dims has no samples", i) end
    if x.shape[1] ~= tensors[1].shape[1] then
      blame.fail("TensorDataset", "argument 1 has %d samples, argument %d has %d", tensors[1].shape[1], i, x.shape[1])
    elseif x.device ~= tensors[1].device then
      blame.fail("TensorDataset", "argument 1 is on %s, argument %d on %s", tensors[1].device, i, x.device)
    end
  end
  return {tensors = tensors, size = tensors[1].shape[1], device = tensors[1].device}
end)

local take = lt.take

function TensorDataset:get(indices)
  local tensors = self.tensors
  local x, y = tensors[1], tensors[2]
  if not y then return take(x, indices, 1) end
  if not tensors[3] then return take(x, indices, 1), take(y, indices, 1) end
  local rows = {}
  for i = 1, #tensors do rows[i] = take(tensors[i], indices, 1) end
  return table.unpack(rows)
end

function TensorDataset:__tostring()
  local parts = {}
  for i, x in ipairs(self.tensors) do parts[i] = args.shape_text(x.shape) .. " " .. x.dtype end
  return "TensorDataset: " .. table.concat(parts, ", ")
end

-- ---- subsets ----

local function subset_indices(indices, base)
  if type(indices) == "table" then
    indices = #indices > 0 and lt.tensor(indices, {dtype = "int64", device = base.device})
              or lt.empty(0, {dtype = "int64", device = base.device})
  end
  args.tensor("Subset", 2, indices)
  if indices.ndim ~= 1 or not indices.dtype:find "int" then
    blame.fail("Subset", "indices must be integers of shape [n], they are %s %s", args.shape_text(indices.shape),
               indices.dtype)
  end
  return indices:to("int64", device_of(base))
end

--- Makes a data set of some samples of another data set.
-- @function data.Subset
-- @tparam Dataset base
-- @tparam tensor|table indices of samples, 1-based, in the wanted order; repeated indices give repeated samples
-- @treturn Dataset with fields `base` and `indices`
-- @raise if an index is out of range
local Subset = class("Subset", function(base, indices)
  check("Subset", base)
  indices = blame.call(subset_indices, indices, base)
  local n = indices.shape[1]
  local low, high = 1, 0
  if n > 0 then low, high = indices:min():item(), indices:max():item() end
  if low < 1 or high > base.size then
    blame.fail("Subset", "index %d is out of range: the data set has %d samples", low < 1 and low or high, base.size)
  end
  return {base = base, indices = indices, size = n, device = base.device}
end)

function Subset:get(indices) return self.base:get(take(self.indices, indices, 1)) end

function Subset:__tostring() return ("Subset: %d of %d samples"):format(self.size, self.base.size) end

-- ---- concatenation ----

--- Makes a data set that contains the samples of several data sets of tensors, one data set after the other.
-- @function data.ConcatDataset
-- @tparam table list data sets on one device; their batches have the same dtypes, and the same shapes except for the
--   first dim
-- @treturn Dataset
local ConcatDataset = class("ConcatDataset", function(list)
  local kind = core.type_name(list)
  if kind ~= "table" or #list == 0 then
    blame.fail("ConcatDataset", "list of data sets expected, got %s", kind == "table" and "none" or kind)
  end
  local size = 0
  for _, part in ipairs(list) do size = size + check("ConcatDataset", part).size end
  return {parts = list, size = size, device = list[1].device}
end)

-- Returns the positions in `indices` at which samples of `part` are requested, and a list of the values that the
-- part returns for these samples. Returns nil if there are no such samples. `first` is the number of the part's
-- first sample in the whole data set.
local function of_part(part, first, indices)
  local here = indices:ge(first):logical_and(indices:le(first + part.size - 1)):nonzero()
  local at = lt.is_tensor(here) and here:flatten() or here[1]
  if at.shape[1] == 0 then return nil end
  return at, {part:get(take(indices, at, 1) - (first - 1))}
end

function ConcatDataset:get(indices)
  local places, columns, first = {}, {}, 1
  for _, part in ipairs(self.parts) do
    local at, values = of_part(part, first, indices)
    if at then
      places[#places + 1] = at
      for k, value in ipairs(values) do
        columns[k] = columns[k] or {}
        table.insert(columns[k], value)
      end
    end
    first = first + part.size
  end
  if #places == 0 then return self.parts[1]:get(indices) end
  local back = lt.concat(places):argsort()
  for k, values in ipairs(columns) do columns[k] = take(lt.concat(values), back, 1) end
  return table.unpack(columns)
end

return {TensorDataset = TensorDataset, Subset = Subset, ConcatDataset = ConcatDataset}
