--- lt.nn: the layers, losses and initialisers of networks, and functions for training.
-- @module luatensor.nn

require "luatensor.base.requirements"
local arity = require "luatensor.base.arity"
local names = require "luatensor.base.names"
local Module = require "luatensor.nn.module"
local layer = require "luatensor.nn.layer"

arity.module(Module)
local nn = {Module = Module, is_module = Module.is, Parameter = Module.parameter}
Module.parameter = nil

--- Names of the files of luatensor/nn. Each file returns a table of classes and functions by name.
local files = {"linear", "convolution", "pooling", "activation", "dropout", "embedding", "container", "loss",
               "pytorch",
               "recurrent", "attention", "normalization", "transformer", "upsample"}
--- The names of the classes whose forward calls the modules in fields 1 … n, in sequence. These classes never call a
-- module in another field.
local chains = {Sequential = true, Residual = true}

for _, file in ipairs(files) do
  for name, class in pairs(require("luatensor.nn." .. file)) do
    if nn[name] then error("two classes nn." .. name) end
    nn[name] = class
    if type(class) == "table" then
      class._ours = true
      arity.module(class, not chains[name])
    end
  end
end

--- The layers of these files keep neither their inputs nor their results. Sequential frees the results between two
-- such layers.
for _, file in ipairs {"linear", "convolution", "pooling", "activation", "dropout", "normalization", "upsample"} do
  for _, class in pairs(require("luatensor.nn." .. file)) do
    if class.forward then layer.keeps_nothing[class.forward] = true end
  end
end
layer.keeps_nothing[nn.Flatten.forward] = true
for name in pairs(chains) do layer.is_chain[nn[name].forward] = true end

-- Layers call the unwrapped functions directly. Scripts call wrappers that refuse surplus arguments.
local functional = {}
for name, f in next, require "luatensor.nn.functional" do functional[name] = f end
nn.functional = names.guard(arity.library(functional), "nn.functional.")
nn.init = arity.library(require "luatensor.nn.initializers")
nn.autocast = require("luatensor.nn.autocast").autocast
nn.metrics = arity.library(require "luatensor.nn.metrics")
nn.utils = arity.library(require "luatensor.nn.utils")
nn.parallel = arity.library(require "luatensor.nn.parallel")

return names.guard(arity.library(nn), "nn.")
