--- Functions of scripts with a gradient of their own: lt.autograd_function.

local args = require "luatensor.args"
local core = require "luatensor.core"
local engine = require "luatensor.autograd.engine"
local help = require "luatensor.gradients.help"

local ag = core.autograd

local context = {}
context.__index = context

--- Keeps tensors for backward.
function context:save(...)
  self.kept = table.pack(...)
  self.versions = {}
  for i = 1, self.kept.n do
    if core.is_tensor(self.kept[i]) then self.versions[i] = ag.version(self.kept[i]) end
  end
end

--- What save kept.
function context:saved()
  if not self.kept then args.fail(self.name, "nothing was saved for backward, or it was used already") end
  for i, version in pairs(self.versions) do
    if ag.version(self.kept[i]) ~= version then
      args.fail("backward", "%s needs a tensor that was changed in place afterwards", self.name)
    end
  end
  return table.unpack(self.kept, 1, self.kept.n)
end

--- What a result's gradient looks like, where none came.
local function describe(results)
  local list = {}
  for i, x in ipairs(results) do list[i] = {x.shape, {dtype = x.dtype, device = x.device}} end
  return list
end

local function call_backward(f, ctx, like, g)
  if #like == 1 then return table.pack(f.backward(ctx, g)) end
  for i, form in ipairs(like) do g[i] = g[i] or core.zeros(form[1], form[2]) end
  return table.pack(f.backward(ctx, table.unpack(g, 1, #like)))
end

local function any_needs(list)
  for i = 1, list.n do
    if core.is_tensor(list[i]) and list[i].requires_grad then return true end
  end
  return false
end

--- Results that are arguments are told apart from them.
local function own_results(f, results, inputs)
  local seen = {}
  for i = 1, inputs.n do if inputs[i] ~= nil then seen[inputs[i]] = true end end
  for i = 1, results.n do
    if not core.is_tensor(results[i]) then error(f.name .. ": forward must return tensors", 0) end
    if seen[results[i]] then results[i] = results[i]:detach() end
  end
end

--- Calls f, a table with name, forward and backward.
return function(f, ...)
  local inputs, ctx = table.pack(...), setmetatable({name = f.name, needs = {}}, context)
  for i = 1, inputs.n do ctx.needs[i] = core.is_tensor(inputs[i]) and inputs[i].requires_grad end
  local results
  do
    local _ <close> = engine.recording(false)
    results = table.pack(f.forward(ctx, ...))
  end
  if not ag.mode() or not any_needs(inputs) then return table.unpack(results, 1, results.n) end
  own_results(f, results, inputs)
  local like, known = describe(results), {}
  for i = 1, inputs.n do known[i] = inputs[i] or false end
  local row = help.attach(f.name, known, results, function(g) return call_backward(f, ctx, like, g) end)
  function row.let_go() ctx.kept = nil end
  return table.unpack(results, 1, results.n)
end
