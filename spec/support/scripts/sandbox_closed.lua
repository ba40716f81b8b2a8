-- Run in a state that its host opened as a sandbox: no access to files, addresses, or settings that all states share.
local lt = require "luatensor"
local core = require "luatensor.core"

local function refused(what, f, ...)
  local ok, why = pcall(f, ...)
  assert(not ok and tostring(why):find(what, 1, true), what .. ": " .. tostring(why))
end

refused("not in a sandbox", lt.save, "/tmp/never.npy", lt.ones(1))
refused("not in a sandbox", lt.save, "/tmp/never.safetensors", {lt.ones(1)})
refused("not in a sandbox", lt.data.read_idx, "/etc/passwd")
refused("not in a sandbox", lt.data.read_csv, "/etc/passwd")
refused("not in a sandbox", lt.data.digits)
refused("not in a sandbox", lt.set_num_threads, 1)
refused("not in a sandbox", lt.set_default_dtype, "float64")
refused("not in a sandbox", lt.set_matmul_precision, "tf32")
refused("not in a sandbox", lt.kernel, "__global__ void k(float *x) {}", "k")
for _, name in ipairs {"save_npy", "load_npy", "write_tensors", "open_tensors", "read_idx", "csv_fields", "csv_numbers",
                       "output_file", "cache_folder", "profile_start"} do
  refused(name .. ": not in a sandbox", core[name], "/etc/passwd")
end
refused("no addresses in a sandbox", lt.from_dlpack, _G.address)     -- embed_host sets this global, a light userdata
lt.set_memory_limit(1 << 20)
lt.set_memory_limit(1 << 19)
refused("cannot raise its limit", lt.set_memory_limit, 1 << 20)
refused("cannot raise its limit", lt.set_memory_limit, nil)
refused("whose limit is 512.0 KiB", lt.zeros, 1 << 20)
assert(lt.ones(10):sum():item() == 10)
