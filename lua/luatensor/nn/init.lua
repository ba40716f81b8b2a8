--- Networks: layers, losses, initialisers.
-- @module luatensor.nn

local names = require "luatensor.names"
local Module = require "luatensor.nn.module"
local layer = require "luatensor.nn.layer"

local nn = {Module = Module, is_module = Module.is, Parameter = Module.parameter}
Module.parameter = nil

--- Each file gives classes and functions by name.
local files = {"linear", "convolution", "pooling", "activation", "dropout", "embedding", "container", "loss",
               "pytorch",
               "recurrent", "attention", "normalization", "transformer"}
for _, file in ipairs(files) do
  for name, class in pairs(require("luatensor.nn." .. file)) do
    if nn[name] then error("two classes nn." .. name) end
    nn[name] = class
    if type(class) == "table" then class._ours = true end
  end
end

--- The layers of these files keep neither what they are given nor what they give: Sequential ends what is between them.
for _, file in ipairs {"linear", "convolution", "pooling", "activation", "dropout", "normalization"} do
  for _, class in pairs(require("luatensor.nn." .. file)) do
    if class.forward then layer.keeps_nothing[class.forward] = true end
  end
end
layer.keeps_nothing[nn.Flatten.forward] = true

nn.functional = require "luatensor.nn.functional"
nn.init = require "luatensor.nn.initializers"
nn.autocast = require("luatensor.nn.autocast").autocast
nn.utils = require "luatensor.nn.utils"

return names.guard(nn, "nn.")
