--- data.split, which divides a data set into parts: for training, for choosing a model, and for testing.
-- @submodule luatensor.data

local args = require "luatensor.base.args"
local core = require "luatensor.core"
local lt = require "luatensor"
local blame = require "luatensor.base.blame"
local check = require "luatensor.data.check"
local dataset = require "luatensor.data.dataset"

local known = {generator = true, stratify = true}

-- ---- sizes of the parts ----

local function check_numbers(parts)
  if type(parts) ~= "table" or #parts == 0 then
    blame.fail("split", "list of fractions or of numbers of samples expected, got %s",
               type(parts) == "table" and "an empty one" or core.type_name(parts))
  end
  for i, part in ipairs(parts) do
    if type(part) ~= "number" or part < 0 or part ~= part then
      blame.fail("split", "part %d is %s, neither a fraction nor a number of samples", i, tostring(blame.plain(part)))
    elseif math.type(part) ~= math.type(parts[1]) then
      blame.fail("split", "parts are all fractions (floats) or all numbers of samples (integers), not both")
    end
  end
end

-- Returns the numbers of samples for fractions: n times each fraction, rounded down. The remaining samples go to the
-- first parts, one to each.
local function from_fractions(parts, n)
  local sum, counts, left = 0, {}, n
  for i, part in ipairs(parts) do
    sum = sum + part
    counts[i] = math.floor(n * part + 1e-9 * n)          -- corrects rounding errors: 100 * 0.29 is less than 29
    left = left - counts[i]
  end
  if math.abs(sum - 1) > 1e-6 then blame.fail("split", "the fractions add up to %g, not to 1", sum) end
  for i = 1, left do counts[i] = counts[i] + 1 end
  return counts
end

local function how_many(parts, n)
  check_numbers(parts)
  if math.type(parts[1]) == "float" then return from_fractions(parts, n) end
  local sum = 0
  for _, part in ipairs(parts) do sum = sum + part end
  if sum ~= n then blame.fail("split", "the parts have %d samples in all, the data set has %d", sum, n) end
  return parts
end

-- ---- samples of the parts ----

-- Returns the labels of the samples, a tensor [n] on the CPU: option stratify. If the option is true, these are the
-- data set's last tensor, or its list `labels`, which an ImageFolder has.
local function labels_of(ds, stratify)
  local y = stratify
  if y == true and ds.tensors then
    y = ds.tensors[#ds.tensors]
  elseif y == true and ds.labels then
    y = lt.tensor(ds.labels, {dtype = "int64", device = core.host_device})
  elseif y == true then
    blame.fail("split", "stratify = true is for a TensorDataset or an ImageFolder; give the labels: stratify = y")
  end
  args.tensor("split", "stratify", y)
  if y.ndim ~= 1 or y.shape[1] ~= ds.size then
    blame.fail("split", "stratify: labels of shape [%d] expected, got %s", ds.size, args.shape_text(y.shape))
  end
  return y:detach():to(core.host_device)
end

-- Distributes the samples in `order`: part i gets counts[i] samples, appended to lists[i]. Each sample goes to the
-- part that is furthest behind its share of the samples so far, so every section of `order` is divided in the same
-- proportion, too.
local function deal(order, counts, lists)
  local n = #order
  for at, sample in ipairs(order) do
    local best, behind = nil, -math.huge
    for i, count in ipairs(counts) do
      local owed = count * at - #lists[i] * n
      if #lists[i] < count and owed > behind then best, behind = i, owed end
    end
    table.insert(lists[best], sample)
  end
end

local function cut(order, counts, lists)
  local at = 0
  for i, count in ipairs(counts) do
    table.move(order, at + 1, at + count, 1, lists[i])
    at = at + count
  end
end

--- Divides a data set at random: `local train, test = data.split(ds, {0.8, 0.2})`. Within each part, samples stay in
-- the data set's order.
-- @function data.split
-- @tparam Dataset ds
-- @tparam table parts fractions (floats, which add up to 1) or numbers of samples (integers, which add up to the data
--   set's size). Of n samples a fraction f gets floor(f n); the remaining samples go to the first parts, one to each.
-- @tparam[opt] table options `generator`; `stratify`: labels, a tensor [n] (true: the data set's last tensor,
--   or the classes of an ImageFolder). Then each part gets its share of the samples of every label, rounded up or down
-- @treturn Subset ... one subset for each part
-- @raise if fractions or numbers do not add up
local function split(ds, parts, options)
  options = args.options("split", options, known)
  check("split", ds)
  local counts = how_many(parts, ds.size)
  local here = {device = core.host_device, generator = options.generator}
  local order, lists = blame.call(lt.permutation, ds.size, here), {}
  for i = 1, #counts do lists[i] = {} end
  if options.stratify then
    local labels = labels_of(ds, options.stratify)
    order = order:take(labels:take(order):argsort({stable = true}))
    deal(order:totable(), counts, lists)
  else
    cut(order:totable(), counts, lists)
  end
  for i, list in ipairs(lists) do
    table.sort(list)
    lists[i] = dataset.Subset(ds, list)
  end
  return table.unpack(lists)
end

return {split = split}
