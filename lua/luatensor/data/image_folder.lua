--- data.ImageFolder, a data set of image files whose folders are their classes.
-- @submodule luatensor.data

local args = require "luatensor.base.args"
local blame = require "luatensor.base.blame"
local class = require "luatensor.data.class"
local clocale = require "luatensor.base.clocale"
local core = require "luatensor.core"
local lists = require "luatensor.base.lists"
local lt = require "luatensor"
local outside = require "luatensor.base.outside"

local ENDINGS <const> = {"png", "jpg", "jpeg", "pgm", "ppm", "pbm", "pnm", "pam"}
local DEEPEST <const> = 40                   -- levels of folders; a link to a folder above it would have no end

-- Returns the sorted names of the folders and of the files in a folder, without hidden ones such as .ipynb_checkpoints.
local function list(path)
  local names, why = core.list_folder(path)
  if not names then blame.fail("ImageFolder", "%s: %s", path, why) end
  local folders, files = {}, {}
  clocale.sort(names)
  for _, name in ipairs(names) do
    local folder = name:match "^([^.].*)/$"
    if folder then folders[#folders + 1] = folder elseif name:sub(1, 1) ~= "." then files[#files + 1] = name end
  end
  clocale.sort(folders)
  return folders, files
end

-- Appends the paths of the images in a folder, and in the folders inside of it.
local function collect(path, endings, paths, depth)
  if depth > DEEPEST then blame.fail("ImageFolder", "%s: more than %d folders within each other", path, DEEPEST) end
  local folders, files = list(path)
  for _, name in ipairs(files) do
    if endings[clocale.call(string.lower, name:match "%.([^.]*)$" or "")] then
      paths[#paths + 1] = path .. "/" .. name
    end
  end
  for _, name in ipairs(folders) do collect(path .. "/" .. name, endings, paths, depth + 1) end
end

-- Returns the paths of all images, the class of each, and the names of the classes.
local function find(root, endings)
  local classes = list(root)
  local paths, labels = {}, {}
  if #classes == 0 then blame.fail("ImageFolder", "%s: no folders, which would be the classes", root) end
  for label, name in ipairs(classes) do
    local first = #paths + 1
    collect(root .. "/" .. name, endings, paths, 1)
    if #paths < first then blame.fail("ImageFolder", "%s/%s: no images", root, name) end
    for i = first, #paths do labels[i] = label end
  end
  return paths, labels, classes
end

local known = {
  transform = "callable", extensions = "list", mode = {"choice", "gray", "gray_alpha", "rgb", "rgba", default = "rgb"},
}

--- Makes a data set of the image files in a folder. Each folder in it is a class, with the images in it and in its own
-- folders:
--
--     local train = data.ImageFolder("flowers/train", {transform = data.transforms.to_float()})
--     for x, y in data.Loader(train, {batch_size = 32, shuffle = true}):batches() do … end
--
-- Classes are sorted by name and numbered from 1, images are sorted by path. An image is read each time that it is
-- used. Files and folders whose names begin with a dot are left out. The fields are `classes`, the list of their names;
-- `paths`, the files; and `labels`, the class of each file.
-- @function data.ImageFolder
-- @string root the path of the folder
-- @tparam[opt] table options `transform`: a function that takes an image, uint8 or uint16 [channels, height, width],
--   and returns the value to use in its place; `mode` ("rgb"): "gray", "gray_alpha", "rgb" or "rgba"; `extensions`: the
--   list of the endings of image files (default: png, jpg, jpeg, pgm, ppm, pbm, pnm, pam)
-- @treturn Dataset whose `get` returns x [n, …], the images of equal shape, and y int64 [n], their classes
-- @raise if the folder cannot be read or has no folders, or if a class has no images
local ImageFolder = class("ImageFolder", function(root, options)
  outside.check "ImageFolder"
  if type(root) ~= "string" then blame.fail("ImageFolder", "path expected, got %s", core.type_name(root)) end
  local self = args.read("ImageFolder", options, known)
  local endings = {}
  for i, ending in ipairs(self.extensions or ENDINGS) do
    args.check("ImageFolder", "extensions[" .. i .. "]", ending, "string")
    endings[clocale.call(string.lower, ending:gsub("^%.", ""))] = true
  end
  self.root = #root > 1 and root:gsub("/+$", "") or root
  self.paths, self.labels, self.classes = find(self.root, endings)
  self.size = #self.paths
  return self
end)

-- Returns the image of a file in the mode of the data set. lt.load would take a file of another format for a tensor.
local function load_image(path, mode)
  local file <close>, size = blame.call(core.open_tensors, path)
  if not core.is_image(blame.call(core.read_text, file, path, 0, math.min(16, size))) then
    blame.fail("ImageFolder", "%s: no image of a known format (PNG, JPEG, Netpbm)", path)
  end
  return blame.call(lt.load, path, {mode = mode, device = core.host_device})
end

-- Returns the result of the transform. Its errors name the file of the image.
local function apply(transform, x, path)
  local ok, result = pcall(blame.call_script, transform, x)
  if ok then return result end
  if type(result) ~= "string" then error(result, 0) end
  blame.fail("ImageFolder", "%s: transform: %s", path, result)
end

--- Returns one sample.
-- @int i its number, from 1
-- @treturn tensor the image after the transform
-- @treturn int its class
function ImageFolder:sample(i)
  i = args.integer("sample", "the number", i, 1, self.size)
  local x = load_image(self.paths[i], self.mode)
  if self.transform then x = apply(self.transform, x, self.paths[i]) end
  return x, self.labels[i]
end

-- Raises an error if two samples do not fit into one batch.
local function check_pair(self, first, x, i, j)
  for _, k in ipairs {i, j} do
    local value = k == i and first or x
    if not core.is_tensor(value) then
      blame.fail("ImageFolder", "%s: the transform returned a %s, not a tensor", self.paths[k], core.type_name(value))
    end
  end
  local same = lists.same(first.shape, x.shape)
  if same and first.dtype == x.dtype then return end
  blame.fail("ImageFolder", "%s is %s %s, %s is %s %s: a batch needs %s", self.paths[i], args.shape_text(first.shape),
             first.dtype, self.paths[j], args.shape_text(x.shape), x.dtype, same
             and "one dtype; convert them by transform, such as to_float"
             or "equal sizes; crop or resize them by transform")
end

function ImageFolder:get(indices)
  local images, labels, numbers = {}, {}, indices:totable()
  for k, i in ipairs(numbers) do
    images[k], labels[k] = self:sample(i)
    check_pair(self, images[1], images[k], numbers[1], i)
  end
  return lt.stack(images), lt.tensor(labels, {dtype = "int64", device = images[1].device})
end

function ImageFolder:__tostring()
  return ("ImageFolder: %d images of %d classes in %s"):format(self.size, #self.classes, self.root)
end

return {ImageFolder = ImageFolder}
