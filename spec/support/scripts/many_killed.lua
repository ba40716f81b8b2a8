-- Trains the digits without end, with a checkpoint after each epoch. First writes the number of this process to a file
-- in the folder arg[1]. Run by spec/support/torture/many.lua, which kills a process.

local folder = arg[1]
local number = assert(io.open "/proc/self/stat"):read "n"
local file = assert(io.open(("%s/pid%d"):format(folder, number), "w"))
file:write(number)
file:close()

arg = {[0] = "examples/13_many.lua"}
assert(loadfile "examples/13_many.lua")("--save", folder .. "/run.safetensors", "--epochs", "1000000", "--batch", "48",
                                        "--sharded", "--device", "cpu")
