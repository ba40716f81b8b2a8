--- Plans the program of an einsum: the diagonals, sums, products and changes of shape, and their order. A program
-- depends only on the string, the shapes and the dtype, so einsum.lua caches programs. einsum.lua also runs them.
--
-- Each index is one bit, so that a set of indices is an integer. A term describes the tensor in a register. Its fields
-- are at (the register), list (the index of each dim), mask (the same indices as a set), shape (their lengths) and cost
-- (0, because no multiplication is needed to compute it).

local lists = require "luatensor.base.lists"

local join, pick = lists.join, lists.pick
local contraction = {}

-- The largest number of terms for which every order is tried: 5 terms give 90 products to compare. More terms use the
-- greedy search.
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

--- Returns the indices of a list that are also in the set `mask`, in the order of the list.
local function members(list, mask)
  local some = {}
  for _, bit in ipairs(list) do
    if mask & bit ~= 0 then some[#some + 1] = bit end
  end
  return some
end

--- Returns the product of the lengths of a set of indices: the number of multiplications of a product over these
-- indices.
local function places(plan, mask)
  local count, bit = 1.0, 1
  while mask ~= 0 do
    if mask & 1 ~= 0 then count = count * plan.length[bit] end
    mask, bit = mask >> 1, bit << 1
  end
  return count
end

-- ---- order ----

--- Returns the tree node for the product of nodes a and b. Indices of a and b that are not in `mask` are summed over.
local function product_of(plan, a, b, mask)
  return {left = a, right = b, mask = mask, cost = a.cost + b.cost + places(plan, a.mask | b.mask)}
end

--- Returns the tree with the fewest multiplications, found by trying all trees. A set of terms is an integer whose
-- bit k - 1 stands for term k. Subsets are smaller integers, so they are computed before the sets that contain them.
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

--- Returns the set of the indices in the result or in a term other than i and j.
local function needed_elsewhere(plan, terms, i, j)
  local mask = plan.result
  for k, term in ipairs(terms) do
    if k ~= i and k ~= j then mask = mask | term.mask end
  end
  return mask
end

--- The greedy search: returns the next product to compute and the numbers of its two terms. The growth of a product is
-- its number of elements minus the numbers of elements of its two terms. The search takes the product with the least
-- growth; among equals it takes the one with the fewest multiplications.
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

--- Appends a step to the program. The step replaces the value of register x by method(x, …), or by method(x, y) if
-- register y is given.
local function emit(plan, method, x, y, ...)
  plan[#plan + 1] = {method = method, x = x, y = y, arguments = {...}}
end

local function relabel(plan, term, list)
  term.list, term.mask = list, mask_of(list)
  term.shape = pick(plan.length, list)
end

--- Replaces each pair of dims of a term that have the same index by their diagonal, which becomes the last dim.
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

--- Drops dims of length 1 whose index is longer in another operand, because such a dim would only repeat the
-- elements.
local function drop_stretched(plan, term)
  local dims, list = {}, {}
  for d, bit in ipairs(term.list) do
    if term.shape[d] ~= plan.length[bit] then dims[#dims + 1] = d else list[#list + 1] = bit end
  end
  if #dims > 0 then emit(plan, "squeeze", term.at, nil, dims) end
  relabel(plan, term, list)
end

--- Sums a term over the indices that are not in `needed`, the set of the indices of the result and of all other
-- terms.
local function sum_alone(plan, term, needed)
  local dims, list = {}, {}
  for d, bit in ipairs(term.list) do
    if needed & bit == 0 then dims[#dims + 1] = d else list[#list + 1] = bit end
  end
  if #dims == 0 then return end
  emit(plan, "sum", term.at, nil, dims, {dtype = plan.dtype})
  relabel(plan, term, list)
end

--- Permutes the dims of a term into the order of `list`. The result is a view.
local function order(plan, term, list)
  local dims, same = {}, true
  for d, bit in ipairs(list) do
    dims[d] = place_of(term.list, bit)
    same = same and dims[d] == d
  end
  if not same then emit(plan, "permute_dims", term.at, nil, dims) end
  relabel(plan, term, list)
end

-- ---- products of two terms ----

--- Changes the shape of the term so that it has one dim for each index of the list, in this order. The dim of an
-- index that the term lacks gets length 1.
local function spread(plan, term, list)
  local missing = {}
  for d, bit in ipairs(list) do
    if term.mask & bit == 0 then missing[#missing + 1] = d end
  end
  order(plan, term, members(list, term.mask))
  if #missing > 0 then emit(plan, "expand_dims", term.at, nil, missing) end
end

--- Appends the product of two terms without a sum: element by element. In the product, the indices of the einsum's
-- result come first, in the result's order.
local function multiply(plan, a, b)
  local list = members(plan.output, a.mask | b.mask)
  list = join(list, members(a.list, ~mask_of(list)))
  list = join(list, members(b.list, ~mask_of(list)))
  spread(plan, a, list)
  spread(plan, b, list)
  emit(plan, "multiply", a.at, b.at)
  relabel(plan, a, list)
end

--- True if the indices of the list are adjacent dims of the term, in this order.
local function is_run(term, list)
  for k = 2, #list do
    if place_of(term.list, list[k]) ~= place_of(term.list, list[k - 1]) + 1 then return false end
  end
  return true
end

--- Returns the number of elements that are copied when the dims of the list become one dim: 0 if these dims are
-- adjacent.
local function copied(plan, term, list)
  return is_run(term, list) and 0 or places(plan, term.mask)
end

--- Returns the summed indices in the order that copies fewer elements: the order of term a or the order of term b. A
-- term needs no copy for its own order if its dims of the summed indices are adjacent.
local function inner_order(plan, a, b, inner)
  local by_a, by_b = members(a.list, inner), members(b.list, inner)
  local cost_a = copied(plan, a, by_a) + copied(plan, b, by_a)
  local cost_b = copied(plan, a, by_b) + copied(plan, b, by_b)
  return cost_a <= cost_b and by_a or by_b
end

--- Changes the term to a batch of matrices: the dims of `rows` become the rows, and the dims of `columns` become the
-- columns. The term's last dim stays last, so that a copy reads adjacent elements. If the last dim is in `rows`, the
-- matrices are made transposed, and a transpose (a view) is appended.
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

--- Appends the product of two terms with shared indices to be summed, as a matmul. `keep` is the set of the indices
-- that are not summed.
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

--- Takes the first index of the einsum's result that occurs in only one of the terms a and b. True if this term is b.
-- `evaluate` then exchanges a and b, so that the index is in the rows of the product.
local function turns(plan, a, b)
  local first = members(plan.output, a.mask ~ b.mask)[1]
  return first and b.mask & first ~= 0
end

--- Appends the steps that compute a tree of products, and returns the term of the result. A leaf of the tree is a
-- term.
local function evaluate(plan, node)
  if node.at then return node end
  local a, b = evaluate(plan, node.left), evaluate(plan, node.right)
  if turns(plan, a, b) then a, b = b, a end
  if a.mask & b.mask & ~node.mask == 0 then multiply(plan, a, b) else contract(plan, a, b, node.mask) end
  return a
end

-- ---- the program ----

--- Returns the program for operands of these indices and shapes.
-- @tab indices for each operand, the index of each dim
-- @tab shapes for each operand, the length of each dim; the lengths of one index are equal, or 1
-- @tab output the indices of the result, in order
-- @tab length of each index
-- @string dtype of the result
-- @treturn table a list of steps {method =, x = register, y = register or nil, arguments =}; field `last` has the
--   register of the result
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
