-- embed_host runs this script in a state that it opened as a sandbox. The script must have no access to files,
-- addresses, or settings that all states share.
local lt = require "luatensor"
local core = require "luatensor.core"

local function refused(what, f, ...)
  local ok, why = pcall(f, ...)
  assert(not ok and tostring(why):find(what, 1, true), what .. ": " .. tostring(why))
end

refused("save: not in a sandbox", lt.save, "/tmp/never.npy", lt.ones(1))
refused("save: not in a sandbox", lt.save, "/tmp/never.safetensors", {lt.ones(1)})
refused("save: not in a sandbox", lt.save, "/tmp/never.npz", {x = lt.ones(1)})
refused("load: not in a sandbox", lt.load, "/etc/passwd")
refused("read_idx: not in a sandbox", lt.data.read_idx, "/etc/passwd")
refused("write_csv: not in a sandbox", lt.data.write_csv, "/tmp/never.csv", lt.ones(1))
refused("read_csv: not in a sandbox", lt.data.read_csv, "/etc/passwd")
refused("mnist: not in a sandbox", lt.data.mnist, "/etc")
refused("digits: not in a sandbox", lt.data.digits)
refused("Loader: not in a sandbox", lt.data.Loader, lt.data.TensorDataset(lt.ones(2)), {workers = 1})
refused("not in a sandbox", lt.set_num_threads, 1)
refused("not in a sandbox", lt.set_default_dtype, "float64")
refused("not in a sandbox", lt.set_matmul_precision, "tf32")
refused("not in a sandbox", lt.kernel, "__global__ void k(float *x) {}", "k")
for _, name in ipairs {"bench", "advise"} do
  refused(("lt.%s: not in a sandbox"):format(name), function() return lt[name] end)
  refused(("lt.%s: not in a sandbox"):format(name), require, "luatensor." .. name)
end
for _, name in ipairs {"luatensor.doctor", "luatensor.experiment", "luatensor.report"} do
  refused(name .. ": not in a sandbox", require, name)
end
assert(lt.plot.line({1, 2}):svg():find("</svg>", 1, true))
refused("save: not in a sandbox", function() lt.plot.line({1, 2}):save("/tmp/never.svg") end)
local printed
local print_before = print
rawset(_G, "print", function(text) printed = text end)
lt.help "sum"
rawset(_G, "print", print_before)
assert(printed == "help: not in a sandbox, because the annotations are in files", printed)
refused("reopen: not in a sandbox", lt.cuda.reopen, "cuda")
-- The functions of the core that a sandbox refuses. Every other function must be known to reach nothing outside of its
-- state.
local closed = {}
for name, f in pairs(core) do
  local ok, why
  if type(f) == "function" then ok, why = pcall(f, "/etc/passwd") end
  if not ok and type(why) == "string" and why:find(name .. ": not in a sandbox", 1, true) then closed[#closed + 1] = name end
end
table.sort(closed)
assert(table.concat(closed, " ") == "cache_folder can_compile child compile_kernel csv_fields csv_table decode_image "
  .. "distributed_abort distributed_begin distributed_find distributed_native distributed_split distributed_start distributed_test distributed_wait "
  .. "encode_jpeg kernel_is_intact kernels_on_disk list_folder load_npy notebook_cell notebook_enter notebook_exchange notebook_read "
  .. "notebook_start notebook_write open_archive open_tensors output_file parent profile_start read_file read_idx "
  .. "save_npy set_default_dtype set_matmul_precision set_num_threads sleep trim_kernels user_kernel worker write_file write_tensors",
  table.concat(closed, " "))
refused("no addresses in a sandbox", lt.from_dlpack, _G.address)     -- embed_host sets this global, a light userdata
lt.set_memory_limit(1 << 20)
lt.set_memory_limit(1 << 19)
refused("cannot raise its limit", lt.set_memory_limit, 1 << 20)
refused("cannot raise its limit", lt.set_memory_limit, nil)
refused("whose limit is 512.0 KiB", lt.zeros, 1 << 20)
assert(lt.ones(10):sum():item() == 10)
