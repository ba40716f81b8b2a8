--- lt.nn.functional: layers and losses as functions, which take their parameters as arguments.
-- @module luatensor.nn.functional

local functional = {}

--- Names of the files of luatensor/nn/functional. Each file returns a table of functions by name.
local files = {"linear", "convolution", "pooling", "activation", "dropout", "embedding", "loss", "cross_entropy",
               "attention", "normalization", "interpolate"}
for _, file in ipairs(files) do
  for name, f in pairs(require("luatensor.nn.functional." .. file)) do
    if functional[name] then error("two functions nn.functional." .. name) end
    functional[name] = f
  end
end

return functional
