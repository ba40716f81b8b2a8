--- Finds topics of help. A topic is a public name with its annotations.
--
-- A topic is {name = "sum", as_function = a doc, as_method = a doc}, because a function of luatensor with a tensor as
-- first argument is also a method. The topic of a property has `field` instead, the field of its class in the
-- annotations. Names begin with the module ("nn.Linear") or the class ("Module:to", "Tensor.shape").

local core = require "luatensor.core"
local annotations = require "luatensor.help.annotations"

local topics = {}

-- ---- the files ----------------------------------------------------------------------------------

local modules = {"", "nn", "optim", "data", "train", "distributed", "bench", "plot", "options"}

local chunk = core.chunk()

-- Returns the folder of the annotations, or nil. If luatensor is installed, the folder is library/ inside the
-- module's folder. In a checkout it is library/ in the root.
local function find_folder()
  local here = chunk:match "^@(.*)help[/\\]topics%.lua$"
  local search = package and package.searchpath
  if not here and search then
    local path = search("luatensor.help.topics", package.path)
    here = path and path:match "^(.*)help[/\\]topics%.lua$"
  end
  for _, folder in ipairs {"library/", "../../library/"} do
    if here and core.read_file(here .. folder .. "luatensor.lua", 1) then return here .. folder end
  end
end

-- Reads all annotations by the core, so that lt.help works in a state without io. Returns their docs and their classes,
-- or nil and the reason if they cannot be read.
local function read_annotations()
  if core.sandbox then return nil, "not in a sandbox, because the annotations are in files" end
  local folder = find_folder()
  if not folder then return nil, "the annotations (library/) are not installed with the module" end
  local docs, classes = {}, {}
  for _, module in ipairs(modules) do
    local path = folder .. (module == "" and "luatensor.lua" or ("luatensor/%s.lua"):format(module))
    local text, problem = core.read_file(path, 1)
    if not text then return nil, problem end
    annotations.read(text, module == "" and "" or "." .. module, docs, classes)
  end
  return docs, classes
end

-- ---- the index ----------------------------------------------------------------------------------

local function topic_of(index, name)
  local topic = index.by_name[name]
  if not topic then
    topic = {name = name}
    index.by_name[name] = topic
    index[#index + 1] = topic
  end
  return topic
end

local function add_doc(index, doc)
  local owner = doc.owner:gsub("^lt%.?", "")
  if doc.kind ~= "method" then
    topic_of(index, (owner == "" and "" or owner .. ".") .. doc.name).as_function = doc
  elseif owner == "Tensor" and index.by_name[doc.name] then
    index.by_name[doc.name].as_method = doc
  else
    topic_of(index, owner .. ":" .. doc.name).as_method = doc
  end
end

local function add_properties(index, class)
  for _, field in ipairs(class.fields) do
    if not field.operator and field.name:find "^%a" then
      topic_of(index, class.name:match "[%w_]+$" .. "." .. field.name).field = field
    end
  end
end

-- Makes the index of all topics. Functions are added before methods, because a method joins the topic of the function
-- with the same name.
local function make_index(docs, classes)
  local index = {by_name = {}, classes = classes}
  for _, doc in ipairs(docs) do if doc.kind ~= "method" and doc.kind ~= "table" then add_doc(index, doc) end end
  for _, doc in ipairs(docs) do if doc.kind == "method" then add_doc(index, doc) end end
  for _, class in ipairs(classes) do
    if not class.name:find "options" and class.name:find "%.%u" then add_properties(index, class) end
  end
  table.sort(index, function(a, b) return a.name < b.name end)
  return index
end

local index

--- Returns the index: a list of all topics, which also has the fields by_name (topics by name) and classes. The first
-- call reads the annotations. If they cannot be read, returns nil and the reason.
function topics.index()
  if index then return index end
  local docs, classes = read_annotations()
  if not docs then return nil, classes end
  index = make_index(docs, classes)
  return index
end

--- Returns the doc of a topic. If the topic is an alias, also returns the name of the other topic.
-- @tab topic
-- @treturn table doc, or nil for a property
-- @treturn string|nil name of the other topic
function topics.doc_of(topic)
  local doc = topic.as_function or topic.as_method
  local same = doc and doc.same
  if not same then return doc end
  local other = index.by_name[same] or index.by_name["Tensor:" .. same]
  return other and topics.doc_of(other), other and other.name or same
end

--- Returns the first sentence of a topic's text, without the full stop.
function topics.summary(topic)
  local doc, same = topics.doc_of(topic)
  if same then return "the same as " .. same end
  local text = doc and table.concat(doc.text, " ") or topic.field.text
  text = text:match "^(.-%.) %u" or text
  return (text:gsub("%.$", ""))
end

-- ---- search -------------------------------------------------------------------------------------

local function last_part(name) return name:match "[^.:]+$" end

--- Finds the topic of a name as scripts write it: "sum", "lt.sum", "x:sum", "nn.Linear", "Linear".
-- @string name
-- @treturn table|nil topic
-- @treturn table the topics whose names have the same last part, any of which may be meant; empty if `name` has a
--   prefix and no topic
function topics.find(name)
  name = name:gsub("%s*%(.*$", ""):gsub("^luatensor%.", ""):gsub("^lt%.", "")
  local bare = name:gsub("^x[.:]", ""):gsub("^[Tt]ensor[.:]", "")
  local last, same, exact = last_part(bare) or "", {}, {}
  for _, topic in ipairs(index) do
    local other = last_part(topic.name)
    if other:lower() == last:lower() then same[#same + 1] = topic end
    if other == last then exact[#exact + 1] = topic end
  end
  local found = index.by_name[name] or index.by_name[bare] or index.by_name["Tensor:" .. bare]
    or index.by_name["Tensor." .. bare]
  if not found and not bare:find "[.:]" then found = #exact == 1 and exact[1] or #same == 1 and same[1] or nil end
  return found, (found or not bare:find "[.:]") and same or {}
end

local function is_inside(topic, name)
  local owner = topic.name:match "^(.*)[.:]"
  if name == "luatensor" then return not owner end
  return owner == name or name == "Tensor" and not owner and topic.as_method ~= nil
end

--- Lists the topics of a table of functions, or of a class: "nn", "Tensor", "optim.Optimizer".
-- @string name
-- @treturn table list, empty if there is no such table
function topics.inside(name)
  name = name:gsub("^lt%.", ""):gsub("^.*%.(%u)", "%1"):gsub("^lt$", "luatensor")
  local list = {}
  for _, topic in ipairs(index) do if is_inside(topic, name) then list[#list + 1] = topic end end
  return list
end

-- Returns all text of a topic in lower case: its name, description, parameters and options.
local function text_of(topic)
  local doc = topics.doc_of(topic)
  local parts = {topic.name}
  if topic.field then parts[2] = topic.field.text end
  for _, line in ipairs(doc and doc.text or {}) do parts[#parts + 1] = line end
  for _, param in ipairs(doc and doc.params or {}) do
    parts[#parts + 1] = param.text
    local class = param.name == "options" and index.classes[param.type]
    for _, field in ipairs(class and class.fields or {}) do parts[#parts + 1] = field.name .. " " .. field.text end
  end
  return table.concat(parts, " "):lower()
end

-- Returns the rank of a topic for these words: 1 if all words are in the name, 2 if they are in the name or the first
-- sentence, else 3. Returns nil if a word is missing, for an alias, and for an in-place function.
local function rank(topic, words)
  local doc, same = topics.doc_of(topic)
  if same or doc and doc.text[1] and doc.text[1]:find "^In place" then return nil end
  local texts, best = {topic.name:lower(), topics.summary(topic):lower(), text_of(topic)}, 0
  for _, word in ipairs(words) do
    local at
    for i = 3, 1, -1 do if texts[i]:find(word, 1, true) then at = i end end
    if not at then return nil end
    best = math.max(best, at)
  end
  return best
end

--- Returns the topics that contain all words in their name or text, the best rank first.
-- @string text words with spaces between
-- @treturn table list
function topics.search(text)
  local words, ranks, list = {}, {}, {}
  for word in text:lower():gmatch "[^%s,]+" do words[#words + 1] = word end
  for _, topic in ipairs(#words > 0 and index or {}) do
    ranks[topic] = rank(topic, words)
    if ranks[topic] then list[#list + 1] = topic end
  end
  table.sort(list, function(a, b)
    if ranks[a] ~= ranks[b] then return ranks[a] < ranks[b] end
    return a.name < b.name
  end)
  return list
end

return topics
