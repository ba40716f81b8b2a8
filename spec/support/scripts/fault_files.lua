-- fault_host runs this script while allocations fail. The script calls functions that read and write files.
local lt = require "luatensor"
local data = require "luatensor.data"
local json = require "luatensor.io.json"
local files = require "luatensor.bench.files"

local t = data.read_csv(folder .. "fault.csv", {types = {a = "float"}})
assert(#t == 3 and t.kind.codes:totable()[2] == 2 and t.kind.levels[1] == "x" and t:tensor{"a", "b"}.shape[2] == 2)
local x = data.read_idx(folder .. "fault.idx")
assert(x:sum():item() == 10)
assert(json.decode(assert(files.read(folder .. "fault.json"))).a[3].b == "é")
lt.save(folder .. "fault.npy", values[2].x)
lt.save(folder .. "fault.safetensors", values[2])
local run = lt.load(folder .. "fault.safetensors")
layer:load_state_dict(run.model)
lt.load(folder .. "fault.npy")
