--- Module:state_dict and Module:load_state_dict. The state of a module consists of its tensors that are saved and
-- loaded.

local args = require "luatensor.base.args"
local core = require "luatensor.core"
local lists = require "luatensor.base.lists"
local blame = require "luatensor.base.blame"
local clocale = require "luatensor.base.clocale"
local engine = require "luatensor.autograd.engine"
local fields = require "luatensor.nn.module.fields"
local rename_pytorch = require("luatensor.nn.pytorch").rename_pytorch
local walking = require "luatensor.nn.module.walk"

local state_of = {}

--- Returns the tensors of the network's state by name, such as "1.weight". The tensors share the module's memory.
-- @function Module:state_dict
-- @treturn table tensors by name
function state_of.state_dict(self)
  local state = {}
  walking.each_tensor(self, fields.is_saved, function(name, x) state[name] = x:detach() end, true)
  return state
end

local function sorted(set)
  local names = {}
  for name in pairs(set) do names[#names + 1] = name end
  clocale.sort(names, function(a, b) return tostring(a) < tostring(b) end)
  return names
end

local function is_complex(x) return x.dtype:find("^complex") ~= nil end

-- Returns the reason why the value cannot be copied into x, or nil.
local function misfit(x, value)
  if core.gone(x) then return core.gone(x) end
  if core.is_overlapping(x) then return "it is a broadcast view, several elements share one place; use :clone()" end
  if not core.is_tensor(value) then return ("tensor expected, got %s"):format(core.type_name(value)) end
  if core.gone(value) then return core.gone(value) end
  if not lists.same(value.shape, x.shape) then
    return ("shape %s expected, got %s"):format(args.shape_text(x.shape), args.shape_text(value.shape))
  end
  if is_complex(value) and not is_complex(x) then
    return ("%s expected, %s has imaginary parts"):format(x.dtype, value.dtype)
  end
end

-- Returns three sorted lists: names of the module that `state` lacks, names in `state` that the module lacks, and
-- lines about tensors that do not fit.
local function compare_state(own, state)
  local missing, unexpected, misfits = {}, {}, {}
  for _, name in ipairs(sorted(own)) do
    if state[name] == nil then
      missing[#missing + 1] = name
    else
      local why = misfit(own[name], state[name])
      if why then misfits[#misfits + 1] = ("%s: %s"):format(name, why) end
    end
  end
  for _, name in ipairs(sorted(state)) do
    if own[name] == nil then unexpected[#unexpected + 1] = name end
  end
  return missing, unexpected, misfits
end

local MOST_LINES = 20        -- the largest number of lines of a message

-- Returns the number of names in `own` that the state has, too.
local function matches(own, state)
  local n = 0
  for name in pairs(own) do if state[name] ~= nil then n = n + 1 end end
  return n
end

-- Returns a hint if the names in `state` are PyTorch's, or if an entry of `state`, such as state.model, is the table of
-- tensors; otherwise nil. The second result is true for the hint about an entry.
local function find_cure(own, state)
  local found = matches(own, state)
  if matches(own, rename_pytorch(state)) > found then
    return "these are PyTorch's names; use nn.rename_pytorch(state)"
  end
  for _, key in ipairs(sorted(state)) do
    local inside = state[key]
    if type(inside) == "table" and math.max(matches(own, inside), matches(own, rename_pytorch(inside))) > found then
      return ("it has a table %q; did you mean state.%s?"):format(tostring(key), tostring(key)), true
    end
  end
end

local function check_state(self, own, state, missing, unexpected, lines)
  for _, name in ipairs(missing) do
    lines[#lines + 1] = ("missing: %s %s"):format(name, args.shape_text(own[name].shape))
  end
  for _, name in ipairs(unexpected) do lines[#lines + 1] = "unexpected: " .. tostring(name) end
  if #lines == 0 then return end
  local cure, alone = find_cure(own, state)
  cure = cure and ": " .. cure or ""
  if alone then blame.fail("load_state_dict", "this is not the state of such a %s%s", self.class_name, cure) end
  if #lines > MOST_LINES then
    lines = table.move(lines, 1, MOST_LINES, 1, {[MOST_LINES + 1] = ("and %d more"):format(#lines - MOST_LINES)})
  end
  blame.fail("load_state_dict", "this is not the state of such a %s%s:\n  %s", self.class_name, cure,
             table.concat(lines, "\n  "))
end

--- Copies the values of a state_dict into this module. If a value does not fit, nothing changes.
-- @function Module:load_state_dict
-- @tab state tensors by name; dtypes and devices are converted
-- @tparam[opt] table options `strict` (true): the module and the state must have the same names
-- @treturn table the list of the module's names that were missing in state
-- @treturn table the list of names in state that the module lacks
-- @raise if names are missing or unexpected, unless `strict` is false; if shapes differ; if complex numbers would
--   become real
function state_of.load_state_dict(self, state, options)
  options = args.options("load_state_dict", options, {strict = "boolean"})
  if type(state) ~= "table" then
    blame.fail("load_state_dict", "table expected, got %s%s", core.type_name(state),
               type(state) == "string" and "; use lt.load(path)" or "")
  end
  local own, staged = {}, {}
  walking.each_tensor(self, fields.is_saved, function(name, x) own[name] = x end, true)
  local missing, unexpected, misfits = compare_state(own, state)
  local strict = options.strict ~= false
  check_state(self, own, state, strict and missing or {}, strict and unexpected or {}, misfits)
  local _ <close> = engine.recording(false)
  for name, x in pairs(own) do        -- all errors are raised before the first change
    local value = state[name]
    if value then staged[x] = blame.call(value.to, value, x.dtype, x.device) end
  end
  for x, value in pairs(staged) do x:copy_(value) end
  return missing, unexpected
end

return state_of
