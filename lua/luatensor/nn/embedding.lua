--- nn.Embedding, a learned table of rows.

local lt = require "luatensor"
local core = require "luatensor.core"
local args = require "luatensor.base.args"
local blame = require "luatensor.base.blame"
local engine = require "luatensor.autograd.engine"
local functional = require "luatensor.nn.functional"
local layer = require "luatensor.nn.layer"
local Module = require "luatensor.nn.module"

--- Makes a learned table with a row of `width` numbers for each of `count` words. Weight [count, width] is drawn from
-- the standard normal distribution.
-- @function nn.Embedding
-- @int count the number of rows
-- @int width the number of elements of a row
-- @tparam[opt] table options `padding_idx`: a row of zeros that gets no gradient; `dtype`, `device`, `generator`
-- @treturn Module takes row numbers from 1 to count, of any shape, and returns the rows [..., width]
local Embedding = Module:extend "Embedding"

function Embedding:init(count, width, options)
  options = layer.options("Embedding", options, {padding_idx = true})
  self.count = layer.count("Embedding", "count", count)
  self.width = layer.count("Embedding", "width", width)
  local weight = lt.randn({count, width}, layer.made(options))
  if options.padding_idx then
    self.padding_idx = args.integer("Embedding", "padding_idx", options.padding_idx, 1, count)
    self.options = {padding_idx = self.padding_idx}
    weight[self.padding_idx] = 0
  end
  self.weight = weight:requires_grad_()
end

--- Makes an Embedding with the rows of a tensor, which are copied.
-- @function nn.Embedding.from_pretrained
-- @tparam tensor weight [count, width]
-- @tparam[opt] table options `freeze` (true): the weight is not trained; `padding_idx`: a row that gets no gradient
-- @treturn Module
function Embedding.from_pretrained(weight, options)
  options = args.options("from_pretrained", options, {freeze = "boolean", padding_idx = true})
  if not core.is_tensor(weight) or weight.ndim ~= 2 then
    blame.fail("from_pretrained", "a tensor of 2 dims expected, got %s", core.type_name(weight))
  end
  local made = Embedding(weight.shape[1], weight.shape[2], {padding_idx = options.padding_idx, dtype = weight.dtype,
                                                            device = weight.device})
  local _ <close> = engine.recording(false)
  made.weight:copy_(weight)
  made.weight:requires_grad_(options.freeze == false)
  return made
end

function Embedding:forward(indices)
  if core.gone(indices) then self:fail("the indices: %s", core.gone(indices)) end
  if core.gone(self.weight) then self:fail("weight: %s", core.gone(self.weight)) end
  if not core.is_tensor(indices) or not indices.dtype:find("int") then
    self:fail("tensor of integers expected, got %s",
              core.is_tensor(indices) and indices.dtype or core.type_name(indices))
  end
  if indices.device ~= self.weight.device then
    self:fail("the indices are on %s, the layer is on %s", indices.device, self.weight.device)
  end
  return (functional.embedding(indices, self.weight, self.options))
end

function Embedding:extra() return ("%d, %d"):format(self.count, self.width) end

return {Embedding = Embedding}
