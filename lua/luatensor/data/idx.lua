--- data.read_idx and data.mnist, which read files in the IDX format of MNIST, plain or packed by gzip.
-- @submodule luatensor.data

local args = require "luatensor.base.args"
local core = require "luatensor.core"
local lt = require "luatensor"
local blame = require "luatensor.base.blame"
local dataset = require "luatensor.data.dataset"
local outside = require "luatensor.base.outside"

--- Reads an IDX file: integers of 8 bits (with or without sign), 16 and 32 bits, floats of 32 and 64 bits. A file
-- that begins like a gzip file is unpacked.
-- @function data.read_idx
-- @string path of the file
-- @tparam[opt] table options `dtype` (default: the dtype of the file), `device`
-- @treturn tensor
-- @raise if the file is damaged, truncated, too long, or of another format; sizes are checked before memory is
--   allocated
local function read_idx(path, options)
  outside.check "read_idx"
  options = args.options("read_idx", options, {dtype = true, device = true})
  local x = blame.call(core.read_idx, path, options.device)
  return options.dtype and blame.call(core.methods.to, x, options.dtype) or x
end

-- ---- MNIST ----

-- Returns the two usual names of one of MNIST's four files. kind: "train-images", "train-labels", "t10k-images" or
-- "t10k-labels"; dims: the number of dims of its contents.
local function names_of(kind, dims)
  return {("%s-idx%d-ubyte"):format(kind, dims), ("%s.idx%d-ubyte"):format(kind, dims)}
end

local function find(folder, kind, dims)
  local names = names_of(kind, dims)
  for _, name in ipairs(names) do
    for _, ending in ipairs {"", ".gz"} do
      local path = folder .. "/" .. name .. ending
      local file <close> = io.open(path, "rb")
      if file then return path end
    end
  end
  blame.fail("mnist", "no %s or %s.gz in %s", names[1], names[1], folder)
end

local function read_kind(folder, kind, dims)
  local path = find(folder, kind, dims)
  local x = read_idx(path, {device = core.host_device})
  if x.ndim ~= dims or x.dtype ~= "uint8" then
    blame.fail("mnist", "%s: %d dims of uint8 expected, got %s of %s", path, dims, args.shape_text(x.shape), x.dtype)
  end
  return x
end

local function pair(folder, kind, options)
  local images, labels = read_kind(folder, kind .. "-images", 3), read_kind(folder, kind .. "-labels", 1)
  local n, h, w = table.unpack(images.shape)
  if labels.shape[1] ~= n then
    blame.fail("mnist", "%s: %s images have %d labels", folder, kind == "t10k" and n .. " test" or n .. " training",
               labels.shape[1])
  end
  local where = options.device or lt.get_default_device()
  local x = images:to(where):to(options.dtype or lt.get_default_dtype()):div_(255)
  x = options.image and x:reshape(n, 1, h, w) or x:reshape(n, h * w)
  return dataset.TensorDataset(x, labels:to(where):to("int64"):add_(1))
end

--- Reads MNIST, or another data set of the same form, from a folder with the four files (`train-images-idx3-ubyte` …,
-- with or without `.gz`): `local train, test = data.mnist "mnist"`. Nothing is downloaded.
-- @function data.mnist
-- @string folder path of the folder
-- @tparam[opt] table options `dtype` (of x, a float; default: the default float), `device`, `image` (false): if true,
--   x is [n, 1, 28, 28], the shape that convolutions take
-- @treturn Dataset for training: x [60000, 784] from 0 to 1, y int64 [60000], digit + 1: classes are 1 … 10
-- @treturn Dataset for testing: 10000 samples of the same form
-- @raise if files are missing or damaged, or if the numbers of images and labels differ
local function mnist(folder, options)
  outside.check("mnist", "io")
  options = args.options("mnist", options, {dtype = true, device = true, image = true})
  if type(folder) ~= "string" then blame.fail("mnist", "folder expected, got %s", core.type_name(folder)) end
  return pair(folder, "train", options), pair(folder, "t10k", options)
end

return {read_idx = read_idx, mnist = mnist}
