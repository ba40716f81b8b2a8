-- The setup of fault_files.lua for fault_host. check() fails if a file is neither the old nor the complete new
-- version after an allocation failed.
local lt = require "luatensor"
local data, nn = require "luatensor.data", require "luatensor.nn"

folder = "build/spec/"
local function write(name, text)
  local file <close> = assert(io.open(folder .. name, "wb"))
  file:write(text)
end
write("fault.csv", "a,b,kind\n1,2.5,\"x\"\n3,4,y\n5,,x\n")
write("fault.idx", "\0\0\x0d\2" .. (">I4I4ffff"):pack(2, 2, 1, 2, 3, 4))
write("fault.json", '{"a":[1,2,{"b":"\\u00e9"}],"c":null}')

layer = nn.Linear(3, 2)
values = {7, 8}
for version = 1, 2 do
  values[version] = {epoch = version, model = layer:state_dict(), list = {1, {2, "x"}}, x = lt.full({300}, version)}
end
lt.save(folder .. "fault.safetensors", values[1])
lt.save(folder .. "fault.npy", values[1].x)
-- reads a file once, because some modules and tables are made only at the first call
data.read_csv(folder .. "fault.csv", {types = {a = "float"}}):tensor{"a", "b"}

function check()
  local run = lt.load(folder .. "fault.safetensors")
  assert(run.epoch == 1 or run.epoch == 2, "no version that was saved")
  assert(run.x:min():item() == run.epoch and run.x:max():item() == run.epoch and run.list[2][2] == "x", "a checkpoint is damaged")
  local x = lt.load(folder .. "fault.npy")
  assert(x.size == 300 and x:min():item() == x:max():item(), "an array is damaged")
  collectgarbage()                                 -- closes a file that was being written
  local pipe <close> = io.popen("ls -A " .. folder .. " | grep '^[.]luatensor-'")
  assert(pipe:read "a" == "", "a temporary file is left")
  lt.empty_cache()
end
