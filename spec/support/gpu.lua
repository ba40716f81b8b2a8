-- Helpers of specs that need a GPU. If the machine has a GPU, the specs run on it. Otherwise the spec file runs itself
-- again on the emulator, in one process for each mode.
local busted = require "busted"
local lt = require "luatensor"
local shell = require "spec.support.shell"

local build = os.getenv "BUILD" or "build"
local folder = build .. "/spec/emulator"

--- The folder of the emulated libraries.
local gpu = {folder = folder}

--- The kind of the GPUs on which the specs run, which LUATENSOR_TEST_DEVICE names: "cuda" or "rocm".
gpu.kind = (os.getenv "LUATENSOR_TEST_DEVICE" or ""):match "^rocm" or "cuda"

--- The functions that GPUs of this kind lack. rocSOLVER computes no eigenvalues of general matrices.
gpu.lacks = gpu.kind == "rocm" and {["linalg.eig"] = true, ["linalg.eigvals"] = true} or {}

--- The functions of scripts for this kind: lt.cuda or lt.rocm.
gpu.api = lt[gpu.kind]

--- Returns the most bytes by which the tensors of an empty GPU grow between two full garbage collections.
function gpu.slack()
  local memory = 0
  for _, d in ipairs(lt.devices()) do
    if d.device == gpu.kind .. ":0" then memory = d.memory end
  end
  return math.max(64 << 20, memory // 32)
end

--- The emulator's functions configure(settings) and counts(); nil if the process does not use the emulator.
local module = gpu.kind == "cuda" and "emulator" or "emulator_hip"
gpu.emulator = gpu.api.is_available() and os.getenv("LUATENSOR_" .. gpu.kind:upper() .. "_PATH") == folder
  and package.loadlib(folder .. "/" .. module .. ".so", "luaopen_" .. module)() or nil

--- Returns shell assignments that make the emulator's GPUs of this kind the only ones. `settings` is LUATENSOR_EMULATOR;
-- without settings, AMD's GPUs have 64 lanes. `path` is the folder of the emulated libraries.
function gpu.only(kind, settings, path)
  local paths = {cuda = "/nowhere", rocm = "/nowhere", [kind] = path or folder}
  return ("LUATENSOR_CUDA_PATH=%s LUATENSOR_ROCM_PATH=%s LUATENSOR_CACHE=%s/spec/kernels LUATENSOR_EMULATOR=%s"):format(
    paths.cuda, paths.rocm, build, settings or kind == "rocm" and "lanes=64" or "")
end

--- The path of NVIDIA's own NVRTC, which needs no GPU, or nil. LIBNVRTC may name it.
gpu.nvrtc = shell.passes([[ls $LIBNVRTC /usr/local/cuda/lib64/libnvrtc.so.1[23] \
  $VIRTUAL_ENV/lib/python3*/site-packages/nvidia/*/lib/libnvrtc.so.1[23] 2>/dev/null || true]]):match "/[^\n]+%.so[^\n]*"

--- True if the emulator's libraries of AMD are built.
gpu.amd_is_emulated = shell.exists(folder .. "/libamdhip64.so")

--- Runs code in a process whose only GPUs are the emulator's of AMD; global lt is luatensor. `settings` and `path` are
-- those of gpu.only, and `more` are shell assignments. rocBLAS also multiplies small matrices. Returns the exit status, and
-- the output without white space at its end.
function gpu.run_on_amd(code, settings, path, more)
  local command = "LUATENSOR_BLAS=always %s %s tools/lua -e 'lt = require [[luatensor]] %s'"
  local status, output = shell.run(command:format(gpu.only("rocm", settings, path), more or "", code))
  return status, (output:gsub("%s+$", ""))
end

--- Calls body(path) with the folder of a copy of the emulator, in whose libraries the given functions have other names.
-- `symbols` is a list of names, separated by spaces.
function gpu.without(symbols, body)
  local path = shell.folder()
  shell.passes(("LD_PRELOAD= EMULATOR=%s spec/support/emulator/without %s %s"):format(folder, path, symbols))
  shell.passes(("LD_PRELOAD= cp %s/emulator*.so %s"):format(folder, path))
  body(path)
  shell.passes("LD_PRELOAD= rm -r " .. path)
end

--- Calls body(path) with the folder of a copy of the emulator that lacks the library `name`.
function gpu.without_library(name, body)
  gpu.without("", function(path)
    shell.passes(("LD_PRELOAD= rm %s/%s"):format(path, name))
    body(path)
  end)
end

--- Returns shell assignments that select the emulator and set the environment variables of table `mode`. Returns nil if
-- the emulator is not built.
function gpu.environment(mode)
  if not shell.exists(folder .. "/emulator.so") then return nil end
  local variables = {LUATENSOR_CUDA_PATH = folder, LUATENSOR_CACHE = build .. "/spec/kernels", LUATENSOR_TEST_DEVICE = "cuda"}
  for name, value in pairs(mode) do variables[name] = value end
  local words = {}
  for name, value in pairs(variables) do words[#words + 1] = ("%s='%s'"):format(name, value) end
  return table.concat(words, " ")
end

local function label(mode)
  local words = {}
  for name, value in pairs(mode) do words[#words + 1] = name:gsub("LUATENSOR_", "") .. " " .. value end
  table.sort(words)
  return #words > 0 and table.concat(words, ", ") or "as it is"
end

--- Calls describe(name, body) if there is a GPU. Otherwise runs the spec file on the emulator, in one process for each
-- element of `modes`, or for one of them in turn. An element is a table of environment variables.
function gpu.describe(name, modes, body)
  if gpu.api.is_available() then return busted.describe(name, body) end
  local file = debug.getinfo(2, "S").source:match "@(.*)"
  busted.describe(name .. ", on the emulator", function()
    -- Specs that do not load the helpers keep their default device, so the helpers are loaded only here.
    for _, mode in ipairs(require("spec.support.helpers").in_turn(modes)) do
      local environment = gpu.environment(mode)
      if not environment then return busted.pending("no GPU, and make emulator builds what stands in for it") end
      busted.it(label(mode), function() shell.passes(("tools/lua spec/support/run.lua %s %s"):format(environment, file)) end)
    end
  end)
end

--- Like it(name, body) if the GPU is the emulator; otherwise the test is pending.
function gpu.it_emulated(name, body)
  if gpu.emulator then return busted.it(name, body) end
  busted.pending(name .. " (on the emulator)")
end

--- Like gpu.it_emulated, for tests of what is NVIDIA's own, such as its libraries. On AMD's GPUs they are pending.
function gpu.it_nvidia(name, body)
  if gpu.kind == "cuda" then return gpu.it_emulated(name, body) end
  busted.pending(name .. " (NVIDIA's own)")
end

return gpu
