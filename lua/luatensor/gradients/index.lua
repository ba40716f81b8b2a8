--- Gradients of indexing: of views, of x[key], and of functions such as take and scatter.

local core = require "luatensor.core"
local help = require "luatensor.gradients.help"

local ag = core.autograd
local rules = {}

local function zeros(g, shape) return core.zeros(shape, {dtype = g.dtype, device = g.device}) end

--- Calls the function `name` of x, a tensor of zeros that nothing else refers to. Unless gradients are recorded, x is
-- changed in place, because a copy of a large x takes longer than the function.
local function added(name, x, ...)
  if ag.mode() then return x[name](x, ...) end
  return x[name .. "_"](x, ...)
end

-- ---- x[key] ----

local function is_positions(key) return core.is_tensor(key) and key.dtype ~= "bool" end

--- True if x[key] may select an element of x twice.
local function may_repeat(key)
  if is_positions(key) then return true end
  if type(key) ~= "table" then return false end
  for _, part in ipairs(key) do
    if is_positions(part) then return true end
  end
  return false
end

--- Returns a tensor of zeros of the given shape with g added at the positions that the key selects. A position that the
-- key selects twice gets the sum of both elements of g. To find the positions, the key is applied to a tensor of the
-- shape that contains 1, 2, 3, … .
local function add_at(g, shape, key)
  local n = 1
  for _, length in ipairs(shape) do n = n * length end
  local positions = core.arange(1, n + 1, {device = g.device, dtype = "int64"}):reshape(shape)[key]
  return added("index_add", zeros(g, {n}), 1, positions:flatten(), g:flatten()):reshape(shape)
end

--- Like add_at, for a key that is a tensor of row numbers. This case needs no tensor of element numbers.
local function add_rows(g, shape, key)
  local rows = {table.unpack(shape)}
  rows[1] = key.size
  return added("index_add", zeros(g, shape), 1, key:flatten(), g:reshape(rows))
end

rules.index = {{"p", function(g, p)
  local key = p.args[1]
  if is_positions(key) then return add_rows(g, p.shape, key) end
  if may_repeat(key) then return add_at(g, p.shape, key) end
  return help.embed_key(g, p.shape, key)
end}}

--- Gradients of x[key] = y, with respect to x and to y.
rules.assignment = {
  {"p", function(g, p)
    local rest = g:clone()
    rest[p.args[1]] = 0
    return rest
  end},
  {"p", function(g, p) return g[p.args[1]] end},
}

-- ---- views and indexing functions ----

--- The gradient of a view is a tensor of zeros with g, the gradient of the result, in the part that the view selects.
-- The rule finds this part by calling the view's function again with the arguments of the script's call.
for name in ("narrow diagonal"):gmatch "%S+" do
  rules[name] = {{"p", function(g, p)
    local list = p.args
    local function part(x) return x[name](x, table.unpack(list, 1, list.n)) end
    return help.embed(g, p.shape, part, function(all, value) part(all):copy_(value) end)
  end}}
end

rules.take = {{"p", function(g, p)
  local indices = p.args[1]
  local lines = indices.ndim == 0 and g:expand_dims(p.dim) or g:flatten(p.dim, p.dim + indices.ndim - 1)
  return added("index_add", zeros(g, p.shape), p.dim, indices:flatten(), lines)
end}}

rules.gather = {{"p", function(g, p)
  if g.size == 0 then return zeros(g, p.shape) end                     -- an empty index may have another ndim than x
  return added("scatter_add", zeros(g, p.shape), p.dim, p.args[1], g)
end}}

--- All dims except `dim` may broadcast, in x as well as in the index. The engine then sums the returned gradient over
-- the dims in which x was broadcast.
rules.take_along_axis = {{"p", function(g, p)
  local shape = g.shape
  local stretched = {table.unpack(shape)}
  stretched[p.dim] = p.shape[p.dim]
  return added("scatter_add", zeros(g, stretched), p.dim, p.args[1]:broadcast_to(shape), g)
end}}

--- Returns the gradient of the source of scatter and similar functions. If the source is larger than the index, only
-- the source's first elements along each dim were used. The remaining elements get gradient 0.
local function of_source(g, p)
  local taken, shape = g:gather(p.dim, p.args[1]), p.shapes[2]
  if #shape ~= taken.ndim then return taken end
  local key, larger = {}, false
  for d, n in ipairs(taken.shape) do
    key[d] = {1, n}
    larger = larger or shape[d] > n
  end
  return larger and help.embed_key(taken, shape, key) or taken
end

rules.scatter = {{"p", function(g, p) return g:scatter(p.dim, p.args[1], 0) end}, {"p", of_source}}
rules.scatter_add = {help.same, {"p", of_source}}
rules.index_add = {help.same, {"p", function(g, p) return g:take(p.args[1], p.dim) end}}

return rules
