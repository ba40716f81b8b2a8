-- The contenders of the benchmark: luatensor, PyTorch and NumPy in eager mode, lt.compile, torch.compile, and functions
-- of lt.elementwise. Each contender is an object with the fields name and version and these two methods:
--   prepare(row)   makes the row's inputs, warms up, and finds the number of calls in a round; returns true, or false
--                  and an error message (nil: the row is not for this contender)
--   run()          runs one round, and returns the mean seconds of a call

local lt = require "luatensor"
local chains = require "bench.chains"
local steps = require "bench.steps"

local contender = {}

-- ---- luatensor, in this process -----------------------------------------------------------------

local ours = {}
ours.__index = ours

local function make_input(dtype, shape)
  if dtype == "bool" then return lt.rand(shape):greater(0.5) end
  if lt.isdtype(dtype, "integral") then return lt.randint(1, 99, shape, {dtype = dtype}) end
  return (lt.rand(shape) + 0.1):to(dtype)
end

-- Makes tensors from a text such as "x float32 7000 3000; i int64 10". Returns a table of the tensors by name, and the
-- list of the names.
local function make_inputs(text)
  local inputs, names = {}, {}
  for item in text:gmatch("[^;]+") do
    local name, dtype, dims = item:match("(%w+) (%w+)([ %d]*)")
    local shape = {}
    for dim in dims:gmatch("%d+") do shape[#shape + 1] = math.tointeger(dim) end
    inputs[name], names[#names + 1] = make_input(dtype, shape), name
  end
  return inputs, names
end

-- Makes a function of n that evaluates the row's expression n times. The row's inputs are local variables of this
-- function, as they would be in a user's script. field: nil, or the field "compiled" or "kernel" that the row has.
local function make_loop(row, field)
  local space, inputs = make_inputs(row[2])
  space.t, space.steps, space.chains = lt, steps, chains
  if row.setup then load(row.setup[1], "setup", "t", space)() end
  local names, values = {}, {}
  for name, value in pairs(space) do
    names[#names + 1], values[#values + 1] = name, value
  end
  local before, expression = "", field == "kernel" and row.kernel or row[3]
  if field == "compiled" then
    local arguments = table.concat(inputs, ", ")
    local options = row.compiled == "replay" and ", {replay = true}" or ""
    before = ("local compiled = t.compile(function(%s) return %s end%s)"):format(arguments, expression, options)
    expression = ("compiled(%s)"):format(arguments)
  end
  local code = ("local %s = ... %s return function(n) for _ = 1, n do local _ = %s end end"):format(
    table.concat(names, ", "), before, expression)
  return assert(load(code, row[1]))(table.unpack(values))
end

local function time_calls(loop, n)
  local start = lt.clock()
  loop(n)
  lt.synchronize(lt.get_default_device())
  return lt.clock() - start
end

function ours:prepare(row)
  self.loop = nil
  collectgarbage()
  if self.field and not row[self.field] then return false end
  local ok, loop = pcall(make_loop, row, self.field)
  if not ok then return false, loop end
  local worked, problem = pcall(time_calls, loop, 1)
  if not worked then return false, problem end
  local calls, seconds = 1, time_calls(loop, 1)
  while seconds < self.round / 4 do
    calls = 2 * calls
    seconds = time_calls(loop, calls)
  end
  self.loop, self.calls = loop, math.max(1, calls * self.round // seconds)
  return true
end

function ours:run() return time_calls(self.loop, self.calls) / self.calls end

-- ---- peers, in processes of their own -----------------------------------------------------------

local peer = {}
peer.__index = peer

-- Starts a peer: a Python process that times PyTorch or NumPy. It reads requests from a named pipe and writes answers
-- to its standard output. kind: the peer's name, the column of its expressions, its script, and `field`, the field of
-- the rows that it times (nil: all rows). options: those of contender.all. Returns nil if Python or the library is
-- missing.
local function start_peer(kind, options)
  local fifo = os.tmpname()
  os.remove(fifo)
  assert(os.execute("mkfifo " .. fifo), "mkfifo failed")
  local threads = options.threads
  local variables = ("OMP_NUM_THREADS=%d OPENBLAS_NUM_THREADS=%d MKL_NUM_THREADS=%d"):format(threads, threads, threads)
  local command = ("%s %s bench/peers/%s %g %d %s %s < %s"):format(variables, os.getenv("PYTHON") or "python3", kind[3],
    options.round, threads, options.device, kind.field or "", fifo)
  local answers = assert(io.popen(command .. " 2>/dev/null", "r"))
  local requests = assert(io.open(fifo, "w"))        -- waits until the peer's shell has opened the pipe
  os.remove(fifo)
  requests:setvbuf("line")
  local version = answers:read("l")
  if not version then
    answers:close()
    return nil
  end
  return setmetatable({name = kind[1], column = kind[2], field = kind.field, version = version, requests = requests,
                       answers = answers}, peer)
end

function peer:ask(...)
  self.requests:write(table.concat({...}, "\t"), "\n")
  local answer = self.answers:read("l") or "error\tthe process ended"
  return answer:match("^error\t(.*)") == nil and answer or nil, answer:match("^error\t(.*)")
end

-- Returns the row's expression for column 4 (PyTorch) or 5 (NumPy). If the column is nil, returns the expression of
-- the next column to the left; column 3 is luatensor's. False means that the library lacks the function.
local function text_for(row, column)
  for i = column, 3, -1 do
    if row[i] ~= nil then return row[i] end
  end
end

local function setup_for(row, column)
  local setup = row.setup or {}
  return column == 5 and setup[3] or setup[2] or ""
end

function peer:prepare(row)
  local code = (not self.field or row[self.field]) and text_for(row, self.column)
  if not code then return false end
  local answer, problem = self:ask("row", row[2], setup_for(row, self.column), code)
  self.first = tonumber(answer)                -- seconds of the first call
  return answer ~= nil, problem
end

function peer:run()
  local answer, problem = self:ask("run")
  return tonumber(answer) or error(problem)
end

--- Returns a list of the contenders: luatensor, and the peers that are installed and support the device. Prints the
-- name of each peer that is not installed. options: `threads`, `device`, and `round`, the seconds that a round of
-- several calls should take. compiled: true if rows ask for compiled functions.
function contender.all(options, compiled)
  local function own(name, version, field)
    return setmetatable({name = name, version = version, field = field, round = options.round}, ours)
  end
  local list = {own("luatensor", lt._VERSION)}
  local peers = {{"torch", 4, "torch_rows.py"}}
  if options.device == "cpu" then peers[2] = {"numpy", 5, "numpy_rows.py"} end
  if compiled then
    list[2], list[3] = own("compiled", "lt.compile", "compiled"), own("kernel", "lt.elementwise", "kernel")
    peers[#peers + 1] = {"torch_compiled", 4, "torch_rows.py", field = "compiled"}
  end
  for _, kind in ipairs(peers) do
    local found = start_peer(kind, options)
    list[#list + 1] = found
    if not found then print(("%s: not installed (PYTHON=%s)"):format(kind[1], os.getenv("PYTHON") or "python3")) end
  end
  return list
end

--- Returns luatensor and PyTorch as contenders on the CPU, for bench/sweep.lua. The second result is nil if PyTorch is
-- not installed. Peers of several numbers of threads can run at the same time. The caller sets luatensor's number.
function contender.pair(round, threads)
  local own = setmetatable({name = "luatensor", version = lt._VERSION, round = round}, ours)
  return own, start_peer({"torch", 4, "torch_rows.py"}, {round = round, threads = threads, device = "cpu"})
end

function contender.close(list)
  for _, who in ipairs(list) do
    if who.requests then
      who.requests:write("quit\n")         -- closing the pipe is not enough: later peers inherited its write end
      who.requests:close()
      who.answers:close()
    end
  end
end

return contender
