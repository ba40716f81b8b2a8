--- data.digits, the handwritten digits that come with the library.
-- @submodule luatensor.data

local args = require "luatensor.base.args"
local core = require "luatensor.core"
local csv = require "luatensor.data.csv"
local lt = require "luatensor"
local blame = require "luatensor.base.blame"
local dataset = require "luatensor.data.dataset"
local outside = require "luatensor.base.outside"

--- Returns the path of the digits' file, which is in a folder beside this Lua file. If the name of this file's chunk
-- is no path, package.searchpath finds this file.
local function find_file()
  local here = core.chunk():match "^@(.*%.lua)$"
  local search = package and package.searchpath
  if not here and search then here = search("luatensor.data.digits", package.path) end
  local folder = here and here:match "^(.*)digits%.lua$"
  if folder then return folder .. "digits/digits.csv.gz" end
  blame.fail("digits", "the library's Lua files are bundled without digits/digits.csv.gz; install them as files")
end

local known = {dtype = true, device = true, image = true}

-- Returns a uint8 tensor [1797, 65]: in each row 64 pixels from 0 to 16, and the digit.
local function read()
  return csv.read_csv(find_file(), {types = "integer"}):tensor(nil, {dtype = "uint8", device = core.host_device})
end

--- Returns 1797 handwritten digits of 8 × 8 pixels: the test part of *Optical Recognition of Handwritten Digits*, E.
-- Alpaydin and C. Kaynak, 1998, UCI Machine Learning Repository, https://doi.org/10.24432/C50P49, CC BY 4.0.
-- @function data.digits
-- @tparam[opt] table options `dtype` (of x, a float; default: the default float), `device`, `image` (false): if true,
--   x is [1797, 1, 8, 8], the shape that convolutions take
-- @treturn Dataset x [1797, 64], from 0 (paper) to 1 (ink), and y int64 [1797], digit + 1: classes are 1 … 10
local function digits(options)
  outside.check "digits"
  options = args.options("digits", options, known)
  local all = blame.call(read)
  local where = options.device or lt.get_default_device()
  local x = blame.call(core.methods.to, all:narrow(2, 1, 64), options.dtype or lt.get_default_dtype(), where) / 16
  local y = all:narrow(2, 65, 1):flatten():to("int64"):add_(1):to(where)
  return dataset.TensorDataset(options.image and x:reshape(-1, 1, 8, 8) or x, y)
end

return {digits = digits}
