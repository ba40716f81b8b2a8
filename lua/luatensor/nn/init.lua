--- Networks: layers, losses, initialisers.
-- @module luatensor.nn

local names = require "luatensor.names"
local Module = require "luatensor.nn.module"

local nn = {Module = Module, is_module = Module.is}

--- Each file gives classes and functions by name.
local files = {"linear", "convolution", "pooling", "activation", "dropout", "embedding", "container", "loss",
               "pytorch",
               "recurrent", "attention", "normalization"}
for _, file in ipairs(files) do
  for name, class in pairs(require("luatensor.nn." .. file)) do
    if nn[name] then error("two classes nn." .. name) end
    nn[name] = class
  end
end

nn.functional = require "luatensor.nn.functional"
nn.init = require "luatensor.nn.initializers"
nn.autocast = require("luatensor.nn.autocast").autocast
nn.utils = require "luatensor.nn.utils"

return names.guard(nn, "nn.")
