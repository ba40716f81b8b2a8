---@meta luatensor.data
-- Made by `make annotations` from the sources' comments and the op table. Do not edit.

---@class luatensor.Dataset
---@field size integer
local Dataset = {}

---Returns all samples as one batch, in the form in which `get` returns batches.
---```lua
---data.TensorDataset(lt.arange(3), lt.ones(3)):all()  --> [0, 1, 2]
---```
---@return luatensor.Tensor # ... or other values, if `get` returns other values
function Dataset:all() end

---@class luatensor.Loader
local Loader = {}

---Starts an epoch: returns an iterator of batches, each with the values that the data set returns for its samples.
---With `shuffle`, one permutation is drawn at the start from the loader's generator. Without a generator, the loader
---draws a seed from the default generator instead. Loops may end early, and may be nested.
---```lua
---local loader = data.Loader(data.TensorDataset(lt.arange(6)), {batch_size = 4})
---for x in loader:batches() do print(x.shape) end
---```
---@return function # an iterator
function Loader:batches() end

---Returns the position of the last loop over batches, for lt.save: after loading, a run continues with the next
---batch. The loader's generator has a state of its own, which must be saved, too. With a data.DistributedSampler the
---state of one process serves any number of processes.
---```lua
---local set = data.TensorDataset(lt.arange(6))
---local a, b = data.Loader(set, {batch_size = 4}), data.Loader(set, {batch_size = 4})
---b:load_state_dict(a:state_dict())
---```
---@return table # `position`, the number of samples that all processes have had; with shuffle `seed` and `offset`; with a sampler `epoch`; with workers `batch_seed`; empty between two epochs
function Loader:state_dict() end

---Makes the next call of `batches` continue at the position in the epoch that the state contains.
---Errors: if the state is no result of state_dict, or if its position is beyond the samples of the data set.
---```lua
---local set = data.TensorDataset(lt.arange(6))
---local a, b = data.Loader(set, {batch_size = 4}), data.Loader(set, {batch_size = 4})
---b:load_state_dict(a:state_dict())
---```
---@param state table a result of state_dict
function Loader:load_state_dict(state) end

---@class luatensor.ImageFolder: luatensor.Dataset
---@field classes string[]
---@field paths string[]
---@field labels integer[]
local ImageFolder = {}

---Returns one sample.
---```lua
---local root = os.tmpname() .. ".images"
---os.execute(("mkdir -p %s/rose"):format(root))
---lt.save(root .. "/rose/1.png", lt.zeros(3, 4, 5, {dtype = "uint8"}))
---local image, class = data.ImageFolder(root, {mode = "rgb"}):sample(1)
---image.shape  --> [3, 4, 5]
---os.execute("rm -r " .. root)
---```
---@param i integer its number, from 1
---@return luatensor.Tensor # the image after the transform
---@return integer # its class
function ImageFolder:sample(i) end

---@class luatensor.DistributedSampler
local DistributedSampler = {}

---Sets the number of the epoch, from which the order of the samples is drawn.
---```lua
---local sampler = data.DistributedSampler(data.TensorDataset(lt.arange(4)), {shuffle = false})
---sampler:set_epoch(2)
---sampler:indices()  --> [1, 2, 3, 4]
---```
---@param epoch integer from 0 on
function DistributedSampler:set_epoch(epoch) end

---Returns the numbers of this process's samples in the order of the epoch.
---```lua
---local sampler = data.DistributedSampler(data.TensorDataset(lt.arange(4)), {shuffle = false})
---sampler:set_epoch(2)
---sampler:indices()  --> [1, 2, 3, 4]
---```
---@return luatensor.Tensor # int64 [#sampler]
function DistributedSampler:indices() end

---@class luatensor.data
local data = {}

---Reads a file of separated values into a table with named columns. The first row names the columns, unless it has
---only numbers. The type of a column is the first of these that all of its values have: boolean (true, false), integer,
---float, category (any text). Missing values become NaN; integers with missing values become floats. A file that begins
---like a gzip file is unpacked. A field may be in double quotes, also with line ends; "" in it means one quote. In a
---column of texts a field in quotes is never missing. Numbers with leading zeros, such as 01234, are texts unless a
---type is given. White space around fields and empty lines are ignored. A first line "sep=;" gives the delimiter.
---
---    local t = data.read_csv("penguins.csv", {na_values = {"?"}})
---    print(t.names[1], #t, t.species.levels[1], t.body_mass_g:nanmean())
---    local x = data.read_csv("numbers.csv", {types = "float"}):tensor()
---Errors: if a field is not of the given type, rows have different lengths, a quote does not end, the first row has names and numbers, or gzip data are damaged; the message names the line, the column and an option that helps.
---```lua
---local path = os.tmpname()
---io.open(path, "w"):write("size,city\n1,Bern\nNA,Rome\n"):close()
---local t = data.read_csv(path)
---t.city.levels[2]  --> Rome
---t:drop("city"):tensor():isnan():sum()  --> 1
---os.remove(path)
---```
---@param path string of the file
---@param options? luatensor.data.read_csv.options
---@return any # see data.Table
function data.read_csv(path, options) end

---Writes a table or a tensor as a file of separated values, completely or not at all. Each number has the fewest
---digits with which it is read back exactly. Dates and times are written as in ISO 8601. A text is in quotes if it
---contains the delimiter, a quote or a line end, or if read_csv would take it for a missing value. A name that is a
---number is in quotes.
---
---    data.write_csv("result.csv", lt.stack({x, y}, {dim = 2}), {names = {"x", "y"}})
---Errors: if the disk is full or permission is missing; if a tensor is complex or has other dims.
---```lua
---local path = os.tmpname()
---data.write_csv(path, lt.tensor{{1, 2}, {3, 4}}, {names = {"a", "b"}})
---data.read_csv(path).b  --> [2, 4]
---```
---@param path string of the file
---@param x any|luatensor.Tensor a table, or a real tensor [rows, columns] or [rows]
---@param options? luatensor.data.write_csv.options
function data.write_csv(path, x, options) end

---Makes a data set of the rows of tensors: `data.TensorDataset(x, y)`. Sample i is row i of each tensor. Field
---`tensors` is the list of tensors.
---Errors: if tensors have different numbers of rows or different devices, or no dims.
---```lua
---data.TensorDataset(lt.ones(10, 3), lt.zeros(10)).size  --> 10
---```
---@param ... luatensor.Tensor one or more tensors with equal numbers of rows, on one device
---@return luatensor.Dataset # whose `get` returns copied rows of each tensor
function data.TensorDataset(...) end

---Makes a data set of some samples of another data set.
---Errors: if an index is out of range.
---```lua
---#data.Subset(data.TensorDataset(lt.arange(10)), {2, 4}):all()  --> 2
---```
---@param base luatensor.Dataset
---@param indices luatensor.Tensor|table of samples, 1-based, in the wanted order; repeated indices give repeated samples
---@return luatensor.Dataset # with fields `base` and `indices`
function data.Subset(base, indices) end

---Makes a data set that contains the samples of several data sets of tensors, one data set after the other.
---```lua
---local a = data.TensorDataset(lt.arange(10))
---data.ConcatDataset{a, a}.size  --> 20
---```
---@param list table data sets on one device; their batches have the same dtypes, and the same shapes except for the first dim
---@return luatensor.Dataset #
function data.ConcatDataset(list) end

---Returns 1797 handwritten digits of 8 × 8 pixels: the test part of *Optical Recognition of Handwritten Digits*, E.
---Alpaydin and C. Kaynak, 1998, UCI Machine Learning Repository, https://doi.org/10.24432/C50P49, CC BY 4.0.
---```lua
---data.digits().size  --> 1797
---```
---@param options? luatensor.data.digits.options
---@return luatensor.Dataset # x [1797, 64], from 0 (paper) to 1 (ink), and y int64 [1797], digit + 1: classes are 1 … 10
function data.digits(options) end

---Reads an IDX file: integers of 8 bits (with or without sign), 16 and 32 bits, floats of 32 and 64 bits. A file
---that begins like a gzip file is unpacked.
---Errors: if the file is damaged, truncated, too long, or of another format; sizes are checked before memory is allocated.
---```lua
---local path = os.tmpname()
---local file <close> = io.open(path, "wb")
---file:write("\0\0\8\1\0\0\0\2", "\5\7"):flush()      -- unsigned bytes, one dim of length 2
---lt.data.read_idx(path)  --> [5, 7]
---os.remove(path)
---```
---@param path string of the file
---@param options? luatensor.data.read_idx.options
---@return luatensor.Tensor #
function data.read_idx(path, options) end

---Reads MNIST, or another data set of the same form, from a folder with the four files (`train-images-idx3-ubyte` …,
---with or without `.gz`): `local train, test = data.mnist "mnist"`. Nothing is downloaded.
---Errors: if files are missing or damaged, or if the numbers of images and labels differ.
---```lua
---local function load_mnist(folder)
---  local train, test = lt.data.mnist(folder, {image = true})
---  return train, test
---end
---```
---@param folder string path of the folder
---@param options? luatensor.data.mnist.options
---@return luatensor.Dataset # for training: x [60000, 784] from 0 to 1, y int64 [60000], digit + 1: classes are 1 … 10
---@return luatensor.Dataset # for testing: 10000 samples of the same form
function data.mnist(folder, options) end

---Makes a data set of the image files in a folder. Each folder in it is a class, with the images in it and in its own
---folders:
---
---    local train = data.ImageFolder("flowers/train", {transform = data.transforms.to_float()})
---    for x, y in data.Loader(train, {batch_size = 32, shuffle = true}):batches() do … end
---
---Classes are sorted by name and numbered from 1, images are sorted by path. An image is read each time that it is
---used. Files and folders whose names begin with a dot are left out. The fields are `classes`, the list of their names;
---`paths`, the files; and `labels`, the class of each file.
---Errors: if the folder cannot be read or has no folders, or if a class has no images.
---```lua
---local root = os.tmpname() .. ".images"
---os.execute(("mkdir -p %s/rose"):format(root))
---lt.save(root .. "/rose/1.png", lt.zeros(3, 4, 5, {dtype = "uint8"}))
---local image, class = data.ImageFolder(root, {mode = "rgb"}):sample(1)
---image.shape  --> [3, 4, 5]
---os.execute("rm -r " .. root)
---```
---@param root string the path of the folder
---@param options? luatensor.data.ImageFolder.options
---@return luatensor.ImageFolder #
function data.ImageFolder(root, options) end

---Makes a loader, which returns a data set in batches: `for x, y in data.Loader(ds, {batch_size = 64, shuffle =
---true}):batches() do`. `#loader` is the number of batches.
---
---With option `workers`, other processes fetch the batches, which come in the same order. Each process gets a copy of
---ds, or calls ds if ds is a function that returns the data set. Upvalues of functions are copied, too. The loader
---copies ds once, so workers do not see later changes. Globals of the script are missing in workers. Each batch has a
---seed, from which its data set draws random numbers. So the batches are the same for any number of workers, including
---0.
---
---A sampler is a table. Its method `indices` returns the numbers of the samples of an epoch as a tensor [n], and its
---metamethod `__len` returns n.
---Errors: if the batch size is below 1, or ds is no data set, or if ds cannot be sent to a worker.
---```lua
---local loader = data.Loader(data.TensorDataset(lt.ones(10, 3)), {batch_size = 4})
---#loader  --> 3
---local function make() return require("luatensor.data").digits() end
---local parallel <close> = data.Loader(make, {batch_size = 64, workers = 1})
---parallel:batches()().shape  --> [64, 64]
---```
---@param ds luatensor.Dataset|function a data set, or a function that returns one
---@param options? luatensor.data.Loader.options
---@return luatensor.Loader # which may be a `<close>` variable, with which the workers end; otherwise they end when the loader is collected
function data.Loader(ds, options) end

---Divides the samples of a data set among the processes of a group. The order of an epoch depends only on the seed
---and the epoch's number, and the processes take its samples in turn. So the batches that n processes see at one time
---are together one batch of a single process with n times the batch size:
---
---    local group = distributed.init()
---    local sampler = data.DistributedSampler(train, {seed = 1})
---    local loader = data.Loader(train, {batch_size = 64 // group:size(), sampler = sampler})
---    for epoch = 1, 10 do
---      sampler:set_epoch(epoch)
---      for x, y in loader:batches() do … end
---    end
---
---All processes get the same number of samples, because each batch needs all of them. `#sampler` is this number.
---```lua
---local sampler = data.DistributedSampler(data.TensorDataset(lt.arange(4)), {shuffle = false})
---sampler:set_epoch(2)
---sampler:indices()  --> [1, 2, 3, 4]
---```
---@param ds luatensor.Dataset
---@param options? luatensor.data.DistributedSampler.options
---@return luatensor.DistributedSampler #
function data.DistributedSampler(ds, options) end

---Divides a data set at random: `local train, test = data.split(ds, {0.8, 0.2})`. Within each part, samples stay in
---the data set's order.
---Errors: if fractions or numbers do not add up.
---```lua
---local a, b = data.split(data.TensorDataset(lt.arange(10)), {0.8, 0.2})
---a.size  --> 8
---b.size  --> 2
---```
---@param ds luatensor.Dataset
---@param parts table fractions (floats, which add up to 1) or numbers of samples (integers, which add up to the data set's size). Of n samples a fraction f gets floor(f n); the remaining samples go to the first parts, one to each.
---@param options? luatensor.data.split.options
---@return any # ... one subset for each part
function data.split(ds, parts, options) end

---Makes a table of data from columns. It has the fields `names` (a list), `kinds` ("integer", "float", "boolean",
---"date", "time", "category" or "text", by name) and each column by its name. `#t` is the number of rows. Methods:
---
---    t:column(name)            the column, also one with the name of a method: a tensor, a list of strings, or
---                              {codes =, levels =} for a category
---    t:tensor{"a", "b"}        numeric columns as a tensor [rows, columns]; options `dtype`, `device`
---    t:tensor()                all columns, which must be numeric
---    t:drop "c"                a table without this column, or without the columns of a list
---    t:one_hot "c"             a category as a tensor [rows, levels] of 0 and 1
---    t:missing "a"             bool [rows]: where the value is missing
---    t:rows(selection)         a table of the rows of a mask, of a tensor of row numbers, or of a list
---Errors: if columns have different numbers of rows, or a column is none of these.
---```lua
---local t = data.Table({city = {"Bern", "Rome"}, size = lt.tensor{3, 5}}, {"city", "size"})
---t:tensor{"size"}  --> [[3.0], [5.0]]
---```
---@param columns table by name: a tensor [rows], a list of strings, or {codes =, levels =}: code i is level i, and code 0 is a missing value
---@param names table the names of the columns in their order
---@return any #
function data.Table(columns, names) end

---Makes a function that calls functions one after the other, each with the result of the one before it.
---```lua
---local prepare = data.transforms.compose {data.transforms.to_float(), data.transforms.normalise(0.5, 0.5)}
---prepare(lt.full({1, 1, 2}, 255, {dtype = "uint8"}))  --> [[[1.0, 1.0]]]
---```
---@param list table of functions
---@return function #
function data.transforms.compose(list) end

---Makes a function that returns the middle of an image.
---```lua
---data.transforms.center_crop(2)(lt.arange(9):reshape(1, 3, 3))  --> [[[0, 1], [3, 4]]]
---```
---@param size any a number, or {height, width}
---@return function # raises an error for smaller images
function data.transforms.center_crop(size) end

---Makes a function that returns a random part of an image.
---```lua
---local x = lt.rand(3, 32, 32)
---data.transforms.random_flip {p = 0.5}(x).shape  --> [3, 32, 32]
---data.transforms.random_crop(32, {padding = 4})(x).shape  --> [3, 32, 32]
---```
---@param size any a number, or {height, width}
---@param options? luatensor.data.transforms.random_crop.options
---@return function # raises an error for smaller images
function data.transforms.random_crop(size, options) end

---Makes a function that changes the size of an image by nn.functional.interpolate. Images of uint8 and uint16 are
---rounded.
---```lua
---data.transforms.resize(4)(lt.zeros(3, 8, 9, {dtype = "uint8"})).shape  --> [3, 4, 4]
---```
---@param size any a number, or {height, width}
---@param options? luatensor.data.transforms.resize.options
---@return function #
function data.transforms.resize(size, options) end

---Makes a function that mirrors an image with a probability, so that left and right are exchanged.
---```lua
---local x = lt.rand(3, 32, 32)
---data.transforms.random_flip {p = 0.5}(x).shape  --> [3, 32, 32]
---data.transforms.random_crop(32, {padding = 4})(x).shape  --> [3, 32, 32]
---```
---@param options? luatensor.data.transforms.random_flip.options
---@return function #
function data.transforms.random_flip(options) end

---Makes a function that converts an image of uint8 or uint16 to a float from 0 to 1. Floats stay what they are.
---```lua
---local prepare = data.transforms.compose {data.transforms.to_float(), data.transforms.normalise(0.5, 0.5)}
---prepare(lt.full({1, 1, 2}, 255, {dtype = "uint8"}))  --> [[[1.0, 1.0]]]
---```
---@param options? luatensor.data.transforms.to_float.options
---@return function #
function data.transforms.to_float(options) end

---Makes a function that subtracts a mean from each channel, and divides it by a deviation.
---```lua
---local prepare = data.transforms.compose {data.transforms.to_float(), data.transforms.normalise(0.5, 0.5)}
---prepare(lt.full({1, 1, 2}, 255, {dtype = "uint8"}))  --> [[[1.0, 1.0]]]
---```
---@param mean any a number, or a list of one for each channel
---@param std any a number other than 0, or a list
---@return function # of float images
function data.transforms.normalise(mean, std) end

return data
