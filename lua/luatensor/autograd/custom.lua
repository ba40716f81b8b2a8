--- lt.autograd_function, which makes an op from two functions of a script: `forward`, and `backward` for the gradients.

local args = require "luatensor.base.args"
local core = require "luatensor.core"
local blame = require "luatensor.base.blame"
local engine = require "luatensor.autograd.engine"
local help = require "luatensor.gradients.help"

local ag = core.autograd

local context = {}
context.__index = context

--- Keeps tensors for backward. Also keeps the version of each tensor, a number that changes with each in-place change.
function context:save(...)
  self.kept = table.pack(...)
  self.versions = {}
  for i = 1, self.kept.n do
    if core.is_tensor(self.kept[i]) then self.versions[i] = ag.version(self.kept[i]) end
  end
end

--- Returns the tensors that context:save kept. Raises an error if one of them was changed in place afterwards.
function context:saved()
  if not self.kept then args.fail(self.name, "nothing was saved for backward, or it was used already") end
  for i, version in pairs(self.versions) do
    if ag.version(self.kept[i]) ~= version then
      args.fail("backward", "%s needs a tensor that was changed in place afterwards", self.name)
    end
  end
  return table.unpack(self.kept, 1, self.kept.n)
end

--- Returns the shape, dtype and device of each result. The backward pass makes zeros from them if a gradient is
-- missing.
local function describe(results)
  local list = {}
  for i, x in ipairs(results) do list[i] = {x.shape, {dtype = x.dtype, device = x.device}} end
  return list
end

--- True if summation and broadcasting can turn a gradient of shape g into a gradient of shape `shape`.
local function is_compatible(g, shape)
  for d = 0, math.min(#g, #shape) - 1 do
    local a, b = g[#g - d], shape[#shape - d]
    if a ~= b and a ~= 1 and b ~= 1 then return false end
  end
  return true
end

--- Checks and returns `list`, the gradients that the script's backward function returned. Raises an error if there
-- are more gradients than arguments, if one was freed or is neither a tensor nor nil, or if its shape does not fit its
-- argument's shape.
local function check_gradients(f, list, shapes)
  for i = 1, list.n do
    local g = list[i]
    local gone = core.is_tensor(g) and core.gone(g)
    if g ~= nil and i > shapes.n then
      args.fail("backward", "%s gave %d gradients, it has %d arguments", f.name, list.n, shapes.n)
    elseif g ~= nil and not core.is_tensor(g) then
      args.fail("backward", "%s gave a %s for argument %d, tensor or nil expected", f.name, core.type_name(g), i)
    elseif gone then
      args.fail("backward", "%s, for argument %d: %s", f.name, i, gone)
    elseif g ~= nil and shapes[i] and not is_compatible(g.shape, shapes[i]) then
      args.fail("backward", "%s gave shape %s for argument %d, which has shape %s", f.name, args.shape_text(g.shape), i,
                args.shape_text(shapes[i]))
    end
  end
  return list
end

local function call_backward(f, ctx, like, shapes, g)
  if #like == 1 then return check_gradients(f, table.pack(f.backward(ctx, g)), shapes) end
  for i, form in ipairs(like) do g[i] = g[i] or core.zeros(form[1], form[2]) end
  return check_gradients(f, table.pack(f.backward(ctx, table.unpack(g, 1, #like))), shapes)
end

local function any_needs(list)
  for i = 1, list.n do
    if core.is_tensor(list[i]) and list[i].requires_grad then return true end
  end
  return false
end

--- Raises an error if a table among the arguments contains a tensor that requires gradients, because such a tensor
-- would get no gradient.
local function check_tables(f, inputs)
  for i = 1, inputs.n do
    for _, x in next, type(inputs[i]) == "table" and inputs[i] or {} do
      if core.is_tensor(x) and x.requires_grad then
        blame.fail(f.name, "argument %d: gradients do not pass through tables; give each tensor as an argument", i)
      end
    end
  end
end

--- In ctx, replaces result x of forward by y, the tensor that is returned to the script. Gradients of gradients need
-- y, because only y belongs to the graph.
local function replace_kept(ctx, x, y)
  for _, t in ipairs {ctx, ctx.kept} do
    for key, value in pairs(t) do if rawequal(value, x) then t[key] = y end end
  end
end

--- Makes each result a new tensor, because forward may return an argument, or a tensor that the script keeps.
local function own_results(f, ctx, results)
  local _ <close> = engine.recording(false)
  for i = 1, results.n do
    local x = results[i]
    if not core.is_tensor(x) then error(f.name .. ": forward must return tensors", 0) end
    results[i] = x:reshape(x.shape)
    replace_kept(ctx, x, results[i])
    if not x.requires_grad then ag.set_apart(x) end
  end
end

--- Calls f.forward and records f.backward as the gradient of its results. f is a table with name, forward and
-- backward.
return function(f, ...)
  local inputs, ctx = table.pack(...), setmetatable({name = f.name, needs = {}}, context)
  for i = 1, inputs.n do ctx.needs[i] = core.is_tensor(inputs[i]) and inputs[i].requires_grad end
  if ag.mode() then check_tables(f, inputs) end
  local results = table.pack(engine.record(false, f.forward, ctx, ...))
  if not ag.mode() or not any_needs(inputs) then return table.unpack(results, 1, results.n) end
  own_results(f, ctx, results)
  local like, known, shapes = describe(results), {}, {n = inputs.n}
  for i = 1, inputs.n do
    known[i] = inputs[i] or false
    shapes[i] = ctx.needs[i] and inputs[i].shape
  end
  local row = help.attach(f.name, known, results, function(g) return call_backward(f, ctx, like, shapes, g) end)
  function row.let_go() ctx.kept = nil end
  return table.unpack(results, 1, results.n)
end
