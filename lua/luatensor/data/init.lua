--- lt.data: data sets, batches for training, and readers of common files.
--
--     local data = require "luatensor.data"
--
--     local train, test = data.split(data.digits(), {0.8, 0.2})
--     local loader = data.Loader(train, {batch_size = 64, shuffle = true})
--     for epoch = 1, 10 do
--       for x, y in loader:batches() do … end
--     end
--
-- @module luatensor.data

require "luatensor.base.requirements"
local arity = require "luatensor.base.arity"

local data = {}

--- Names of the files of luatensor/data. Each file returns a table of functions and classes by name.
local files = {"dataset", "split", "sampler", "loader", "digits", "idx", "csv", "image_folder"}
local nouns = {Loader = "loader", DistributedSampler = "sampler"}        -- for errors of methods; others are data sets
for _, file in ipairs(files) do
  for name, value in pairs(require("luatensor.data." .. file)) do
    data[name] = type(value) == "table" and arity.class(value, nil, nouns[name] or "dataset") or value
  end
end

data.transforms = arity.library(require "luatensor.data.transforms")

return arity.library(data)
