-- Reads the options in a documentation comment as rows. The text "`dim`, `keepdim` (false): keeps the dim; `out`" has
-- three options, and gives three rows.
--
-- A row is {name =, type =, default =, text =}. An option begins at its name in backticks, at the start of the text
-- or after a separator. Its default follows the name in parentheses. Its meaning follows the default.

local options = {}

local DIMS, TENSOR = "integer|integer[]", "luatensor.Tensor"

-- Types of options that mean the same in all functions.
local types = {
  dtype = "luatensor.dtype", device = "string", group = "luatensor.Group", generator = "luatensor.generator",
  dim = DIMS, out = TENSOR, n = "integer",
  requires_grad = "boolean", copy = "boolean", keepdim = "boolean", equal_nan = "boolean", upper = "boolean",
  include_initial = "boolean", right = "boolean", bidirectional = "boolean", metadata = "boolean|table<string,string>",
  return_indices = "boolean", reduction = '"mean"|"sum"|"none"', mode = "string", kind = "string|string[]",
  s = "integer[]", seed = "integer", offset = "integer", dim1 = "integer", dim2 = "integer", k = "integer",
  min = "number|" .. TENSOR, max = "number|" .. TENSOR, rtol = "number|" .. TENSOR, atol = "number|" .. TENSOR,
  alpha = "number", beta = "number", d = "number", p = "number", correction = "number", a = "number", b = "number",
  ord = 'number|"fro"|"nuc"', dims = "integer|integer[][]", versioned = "boolean", sorter = TENSOR, prepend = TENSOR,
  append = TENSOR, weight = TENSOR, weights = TENSOR, bias = "boolean", pos_weight = TENSOR, attn_mask = TENSOR,
  minlength = "integer", range = "number[]", argnums = DIMS, grad_outputs = TENSOR .. "|table",
  retain_graph = "boolean",
  padding = "integer|integer[]|string", stride = DIMS, dilation = DIMS, output_padding = DIMS, groups = "integer",
  kdim = "integer", vdim = "integer", padding_idx = "integer", divisor_override = "integer", norm_type = "number",
  sizes = "integer[]", inputs = "function", devices = "string[]", seconds = "number", patience = "number",
  name = "string", latency = "number", bandwidth = "number",
  threads = "integer", clock = "function", same = "function", limits = "function|boolean", fresh = "boolean",
  labels = "string|integer", columns = "(string|integer)[]", na_values = "string|string[]",
  types = "table<string,string>", comment = "string", decimal = "string",
  missing = "number", header = "boolean", map = "function",
  stratify = TENSOR .. "|boolean", parameters = "string|integer", scale = "number", activation = "string|function",
  betas = "number[]", line_search_fn = "string", max_eval = "integer", total_steps = "integer", epochs = "integer",
  steps_per_epoch = "integer", step_size_down = "integer", norm = '"backward"|"ortho"|"forward"',
  largest = "boolean",
  momentum = "number", eps = "number", fused = "boolean", sorted = "boolean", stable = "boolean",
  anneal_strategy = '"cos"|"linear"',
  sci = 'boolean|"auto"', assume_unique = "boolean", invert = "boolean", refine = "integer", step_size_up = "integer",
  nonlinearity = "string", batch = "integer", calls = "integer", layers = "integer", min_lr = "number|number[]",
  rounds = "integer", warmup = "number", training = "boolean", batch_size = "integer", num_layers = "integer",
  ignore_index = "integer", start_dim = "integer", end_dim = "integer", precision = "integer", threshold = "number",
  edgeitems = "integer", linewidth = "integer", skip = "integer", T_mult = "integer", max_iter = "integer",
  history_size = "integer", growth_interval = "integer", total_iters = "integer", cooldown = "integer",
  num_parameters = "integer", proj_size = "integer", dim_feedforward = "integer", check = "boolean",
  title = "string", total = "integer", every = "number", min_delta = "number", path = "string",
  size = DIMS, scale_factor = "number|number[]", align_corners = "boolean", antialias = "boolean",
  model = "luatensor.Module", transform = "function", extensions = "string[]", quality = "integer",
  workers = "integer", interpreter = "string",
  sampler = "luatensor.DistributedSampler|table", bucket_bytes = "integer", classes = "integer", top_k = "integer",
  xlabel = "string", ylabel = "string", xlim = "number[]", ylim = "number[]", label = "string",
  legend = "boolean", marks = "boolean", color = "string", width = "integer", height = "integer", unicode = "boolean",
  bins = "integer|number[]|luatensor.Tensor", horizontal = "boolean", names = "string[]", vmin = "number",
  vmax = "number", row_labels = "string[]", column_labels = "string[]", annotate = "boolean|string",
  average = '"binary"|"macro"|"micro"|"weighted"|"none"',
}

-- Meanings of options for which the functions give no text.
local meanings = {
  out = "the tensor to write the result to", device = "where the result is", dtype = "of the result",
  generator = "of random numbers; the default generator unless given",
  requires_grad = "records what is computed from it, for gradients",
  keepdim = "keeps the reduced dims, of length 1", reduction = "of the losses of all elements", bias = "has it a bias?",
  batch_first = "the first dim is the batch", weight = "of each class or element", p = "probability of a zero",
  lr = "learning rate", eps = "keeps denominators away from 0", weight_decay = "share of the weights in their gradient",
  stride = "distance of the windows", padding = "zeros on each side", dilation = "distance of a window's elements",
  groups = "groups of channels that are computed apart", output_padding = "zeros more at the end of the result",
  ceil_mode = "the last window may reach beyond the input", return_indices = "returns positions, too",
  affine = "has it weight and bias?", maximize = "goes up instead of down", dim = "the dim, or the dims",
}
local of_layers = {device = "where the weights are", dtype = "of the weights"}

local defaults = {reduction = '"mean"', keepdim = "false", requires_grad = "false"}

-- Types of options that have a special meaning in one function, by the name of the function.
local exceptions = {
  ["advise.choices"] = {largest = "integer"}, ["nn.TransformerEncoder"] = {norm = "luatensor.Module"},
  ["nn.TransformerDecoder"] = {norm = "luatensor.Module"}, norm = {p = 'number|"fro"|"nuc"'},
  ["nn.functional.layer_norm"] = {bias = TENSOR}, ["nn.functional.group_norm"] = {bias = TENSOR},
  ["nn.functional.instance_norm"] = {bias = TENSOR}, ["nn.functional.batch_norm"] = {bias = TENSOR},
  save = {metadata = "table<string,string>"}, load = {metadata = "boolean"},
  ["plot.line"] = {labels = "string[]"}, ["plot.scatter"] = {labels = "string[]"},
  ["plot.bar"] = {labels = "string[]"}, ["plot.hist"] = {labels = "string[]"},
  ["plot.subplots"] = {columns = "integer"},
  ["nn.BatchNorm1d"] = {momentum = "number|boolean"},
  ["nn.KLDivLoss"] = {reduction = '"mean"|"batchmean"|"sum"|"none"'},
  ["nn.functional.kl_div"] = {reduction = '"mean"|"batchmean"|"sum"|"none"'},
}

local function trim(text) return (text:gsub("^%s+", ""):gsub("%s+$", "")) end

-- ---- reading ------------------------------------------------------------------------------------

-- True if an option may begin at position `at`: at the start, or after a separator.
local function begins(text, at)
  local before = text:sub(1, at - 1)
  return before:find "^%s*$" or before:find "[,;.?] $" or before:find "[,;`)]? and $" or before:find "[,;`)]? or $"
end

-- Returns the positions at which options begin, outside of parentheses and braces, with their names and the
-- positions after the names.
local function find_starts(text)
  local starts, depth, at = {}, 0, 1
  while at <= #text do
    local name, after = text:match("^`([%a_][%w_]*)`()", at)
    local c = text:sub(at, at)
    if name and depth == 0 and begins(text, at) then
      starts[#starts + 1] = {name = name, at = at, after = after}
      at = after
    else
      depth = depth + (c:find "[({]" and 1 or c:find "[)}]" and -1 or 0)
      at = at + 1
    end
  end
  return starts
end

-- True if the text in parentheses is no default, but a remark on the option.
local function is_remark(text)
  return text:find "^of " or text:find "^a " or text:find "^accepted" or text:find "^also "
end

-- Splits the inside of "(false: x itself)" into the default "false" and the remark "x itself".
local function split_default(inner)
  if is_remark(inner) then
    local default = inner:match "; default:? (.*)$"
    return default, (inner:gsub("; default:? .*$", ""))
  end
  inner = inner:gsub("^default:? ", ""):gsub("^by default ", "")
  local quoted, rest = inner:match '^(%b"")(.*)$'
  if not quoted then quoted, rest = inner:match "^(%b{})(.*)$" end
  if not quoted then quoted, rest = inner:match "^([^;:,]*)(.*)$" end
  return trim(quoted), trim((rest:gsub("^[;:,] *", "")))
end

-- Returns the meaning of an option and its default. A default in parentheses at the end of the text is removed from the
-- meaning. Without such a default, the default is the quoted string before "(default", or nil if there is none.
local function find_default(text)
  local before, inner = text:match "^(.-) ?%(([^()]*)%)$"
  local default = inner and (inner:match "^default:? (.*)$" or inner:match "^by default (.*)$"
    or inner:match "^[%d.]+$" or inner:match "^all .*"
    or inner:match "^false$" or inner:match "^true$")
  if default then return before, default end
  return text, text:match '("[^"]*") %(default'
end

-- Divides the text after an option's name into its default, its meaning, and remarks on the function.
local function read_rest(rest)
  local default, text, more = nil, trim(rest), nil
  local group, after = text:match "^(%b())(.*)$"
  if group then
    local inner
    default, inner = split_default(group:sub(2, -2))
    after = trim((after:gsub("^[:,] *", "")))
    text = trim(inner .. (inner ~= "" and after ~= "" and not after:find "^[;.]" and ": " or "") .. after)
  end
  if text:find "^[;.] ." then more, text = trim(text:sub(2)), "" end
  text = trim((text:gsub("^[:,=] *", ""):gsub("[,;.] *$", ""):gsub("^and$", ""):gsub("^or$", "")))
  text = text:gsub("[,;.]? and$", ""):gsub(",? or$", ""):gsub('^"%w+"$', "or %0")
  if not default then text, default = find_default(text) end
  return default, text, more
end

-- ---- types --------------------------------------------------------------------------------------

-- Returns a type such as "mean"|"sum" if a text lists at least two strings, otherwise nil.
local function choices(text)
  local list, seen = {}, {}
  for word in text:gmatch '"[%w_]*"' do
    if not seen[word] then list[#list + 1] = word end
    seen[word] = true
  end
  return #list > 1 and table.concat(list, "|") or nil
end

local function type_by_default(default)
  if default == "true" or default == "false" then return "boolean" end
  if tonumber(default) or default and default:find "^%d+/%d+$" then return "number" end
  return default and default:find '^"' and "string" or nil
end

local function type_of(fn, row)
  local own = exceptions[fn] and exceptions[fn][row.name]
  local words = choices((row.default or "") .. " " .. row.text)
  local known = types[row.name]
  if own then return own end
  if known and not (known == "string" and words) then return known end
  return words or type_by_default(row.default) or "any"
end

-- ---- all options of a function ------------------------------------------------------------------

local function put(rows, row)
  for i, each in ipairs(rows) do
    if each.name == row.name then
      rows[i] = row
      return
    end
  end
  rows[#rows + 1] = row
end

-- Reads a text such as "those of nn.RNN but `nonlinearity`; …". Returns the rows of nn.RNN without `nonlinearity`, and
-- the rest of the text.
local function read_others(text, find)
  local rows = {}
  local other, rest = text:match "^%s*those of ([%w_.:]+)(.*)$"
  if not other then return rows, text end
  local without = rest:match "^ but `([%w_]+)`"
  for _, row in ipairs(find((other:gsub("^lt%.", ""):gsub("%.$", "")))) do
    if row.name ~= without then put(rows, row) end
  end
  return rows, rest:match "[;,] *(.*)$" or ""
end

-- If several options share a meaning, as in "`prepend` and `append`: tensors …", copies the meaning from the last
-- option to the options before it.
local function share_texts(text, starts, rows)
  for i = #starts - 1, 1, -1 do
    local between = text:sub(starts[i].after, starts[i + 1].at - 1)
    local as = between == ", " and rows[i + 1].text:find "^as "
    if (between == " and " or as) and rows[i].text == "" then
      rows[i].text, rows[i].default = rows[i + 1].text, rows[i + 1].default
    end
  end
end

-- Returns the rows in the text of a parameter `options`, and the text about the function itself.
local function read_text(fn, text, find)
  local all, own = read_others(text, find)
  local general
  local starts, rows = find_starts(own), {}
  for i, start in ipairs(starts) do
    local stop = starts[i + 1] and starts[i + 1].at - 1 or #own
    local row = {name = start.name}
    row.default, row.text, general = read_rest(own:sub(start.after, stop))
    rows[i] = row
  end
  share_texts(own, starts, rows)
  for _, row in ipairs(rows) do
    row.type = type_of(fn, row)
    put(all, row)
  end
  return all, general
end

-- Completes a row that has no text, from another parameter with the same name, or by the option's usual meaning.
local function complete(doc, row)
  row.default = row.default or defaults[row.name]
  if row.text ~= "" then return end
  for _, param in ipairs(doc.params) do
    if param.name == row.name then
      row.type = param.type ~= "any" and param.type or row.type
      row.text = param.text:gsub("[;,]? also .*$", "")
    end
  end
  if row.text ~= "" then return end
  row.text = doc.name:find "^nn%.%u" and of_layers[row.name] or meanings[row.name] or ""
end

-- Returns the names of the options that can replace a positional parameter. The parameter's text names them, as in
-- "also option `dim`".
local function mentioned(text)
  local names = {}
  for list in text:gmatch "option (`[^;.]*)" do
    for name in list:gmatch "`([%a_][%w_]*)`" do names[#names + 1] = name end
  end
  return names
end

--- Reads the options of a function.
-- @tab doc the documentation of the function, as in tools/annotate/read.lua
-- @tparam function find returns the rows of another function by its name
-- @treturn table rows, empty if the function has no options
-- @treturn ?string the text about the function itself in the options' text
function options.read(doc, find)
  local rows, general = {}, nil
  for _, param in ipairs(doc.params) do
    if param.name == "options" then
      rows, general = read_text(doc.name, param.text, find)
    else
      for _, name in ipairs(mentioned(param.text)) do put(rows, {name = name, type = types[name], text = ""}) end
    end
  end
  for _, row in ipairs(rows) do complete(doc, row) end
  return rows, general
end

return options
