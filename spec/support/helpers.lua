-- Helpers of specs: tensors from oracle arrays and back, assertions that compare the two, the device under test.
local assert = require "luassert"
local busted = require "busted"
local lt = require "luatensor"
local reference = require "spec.support.reference"

local info = reference.dtype.info
local helpers = {device = lt.device(os.getenv "LUATENSOR_TEST_DEVICE" or "cpu")}

-- True if the device under test belongs to a plugin of PJRT.
local is_plugin = not helpers.device:find "^cpu" and not helpers.device:find "^cuda" and not helpers.device:find "^rocm"

--- Returns `it`; or, if the device under test belongs to a plugin, a function that defines no test. For tests that need
-- numbers below the smallest normal one, the sign of zeros, the CPU's last bit, replays, or the names of all devices.
function helpers.unplugged(it) return is_plugin and function() end or it end

-- Tensors that specs make without naming a device are made on the device under test.
lt.set_default_device(helpers.device)

-- LUATENSOR_TEST_SHARE=K:OFFSET runs about every K-th case of long specs. The runs with OFFSET = 0, …, K - 1 select
-- disjoint sets of cases. The selection does not depend on the order of cases or on earlier runs.
local function read_share(variable)
  local k, offset = (os.getenv(variable) or "1:0"):match "^(%d+):(%d+)$"
  return math.tointeger(tonumber(k)), math.tointeger(tonumber(offset))
end
local share, offset = read_share "LUATENSOR_TEST_SHARE"

-- K and OFFSET of LUATENSOR_TEST_SHARE (default 1 and 0). Specs divide their numbers of random cases by K.
helpers.share, helpers.offset = share, offset

local function place(key)
  local sum = 0
  for i = 1, #key do sum = (31 * sum + key:byte(i)) & 0xffffff end
  return sum + offset
end

-- LUATENSOR_TEST_EVERY=K:OFFSET runs every K-th test of each file. The runs with OFFSET = 0, …, K - 1 have all tests.
local every, number = read_share "LUATENSOR_TEST_EVERY"
if every > 1 then
  busted.subscribe({"register", "it"}, function()
    number = number + 1
    return nil, number % every == 0            -- if false, busted does not register the test
  end, {priority = 1})
end

-- Returns every K-th element of a list, from an element that the key determines. Without LUATENSOR_TEST_SHARE,
-- returns the whole list.
function helpers.drawn(list, key)
  local some, first = {}, place(key)
  for i, x in ipairs(list) do
    if (first + i) % share == 0 then some[#some + 1] = x end
  end
  return some
end

-- Returns a function like `it`, which defines only about every K-th test (see LUATENSOR_TEST_SHARE). The test's name
-- decides whether the test is one of them.
function helpers.drawn_it(it)
  return function(name, body)
    if place(name) % share == 0 then it(name, body) end
  end
end

-- Returns the list, or a list of one of its elements if LUATENSOR_TEST_SHARE is set. Runs with consecutive OFFSETs get
-- the elements in turn.
function helpers.in_turn(list)
  return share == 1 and list or {list[offset % #list + 1]}
end

-- Returns n, or a tenth of n on the emulated GPU, which runs all threads on one processor.
function helpers.size(n)
  local libraries = os.getenv(("LUATENSOR_%s_PATH"):format(helpers.device:match("^%a+"):upper())) or ""
  local emulated = libraries:find("/spec/", 1, true)
  return emulated and n // 10 or n
end

-- Returns the number of bytes of live tensors on a device, by default the current one, after garbage has been collected.
-- The second collection frees what finalizers of the first one released.
function helpers.live(device)
  collectgarbage()
  collectgarbage()
  return lt.memory(device).live
end

-- Returns a contiguous tensor on the device under test.
function helpers.tensor(a)
  if #a.data == 0 then return lt.zeros(a.shape, {dtype = a.dtype, device = helpers.device}) end
  local flat = lt.tensor(a.data, {dtype = a.dtype, device = helpers.device})
  return flat:reshape(a.shape)
end

-- Makes a case of spec/support/cases.lua in a memory layout. Returns a tensor with this layout, and the oracle array
-- with the same elements.
function helpers.laid_out(layout, name, seed)
  local cases = require "spec.support.cases"
  local expected, whole = cases.make(layout, name, seed)
  return layout.view(helpers.tensor(whole)), expected
end

-- Returns dtype, shape and all bits of a tensor as text, but for the bits of NaN, whose sign and payload depend on the
-- compiler.
function helpers.bits(x)
  local nan = x:isnan()
  return ("%s %s %s %s"):format(x.dtype, x.shape, nan:to_bytes(), lt.where(nan, x:zeros_like(), x):to_bytes())
end

-- Returns the tensor's elements as an oracle array, read from its bytes.
function helpers.array(t)
  local name, shape = t.dtype, {}
  for d = 1, t.ndim do shape[d] = t.shape[d] end
  return reference.array.new(shape, name, reference.dtype.unpack_all(name, t:to_bytes()))
end

local function list(shape) return "[" .. table.concat(shape, ", ") .. "]" end

local function show(x) return math.type(x) == "float" and ("%.17g"):format(x) or tostring(x) end

local function sign_bit(x) return x < 0 or (x == 0 and 1 / x < 0) end

-- Returns the difference between `got` and `want` as text, or nil if it is within the tolerances. t: the element of
-- reference.dtype.info for the dtype. ulp: the tolerance in ULPs of `want`; atol: the absolute tolerance. A zero may
-- have the other sign only if a tolerance is not 0.
local function difference(got, want, t, ulp, atol)
  if type(got) ~= type(want) or math.type(got) ~= math.type(want) then return "of another type" end
  if not t.is_float then return got ~= want and "" or nil end
  if want ~= want then return got == got and "" or nil end
  if got == want then
    return want == 0 and ulp == 0 and atol == 0 and sign_bit(got) ~= sign_bit(want) and "sign of zero" or nil
  end
  local off = math.abs(got - want)
  if off <= atol then return nil end
  local ulps = off / t.ulp(math.abs(want) == math.huge and t.max or want)
  if math.abs(want) == math.huge then ulps = math.abs(got) == t.max and got * want > 0 and 1 or math.huge end
  if ulps <= ulp then return nil end
  return ("%.3g ULP off"):format(ulps)
end

-- Compares tensor t with the oracle array `expected`. Returns nil if they agree. Otherwise returns the first difference
-- as text and, for an element, its 1-based number. options: ulp (the tolerance in ULPs; default 0: exact), atol
-- (absolute: a number, or a list with a bound for each element), rtol (relative to the expected element, added to
-- atol).
function helpers.compare(expected, t, options)
  options = options or {}
  if not lt.is_tensor(t) then return "not a tensor: " .. tostring(t) end
  if t.dtype ~= expected.dtype then return ("dtype is %s, not %s"):format(t.dtype, expected.dtype) end
  local got = helpers.array(t)
  if not reference.array.same_shape(got.shape, expected.shape) then
    return ("shape is %s, not %s"):format(list(got.shape), list(expected.shape))
  end
  local element, atol = info[expected.dtype], options.atol or 0
  for i, want in ipairs(expected.data) do
    local bound = type(atol) == "table" and atol[i] or atol
    if options.rtol then bound = bound + options.rtol * math.abs(want) end
    local problem = difference(got.data[i], want, element, options.ulp or 0, bound)
    if problem then
      return ("element %d of %s %s is %s, not %s %s"):format(
        i, list(expected.shape), expected.dtype, show(got.data[i]), show(want), problem), i
    end
  end
end

-- assert.agrees(expected array, tensor, options) fails with the text of helpers.compare.
local function agrees(_, arguments)
  local problem = helpers.compare(arguments[1], arguments[2], arguments[3])
  if not problem then return true end
  arguments[1], arguments.nofmt, arguments.n = problem, {true}, 1
  return false
end

-- Calls f and returns the message of its error without "file:line: ", or nil if f raises none. Waits for the device,
-- because a GPU finds indices out of range only when it uses them.
function helpers.message_of(f, ...)
  local ok, message = pcall(f, ...)
  if ok then ok, message = pcall(lt.synchronize, helpers.device) end
  if ok then return nil end
  return (tostring(message):gsub("^[^\n:]*%.lua:%d+: ", "", 1))
end

-- assert.raises("sum: dim 3 …", f, …): compares the whole message, or matches a pattern that begins with "^".
local function raises(_, arguments)
  local expected = arguments[1]
  local got = helpers.message_of(table.unpack(arguments, 2, arguments.n))
  local fits = got == expected or (got and expected:sub(1, 1) == "^" and got:find(expected))
  if fits then return true end
  arguments[1] = ("expected the error\n  %s\ngot\n  %s"):format(expected, got or "no error")
  arguments.nofmt, arguments.n = {true}, 1
  return false
end

-- fails("sum: dim 3 …", f, …) checks that f raises exactly this message.
function helpers.fails(message, f, ...)
  assert.equal(message, helpers.message_of(f, ...))
end

-- Checks that t has this shape (as text, "[2, 3]") and these elements (nested tables).
function helpers.holds(t, shape, values)
  assert.equal(shape, tostring(t.shape))
  assert.same(values, t:totable())
end

local say = require "say"
say:set("assertion.first_argument", "%s")
assert:register("assertion", "agrees", agrees, "assertion.first_argument", "assertion.first_argument")
assert:register("assertion", "raises", raises, "assertion.first_argument", "assertion.first_argument")

return helpers
