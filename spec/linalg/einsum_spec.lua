-- Compares einsum with loops over all indices. array/numpy_spec.lua compares einsum with NumPy's results.

local lt = require "luatensor"
local helpers = require "spec.support.helpers"
local reference = require "spec.support.reference"
local cases = require "spec.support.cases"

local array, info = reference.array, reference.dtype.info

-- Computes einsum by its definition, a sum of products. terms, output: lists of the names of dims; arrays: oracle
-- arrays of one dtype. A dim of length 1 is broadcast.
local function oracle(terms, output, arrays)
  local length, names = {}, {}
  for k, term in ipairs(terms) do
    for d, name in ipairs(term) do
      if not length[name] then names[#names + 1] = name end
      if (length[name] or 1) == 1 then length[name] = arrays[k].shape[d] end
    end
  end
  local summed, shape = {}, {}
  for d, name in ipairs(output) do shape[d] = length[name] end
  for _, name in ipairs(names) do
    local free = true
    for _, kept in ipairs(output) do free = free and kept ~= name end
    if free then summed[#summed + 1] = name end
  end
  local inner, at, dtype = {}, {}, arrays[1].dtype
  for i, name in ipairs(summed) do inner[i] = length[name] end
  return array.build(shape, dtype, function(index)
    for d, name in ipairs(output) do at[name] = index[d] end
    local sum = info[dtype].is_float and 0.0 or 0
    for _, position in array.indices(inner) do
      for i, name in ipairs(summed) do at[name] = position[i] end
      local product = 1
      for k, term in ipairs(terms) do
        local place = {}
        for d, name in ipairs(term) do place[d] = arrays[k].shape[d] == 1 and 1 or at[name] end
        product = product * array.at(arrays[k], place)
      end
      sum = sum + product
    end
    return info[dtype].is_float and sum or info[dtype].wrap(sum)
  end)
end

local function letters(text)
  local list = {}
  for name in text:gmatch "%a" do list[#list + 1] = name end
  return list
end

-- Returns small integers, so that sums are exact in every dtype.
local function integers(shape, dtype, seed)
  local random = cases.random(seed)
  return array.build(shape, dtype, function()
    local n = random(4)
    return info[dtype].is_float and n + 0.0 or n
  end)
end

-- Checks einsum for a string with "->" and without "...", and for tensors of these shapes.
local function check(spec, shapes, dtype)
  local terms, arrays, tensors = {}, {}, {}
  local left, right = spec:match "^(.*)%->(.*)$"
  for term in (left .. ","):gmatch "([^,]*)," do
    local k = #terms + 1
    terms[k] = letters(term)
    arrays[k] = integers(shapes[k], dtype or "float32", k)
    tensors[k] = helpers.tensor(arrays[k])
  end
  assert.agrees(oracle(terms, letters(right), arrays), lt.einsum(spec, table.unpack(tensors)))
end

describe("einsum", function()
  it("sums one operand", function()
    check("i->i", {{4}})
    check("i->", {{4}})
    check("ij->ji", {{2, 3}})
    check("ij->i", {{2, 3}})
    check("ij->j", {{2, 3}})
    check("ijk->kj", {{2, 3, 4}})
    check("->", {{}})
    check("ij->", {{0, 3}})
    check("ij->j", {{0, 3}})
  end)

  it("takes diagonals", function()
    check("ii->i", {{3, 3}})
    check("ii->", {{3, 3}})
    check("iii->i", {{3, 3, 3}})
    check("iijj->ij", {{2, 2, 3, 3}})
    check("ijij->ji", {{2, 3, 2, 3}})
    check("ijji->j", {{2, 3, 3, 2}})
    check("iji,jj->ij", {{2, 3, 2}, {3, 3}})
    check("ii,ii->i", {{3, 3}, {3, 3}})
  end)

  it("multiplies two", function()
    check("ij,jk->ik", {{2, 3}, {3, 4}})
    check("ij,jk->ki", {{2, 3}, {3, 4}})
    check("ji,jk->ik", {{3, 2}, {3, 4}})
    check("ji,kj->ki", {{3, 2}, {4, 3}})
    check("ij,ij->", {{2, 3}, {2, 3}})
    check("ij,ji->", {{2, 3}, {3, 2}})
    check("ij,ij->ij", {{2, 3}, {2, 3}})
    check("ij,ij->i", {{2, 3}, {2, 3}})
    check("ij,ij->j", {{2, 3}, {2, 3}})
    check("i,j->ij", {{2}, {3}})
    check("i,j->ji", {{2}, {3}})
    check("ij,kl->ljki", {{2, 3}, {2, 2}})
    check("i,->i", {{3}, {}})
    check(",->", {{}, {}})
    check("ij,j->i", {{2, 3}, {3}})
    check("i,ij->j", {{2}, {2, 3}})
    check("ij,kl->", {{2, 3}, {2, 2}})
    check("ij,kl->ik", {{2, 3}, {2, 2}})
    check("ij,jk->ik", {{2, 0}, {0, 4}})
    check("ij,jk->ik", {{0, 3}, {3, 4}})
  end)

  it("multiplies batches, and sums over several indices", function()
    check("bij,bjk->bik", {{2, 3, 4}, {2, 4, 2}})
    check("bij,bkj->kbi", {{2, 3, 4}, {2, 2, 4}})
    check("bqhd,bkhd->bhqk", {{2, 3, 2, 4}, {2, 2, 2, 4}})
    check("ijk,jil->kl", {{2, 3, 4}, {3, 2, 2}})
    check("ijk,kji->", {{2, 3, 4}, {4, 3, 2}})
    check("abcd,cdef->abef", {{2, 1, 3, 2}, {3, 2, 2, 2}})
    check("abcd,dfca->bf", {{2, 3, 2, 2}, {2, 3, 2, 2}})
    check("aBc,cBd->daB", {{2, 3, 2}, {2, 3, 2}})
  end)

  it("multiplies many, in any order", function()
    check("ij,jk,kl->il", {{2, 3}, {3, 4}, {4, 2}})
    check("i,ij,j->", {{2}, {2, 3}, {3}})
    check("bn,anm,bm->ba", {{2, 3}, {2, 3, 2}, {2, 2}})
    check("i,i,i->i", {{3}, {3}, {3}})
    check("i,i,i->", {{3}, {3}, {3}})
    check("ij,jk,kl,lm->im", {{2, 3}, {3, 2}, {2, 3}, {3, 2}})
    check("ab,bc,cd,de,ef->af", {{2, 3}, {3, 2}, {2, 2}, {2, 3}, {3, 2}})
    check("ab,bc,cd,de,ef,fg->ag", {{2, 3}, {3, 2}, {2, 2}, {2, 3}, {3, 2}, {2, 2}})
    check("a,b,ab,bc,cd,d,da->c", {{2}, {3}, {2, 3}, {3, 2}, {2, 2}, {2}, {2, 2}})
  end)
end)

describe("einsum of operands of any kind", function()
  it("stretches length 1", function()
    check("ij,jk->ik", {{2, 1}, {3, 4}})
    check("ij,ij->ij", {{2, 1}, {1, 3}})
    check("ij,ij->", {{2, 1}, {1, 3}})
    check("i,i,i->i", {{1}, {3}, {1}})
    check("ij,jk,ki->j", {{1, 3}, {1, 2}, {2, 4}})
    check("i,i->i", {{1}, {0}})
    check("i,i->", {{1}, {1}})
  end)

  it("is of every numeric dtype", function()
    for _, name in ipairs {"uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float16",
                           "bfloat16", "float32", "float64"} do
      check("bij,bjk->ik", {{2, 3, 4}, {2, 4, 2}}, name)
      check("ij,jk,k->i", {{2, 3}, {3, 4}, {4}}, name)
      check("iij->j", {{3, 3, 2}}, name)
    end
    local bytes, floats = lt.full({2, 3}, 100, {dtype = "int8"}), lt.ones(3)
    helpers.holds(lt.einsum("ij,j->i", bytes, floats), "[2]", {300.0, 300.0})
    helpers.holds(lt.einsum("ij,k->k", bytes, floats), "[3]", {600.0, 600.0, 600.0})
    helpers.holds(lt.einsum("ij,ij,j->j", bytes, bytes, floats), "[3]", {20000.0, 20000.0, 20000.0})
  end)

  it("has an implied result: what is there once, capitals first", function()
    local x, y = lt.arange(6):reshape(2, 3), lt.arange(12):reshape(3, 4)
    helpers.holds(lt.einsum("ba", x), "[3, 2]", x.T:totable())
    helpers.holds(lt.einsum("ij,jk", x, y), "[2, 4]", x:matmul(y):totable())
    helpers.holds(lt.einsum("ii", y[{{}, {1, 3}}]), "[]", 0 + 5 + 10)
    helpers.holds(lt.einsum("aB", x), "[3, 2]", x.T:totable())
    helpers.holds(lt.einsum(" i j , j k ", x, y), "[2, 4]", x:matmul(y):totable())
  end)

  it("broadcasts dims under ...", function()
    local x, y = lt.randint(0, 3, 2, 1, 3, 4), lt.randint(0, 3, 5, 4, 2)
    local product = x:matmul(y)
    local function is(want, ...)
      local got = lt.einsum(...)
      assert.equal(tostring(want.shape), tostring(got.shape))
      assert.same(want:totable(), got:totable())
    end
    is(product, "...ij,...jk->...ik", x, y)
    is(product, "...ij,...jk", x, y)
    is(product:moveaxis(-1, 1), "...ij,...jk->k...i", x, y)
    is(product:sum({1, 2}), "...ij,...jk->ik", x, y)                  -- PyTorch accepts this string, NumPy refuses it
    is(x:sum(-1), "...i->...", x)
    is(x, "...", x)
    is(x:multiply(y[{1, 1, 1}]), "...,...", x, y[{1, 1, 1}])
    is(lt.ones(3), "...,...->...", lt.ones(3), lt.ones())
    is(lt.arange(3), "...ii->...i", lt.diag(lt.arange(3)))
  end)

  it("takes views", function()
    local x, y = lt.randint(-4, 4, 6, 5, 4), lt.randint(-4, 4, 5, 4, 3)
    local want = lt.einsum("ijk,jkl->il", x, y)
    local a = x:permute_dims(3, 1, 2):contiguous():permute_dims(2, 3, 1)
    local b = y:flip():contiguous():flip()
    assert.same(want:totable(), lt.einsum("ijk,jkl->il", a, b):totable())
    assert.same(want[{{1, 5, 2}}]:totable(), lt.einsum("ijk,jkl->il", a[{{1, 5, 2}}], b):totable())
    local row = lt.arange(4):broadcast_to(5, 4)
    assert.same(row:sum(1):totable(), lt.einsum("ij->j", row):totable())
  end)

  it("gives views where nothing is to compute, never the operand itself", function()
    local x = lt.zeros(3, 3)
    local same, turned, diagonal = lt.einsum("ij", x), lt.einsum("ij->ji", x), lt.einsum("ii->i", x)
    assert.is_false(rawequal(x, same))
    x[{1, 2}], x[{2, 2}] = 5, 7
    assert.equal(5.0, same[{1, 2}]:item())
    assert.equal(5.0, turned[{2, 1}]:item())
    assert.equal(7.0, diagonal[2]:item())
    same:free()
    assert.equal(7.0, x[{2, 2}]:item())
  end)

  it("agrees with loops on random strings", function()
    local seed = tonumber(os.getenv "LUATENSOR_SEED") or os.time()
    local random = cases.random(seed)
    for round = 1, 60 do
      local length, terms, shapes = {}, {}, {}
      for k, name in ipairs {"a", "b", "c", "D", "e"} do length[name], length[k] = 1 + random(3), name end
      for k = 1, 1 + random(4) do
        terms[k], shapes[k] = {}, {}
        for d = 1, random(4) do
          local name = length[1 + random(5)]
          terms[k][d], shapes[k][d] = name, length[name]
        end
      end
      local there, output = {}, {}
      for _, term in ipairs(terms) do for _, name in ipairs(term) do there[name] = true end end
      for k = 1, 5 do
        if there[length[k]] and random(2) == 0 then table.insert(output, 1 + random(#output + 1), length[k]) end
      end
      local text = {}
      for k, term in ipairs(terms) do text[k] = table.concat(term) end
      local spec = table.concat(text, ",") .. "->" .. table.concat(output)
      local ok, message = pcall(check, spec, shapes)
      assert(ok, ("%s, round %d, LUATENSOR_SEED=%d: %s"):format(spec, round, seed, tostring(message)))
    end
  end)
end)

describe("einsum multiplies little", function()
  local contraction = require "luatensor.array.einsum_plan"

  -- Returns the number of multiplications that the matmul steps of the plan make for a chain of matrices. Matrix k has
  -- the shape [lengths[k], lengths[k + 1]].
  local function multiplications(lengths)
    local lists, shapes, length, n = {}, {}, {}, #lengths - 1
    for k = 1, n do
      lists[k], shapes[k] = {1 << (k - 1), 1 << k}, {lengths[k], lengths[k + 1]}
    end
    for k = 1, n + 1 do length[1 << (k - 1)] = lengths[k] end
    local plan, count = contraction.plan(lists, shapes, {1, 1 << n}, length, "float32"), 0
    for _, step in ipairs(plan) do
      if step.method == "matmul" then
        local a, b = shapes[step.x], shapes[step.y]
        if a[2] ~= b[1] then a, b = b, a end
        count, shapes[step.x] = count + a[1] * a[2] * b[2], {a[1], b[2]}
      end
    end
    return count
  end

  -- Returns the minimum number of multiplications for matrices i to j of a chain: the least over all positions of the
  -- last product.
  local function least(lengths, i, j)
    i, j = i or 1, j or #lengths - 1
    if i == j then return 0 end
    local best = math.huge
    for k = i, j - 1 do
      best = math.min(best, least(lengths, i, k) + least(lengths, k + 1, j) + lengths[i] * lengths[k + 1] * lengths[j + 1])
    end
    return best
  end

  it("in chains of up to five matrices", function()
    for _, lengths in ipairs {{10, 100, 5, 50}, {40, 20, 30, 10, 30}, {30, 35, 15, 5, 10, 20}, {5, 2, 9, 3, 8, 4}} do
      assert.equal(least(lengths), multiplications(lengths))
    end
  end)

  it("and in longer ones not much more", function()
    local lengths = {30, 35, 15, 5, 10, 20, 25, 40, 3}
    assert.is_true(multiplications(lengths) <= 3 * least(lengths))
  end)
end)

describe("einsum refuses", function()
  local x, y = lt.ones(3, 4), lt.ones(4, 5)

  local function refuses(message, ...) helpers.fails("einsum: " .. message, lt.einsum, ...) end

  it("strings that do not parse, pointing at the character", function()
    refuses('"ij,jk->ix": x (character 9) is in no operand', "ij,jk->ix", x, y)
    refuses('"ij,jk->ii": i (character 9) is twice in the result', "ij,jk->ii", x, y)
    refuses('"i1,jk": 1 (character 2) is no letter, space, comma, "..." or "->"', "i1,jk", x, y)
    refuses('"ij→jk": → (character 3) is no letter, space, comma, "..." or "->"', "ij→jk", x)
    refuses('"i\\0": \\0 (character 2) is no letter, space, comma, "..." or "->"', "i\0", x)
    refuses('"i..j,jk": . (character 2) is no letter, space, comma, "..." or "->"', "i..j,jk", x, y)
    refuses('"ij,..": . (character 4) is no letter, space, comma, "..." or "->"', "ij,..", x, y)
    refuses('"ij-jk": - (character 3) is no letter, space, comma, "..." or "->"', "ij-jk", x)
    refuses('"ij->j->i": - (character 6) is no letter, space, comma, "..." or "->"', "ij->j->i", x)
    refuses('"ij->i,j": , (character 6) is no letter, space, comma, "..." or "->"', "ij->i,j", x)
    refuses('"...i...": ... (character 5) is there twice in one operand', "...i...", x)
    refuses('"ij->...i": ... (character 5) is in no operand', "ij->...i", x)
  end)

  it("operands that do not fit", function()
    refuses('"ij,kj": j has length 4 in operand 1 and 5 in operand 2', "ij,kj", x, y)
    refuses('"ii": i has lengths 3 and 4 in operand 1', "ii", x)
    refuses('"ii": i has lengths 1 and 3 in operand 1', "ii", lt.ones(1, 3))
    refuses('"...,...": dim -1 of ... has length 3 in operand 1 and 4 in operand 2', "...,...", lt.ones(2, 3), lt.ones(2, 4))
    refuses('"ijk,jk": operand 1 has 3 indices, its tensor 2 dims: [3, 4]', "ijk,jk", x, y)
    refuses('"i,jk": operand 1 has 1 indices, its tensor 2 dims: [3, 4]', "i,jk", x, y)
    refuses('"": operand 1 has 0 indices, its tensor 2 dims: [3, 4]', "", x)
    refuses('"ij,jk": 2 operands, but 1 tensors were given', "ij,jk", x)
    refuses('"ij": 1 operands, but 0 tensors were given', "ij")
    refuses('argument 3: tensor expected, got number', "ij,jk", x, 3)
    refuses('argument 2: not for bool; use x:to("int64")', "ij", lt.ones({2, 2}, {dtype = "bool"}))
    refuses("string expected, got tensor", x, y)
    refuses("string expected, got nil")
  end)
end)
