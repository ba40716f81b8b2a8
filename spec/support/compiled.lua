--- Helpers of specs of lt.compile.

local assert = require "luassert"
local cases = require "spec.support.cases"
local helpers = require "spec.support.helpers"
local lt = require "luatensor"

local compiled = {}

--- Compiles f. At the end of each call, the tensors that f has dropped are collected before the operations run, so that
-- nobody can read them.
function compiled.collecting(f)
  return lt.compile(function(...)
    local results = table.pack(f(...))
    collectgarbage()
    return table.unpack(results, 1, results.n)
  end)
end

--- Returns a list with helpers.bits of each tensor.
function compiled.all_bits(...)
  local all = table.pack(...)
  for i = 1, all.n do all[i] = helpers.bits(all[i]) end
  return all
end

--- Returns a function draw(n), which returns a random integer from 1 to n. Random programs draw with this generator, so
-- that random numbers of luatensor stay out of them. The first numbers are skipped, because they are alike for small
-- seeds.
function compiled.generator(seed)
  local random = cases.random(seed)
  for _ = 1, 4 do random(1) end
  return function(n) return random(n) + 1 end
end

--- Calls f and its compiled function with copies of the tensors, with the same random numbers. The results and the tensors must
-- have the same bits, and the compiled function must run one list.
function compiled.check(f, tensors)
  local function copies()
    local list = {}
    for i, x in ipairs(tensors) do list[i] = x:clone() end
    lt.manual_seed(7)
    return list
  end
  local plain, waiting = copies(), lt.compile(f)
  local expected = compiled.all_bits(f(table.unpack(plain)))
  local state = lt.default_generator():state()
  for _ = 1, 2 do
    local later = copies()
    assert.same(expected, compiled.all_bits(waiting(table.unpack(later))))
    assert.same(compiled.all_bits(table.unpack(plain)), compiled.all_bits(table.unpack(later)))
    assert.same(state, lt.default_generator():state())
  end
  local text = waiting:explain(table.unpack(copies()))
  assert.truthy(text:find "of 1 schedule reused", text)
end

--- Calls forward with leaves that wait, and returns the result and the gradients of the leaves.
function compiled.with_gradients(forward)
  return function(...)
    local leaves, inputs = {...}, {}
    for i, x in ipairs(leaves) do
      leaves[i] = x:detach():requires_grad_()
      inputs[i] = leaves[i] * 1
    end
    local y = forward(table.unpack(inputs))
    lt.sum(y * y):backward()
    for i, x in ipairs(leaves) do leaves[i] = x.grad end
    return y:detach() + 1, table.unpack(leaves)
  end
end

--- Calls a compiled function in which wrong(z, mark) makes a call with wrong elements. z is a result of an operation that waits,
-- 2 * x, and `mark` must be called one line above the wrong call. The error must be `message`, with the line of the wrong call.
-- Operations before this line must have taken effect, and those after this line must have changed nothing. Without the wrong
-- call, the next call of the compiled function must be right.
function compiled.check_late(x, message, wrong, options)
  local before, behind, broken, expected = lt.zeros(3), lt.zeros(3), true, nil
  local function mark()
    local here = debug.getinfo(2, "Sl")
    expected = ("%s:%d: %s"):format(here.short_src, here.currentline + 1, message)
  end
  local f = lt.compile(function(y)
    before:add_(1)
    local z = y * 2
    if broken then wrong(z, mark) end
    behind:add_(1)
    return z + 1
  end, options)
  local ok, why = pcall(f, x)
  assert.falsy(ok)
  assert.equal(expected, why)
  assert.same({1, 1, 1}, before:totable())
  assert.same({0, 0, 0}, behind:totable())
  broken = false
  assert.same((x * 2 + 1):totable(), f(x):totable())
  assert.same({1, 1, 1}, behind:totable())
end

return compiled
