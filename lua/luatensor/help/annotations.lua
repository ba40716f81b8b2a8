--- Reads the annotations in library/: for each module, a file of comments that describe the module's functions and
-- types. tools/annotate.lua writes the files. lt.help and editors take their texts from them. A line that does not
-- follow the grammar is an error.

local annotations = {}

-- ---- tags ---------------------------------------------------------------------------------------

-- For each tag, a function that adds the tag's text to the comment or the class that is being read.
local tags = {}

function tags.meta() end

function tags.class(state, rest)
  local name, parent = rest:gsub("^%(exact%) ", ""):match "^([%w_.]+):? ?([%w_.]*)$"
  state.class = {name = name, parent = parent ~= "" and parent or nil, fields = {}}
  state.classes[#state.classes + 1], state.classes[name] = state.class, state.class
end

function tags.field(state, rest)
  local name, optional, type, text = rest:match "^([%w_%[%]]+)(%??) (%S+) ?(.*)$"
  local default, more = text:match "^(%b()) ?(.*)$"
  default = default and default:match "^%(default (.*)%)$"
  table.insert(state.class.fields, {name = name, optional = optional == "?", type = type, default = default,
                                    text = default and more or text})
end

function tags.operator(state, rest)
  local name, type = rest:match "^(%a+)%(?[%w_.|]*%)?: (%S+)$"
  table.insert(state.class.fields, {name = name, type = type, operator = true})
end

function tags.overload(_, rest) assert(rest:find "^fun%(.*%): %a+$") end

function tags.alias(state, rest)
  local name, type = rest:match "^(%S+) (%S+)$"
  state.classes[name] = {name = name, fields = {}, alias = type}
end

function tags.param(state, rest)
  local name, optional, type, text = rest:match "^([%w_.]+)(%??) (%S+) ?(.*)$"
  table.insert(state.doc.params, {name = name, optional = optional == "?", type = type, text = text})
end

tags["return"] = function(state, rest)
  local type, text = rest:match "^(%S+) # ?(.*)$"
  table.insert(state.doc.returns, {type = type, text = text})
end

function tags.type(state, rest) state.doc.type = rest end

-- ---- lines --------------------------------------------------------------------------------------

local function new_doc() return {text = {}, params = {}, returns = {}} end

local function read_text(state, line)
  local doc = state.doc
  if line == "```lua" then
    doc.example = {}
    state.in_example = true
  elseif line == "```" then
    state.in_example = false
  else
    table.insert(state.in_example and doc.example or doc.text, line)
  end
end

-- Completes the current doc as the description of owner.name, and begins a new doc.
local function finish(state, owner, name, more)
  local doc = state.doc
  doc.owner, doc.name, doc.module = owner, name, state.module
  for key, value in pairs(more or {}) do doc[key] = value end
  state.docs[#state.docs + 1], state.doc, state.class = doc, new_doc(), nil
end

-- Lua statements that may follow a comment, as {pattern, function(state, captures)}.
local statements = {
  {"^local ([%w_]+) = {}$", function(state)
    state.doc, state.class = new_doc(), nil
  end},
  {"^return [%w_]+$", function() end},
  {"^function ([%w_.]-)([.:])([%w_]+)%(([%w_, .]*)%) end$", function(state, owner, mark, name, parameters)
    finish(state, owner, name, {kind = mark == ":" and "method" or "function", parameters = parameters})
  end},
  {'^([%w_.]+)%["([%w_]+)"%] = function%(([%w_, .]*)%) end$', function(state, owner, name, parameters)
    local rest, count = parameters:gsub("^self,? ?", "")
    finish(state, owner, name, {kind = count > 0 and "method" or "function", parameters = rest})
  end},
  {'^([%w_]+)%["([%w_]+)"%] = [%w_]+%["([%w_]+)"%]$', function(state, owner, name, other)
    finish(state, owner, name, {kind = owner == "lt" and "function" or "method", same = other})
  end},
  {"^([%w_]+)%.([%w_]+) = {}$", function(state, owner, name) finish(state, owner, name, {kind = "table"}) end},
  {"^([%w_]+)%.([%w_]+) = nil$", function(state, owner, name) finish(state, owner, name, {kind = "constant"}) end},
}

local function read_statement(state, line)
  for _, statement in ipairs(statements) do
    local captures = table.pack(line:match(statement[1]))
    if captures[1] then return statement[2](state, table.unpack(captures)) end
  end
  error "not of the grammar of annotations"
end

local function read_line(state, line)
  local tag, rest = line:match "^%-%-%-@(%a+) ?(.*)$"
  if tag and not state.in_example then
    if not tags[tag] then error("unknown tag @" .. tag) end
    tags[tag](state, rest)
  elseif line:find "^%-%-%-" then
    read_text(state, line:sub(4))
  elseif line ~= "" and not line:find "^%-%- " then
    read_statement(state, line)
  end
end

--- Reads the text of one annotation file, and appends its docs and classes to the given lists.
-- @string text
-- @string module that the file describes: "" is luatensor itself
-- @tab docs receives the docs, in order
-- @tab classes receives the classes, in order and by name
-- @raise if a line does not follow the grammar, with the line's number
function annotations.read(text, module, docs, classes)
  local state, number = {docs = docs, classes = classes, doc = new_doc(), module = module}, 0
  for line in text:gmatch "([^\n]*)\n" do
    number = number + 1
    local ok, problem = pcall(read_line, state, line)
    if not ok then error(("annotations of luatensor%s, line %d: %s: %s"):format(module, number, line, problem), 0) end
  end
end

return annotations
