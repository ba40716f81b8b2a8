-- fault_host runs this script while allocations fail. The script calls functions that read and write files.
local lt = require "luatensor"
local data = require "luatensor.data"
local json = require "luatensor.io.json"
local files = require "luatensor.bench.files"

local x, y, classes = data.read_csv(folder .. "fault.csv", {header = true, labels = "kind", missing = 0})
assert(x.shape[1] == 3 and y:totable()[2] == 2 and classes[1] == "x")
x = data.read_idx(folder .. "fault.idx")
assert(x:sum():item() == 10)
assert(json.decode(assert(files.read(folder .. "fault.json"))).a[3].b == "é")
lt.save(folder .. "fault.npy", values[2].x)
lt.save(folder .. "fault.safetensors", values[2])
local run = lt.load(folder .. "fault.safetensors")
layer:load_state_dict(run.model)
lt.load(folder .. "fault.npy")
