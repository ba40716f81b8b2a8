--- The command `luatensor doctor`: tests a GPU and its software, stage by stage, and writes one file to send back.

local arguments = require "luatensor.cli.arguments"
local result = require "luatensor.bench.result"
local stages = require "luatensor.doctor.stages"

local command = {
  summary = "tests a GPU and its software, and writes one file about it",
  description = "Tests whether luatensor computes correctly on the GPU of this machine, and at the expected speed. " ..
    "Without a GPU the command tests the CPU. Each stage is a process of its own with a time limit, so that a crash " ..
    "ends only its stage. After each stage the results are written to a file. Exit status 0: all is sound.",
  example = "luatensor doctor --out doctor.json",
}

local SECONDS <const>, FILE <const> = 90, "doctor.json"

-- Checks the form of a device's name. Only a child process asks whether the device exists, because this may take long.
local function device_name(text)
  if text:find "^%a+$" or text:find "^%a+:%d+$" then return text end
  arguments.fail("--device takes a name such as cuda or cuda:0, not %q", text)
end

function command.define(parser)
  parser:option("--stage", "runs only this stage; may be given several times"):argname("<name>"):count("*")
    :choices(stages.names())
  parser:option("--device", "the device to test (the best accelerator, or else cpu)"):argname("<device>")
    :convert(device_name)
  parser:option("--from", "shows a saved file, and tests nothing"):argname("<file>")
  arguments.add_all(parser, {
    {name = "out", kind = "output", help = ("writes the results to this file (%s)"):format(FILE)},
    {name = "seconds", kind = "seconds", help = ("seconds of the whole run (%d)"):format(SECONDS)},
  })
end

local function show(path)
  local loaded = result.load(path)
  if loaded.kind ~= "doctor" then error(("%s: a result of kind %s, not of doctor"):format(path, loaded.kind), 0) end
  return loaded
end

function command.run(options)
  local doctor = require "luatensor.doctor"
  if options.from then return show(options.from) end
  local path = options.out or arguments.kinds.output(FILE)
  local made = doctor.run{device = options.device, path = path, seconds = options.seconds or SECONDS,
    stages = options.stage}
  return made, made:is_sound() and 0 or 1
end

return command
