-- tags: unplugged
-- Random programs: a compiled function has the same results, to the last bit, the same effects on its arguments and the
-- same errors as the function itself. The first kind of programs has element-wise statements. The second kind has
-- statements of all kinds and a state, and is called several times. The third kind has only statements that replays can
-- repeat.
local lt = require "luatensor"
local compiling = require "spec.support.compiled"
local helpers = require "spec.support.helpers"
local programs = require "spec.compile.random_programs"

local generator = compiling.generator
local on_cpu = helpers.device == "cpu"
local share = os.getenv "LUATENSOR_GCSTRESS" and 8 or helpers.share          -- collections make programs ten times slower
local PROGRAMS = on_cpu and 1000 // share or 8
local MOST = 400          -- elements; larger results of broadcasting are dropped

-- Returns a list of the elements of all lists.
local function join(...)
  local all = {}
  for _, list in ipairs {...} do table.move(list, 1, #list, #all + 1, all) end
  return all
end

local simple = join(programs.simple, {programs.changing[1]})
local all_further = join(programs.further, programs.changing)

-- Runs the program of a seed. Appends the error of each statement, or false, to `errors`. Returns up to four values.
local function program(seed, inputs, errors)
  local draw, values = generator(seed), {table.unpack(inputs)}
  for _ = 1, draw(30) do
    local function pick() return values[draw(#values)] end
    local ok, made = pcall(simple[draw(#simple)], draw, pick(), pick(), pick())
    errors[#errors + 1] = not ok and tostring(made)
    if ok and made and made.size <= MOST then values[#values < 12 and #values + 1 or draw(#values)] = made end
    if draw(10) == 1 then collectgarbage() end
  end
  return table.unpack(values, math.max(1, #values - 3))
end

-- Runs the program of a seed, which is one function in call number `call`. `state` is the table that the function keeps from
-- call to call. It has the lists of kinds of statements (`simple` and `further`), and the most elements of a value (`most`).
-- Returns up to four values. In call 3, some programs raise an error at a random statement.
local function function_of(seed, call, inputs, state, errors)
  local draw, values = generator(seed * 77 + 5), {table.unpack(inputs)}
  local count = 8 + draw(16)
  local failing = draw(3) == 1 and draw(count)
  for i = 1, count do
    if i == failing and call == 3 then error(state.problem) end
    local list = draw(5) < 3 and state.simple or state.further
    local function pick() return values[draw(#values)] end
    local ok, made = pcall(list[draw(#list)], draw, pick(), pick(), pick(), state, call)
    errors[#errors + 1] = not ok and tostring(made)
    if ok and made and made.size <= state.most then values[#values < 10 and #values + 1 or draw(#values)] = made end
    if draw(12) == 1 then collectgarbage() end
  end
  return table.unpack(values, math.max(1, #values - 3))
end

local function all_bits(list)
  local all = {}
  for i, x in ipairs(list) do all[i] = x and helpers.bits(x) end
  return all
end

describe("random programs", function()
  local compiled = lt.compile(program)

  it("compute the same when they are compiled", function()
    local some = on_cpu and 1 or 2           -- other programs on a GPU
    for k = 1, PROGRAMS do
      local seed = k * some
      local plain, later, errors, late_errors = programs.inputs(seed, programs.shapes), programs.inputs(seed, programs.shapes), {}, {}
      local expected, got = {program(seed, plain, errors)}, {compiled(seed, later, late_errors)}
      assert.same(errors, late_errors, ("program %d"):format(seed))
      assert.same(all_bits(expected), all_bits(got), ("results of program %d"):format(seed))
      assert.same(all_bits(plain), all_bits(later), ("inputs of program %d"):format(seed))
    end
  end)

  it("run most operations in common passes", function()
    local deferred, passes = tostring(compiled):match "(%d+) operations in (%d+) passes"
    assert.truthy(tonumber(deferred) > 3 * PROGRAMS, tostring(compiled))
    assert.truthy(tonumber(passes) < 0.8 * deferred, tostring(compiled))
  end)
end)

describe("random functions", function()
  local CALLS = 5
  local functions = on_cpu and math.max(1, 200 // share) or 4
  -- Small tensors, rows that are computed in several blocks, and tensors that several threads share. `most` is
  -- the limit in place of MOST.
  local sizes = {
    {shapes = programs.shapes, most = MOST},
    {shapes = {{9, 1100}, {1100}, {9, 1}, {}, {9, 1100}, {2, 9, 1100}}, most = 40000},
    {shapes = {{130, 700}, {700}, {130, 1}, {130, 700}, {1, 700}}, most = 200000},
  }

  -- Calls the function of a seed several times with the same inputs and the same state. Returns the bits of the results,
  -- inputs and state after each call, and the errors. Further results are three numbers: of calls that ended with an
  -- error, of statements without an error, and of operations that waited.
  local function history(seed, compile)
    local size = sizes[seed % 16 == 0 and 3 or seed % 4 == 0 and 2 or 1]
    local inputs, list = programs.inputs(seed, size.shapes, "float32"), {}
    local state = {problem = {}, most = size.most, simple = simple, further = all_further}
    local failed, done = 0, 0
    local f = compile and lt.compile(function_of) or function_of
    for call = 1, CALLS do
      local errors = {}
      local results = table.pack(pcall(f, seed, call, inputs, state, errors))
      if not results[1] then
        assert.equal(state.problem, results[2])
        failed = failed + 1
      end
      local kept = {state[1] or false, state[2] or false, state[3] or false, state.weight or false}
      list[call] = {errors, results[1] and all_bits {table.unpack(results, 2)}, all_bits(inputs), all_bits(kept)}
      for _, problem in ipairs(errors) do done = done + (problem and 0 or 1) end
    end
    return list, failed, done, compile and tonumber(tostring(f):match "(%d+) operations? in ")
  end

  it("compute the same in every call when they are compiled", function()
    local failures, done, deferred = 0, 0, 0
    for seed = 1, functions do
      local expected, failed, succeeded = history(seed, false)
      local got, _, _, waited = history(seed, true)
      for call = 1, CALLS do assert.same(expected[call], got[call], ("function %d, call %d"):format(seed, call)) end
      failures, done, deferred = failures + failed, done + succeeded, deferred + waited
    end
    assert.truthy(failures > 0 or functions < 10)
    assert.truthy(done > 50 * functions and deferred > 50 * functions, ("%d, %d"):format(done, deferred))
  end)
end)

describe("random functions that are replayed", function()
  local CALLS = 6
  local functions = on_cpu and math.max(1, 200 // share) or 4

  -- Calls the function of a seed several times. In each call, some inputs are the tensors of the first call. Returns the bits
  -- of the results, inputs and state after each call, and the number of replays.
  local function history(seed, options)
    local state = {problem = {}, most = MOST, simple = programs.simple, further = programs.further}
    local call, list, draw = 0, {}, generator(seed + 9)
    local function f(...) return function_of(seed, call, {...}, state, {}) end
    if options then f = lt.compile(f, options) end
    local fixed, inputs = {draw(2) == 1, draw(2) == 1, draw(2) == 1, draw(2) == 1}, {}
    for i = 1, CALLS do
      call = i
      local others = programs.inputs(seed, programs.shapes, "float32")
      for k = 1, 4 do inputs[k] = fixed[k] and inputs[k] or others[k] + i end
      lt.manual_seed(i)
      local results = table.pack(pcall(f, table.unpack(inputs)))
      if not results[1] and results[2] ~= state.problem then error(results[2], 0) end
      list[i] = {results[1] and all_bits {table.unpack(results, 2)}, all_bits(inputs),
                 all_bits {state[1] or false, state[2] or false, state[3] or false, state.weight or false}}
    end
    return list, options and tonumber(tostring(f):match "(%d+) of")
  end

  it("compute the same in every call", function()
    local replayed = 0
    for seed = 1, functions do
      local expected = history(seed)
      local got, count = history(seed, {replay = true, check = seed % 3 == 0})
      for call = 1, CALLS do assert.same(expected[call], got[call], ("function %d, call %d"):format(seed, call)) end
      replayed = replayed + count
    end
    -- Collections at other places make other lists, so that functions replay later.
    assert.truthy(replayed > (functions == 200 and 2 or 0.5) * functions, replayed)
  end)
end)
