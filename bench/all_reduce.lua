-- Compares all_sum of luatensor.distributed with MPI_Allreduce of the same engine and with PyTorch's gloo, in turn:
--
--   tools/lua bench/all_reduce.lua [--processes 2] [--rounds 3] [--largest 16M]
--
-- MPIRUN and MPICC are the engine's launcher and compiler (mpirun, mpicc), and PYTHON a Python with torch. Without
-- torch, gloo is left out. All three are measured as in the OSU micro-benchmarks. The table shows the median of the
-- calls, which other programs disturb less than the mean, in the best of the rounds. A ratio is a time of the other,
-- divided by ours. `make bench-distributed` runs this script.

local arguments = require "luatensor.cli.arguments"
local document = require "luatensor.page.document"
local json = require "luatensor.io.json"
local terminal = require "luatensor.page.terminal"

local options = arguments.read({...}, "Compares the all-reduce of luatensor, of the engine and of PyTorch's gloo.", {
  {name = "processes", kind = "count", help = "number of processes", default = 2},
  {name = "rounds", kind = "count", help = "number of rounds", default = 3},
  {name = "largest", kind = "bytes", help = "size of the largest message", default = 16 << 20},
})

local PROGRAM <const> = "build/all_reduce"

local function variable(name, default)
  local value = os.getenv(name)
  return value ~= "" and value or default
end

local function output(command)
  local pipe = assert(io.popen(command))
  local text = pipe:read "a"
  assert(pipe:close(), command)
  return text
end

-- Returns {[bytes] = median seconds} from the lines "bytes mean median" of a peer.
local function lines(text)
  local found = {}
  for bytes, seconds in text:gmatch "(%d+) %S+ (%S+)\n" do found[math.tointeger(bytes)] = tonumber(seconds) end
  return found
end

local function result(text)
  local found = {}
  for _, row in ipairs(json.decode(text).sizes) do found[row.bytes] = row.median end
  return found
end

local launch = ("%s -n %d "):format(variable("MPIRUN", "mpirun"), options.processes)
local python = variable("PYTHON", "python3")
local has_torch = os.execute(python .. " -c 'import torch' 2>/dev/null")
assert(os.execute(("%s -O2 -o %s bench/peers/all_reduce.c"):format(variable("MPICC", "mpicc"), PROGRAM)))

local contenders = {
  {"luatensor", launch .. "tools/lua bin/luatensor bench --distributed --json - --largest " .. options.largest, result},
  {"MPI_Allreduce", launch .. PROGRAM .. " " .. options.largest, lines},
  has_torch and {"gloo", launch .. python .. " bench/peers/gloo.py " .. options.largest, lines} or nil,
}

local least = {}
for _ = 1, options.rounds do
  for i, contender in ipairs(contenders) do
    least[i] = least[i] or {}
    for bytes, seconds in pairs(contender[3](output(contender[2]))) do
      least[i][bytes] = math.min(least[i][bytes] or seconds, seconds)
    end
  end
end

local columns, rows, bytes = {{name = "size", unit = "B"}}, {}, 8
for i, contender in ipairs(contenders) do
  columns[#columns + 1] = {name = contender[1], unit = "s"}
  if i > 1 then columns[#columns + 1] = {name = "ratio", unit = "ratio"} end
end
while bytes <= options.largest do
  local row = {bytes}
  for i in ipairs(contenders) do
    row[#row + 1] = least[i][bytes]
    if i > 1 then row[#row + 1] = least[i][bytes] / least[1][bytes] end
  end
  rows[#rows + 1] = row
  bytes = 2 * bytes
end
print(terminal.page{document.table{title = "An all-reduce of float32, in place", columns = columns, rows = rows}})
