--- The base class of data sets.
-- @submodule luatensor.data

local device_of = require "luatensor.data.device_of"
local lt = require "luatensor"
local arity = require "luatensor.base.arity"

local Dataset = {}
Dataset.__index = Dataset

--- Returns all samples as one batch, in the form in which `get` returns batches.
-- @treturn tensor ... or other values, if `get` returns other values
function Dataset:all()
  return self:get(lt.arange(1, self.size + 1, {dtype = "int64", device = device_of(self)}))
end

arity.class(Dataset, nil, "dataset")

function Dataset:__len() return self.size end

-- Makes a class. Calling the class makes a data set with the fields that `init` returns.
return function(name, init)
  local of = setmetatable({class_name = name, __name = "data set"}, {__name = "class", __index = Dataset,
                                                __call = function(of, ...)
    arity.check(name, init, 0, ...)
    return setmetatable(init(...), of)
  end})
  of.__index, of.__len = of, Dataset.__len
  return of
end
