-- tags: unplugged
-- Products and convolutions in compiled functions wait like other operations, and give the same bits as outside.
local lt = require "luatensor"
local all_bits = require("spec.support.compiled").all_bits
local helpers = require "spec.support.helpers"

local on_cpu = helpers.device == "cpu"
local functional = lt.nn.functional
local dtypes = {"float32", "float64", "float16", "bfloat16", "int8", "int16", "int32", "int64", "uint8", "complex64",
                "complex128"}

-- Calls f and its compiled function with copies of the tensors. The results and the tensors must have the same bits, and the
-- compiled function must not run its list early.
local function check(f, tensors)
  local function copies()
    local list = {}
    for i, x in ipairs(tensors) do list[i] = x:clone() end
    return list
  end
  local plain, later, compiled = copies(), copies(), lt.compile(f)
  local expected = all_bits(f(table.unpack(plain)))
  for call = 1, 2 do
    if call == 2 then later = copies() end
    assert.same(expected, all_bits(compiled(table.unpack(later))))
    assert.same(all_bits(table.unpack(plain)), all_bits(table.unpack(later)))
  end
  later = copies()
  local text = compiled:explain(table.unpack(later))
  assert.falsy(text:find "run early", text)
end

local function random(shape, dtype)
  return (lt.randn(shape) * 3):to(dtype)
end

-- Layouts of the same elements.
local layouts = {
  function(x) return x end,
  function(x) return x.ndim > 1 and x.mT:contiguous().mT or x:flip(1) end,
  function(x) return lt.stack({x, x}, -1)[{lt.ellipsis, 2}] end,
}

describe("products in compiled functions", function()
  local pairs_of_shapes = {{{7, 5}, {5, 6}}, {{5}, {5, 6}}, {{7, 5}, {5}}, {{5}, {5}}, {{3, 7, 5}, {5, 6}},
                           {{2, 1, 7, 5}, {3, 5, 6}}, {{7, 5}, {3, 5, 1}}, {{1, 5}, {5, 6}}}

  for _, dtype in ipairs(on_cpu and dtypes or {"float32", "float16"}) do
    it(("are those of the function, of %s"):format(dtype), function()
      for i, shapes in ipairs(pairs_of_shapes) do
        local x, y = random(shapes[1], dtype), random(shapes[2], i == 1 and "float32" or dtype)
        check(function(a, b) return lt.matmul(a * 2, b) + 1, a end, {x, y})
      end
    end)

    it(("add to an input, of %s"):format(dtype), function()
      local c, a, b, row = random({7, 6}, dtype), random({7, 5}, dtype), random({5, 6}, dtype), random({6}, dtype)
      check(function(z, x, y, bias)
        local r = lt.addmm(bias + 1, x, y, {alpha = 2, beta = 3})
        z:add_(1):addmm_(x, y, {alpha = 3})
        return r, lt.addmm(z, x, y, {beta = 0}), z * 2, functional.linear(x, y.T, bias) - 1, lt.vecdot(x, x + 1)
      end, {c, a, b, row})
    end)
  end

  it("read tensors of any layout", function()
    local x, y = random({4, 6}, "float32"), random({6, 3}, "float32")
    for _, left in ipairs(layouts) do
      for _, right in ipairs(layouts) do
        local a, b = left(x), right(y)
        check(function(c, d)
          local p = lt.tanh(c):matmul(d)
          return p, (b.mT * 1):matmul(a.mT), a:matmul(b) + p
        end, {x, y})
      end
    end
  end)

  it("write to option out, and wait for earlier writes", function()
    check(function(x, y)
      local out = lt.zeros(4, 4)
      lt.matmul(x, y, {out = out})
      x:multiply_(2)
      local first = out + x
      lt.addmm(x, x, y, {out = out})
      x[1] = 0
      return first, out, x:matmul(y)
    end, {random({4, 4}, "float32"), random({4, 4}, "float32")})
  end)

  it("do not run if nobody can read the result", function()
    local f = lt.compile(function(x)
      local y = x * 2
      lt.matmul(y, y)
      collectgarbage()
      return y
    end)
    f(lt.ones(3, 3))
    assert.truthy(tostring(f):find "2 operations in 1 pass over memory, 1 dropped", tostring(f))
  end)

  it("raise errors of their arguments at the call", function()
    local seen
    local f = lt.compile(function(x)
      local y = x + 1
      seen = {select(2, pcall(lt.matmul, y, y)), select(2, pcall(lt.addmm, x[1], x, x.T)),
              select(2, pcall(lt.addmm, y, y:to "int32", y.T:to "int32", {out = y})),
              select(2, pcall(lt.matmul, y, y.T, {out = y}))}
      return y
    end)
    local x = lt.ones(2, 3)
    f(x)
    assert.truthy(seen[1]:find("inner dims differ: [2, 3] × [3, 2]", 1, true) or seen[1]:find("inner dims differ", 1, true))
    assert.truthy(seen[2]:find("does not broadcast to [2, 2]", 1, true), seen[2])
    assert.truthy(seen[3]:find "out", seen[3])
    assert.truthy(seen[4]:find "out", seen[4])
  end)

  it("raise exhausted memory where the list runs, and the next call is right", function()
    local f = lt.compile(function(x) return (x * 2):matmul(x) end)
    local x = lt.eye(3)
    lt._fail_after(1, 50)
    local ok, why = pcall(f, x)
    lt._fail_after(0)
    assert.falsy(ok)
    assert.truthy(tostring(why):find "memory", why)
    assert.same((x * 2):totable(), f(x):totable())
  end)
end)

describe("convolutions in compiled functions", function()
  local geometries = {{}, {padding = 1}, {stride = 2, padding = 2}, {dilation = 2, padding = 1}, {groups = 2}}

  for _, dtype in ipairs(on_cpu and {"float32", "float64", "float16", "bfloat16"} or {"float32"}) do
    it(("are those of the function with their gradients, of %s"):format(dtype), function()
      for _, options in ipairs(geometries) do
        local x, bias = random({2, 4, 8, 7}, dtype), random({6}, dtype)
        local w = random({6, options.groups and 2 or 4, 3, 3}, dtype)
        check(function(image, weight, b)
          local leaves = {image:detach():requires_grad_(), weight:detach():requires_grad_(), b:detach():requires_grad_()}
          local y = functional.conv2d(leaves[1] * 1, leaves[2], leaves[3], options)
          local z = lt.relu(y) * 2
          z:sum():backward()
          return z:detach(), leaves[1].grad, leaves[2].grad, leaves[3].grad
        end, {x, w, bias})
      end
    end)
  end

  it("of signals and transposed convolutions wait, too", function()
    check(function(x, w)
      return functional.conv1d(x + 1, w, nil, {padding = 1}) * 2, functional.conv_transpose1d(x.mT.mT * 2, w, nil, {stride = 2})
    end, {random({2, 3, 9}, "float32"), random({3, 3, 3}, "float32")})
  end)
end)
