--- Plans the program of an einsum: the diagonals, sums, products and changes of shape, and their order. Programs depend
-- on shapes alone, so they can be kept. einsum.lua parses strings and runs programs.
--
-- An index is a bit, so that a set of indices is an integer. A term describes the contents of a register:
-- {at = register, list = the index of each dim, mask = the same indices as a set, shape = their lengths}.

local lists = require "luatensor.base.lists"

local join, pick = lists.join, lists.pick
local contraction = {}

-- The most terms for which every order is tried: 5 terms give 90 products to compare. More terms use the greedy search.
local EXACT = 5

-- ---- sets and lists ----

local function mask_of(list)
  local mask = 0
  for _, bit in ipairs(list) do mask = mask | bit end
  return mask
end

local function place_of(list, bit)
  for d, other in ipairs(list) do
    if other == bit then return d end
  end
end

--- The members of a list that are in a set.
local function members(list, mask)
  local some = {}
  for _, bit in ipairs(list) do
    if mask & bit ~= 0 then some[#some + 1] = bit end
  end
  return some
end

--- The number of places that a set of indices has: the cost of a product over them.
local function places(plan, mask)
  local count, bit = 1.0, 1
  while mask ~= 0 do
    if mask & 1 ~= 0 then count = count * plan.length[bit] end
    mask, bit = mask >> 1, bit << 1
  end
  return count
end

-- ---- order ----

--- A product of two nodes that keeps the indices in the mask.
local function product_of(plan, a, b, mask)
  return {left = a, right = b, mask = mask, cost = a.cost + b.cost + places(plan, a.mask | b.mask)}
end

--- The cheapest of all trees. A set of terms is an integer: bit k - 1 stands for term k. Subsets are computed before
-- the sets that contain them.
local function best_tree(plan, terms)
  local node, full = {}, (1 << #terms) - 1
  for set = 1, full do
    local inside, outside = 0, plan.result
    for k, term in ipairs(terms) do
      local one = 1 << (k - 1)
      if set == one then node[set] = term end
      if set & one ~= 0 then inside = inside | term.mask else outside = outside | term.mask end
    end
    local part = (set - 1) & set
    while part > set ~ part do
      local product = product_of(plan, node[part], node[set ~ part], inside & outside)
      if not node[set] or product.cost < node[set].cost then node[set] = product end
      part = (part - 1) & set
    end
  end
  return node[full]
end

--- The indices that the result, or a term other than i and j, has.
local function needed_elsewhere(plan, terms, i, j)
  local mask = plan.result
  for k, term in ipairs(terms) do
    if k ~= i and k ~= j then mask = mask | term.mask end
  end
  return mask
end

--- The pair of terms whose product is smallest relative to its two factors; among equal pairs, the pair with the
-- cheapest product.
local function next_pair(plan, terms)
  local best, least, left, right
  for i = 1, #terms - 1 do
    for j = i + 1, #terms do
      local a, b = terms[i], terms[j]
      local product = product_of(plan, a, b, (a.mask | b.mask) & needed_elsewhere(plan, terms, i, j))
      local growth = places(plan, product.mask) - places(plan, a.mask) - places(plan, b.mask)
      if not best or growth < least or growth == least and product.cost < best.cost then
        best, least, left, right = product, growth, i, j
      end
    end
  end
  return best, left, right
end

local function greedy_tree(plan, terms)
  terms = table.move(terms, 1, #terms, 1, {})
  while #terms > 1 do
    local product, i, j = next_pair(plan, terms)
    table.remove(terms, j)
    terms[i] = product
  end
  return terms[1]
end

-- ---- one term ----

--- Appends a step: the value of register x is replaced by method(x, …), or by method(x, register y).
local function emit(plan, method, x, y, ...)
  plan[#plan + 1] = {method = method, x = x, y = y, arguments = {...}}
end

local function relabel(plan, term, list)
  term.list, term.mask = list, mask_of(list)
  term.shape = pick(plan.length, list)
end

--- Replaces two dims of the same index by their diagonal, which becomes the last dim.
local function take_diagonals(plan, term)
  local list, d = table.move(term.list, 1, #term.list, 1, {}), 1
  while d <= #list do
    local bit, first = list[d], place_of(list, list[d])
    if first == d then
      d = d + 1
    else
      emit(plan, "diagonal", term.at, nil, {dim1 = first, dim2 = d})
      local length = term.shape[d]
      table.remove(list, d)
      table.remove(term.shape, d)
      table.remove(list, first)
      table.remove(term.shape, first)
      list[#list + 1], term.shape[#list + 1], d = bit, length, 1
    end
  end
  term.list = list
end

--- Drops dims of length 1 whose index is longer in another operand: such a dim only repeats the elements.
local function drop_stretched(plan, term)
  local dims, list = {}, {}
  for d, bit in ipairs(term.list) do
    if term.shape[d] ~= plan.length[bit] then dims[#dims + 1] = d else list[#list + 1] = bit end
  end
  if #dims > 0 then emit(plan, "squeeze", term.at, nil, dims) end
  relabel(plan, term, list)
end

--- Sums over the indices that neither the result nor another term needs.
local function sum_alone(plan, term, needed)
  local dims, list = {}, {}
  for d, bit in ipairs(term.list) do
    if needed & bit == 0 then dims[#dims + 1] = d else list[#list + 1] = bit end
  end
  if #dims == 0 then return end
  emit(plan, "sum", term.at, nil, dims, {dtype = plan.dtype})
  relabel(plan, term, list)
end

--- Puts dims in another order: a view.
local function order(plan, term, list)
  local dims, same = {}, true
  for d, bit in ipairs(list) do
    dims[d] = place_of(term.list, bit)
    same = same and dims[d] == d
  end
  if not same then emit(plan, "permute_dims", term.at, nil, dims) end
  relabel(plan, term, list)
end

-- ---- products of two ----

--- Gives the term one dim for each index of the list; indices that the term lacks get length 1.
local function spread(plan, term, list)
  local missing = {}
  for d, bit in ipairs(list) do
    if term.mask & bit == 0 then missing[#missing + 1] = d end
  end
  order(plan, term, members(list, term.mask))
  if #missing > 0 then emit(plan, "expand_dims", term.at, nil, missing) end
end

--- The product if nothing is summed: element by element, with dims in the order of the result's dims.
local function multiply(plan, a, b)
  local list = members(plan.output, a.mask | b.mask)
  list = join(list, members(a.list, ~mask_of(list)))
  list = join(list, members(b.list, ~mask_of(list)))
  spread(plan, a, list)
  spread(plan, b, list)
  emit(plan, "multiply", a.at, b.at)
  relabel(plan, a, list)
end

--- True if these indices are adjacent dims of a term.
local function is_run(term, list)
  for k = 2, #list do
    if place_of(term.list, list[k]) ~= place_of(term.list, list[k - 1]) + 1 then return false end
  end
  return true
end

--- The number of elements that are copied when several dims become one.
local function copied(plan, term, list)
  return is_run(term, list) and 0 or places(plan, term.mask)
end

--- The order of the indices to be summed that copies less: if it is the order of one operand, only the other operand
-- may need a copy.
local function inner_order(plan, a, b, inner)
  local by_a, by_b = members(a.list, inner), members(b.list, inner)
  local cost_a = copied(plan, a, by_a) + copied(plan, b, by_a)
  local cost_b = copied(plan, a, by_b) + copied(plan, b, by_b)
  return cost_a <= cost_b and by_a or by_b
end

--- The term as a batch of matrices: the dims of `rows` become rows, the dims of `columns` columns. The term's last
-- dim stays last in a copy, so that the copy is cheap; the result is transposed afterwards if rows and columns
-- changed places.
local function as_matrices(plan, term, batch, rows, columns)
  local turned = #columns > 0 and place_of(rows, term.list[#term.list])
  if turned then rows, columns = columns, rows end
  order(plan, term, join(batch, rows, columns))
  if #rows ~= 1 or #columns ~= 1 then
    local shape, _, height = pick(plan.length, batch), pick(plan.length, rows)
    local _, width = pick(plan.length, columns)
    emit(plan, "reshape", term.at, nil, join(shape, {height, width}))
  end
  if turned then emit(plan, "matrix_transpose", term.at) end
end

--- The product of two terms with shared indices to be summed: a matmul.
local function contract(plan, a, b, keep)
  local both = a.mask & b.mask
  local batch, inner = members(a.list, both & keep), inner_order(plan, a, b, both & ~keep)
  local rows, columns = members(a.list, ~both), members(b.list, ~both)
  as_matrices(plan, a, batch, rows, inner)
  as_matrices(plan, b, batch, inner, columns)
  emit(plan, "matmul", a.at, b.at)
  relabel(plan, a, join(batch, rows, columns))
  if #rows ~= 1 or #columns ~= 1 then emit(plan, "reshape", a.at, nil, a.shape) end
end

--- True if operand b has the first dim of the result that belongs to one operand only. Then the dims of b become the
-- rows of the product.
local function turns(plan, a, b)
  local first = members(plan.output, a.mask ~ b.mask)[1]
  return first and b.mask & first ~= 0
end

--- The term that holds the value of a tree.
local function evaluate(plan, node)
  if node.at then return node end
  local a, b = evaluate(plan, node.left), evaluate(plan, node.right)
  if turns(plan, a, b) then a, b = b, a end
  if a.mask & b.mask & ~node.mask == 0 then multiply(plan, a, b) else contract(plan, a, b, node.mask) end
  return a
end

-- ---- the whole ----

--- The program for operands of these indices and shapes.
-- @tab indices for each operand, the index of each dim
-- @tab shapes for each operand, the length of each dim; the lengths of one index are equal, or 1
-- @tab output the indices of the result, in order
-- @tab length of each index
-- @string dtype of the result
-- @treturn table steps {method =, x = register, y = register, or arguments =}; `last`: the result's register
function contraction.plan(indices, shapes, output, length, dtype)
  local plan = {output = output, result = mask_of(output), length = length, dtype = dtype}
  local terms = {}
  for k, list in ipairs(indices) do
    local term = {at = k, list = list, mask = mask_of(list), shape = table.move(shapes[k], 1, #list, 1, {}), cost = 0}
    take_diagonals(plan, term)
    drop_stretched(plan, term)
    if #indices > 2 then emit(plan, "to", k, nil, dtype) end
    terms[k] = term
  end
  for k, term in ipairs(terms) do sum_alone(plan, term, needed_elsewhere(plan, terms, k)) end
  local term = evaluate(plan, #terms <= EXACT and best_tree(plan, terms) or greedy_tree(plan, terms))
  order(plan, term, output)
  plan.last = term.at
  return plan
end

return contraction
