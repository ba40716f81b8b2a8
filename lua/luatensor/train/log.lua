--- train.Log, a table of numbers in a CSV file, such as the losses of all epochs.
-- @submodule luatensor.train

local args = require "luatensor.base.args"
local arity = require "luatensor.base.arity"
local blame = require "luatensor.base.blame"
local clocale = require "luatensor.base.clocale"
local core = require "luatensor.core"
local outside = require "luatensor.base.outside"

local Log = {class_name = "Log", __name = "log"}
Log.__index = Log

local NO_FILE <const> = 2            -- ENOENT, the error code of a path without a file

-- Names of first columns whose numbers do not come again within a run.
local counters = {epoch = true, step = true}

-- ---- text ----

local unusual = {nan = 0 / 0, ["-nan"] = 0 / 0, inf = math.huge, ["-inf"] = -math.huge}

-- Returns the shortest text from which the number is read again without change.
local function number_text(x)
  if x ~= x then return "nan" end
  if math.type(x) == "integer" then return tostring(x) end
  for digits = 15, 16 do
    local text = clocale.format("%." .. digits .. "g", x)
    if (unusual[text] or clocale.number(text)) == x then return text end
  end
  return clocale.format("%.17g", x)
end

local function line_of(self, row)
  local parts = {}
  for i, name in ipairs(self.columns) do parts[i] = row[name] and number_text(row[name]) or "" end
  return table.concat(parts, ",") .. "\n"
end

local function text_of(self)
  local lines = {table.concat(self.columns, ",") .. "\n"}
  for i, row in ipairs(self.rows) do lines[i + 1] = line_of(self, row) end
  return table.concat(lines)
end

-- ---- the file ----

local function fail(self, message, ...) blame.fail("Log", self.path .. ": " .. message, ...) end

-- Returns the row of numbers in line number n of the file.
local function parse(self, line, n)
  local row, i = {}, 0
  for field in (line .. ","):gmatch "([^,]*)," do
    i = i + 1
    local name = self.columns[i]
    if not name then fail(self, "line %d: %d columns expected", n, #self.columns) end
    row[name] = unusual[field] or clocale.number(field)
    if field ~= "" and not row[name] then fail(self, "line %d, column %s: no number: %q", n, name, field) end
  end
  if i < #self.columns then fail(self, "line %d: %d columns expected, got %d", n, #self.columns, i) end
  return row
end

-- Writes a log's text into a file, completely or not at all.
local function write(self, path)
  local done, problem = core.write_file(path or self.path, text_of(self))
  if not done then fail(self, "%s", problem) end
end

-- Returns the content of a regular file, or nil if there is no file. Reading takes memory for the rows, too.
local function content_of(self, path)
  local text, problem, code = core.read_file(path, 10)
  if not text and code ~= NO_FILE then fail(self, "%s", problem) end
  return text
end

-- Keeps the log as it is in a new file: "run.csv.1", or the next number for which there is no file.
local function keep_copy(self)
  local n = 1
  while content_of(self, self.path .. "." .. n) do n = n + 1 end
  write(self, self.path .. "." .. n)
end

-- Reads the rows of an existing file. Its last line is left out if it has no end, because a crash has cut it.
local function read(self, text)
  local n, header = 0, table.concat(self.columns, ",")
  for line in text:gmatch "([^\n]*)\n" do
    n = n + 1
    line = line:gsub("\r$", "")
    if n > 1 then
      self.rows[n - 1] = parse(self, line, n)
    elseif line ~= header then
      fail(self, "the columns are %q, not %q; name another file", line, header)
    end
  end
  if n == 0 and header:sub(1, #text) ~= text then fail(self, "this is no log; name another file") end
  self.earlier = #self.rows
  if n == 0 or text:sub(-1) ~= "\n" then write(self) end
end

local function check_columns(columns)
  if core.type_name(columns) ~= "table" or #columns == 0 then
    blame.fail("Log", "a list of names of columns expected, such as {\"epoch\", \"loss\"}")
  end
  for i, name in ipairs(columns) do
    if type(name) ~= "string" or name == "" or name:find '[,"\r\n]' then
      blame.fail("Log", "column %d: a name without commas, quotes and line breaks expected", i)
    end
  end
  return table.move(columns, 1, #columns, 1, {})
end

--- Opens a log, a CSV file with a line for each row of numbers:
--
--     local log = train.Log("run.csv", {"epoch", "loss", "accuracy"})
--     log:add{epoch = epoch, loss = loss, accuracy = accuracy}
--     print(log:plot())
--
-- An existing file is continued; a last line that a crash has cut is removed. A run may repeat epochs of the earlier
-- run, if it continues from an older checkpoint. If the first column is called "epoch" or "step", the first row of a
-- run replaces the repeated rows: those from the first row on whose epoch is not smaller. The file with these rows is
-- kept as "run.csv.1", or with the next free number. No other row is ever removed. Field `rows` is the list of all
-- rows, and `#log` their number.
-- @function train.Log
-- @string path of a regular file
-- @tab columns the names of the columns
-- @treturn Log
-- @raise if the file cannot be read or written, or has other columns, or is no log
local function new(_, path, columns)
  outside.check("Log", "io")
  local self = setmetatable({path = args.check("Log", "path", path, "string"), columns = check_columns(columns),
                             rows = {}, earlier = 0}, Log)
  read(self, content_of(self, path) or "")
  return self
end

local function append(self, row)
  local file, problem = io.open(self.path, "ab")
  if not file then blame.fail("add", "%s", problem) end
  local done, why = file:write(line_of(self, row))
  local closed, late = file:close()
  if not (done and closed) then blame.fail("add", "%s: %s", self.path, why or late) end
end

-- Raises an error in the name of method `fn` unless the log has the column.
local function check_column(self, fn, name)
  for _, known in ipairs(self.columns) do
    if known == name then return end
  end
  blame.fail(fn, "unknown column %q; known: %s", tostring(name), table.concat(self.columns, ", "))
end

-- Returns the row to add: the checked numbers in `values`.
local function row_of(self, values)
  if core.type_name(values) ~= "table" then blame.fail("add", "table expected, got %s", core.type_name(values)) end
  local row = {}
  for name, value in pairs(values) do
    check_column(self, "add", name)
    if core.is_tensor(value) then value = blame.call(value.item, value) end
    if type(value) ~= "number" then
      blame.fail("add", "%s: number expected, got %s", tostring(name), core.type_name(value))
    end
    row[name] = value
  end
  return row
end

-- Replaces the rows of the earlier run from the first one on whose number is at least `at` by `row`, a row of this run.
-- Returns true if there are such rows.
local function replace_earlier(self, at, row)
  local rows, first = self.rows, self.columns[1]
  for i = 1, self.earlier do
    if rows[i][first] and rows[i][first] >= at then
      keep_copy(self)
      local kept = table.move(rows, 1, i - 1, 1, {})
      table.move(rows, self.earlier + 1, #rows, i, kept)       -- rows of this run that have no number
      kept[#kept + 1] = row
      write(setmetatable({path = self.path, columns = self.columns, rows = kept}, Log))
      self.rows = kept
      return true
    end
  end
  return false
end

--- Adds a row, and writes it to the file at once. The first row of a run may replace rows of an earlier run, as
-- train.Log says.
-- @function Log:add
-- @tab values numbers, or tensors of one element, by column; columns without a value stay empty
function Log:add(values)
  local row, first = row_of(self, values), self.columns[1]
  local at = counters[first] and row[first]
  if not (at and replace_earlier(self, at, row)) then
    append(self, row)
    self.rows[#self.rows + 1] = row
  end
  if at then self.earlier = 0 end
end

function Log:__len() return #self.rows end

function Log:__tostring()
  return ("Log: %d rows of %s in %s"):format(#self.rows, table.concat(self.columns, ", "), self.path)
end

--- Draws columns against the first column, by plot.line.
-- @function Log:plot
-- @tparam[opt] table options `columns`: the names to draw (default: all but the first); `title`;
--   `xlabel`; `ylabel`; `xscale` ("linear"): or "log"; `yscale` ("linear"): or "log"; `xlim`: {low, high}; `ylim`:
--   {low, high}; `label`: name of the only series; `labels`: names of the series; `legend`: false for none, true for
--   a legend of one series, too; `color`: "#rrggbb"; `style` ("solid"): or "dashed" or "dotted"; `marks`: a mark at
--   each point. By default lines of at most 30 points have marks. `width` (720): of the picture in pixels; `height`
--   (420); `theme` ("auto"): "light" or "dark", or "auto", which follows the viewer
-- @treturn Figure `print(figure)` draws it in the terminal, `figure:save "run.svg"` in a file
function Log:plot(options)
  local first, series = self.columns[1], {xlabel = self.columns[1]}
  if options ~= nil and core.type_name(options) ~= "table" then
    blame.fail("plot", "options expected, got %s", core.type_name(options))
  end
  local names = options and options.columns or table.move(self.columns, 2, #self.columns, 1, {})
  for name, value in pairs(options or {}) do
    if name ~= "columns" then series[name] = value end
  end
  for i, name in ipairs(names) do
    check_column(self, "plot", name)
    local x, y = {}, {}
    for _, row in ipairs(self.rows) do
      if row[first] and row[name] then x[#x + 1], y[#y + 1] = row[first], row[name] end
    end
    series[i] = {x, y, label = name}
  end
  return require("luatensor.plot").line(series)
end

return {Log = setmetatable(arity.class(Log, nil, "log"), {__call = arity.method("Log", new), __name = "class"})}
