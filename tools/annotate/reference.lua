-- Writes the reference as Markdown pages for the site: one page for each topic, and an index of all names.

local page = require "luatensor.help.page"
local read = require "tools.annotate.read"
local topics = require "luatensor.help.topics"

local reference = {}

-- Pages in the order of the site: file, title, and the sections that are on the page. A section is a source file, or a
-- kind of rows of the op table.
local pages = {
  {"tensors", "Making, converting and copying tensors", "create convert copy tensor print info constants dtype"},
  {"elementwise", "Element-wise functions", "unary binary ternary map elementwise complex"},
  {"reductions", "Reductions, sums along a dim, statistics", "reduction reduce stats nan compare"},
  {"indexing", "Views, shapes and indexing", "view take manipulation"},
  {"sorting", "Sorting, order and sets", "sort order sets"},
  {"products", "Products of matrices and tensors", "matmul products einsum"},
  {"linalg", "Linear algebra", "linalg"},
  {"fft", "Fourier transforms", "fft"},
  {"random", "Random numbers", "random"},
  {"autograd", "Gradients", "grad autograd"},
  {"nn", "Layers", "nn_module nn_module_place nn_module_state nn_module_hooks " ..
    "nn_module_summary nn_container nn_linear " ..
    "nn_convolution nn_pooling nn_upsample " ..
    "nn_normalization nn_activation nn_dropout nn_embedding nn_recurrent nn_attention " ..
    "nn_transformer nn_loss " ..
    "nn_autocast nn_utils nn_parallel nn_replicas nn_pytorch"},
  {"nn-functional", "Layers as functions", "nn_functional_linear nn_functional_convolution nn_functional_pooling " ..
    "nn_functional_interpolate nn_functional_normalization " ..
    "nn_functional_activation nn_functional_dropout nn_functional_embedding " ..
    "nn_functional_attention nn_functional_loss nn_functional_cross_entropy"},
  {"metrics", "Measures of predictions", "nn_metrics"},
  {"nn-init", "First weights", "nn_initializers"},
  {"optim", "Optimisers", "optim_optimizer optim_sgd optim_adam optim_adam_variants optim_adaptive optim_lbfgs " ..
    "optim_grad_scaler optim_sharded"},
  {"schedulers", "Schedulers of learning rates", "optim_scheduler_base optim_scheduler_decay optim_scheduler_cosine " ..
    "optim_scheduler_cycle optim_scheduler_plateau optim_scheduler_sequence"},
  {"data", "Data sets and batches", "dataset class loader sampler idx csv table file digits folder transforms"},
  {"plotting", "Plots", "xy bars cells subplots figure"},
  {"train", "Aids for training loops", "progress stopping log"},
  {"distributed", "Many processes", "distributed group"},
  {"files", "Files and other libraries", "checkpoint dlpack"},
  {"devices", "Devices, streams, graphs, memory", "device stream graph compile memory thread limits kernel"},
  {"measuring", "Measuring", "timing comparison split crossover machine diff result suite bench advise choices " ..
    "network"},
  {"help", "Help", "help"},
  {"aliases", "Names from other libraries", "alias"},
}

local function add(out, format, ...) out[#out + 1] = format:format(...) end

-- ---- contents of pages --------------------------------------------------------------------------

-- Returns the page of each section, and the position of each section among all sections.
local function pages_by_section()
  local by_section, places, count = {}, {}, 0
  for _, each in ipairs(pages) do
    for section in each[3]:gmatch "%S+" do
      count = count + 1
      by_section[section], places[section] = each, count
    end
  end
  return by_section, places
end

-- Returns the section of each name and of each class ("Module:"), and the position of each name among all docs.
local function sections_by_name()
  local sections, places = {}, {}
  for i, doc in ipairs((read.collect())) do
    for _, name in ipairs {doc.name, doc.name:match "^%w+:"} do sections[name] = sections[name] or doc.section end
    places[doc.name] = places[doc.name] or i
  end
  return sections, places
end

-- Returns the documented name by which the section of a topic is found: "sum" for the topic "sum_", and the class for a
-- field of a class. Returns nil if no name of the topic has a section.
local function documented(topic, sections)
  local _, other = topics.doc_of(topic)
  local bare = (other or topic.name):gsub("^Tensor[.:]", "")
  for _, name in ipairs {topic.name, bare, (bare:gsub("_$", "")), (topic.name:gsub("%..*", ":"))} do
    if sections[name] then return name end
  end
end

-- Returns {page = {topics}}. A page's topics are sorted by section, and in a section by their order in the sources.
-- The first page also has the properties of tensors.
local function arrange(index)
  local by_section, section_places = pages_by_section()
  local sections, places = sections_by_name()
  local arranged, keys = {}, {}
  for _, each in ipairs(pages) do arranged[each] = {} end
  for _, topic in ipairs(index) do
    local name = documented(topic, sections)
    local section = name and sections[name]
    local home = section and (by_section[section] or error("no page for section " .. section)) or pages[1]
    keys[topic] = ("%04d %05d %s"):format(section_places[section] or 0, places[name] or 0, topic.name)
    table.insert(arranged[home], topic)
  end
  for _, list in pairs(arranged) do table.sort(list, function(a, b) return keys[a] < keys[b] end) end
  return arranged
end

-- ---- one topic ----------------------------------------------------------------------------------

-- Returns the label of a topic. The site's labels do not distinguish capitals from small letters, so a "-" marks a
-- capital.
local function label(topic)
  return (topic.name:gsub("%u", function(letter) return letter:lower() .. "-" end):gsub("[^%w]", "-"))
end

-- Escapes Markdown's marks in text outside of `code`.
local function plain(text) return (text:gsub("[%*_%[%]<>|]", "\\%0")) end

local function escape(text)
  local out, code = {}, false
  for part, tick in (text .. "\0"):gmatch "([^`%z]*)([`%z])" do
    out[#out + 1] = code and part or plain(part)
    if tick == "`" then
      out[#out + 1] = "`"
      code = not code
    end
  end
  return table.concat(out)
end

local function item(name, type, default, text)
  local words = page.type_words(type)
  if default then words = words .. (words ~= "" and ", " or "") .. "default " .. default end
  return ("- `%s`"):format(name) .. (words ~= "" and " (" .. escape(words) .. ")" or "") ..
         (text ~= "" and ": " .. escape(text) or "")
end

local function prose(out, doc)
  for _, line in ipairs(doc.text) do add(out, "%s", line:find "^  " and line or escape(line)) end
end

local function explain(out, topic, doc)
  add(out, "```lua\n%s\n```\n", page.heads(topic, doc))
  prose(out, doc)
  add(out, "")
  for _, param in ipairs(doc.params) do
    if param.name ~= "options" then add(out, "%s", item(param.name, param.type, nil, param.text)) end
  end
  local class = page.options_of(doc)
  if class then add(out, "\nOptions:\n") end
  for _, field in ipairs(class and class.fields or {}) do
    add(out, "%s", item(field.name, field.type, field.default, field.text))
  end
  for _, result in ipairs(doc.returns) do
    add(out, "\nReturns: %s.", (escape(page.described(result.type, result.text)):gsub("%.$", "")))
  end
  if doc.example then add(out, "\n```lua\n%s\n```", table.concat(doc.example, "\n")) end
  add(out, "")
end

local function entry(out, topic)
  add(out, "(%s)=\n## %s\n", label(topic), escape(topic.name))
  local doc, other = topics.doc_of(topic)
  if other then
    add(out, "The same as `%s`.\n", other)
  elseif not doc then
    add(out, "%s\n", escape(page.described(topic.field.type, topic.field.text)))
  elseif doc.kind == "constant" then
    add(out, "A constant, a %s. %s\n", doc.type, escape(table.concat(doc.text, " ")))
  else
    explain(out, topic, doc)
  end
end

-- True for in-place forms and aliases, which have one line each at the end of a page.
local function is_short(topic)
  local doc, other = topics.doc_of(topic)
  return other ~= nil or doc and doc.text[1] and doc.text[1]:find "^In place: " ~= nil
end

local function write_page(each, list)
  local out, short = {("# %s\n"):format(each[2])}, {}
  for _, topic in ipairs(list) do
    if is_short(topic) then short[#short + 1] = topic else entry(out, topic) end
  end
  if #short > 0 then add(out, "## Other names, and forms that work in place\n") end
  for _, topic in ipairs(short) do
    add(out, "(%s)=\n- `%s`: %s.", label(topic), topic.name, escape(topics.summary(topic)))
  end
  return table.concat(out, "\n") .. "\n"
end

-- ---- all pages ----------------------------------------------------------------------------------

local function write_index(index)
  local out, letter = {"# A to Z\n"}, nil
  local sorted = table.move(index, 1, #index, 1, {})
  local function key(topic) return topic.name:match "[^.:]+$":lower() end
  table.sort(sorted, function(a, b)
    if key(a) ~= key(b) then return key(a) < key(b) end
    return a.name < b.name
  end)
  for _, topic in ipairs(sorted) do
    local first = key(topic):sub(1, 1):upper()
    if first ~= letter then add(out, "\n## %s\n", first) end
    letter = first
    add(out, "- {ref}`%s <%s>`: %s", topic.name, label(topic), escape(topics.summary(topic)))
  end
  return table.concat(out, "\n") .. "\n"
end

local function write_contents()
  local out = {"# Reference\n", "Every public name, by topic and [from A to Z](a-to-z.md).",
               'The prompt has the same texts: `lt.help "conv2d"`.\n', "```{toctree}\n:maxdepth: 1\na-to-z"}
  for _, each in ipairs(pages) do add(out, "%s", each[1]) end
  add(out, "```")
  return table.concat(out, "\n") .. "\n"
end

--- Returns the pages as texts, by file name.
function reference.files()
  local index = assert(topics.index())
  local files = {["index.md"] = write_contents(), ["a-to-z.md"] = write_index(index)}
  for each, list in pairs(arrange(index)) do files[each[1] .. ".md"] = write_page(each, list) end
  return files
end

return reference
