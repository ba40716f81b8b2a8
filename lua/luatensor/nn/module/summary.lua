--- Module:summary, a table of the modules of a network with the shapes of their results.

local args = require "luatensor.base.args"
local blame = require "luatensor.base.blame"
local core = require "luatensor.core"
local describe = require "luatensor.nn.module.describe"
local engine = require "luatensor.autograd.engine"
local fields = require "luatensor.nn.module.fields"
local hooks = require "luatensor.nn.module.hooks"
local walking = require "luatensor.nn.module.walk"

local lt = require "luatensor.base.public"

-- ---- the inputs ----

-- Returns the options of a tensor with the dtype and the device of the network's first parameter, or nil if there is no
-- parameter.
local function options_of(self)
  local options
  walking.each_tensor(self, fields.is_state, function(_, x)
    options = options or core.floats[x.dtype] and {dtype = x.dtype, device = x.device}
  end)
  return options
end

-- Returns the list of the inputs: tensors as they are, and zeros for shapes, which are lists. Numbers are one shape.
local function inputs_of(self, ...)
  local list, options = table.pack(...), options_of(self)
  if list.n == 0 then
    blame.fail("summary", "the shape of the input expected, such as model:summary(1, 3, 32, 32), or a tensor")
  end
  if type(list[1]) == "number" then list = {list, n = 1} end
  for i = 1, list.n do
    local value = list[i]
    if not core.is_tensor(value) then
      if core.type_name(value) ~= "table" then
        blame.fail("summary", "input %d: a shape or a tensor expected, got %s", i, core.type_name(value))
      end
      local shape = {}
      for d, n in ipairs(value) do shape[d] = args.integer("summary", "a length", n, 0) end
      list[i] = core.zeros(shape, options)
    end
  end
  return list
end

-- ---- the forward pass ----

-- A value that keeps the state that a forward pass may change: modes, buffers, and the default generator. Closing the
-- value restores this state, and removes the hooks of the summary.
local Guard = {}

function Guard:__close()
  for _, handle in ipairs(self.handles) do handle:remove() end
  for module, training in pairs(self.training) do module.training = training end
  for x, value in pairs(self.buffers) do x:copy_(value) end
  lt.default_generator():set_state(self.generator)
end

local function guard(self)
  local kept = {handles = {}, training = {}, buffers = {}, generator = lt.default_generator():state()}
  for _, module in self:named_modules() do kept.training[module] = module.training end
  for _, x in self:named_buffers() do kept.buffers[x] = x:clone() end
  return setmetatable(kept, Guard)
end

-- Runs a forward pass in evaluation mode. Returns the list of the shapes of the results, for each module that was
-- called.
local function run(self, inputs)
  local shapes, kept <close> = {}, guard(self)
  for _, module in self:named_modules() do
    table.insert(kept.handles, hooks.register_forward_hook(module, function(_, _, ...)
      local list = {}
      for _, x in ipairs {...} do list[#list + 1] = core.is_tensor(x) and args.shape_text(x.shape) or nil end
      shapes[module] = shapes[module] or list
    end))
  end
  self:eval()
  local _ <close> = engine.recording(false)
  self(table.unpack(inputs, 1, inputs.n))
  return shapes
end

-- ---- the table ----

local Summary = {__name = "summary"}
Summary.__index = Summary

local function element_bytes(x)
  return #core.zeros({1}, {dtype = x.dtype, device = core.host_device}):to_bytes()
end

-- Returns the rows of the table, and adds the numbers of parameters and bytes to `self`.
local function rows_of(self, model, shapes)
  local rows, seen = {}, {}
  for name, module in model:named_modules() do
    local row = {name = name, class = module.class_name, output = shapes[module] or {}, parameters = 0,
                 called = shapes[module] ~= nil, depth = name == "" and 0 or 1 + select(2, name:gsub("%.", ""))}
    for _, field in ipairs(module._names) do
      local x = rawget(module, field)
      if core.is_tensor(x) and fields.is_state(module, field, x) and not seen[x] then
        seen[x] = true
        self.bytes = self.bytes + x.size * element_bytes(x)
        if fields.is_parameter(module, field, x) then
          row.parameters, self.parameters = row.parameters + x.size, self.parameters + x.size
          self.trained = self.trained + (x.requires_grad and x.size or 0)
        end
      end
    end
    rows[#rows + 1] = row
  end
  return rows
end

local function bytes_text(n)
  for _, unit in ipairs {{1 << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}} do
    if n >= unit[1] then return ("%.1f %s"):format(n / unit[1], unit[2]) end
  end
  return ("%d bytes"):format(n)
end

function Summary:__tostring()
  local lines, widths = {{"module", "output", "parameters"}}, {0, 0, 0}
  for i, row in ipairs(self.layers) do
    local name = row.name:match "[^.]*$"
    lines[i + 1] = {("  "):rep(row.depth) .. (name == "" and row.class or ("(%s): %s"):format(name, row.class)),
                    row.called and table.concat(row.output, ", ") or "not called",
                    row.parameters > 0 and describe.count(row.parameters) or "–"}
  end
  for _, line in ipairs(lines) do
    for i, cell in ipairs(line) do widths[i] = math.max(widths[i], utf8.len(cell)) end
  end
  local rule = ("─"):rep(widths[1] + widths[2] + widths[3] + 4)
  for k, line in ipairs(lines) do
    local function spaces(i) return (" "):rep(widths[i] - utf8.len(line[i])) end
    lines[k] = ("%s%s  %s%s  %s%s"):format(line[1], spaces(1), line[2], spaces(2), spaces(3), line[3])
  end
  table.insert(lines, 2, rule)
  lines[#lines + 1] = rule
  lines[#lines + 1] = ("%s parameters, %s trained, %s"):format(describe.count(self.parameters),
    describe.count(self.trained), bytes_text(self.bytes))
  return table.concat(lines, "\n")
end

--- Runs the network on zeros, and returns a table of its modules with the shapes of their results and the numbers of
-- their parameters: `print(model:summary(1, 3, 32, 32))`.
--
-- The pass runs in evaluation mode without recording gradients. Afterwards the modes, the buffers and the random
-- numbers are as before. The result has the totals `parameters`, `trained` and `bytes`, which includes buffers. Its
-- field `layers` is the list of the rows. A row has the fields `name`, `class`, `depth`, `called` and `parameters`. Its
-- field `output` is the list of the shapes of the results, as texts.
-- @function Module:summary
-- @param ... the shape of the input; or a shape {1, 3, 32, 32} or a tensor for each input. Networks of integers, such
--   as tokens, need a tensor
-- @treturn table whose text is the table
-- @raise if the network raises an error for this input
local function summary(self, ...)
  local inputs = inputs_of(self, ...)
  local made = setmetatable({parameters = 0, trained = 0, bytes = 0}, Summary)
  made.layers = rows_of(made, self, run(self, inputs))
  return made
end

return {summary = summary}
