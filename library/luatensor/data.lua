---@meta luatensor.data
-- Made by `make annotations` from the sources' comments and the op table. Do not edit.

---@class luatensor.Dataset
---@field size integer
local Dataset = {}

---All samples, as `get` gives them.
---```lua
---data.TensorDataset(lt.arange(3), lt.ones(3)):all()  --> [0, 1, 2]
---```
---@return luatensor.Tensor # ... or what get returns
function Dataset:all() end

---@class luatensor.Loader
local Loader = {}

---One epoch: an iterator of batches, each what the data set gives for its samples. The order is drawn at once, with
---`shuffle`: one permutation, from the loader's generator, which goes on from there in the next epoch; without one,
---from a generator whose seed is one number of the default generator. Loops may be left early and stand within each
---other.
---```lua
---local loader = data.Loader(data.TensorDataset(lt.arange(6)), {batch_size = 4})
---for x in loader:batches() do print(x.shape) end
---```
---@return function # an iterator
function Loader:batches() end

---The position of the last loop over batches, for lt.save: a loaded run continues with the next batch. The loader's
---generator has a state of its own, which must be saved, too.
---```lua
---local set = data.TensorDataset(lt.arange(6))
---local a, b = data.Loader(set, {batch_size = 4}), data.Loader(set, {batch_size = 4})
---b:load_state_dict(a:state_dict())
---```
---@return table # empty between two epochs
function Loader:state_dict() end

---Makes the next call of `batches` continue where state_dict was called.
---Errors: what is no such state; more samples than the data set has.
---```lua
---local set = data.TensorDataset(lt.arange(6))
---local a, b = data.Loader(set, {batch_size = 4}), data.Loader(set, {batch_size = 4})
---b:load_state_dict(a:state_dict())
---```
---@param state table
function Loader:load_state_dict(state) end

---@class luatensor.data
local data = {}

---Reads a file of separated values, by its first bytes gunzipped: rows of numbers, fields in double quotes or not (""
---in quotes stands for one), white space around them left out, empty lines too.
---
---    local x, y, classes = data.read_csv("iris.csv", {header = true, labels = "species"})
---Errors: a name that several columns have; a field that is no number, rows of different lengths, a quote that does not end, gzip data that is damaged: with line and column.
---```lua
---local path = os.tmpname()
---local file <close> = io.open(path, "w")
---file:write("1,2\n3,4\n"):close()
---data.read_csv(path)  --> [[1.0, 2.0], [3.0, 4.0]]
---os.remove(path)
---```
---@param path string
---@param options? luatensor.data.read_csv.options
---@return luatensor.Tensor # [rows, columns]
---@return luatensor.Tensor # y, int64 [rows], with option labels: classes from 1 on
---@return table # the classes' names, sorted: numbers by size, else strings
function data.read_csv(path, options) end

---Samples that lie in tensors, along their first dim: `data.TensorDataset(x, y)`. `tensors` are these.
---Errors: tensors of different sizes, or without dims.
---```lua
---data.TensorDataset(lt.ones(10, 3), lt.zeros(10)).size  --> 10
---```
---@param ... luatensor.Tensor one or more, of as many rows each, on one device
---@return luatensor.Dataset # `get` gives rows of each, copied
function data.TensorDataset(...) end

---Some samples of another data set.
---Errors: an index that is out of range.
---```lua
---#data.Subset(data.TensorDataset(lt.arange(10)), {2, 4}):all()  --> 2
---```
---@param base luatensor.Dataset
---@param indices luatensor.Tensor|table of samples, 1-based, in the order wanted; repeated ones are taken repeatedly
---@return luatensor.Dataset # with fields `base` and `indices`
function data.Subset(base, indices) end

---Several data sets of tensors, one after the other.
---```lua
---local a = data.TensorDataset(lt.arange(10))
---data.ConcatDataset{a, a}.size  --> 20
---```
---@param list table of data sets on one device, whose batches have the same dtypes and shapes but for the first dim
---@return luatensor.Dataset #
function data.ConcatDataset(list) end

---1797 handwritten digits of 8 × 8 pixels: the test part of *Optical Recognition of Handwritten Digits*, E. Alpaydin
---and C. Kaynak, 1998, UCI Machine Learning Repository, https://doi.org/10.24432/C50P49, CC BY 4.0.
---```lua
---data.digits().size  --> 1797
---```
---@param options? luatensor.data.digits.options
---@return luatensor.Dataset # x [1797, 64], from 0 (paper) to 1 (ink), and y int64 [1797], digit + 1: classes are 1 … 10
function data.digits(options) end

---Reads an IDX file, by its first bytes gunzipped: integers of 8 (either sign), 16 and 32 bits, floats of 32 and 64.
---Errors: what is wrong with a file that is damaged, truncated, too long, or of another kind: sizes are checked before anything is made.
---@param path string
---@param options? luatensor.data.read_idx.options
---@return luatensor.Tensor #
function data.read_idx(path, options) end

---MNIST, or what comes in its form, from a folder with the four files (`train-images-idx3-ubyte` …, as they are or
---with `.gz`): `local train, test = data.mnist "mnist"`. Nothing is downloaded.
---Errors: files that are missing, damaged, or do not fit together.
---@param folder string
---@param options? luatensor.data.mnist.options
---@return luatensor.Dataset # to train with: x [60000, 784] from 0 to 1, y int64 [60000], digit + 1: classes are 1 … 10
---@return luatensor.Dataset # to test with: 10000
function data.mnist(folder, options) end

---Gives a data set in batches: `for x, y in data.Loader(ds, {batch_size = 64, shuffle = true}):batches() do`.
---`#loader` is the number of batches.
---Errors: a batch size below 1; no data set.
---```lua
---local loader = data.Loader(data.TensorDataset(lt.ones(10, 3)), {batch_size = 4})
---#loader  --> 3
---```
---@param ds luatensor.Dataset
---@param options? luatensor.data.Loader.options
---@return luatensor.Loader #
function data.Loader(ds, options) end

---Divides a data set at random: `local train, test = data.split(ds, {0.8, 0.2})`. Within each part samples keep the
---data set's order.
---Errors: fractions or numbers that do not add up.
---```lua
---local a, b = data.split(data.TensorDataset(lt.arange(10)), {0.8, 0.2})
---a.size  --> 8
---b.size  --> 2
---```
---@param ds luatensor.Dataset
---@param parts table fractions (floats, which add up to 1) or numbers of samples (integers, as many as there are). Of n samples a fraction f gets floor(f n); those that are left go to the first parts, one each.
---@param options? luatensor.data.split.options
---@return any # ... one a part
function data.split(ds, parts, options) end

return data
