--- Compiles and runs the cells of a notebook.

local core = require "luatensor.core"
local mime = require "luatensor.notebook.mime"

local cell = {}

local CONTEXT <const> = 2             -- lines that an error shows before and after the line with the error
local MOST_FRAMES <const> = 20        -- the largest number of lines of a traceback

local home = core.chunk():match "^(.*)notebook[/\\]cell%.lua$"

local sources = {}                    -- the lines of each cell, by the cell's number
local declared = {}                   -- by name: the number of the last cell with a local variable of this name

-- ---- compile ------------------------------------------------------------------------------------

local function compiles(text) return load(text, "=", "t") ~= nil end

local function is_silenced(text) return text:gsub("%-%-[^\n]*$", ""):find ";%s*$" ~= nil end

-- True if `tail` is an expression that does not continue the statement before it. In Lua, the line "(f)()" continues
-- the line "x = y".
local function is_expression(head, tail, is_chunk)
  local is_separate = not is_chunk or tail:find "^%s*[%a_]" or not head:find "%S"
  return is_separate and compiles("return 0, " .. tail) and not is_silenced(tail)
end

-- Inserts "return nil, " before the expression at the end of a cell, which may have several lines. Returns nil if the
-- cell does not end with an expression. Without the nil, the expression f() would be a tail call, and a traceback would
-- not show the cell's line.
local function add_return(code)
  local is_chunk, starts = compiles(code), {1}
  for at in code:gmatch "\n()" do starts[#starts + 1] = at end
  for i = #starts, 1, -1 do
    local head, tail = code:sub(1, starts[i] - 1), code:sub(starts[i])
    if is_expression(head, tail, is_chunk) and compiles(head) then return head .. "return nil, " .. tail end
  end
end

local function note_locals(code, number)
  for line in code:gmatch "[^\n]+" do
    local names = line:match "^local%s+function%s+([%a_][%w_]*)" or line:match "^local%s+([^=]*)"
    for name in (names or ""):gsub("<%s*%a+%s*>", ""):gmatch "[%a_][%w_]*" do declared[name] = number end
  end
end

--- Compiles a cell. The value of an expression at its end is the cell's result, unless a semicolon follows.
-- @string code
-- @int number of the cell, for messages: "In[3]:2: …"
-- @treturn function|nil main chunk, or nil if the code is invalid
-- @treturn int|string the index of the first result among the values of the main chunk, or the error message
function cell.compile(code, number)
  local name = ("=In[%d]"):format(number)
  local returning = add_return(code)
  local main = returning and load(returning, name, "t")
  if main then return main, 2 end
  local plain, problem = load(code, name, "t")
  return plain, problem or 1
end

local function ends_early(text)
  local main, problem = load(text, "=", "t")
  return not main and problem:find "<eof>$" ~= nil
end

--- Tells whether a cell is complete, for consoles.
-- @string code
-- @treturn string "complete", "incomplete" or "invalid"
function cell.completeness(code)
  if cell.compile(code, 0) then return "complete" end
  return (ends_early(code) or ends_early("return " .. code)) and "incomplete" or "invalid"
end

-- ---- errors -------------------------------------------------------------------------------------

local function brief(problem)
  return type(problem) == "string" and problem or ("the error value is a %s"):format(type(problem))
end

--- Calls a function that shows values. Showing a value may call functions of the script, such as __tostring, which may
-- fail or never end. An interrupt ends the call.
-- @func f
-- @param ... arguments
-- @treturn bool true, or false if f failed
-- @return the result of f, or the error message
function cell.protect(f, ...) return core.notebook_cell(brief, f, ...) end

-- Calls the cell and formats its values from index `first` on. Formatting may run functions of the script, so an
-- interrupt stops it, too. The second result is true if the cell's only value is nil.
local function evaluate(main, first)
  local values = table.pack(select(first, main()))
  return values.n > 0 and mime.all(values) or nil, values.n == 1 and values[1] == nil
end

local function is_own(info) return info.source:sub(1, #home) == home end

local function describe_frame(info)
  local at = info.what == "C" and "[C]" or ("%s:%d"):format(info.short_src, info.currentline)
  if info.what == "main" then return at .. ": in main chunk" end
  if info.namewhat ~= "" then return ("%s: in %s '%s'"):format(at, info.namewhat, info.name) end
  return ("%s: in function <%s:%d>"):format(at, info.short_src, info.linedefined)
end

-- Makes the handler of a cell's errors. The handler adds a traceback of the script's functions, and of the functions
-- of Lua and luatensor that they called.
local function make_handler(main)
  return function(problem)
    local frames, called, level = {}, nil, 2
    while #frames < MOST_FRAMES do
      local info = debug.getinfo(level, "Slnf")
      if not info or info.func == evaluate then break end
      if info.what == "C" or is_own(info) then
        called = info.namewhat ~= "" and ("[C]: in %s '%s'"):format(info.namewhat, info.name)
      else
        if called then frames[#frames + 1] = called end
        called, frames[#frames + 1] = nil, describe_frame(info)
      end
      if info.func == main then break end
      level = level + 1
    end
    return {problem = problem, frames = frames}
  end
end

local function message_of(problem)
  local kind = type(problem)
  local meta = getmetatable(problem)
  if kind == "string" or kind == "number" or type(meta) == "table" and rawget(meta, "__tostring") then
    return tostring(problem)
  end
  return ("the error value is a %s: %s"):format(kind, mime.text(problem))
end

-- Returns the cell and the line that a text such as "In[3]:2: …" names, or nil.
local function position_in(text)
  local number, line = text:match "^In%[(%d+)%]:(%d+):"
  return tonumber(number), tonumber(line)
end

-- Appends the lines of a cell around a line.
local function add_context(list, number, line)
  local source = sources[number]
  if not source or not source[line] then return end
  list[#list + 1] = ""
  for i = math.max(1, line - CONTEXT), math.min(#source, line + CONTEXT) do
    local mark = i == line and "\27[32m----> " or "      "
    list[#list + 1] = ("%s%d\27[0m %s"):format(mark, i, source[i])
  end
end

local function hint(message, number)
  local name = message:match "%(global '([%a_][%w_]*)'%)"
  local other = name and declared[name]
  if not other or other == number or rawget(_G, name) ~= nil then return nil end
  return ("%s was a local variable of cell %d, and ended with it: write %s = … without local to keep it")
    :format(name, other, name)
end

-- Returns an error as the kernel's reply.
local function failure(problem, frames, number)
  local shown, message = cell.protect(message_of, problem)
  if not shown then message = "the error's text cannot be shown: " .. message end
  local list = {"\27[31m" .. message .. "\27[0m"}
  local at, line = position_in(message)
  for _, frame in ipairs(frames) do
    if not at then at, line = position_in(frame) end
  end
  if at then add_context(list, at, line) end
  local advice = hint(message, number)
  if advice then table.move({"", advice}, 1, 2, #list + 1, list) end
  if #frames > 0 then
    list[#list + 1] = "\nstack traceback:"
    for _, frame in ipairs(frames) do list[#list + 1] = "\t" .. frame end
  end
  return {status = "error", name = message:find "interrupted!?$" and "Interrupt" or "Error", message = message,
          traceback = list}
end

-- ---- run ----------------------------------------------------------------------------------------

--- Runs a cell.
-- @string code
-- @int number
-- @treturn table {status = "ok", data = the result by mime type, or nil}, or {status = "error", name =, message =,
--   traceback = lines}
function cell.run(code, number)
  sources[number] = {}
  for line in (code .. "\n"):gmatch "(.-)\n" do table.insert(sources[number], line) end
  local main, first = cell.compile(code, number)
  if not main then return failure(first, {}, number) end
  local ok, data, is_nil = core.notebook_cell(make_handler(main), evaluate, main, first)
  note_locals(code, number)
  if not ok and (type(data) ~= "table" or not data.frames) then return failure(data, {}, number) end
  if not ok then return failure(data.problem, data.frames, number) end
  local name = is_nil and code:match "^%s*([%a_][%w_]*)%s*$"
  return {status = "ok", data = data, hint = name and hint(("(global '%s')"):format(name), number)}
end

return cell
