--- Gradients of views, of joined tensors and of parts of complex numbers.

local core = require "luatensor.core"
local help = require "luatensor.gradients.help"

local rules = {}

rules.reshape = {{"s", function(g, shape) return g:reshape(shape) end}}
rules.broadcast_to = {help.same}                  -- the engine sums over broadcast dims
rules.permute_dims = {{"p", function(g, p) return g:permute_dims(p.back) end}}
rules.flip = {{"p", function(g, p) return g:flip(p.dims) end}}

--- Used in place of p.needs if an op has one input. p.needs says for each input whether its gradient is wanted. With
-- one input p.needs does not exist, because the gradient of an only input is always wanted.
local alone = {true}

rules.concat = {all = {"p", function(g, p)
  local parts, start, needs = {}, 1, p.needs or alone
  for k, shape in ipairs(p.shapes or {p.shape}) do
    if needs[k] then parts[k] = g:narrow(p.dim, start, shape[p.dim]) end
    start = start + shape[p.dim]
  end
  return parts
end}}

rules.stack = {all = {"p", function(g, p)
  local parts = {}
  for k, needed in ipairs(p.needs or alone) do
    if needed then parts[k] = g:narrow(p.dim, k, 1):squeeze(p.dim) end
  end
  return parts
end}}

-- ---- complex numbers and their parts ----
local function zeros(g) return core.zeros_like(g) end
rules.real = {{"", function(g) return core.complex(g, 0) end}}
rules.imag = {{"", function(g) return core.complex(zeros(g), g) end}}
rules.view_as_real = {{"", function(g) return g:contiguous():view_as_complex() end}}
rules.view_as_complex = {{"", function(g) return g:contiguous():view_as_real() end}}
rules.complex = {{"", function(g) return g:real() end}, {"", function(g) return g:imag() end}}

return rules
