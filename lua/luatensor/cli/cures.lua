--- The list of the reasons why a GPU is not used, each with its remedy, for `luatensor info` and for docs/gpu.md,
-- which shows the list as a table.

local cures = {}

--- Rows {pattern, example, remedy}. The pattern matches a reason from lt.cuda.is_available or lt.rocm.is_available, in
-- which a folder may precede a library's name. The example is one text of this reason.
cures.rows = {
  {"libcuda%.so%.1: cannot open", "libcuda.so.1: cannot open shared object file (no NVIDIA driver on this machine)",
    "install the NVIDIA driver"},
  {"the driver is for CUDA", "the driver is for CUDA 11.4; luatensor needs 12.0 or newer", "update the driver"},
  {"libcuda%.so has no function", "libcuda.so has no function cuGraphLaunch; a newer driver does",
    "update the driver"},
  {"driver for CUDA does not start", "driver for CUDA does not start: unknown error",
    "run `nvidia-smi`, which must work first; after an update of the driver, restart the machine"},
  {"the driver finds no device", "the driver finds no device on this machine",
    "in a container, pass the device through (`--gpus all`); check that `CUDA_VISIBLE_DEVICES` does not "
      .. "hide the device"},
  {"libnvrtc%S*:? ", "libnvrtc.so.13: cannot open shared object file (NVRTC compiles the kernels: install …)",
    "install NVRTC, or add its folder to `LUATENSOR_CUDA_PATH`"},
  {"NVRTC .* is newer", "NVRTC 13.0 is newer than the driver, which is for CUDA 12.4: install NVRTC 12",
    "install the version of NVRTC that the message names"},
  {"compiles for compute capability",
    "NVRTC 13.0 compiles for compute capability 7.5 and newer, not for the 5.0 of this device",
    "add the folder of an older NVRTC to `LUATENSOR_CUDA_PATH`; version 12 compiles for 5.0 and newer"},
  {"libamdhip64%S* cannot open", "libamdhip64.so.7: cannot open shared object file (no AMD driver on this machine)",
    "install AMD's driver and ROCm"},
  {"libamdhip64%.so is of HIP", "libamdhip64.so is of HIP 4.3; luatensor needs 5.0 or newer", "update ROCm"},
  {"libamdhip64%.so has no function", "libamdhip64.so has no function hipGraphLaunch; a newer ROCm does",
    "update ROCm"},
  {"HIP does not start", "HIP does not start: hipErrorUnknown",
    "run `rocminfo`, which must work first; the user must be in the groups `render` and `video`"},
  {"hipGetDeviceCount", "hipGetDeviceCount: no ROCm-capable device is detected",
    "in a container, pass the device through (`--device /dev/kfd --device /dev/dri`); check that the user is in the "
      .. "groups `render` and `video`, and that `HIP_VISIBLE_DEVICES` does not hide the device"},
  {"libhiprtc%S*:? ", "libhiprtc.so.7: cannot open shared object file (hipRTC compiles the kernels: install …)",
    "install hipRTC of ROCm, or add its folder to `LUATENSOR_ROCM_PATH`"},
  {"hipRTC does not tell", "hipRTC does not tell its version", "install ROCm anew"},
  {"hipRTC .* does not compile", "hipRTC of ROCm 5.2 does not compile for gfx1100", "update ROCm"},
  {"this machine has no TPU", "this machine has no TPU: there is neither /dev/accel0 nor /dev/vfio/0",
    "in a container, pass the device through; `LUATENSOR_PJRT_TPU=` leaves the plugin `libtpu` out"},
  {"no child process could", "hipRTC of ROCm 6.0 may not know gfx1100, and no child process could try it",
    "let the process call `fork`, which a sandbox or a limit of processes may forbid"},
}

--- Returns the remedy for a reason. If the reason has a part for each vendor, returns all remedies, separated by
-- "; or ". For an unknown reason, the remedy is a reference to docs/gpu.md.
-- @string reason from lt.cuda.is_available, lt.rocm.is_available, or the error "GPU not found: …"
-- @treturn string
function cures.find(reason)
  local found = {}
  for _, row in ipairs(cures.rows) do
    if reason:find(row[1]) then found[#found + 1] = row[3] end
  end
  return #found > 0 and table.concat(found, "; or ") or "docs/gpu.md and docs/accelerators.md list what is needed"
end

return cures
