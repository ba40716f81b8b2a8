--- The results that the functions of lt.bench, lt.advise and luatensor.experiment return: tables of figures in SI
-- units, which save as JSON without conversion. Each kind of result has a class with its methods.

local arity = require "luatensor.base.arity"
local args = require "luatensor.base.args"
local described = require "luatensor.bench.fields"
local files = require "luatensor.bench.files"
local figures = require "luatensor.bench.figures"
local identity = require "luatensor.bench.machine.identity"
local interrupt = require "luatensor.bench.interrupt"
local json = require "luatensor.io.json"

local result = {}

--- The version of the files' format. Files of other versions are refused, because their figures could be misread.
result.VERSION = 1

local classes = {}

--- Makes a class of results.
-- @string kind its name in JSON
-- @tab methods by name; `blocks(self)` returns the blocks of luatensor.page.document that are shown
-- @tab fields its fields, described as in luatensor.bench.fields
-- @treturn table the metatable
function result.class(kind, methods, fields)
  local class = {kind = kind, __index = methods, fields = fields}
  methods.save = result.save
  arity.class(methods, nil, "result")
  function class.__tostring(self) return require("luatensor.page.terminal").page(self:blocks()) end
  classes[kind] = class
  return class
end

--- Makes a result of a class.
-- @tab class a result of result.class
-- @tab fields the result's figures in SI units
function result.new(class, fields)
  fields.format, fields.version, fields.kind = "luatensor", result.VERSION, class.kind
  fields.made = fields.made or os.date("!%Y-%m-%dT%H:%M:%SZ")
  fields.machine = fields.machine or identity()
  return setmetatable(fields, class)
end

-- ---- JSON ---------------------------------------------------------------------------------------

-- Raises an error if a figure within a value is infinite or NaN, which JSON cannot represent. `path` names the value
-- in the error.
local function check_finite(value, path)
  if type(value) == "number" and (value ~= value or math.abs(value) == math.huge) then
    error(("result: %s is %s"):format(path, value), 0)
  elseif type(value) == "table" then
    for key, item in pairs(value) do check_finite(item, path .. "." .. tostring(key)) end
  end
end

--- Encodes a result as JSON. Equal figures give equal texts.
-- @treturn string
function result.encode(self)
  check_finite(self, self.kind)
  return json.encode(self) .. "\n"
end

-- The modules that define the classes of kinds of results outside of lt.bench. They are loaded when a file contains
-- such a result, because lt.bench does not load them.
local homes = {
  report = "luatensor.report", experiment = "luatensor.experiment", advice = "luatensor.advise",
  choices = "luatensor.advise", suite = "luatensor.bench.suite", doctor = "luatensor.doctor.page",
  distributed = "luatensor.bench.distributed",
}

local function class_of(kind)
  if kind ~= nil and not classes[kind] and homes[kind] then require(homes[kind]) end
  return classes[kind or false]
end

-- Restores the tables of a decoded file in place: sets the classes of results inside results, such as the experiments
-- of a report, and removes nulls and the decoder's metatables. Returns the error message, or nil.
local function restore(value)
  if type(value) ~= "table" then return nil end
  setmetatable(value, nil)
  for key, item in pairs(value) do
    if item == json.null then value[key] = nil end
    local problem = restore(value[key])
    if problem then return problem end
  end
  local class = value.format == "luatensor" and class_of(value.kind)
  if not class then return nil end
  setmetatable(value, class)
  return described.problem(value, class.fields)
end

-- True if showing the result and collecting its figures raise no error. The types of the fields were checked before,
-- so an error means that fields contradict each other.
local function is_whole(value)
  return pcall(function()
    value:blocks()
    for _, timing in ipairs(figures.of(value)) do assert(type(timing.median) == "number") end
  end)
end

--- Decodes a result from a JSON text.
-- @string text
-- @string source the source of the text, for messages
-- @treturn[1] table
-- @treturn[2] nil
-- @treturn[2] string the error
function result.decode(text, source)
  local value, problem = json.decode(text)
  if type(value) ~= "table" then
    return nil, ("%s: no JSON: %s"):format(source, problem or "an object expected")
  elseif value.format ~= "luatensor" then
    return nil, ("%s: not a result of luatensor"):format(source)
  elseif value.version ~= result.VERSION then
    return nil, ("%s: its format is version %s; this luatensor reads version %d: measure again")
      :format(source, tostring(value.version), result.VERSION)
  elseif not class_of(value.kind) then
    return nil, ("%s: unknown kind of result: %s"):format(source, tostring(value.kind))
  end
  local damage = restore(value)
  if damage or not is_whole(value) then
    return nil, ("%s: damaged: %s"):format(source, damage or "its fields do not fit together")
  end
  return value
end

-- ---- files --------------------------------------------------------------------------------------

local function check_path(fn, path)
  if type(path) ~= "string" then args.fail(fn, "path: string expected, got %s", type(path)) end
end

--- Saves a result as JSON, whole or not at all.
-- @string path
function result.save(self, path)
  check_path("save", path)
  local ok, problem = files.write(path, result.encode(self))
  if not ok then args.fail("save", "%s", problem) end
end

--- Loads a saved result.
-- @function bench.load
-- @string path
-- @treturn table with the methods of its kind
-- @raise if the file cannot be read, is no result, or is of another version
function result.load(path)
  check_path("bench.load", path)
  local text, problem = files.read(path)
  if not text then args.fail("bench.load", "%s", problem) end
  local value, wrong = result.decode(text, path)
  if not value then args.fail("bench.load", "%s", wrong) end
  return value
end

--- Runs steps one by one. After Ctrl-C, no further step is run: `fields.incomplete` says how many steps were run, and
-- the error of Ctrl-C is raised again, with the result so far.
-- @tab class of the result
-- @tab fields the result's figures, which the steps fill
-- @string unit the noun for steps: "sizes"
-- @int total
-- @func step called with 1, 2, …
-- @treturn table the result
function result.collect(class, fields, unit, total, step)
  for i = 1, total do
    local ok, problem = pcall(step, i)
    if not ok then
      if not interrupt.is(problem) then error(problem, 0) end
      fields.incomplete = ("stopped after %d of %d %s"):format(i - 1, total, unit)
      interrupt.raise(result.new(class, fields))
    end
  end
  return result.new(class, fields)
end

return result
