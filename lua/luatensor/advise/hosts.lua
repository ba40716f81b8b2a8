--- Predicts for the models of lt.advise.choices how many hosts pay off.

local document = require "luatensor.page.document"
local prediction = require "luatensor.bench.distributed.prediction"

local hosts = {}

-- The bytes of gradients that an all-reduce adds.
local BUCKET <const> = 25 << 20

--- Returns the numbers of hosts between which more hosts pay off: {from =, to =}, as prediction.range returns them.
-- @number seconds of a training step on one host
-- @number share of these seconds that the backward pass takes
-- @int parameters of the model, in float32
-- @tab network
function hosts.range(seconds, share, parameters, network)
  local bytes, range = 4 * parameters, {}
  range.from, range.to = prediction.range({
    compute = seconds, backward = share * seconds, bytes = bytes, messages = math.max(1, math.ceil(bytes / BUCKET)),
  }, network)
  return range
end

--- Returns the blocks about the rows of a result of lt.advise.choices that have the field `hosts`.
function hosts.blocks(self)
  local rows, network = {}, self.network
  for _, row in ipairs(self.rows) do
    if row.hosts then rows[#rows + 1] = {row.name, row.hosts.from or "none", row.hosts.to or "none"} end
  end
  if #rows == 0 then return {} end
  return {
    document.table{title = "More hosts, each with a batch of its own: predicted, not measured", rows = rows, columns = {
      {name = "model", unit = "text"}, {name = "faster than one from", unit = "count"},
      {name = "half the speed of each up to", unit = "count"}}},
    document.note("The prediction ends at {last} hosts, which have the speed of this machine. A message between them "
      .. "takes {latency}, and then {bandwidth} ({source}); --latency and --bandwidth set those of yours. Gradients "
      .. "are added during the backward pass.", {
        last = {prediction.HOSTS[#prediction.HOSTS], "count"}, latency = {network.latency, "s"},
        bandwidth = {network.bandwidth, "B/s"}, source = {network.source, "text"},
      }),
  }
end

return hosts
