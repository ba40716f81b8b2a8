--- Makes the page of `luatensor bench --distributed`: tables of the measured figures and of the prediction.

local document = require "luatensor.page.document"

local page = {}

-- Returns a table whose columns, after the first one, have the same unit.
local function table_of(title, first, names, unit, rows)
  local columns = {first}
  for i, name in ipairs(names) do columns[i + 1] = {name = name, unit = unit} end
  return document.table{title = title, columns = columns, rows = rows}
end

local function sizes_table(self)
  local rows = {}
  for i, row in ipairs(self.sizes) do
    rows[i] = {row.bytes, row.mean, row.low, row.high, row.median, {row.bytes / row.mean, "B/s"}}
  end
  return table_of("all_sum of float32, in place", {name = "size", unit = "B"},
    {"mean", "fastest process", "slowest process", "median", "bandwidth"}, "s", rows)
end

local function step_text(self)
  local values = {bytes = {self.work.bytes, "B"}, messages = {self.work.messages, "count"}}
  for name, seconds in pairs(self.step) do values[name] = {seconds, "s"} end
  values.model = {self.modelled or false, "s"}
  return document.text("A training step without overlap: compute {forward} forward, {backward} backward, {update} "
    .. "update; wait for the other processes {wait}; reduce the gradients, {bytes} in {messages} messages, {reduce}"
    .. (self.modelled and ", for which the prediction's formula gives {model}." or "."), values)
end

local function predicted_table(self)
  local rows = {}
  for i, row in ipairs(self.predicted) do
    rows[i] = {row.hosts, 1 / row.ring, 1 / row.tree, 1 / row.ring_overlap, 1 / row.tree_overlap,
      {self.work.compute / row.tree_overlap, "share"}}
  end
  return table_of("Predicted, not measured: steps a second of each host", {name = "hosts", unit = "count"},
    {"ring", "tree", "ring, overlap", "tree, overlap", "speed of a host"}, "number", rows)
end

--- Returns the sentence that says between which numbers of hosts more hosts pay off, and the values in it.
-- @tab of `from` and `to`, as prediction.range returns them
function page.range(of)
  if not of.from then return "No number of hosts is faster than one host.", {} end
  local values = {from = {of.from, "count"}, to = {of.to or false, "count"}}
  return "More hosts pay off from {from} hosts on" .. (of.to and ", and up to {to} hosts each keeps at least half of "
    .. "its speed." or ", but each has less than half of its speed."), values
end

local function assumptions(self)
  local network = self.network
  return document.note("The prediction assumes one process on each host, a batch of its own for each process, the same "
    .. "network between all hosts, and hosts of the same speed that never wait for each other. Overlap hides an "
    .. "all-reduce behind the whole backward pass. The network: a message takes {latency}, and then {bandwidth} "
    .. "({source}). Processes on one host communicate through memory, which is faster than a network; --latency and "
    .. "--bandwidth set those of yours.", {
      latency = {network.latency, "s"}, bandwidth = {network.bandwidth, "B/s"}, source = {network.source, "text"},
    })
end

--- Returns the blocks of the result's page.
function page.blocks(self)
  local blocks = {document.text("Processes: {n}, engine: {engine}, device: {device}.", {
    n = {self.processes, "count"}, engine = {self.engine, "text"}, device = {self.device, "text"}})}
  if self.processes == 1 then
    blocks[2] = document.note("A group of one process: nothing is sent. mpirun -n 2 luatensor bench --distributed "
      .. "starts two.")
  end
  blocks[#blocks + 1] = sizes_table(self)
  blocks[#blocks + 1] = step_text(self)
  blocks[#blocks + 1] = predicted_table(self)
  blocks[#blocks + 1] = document.text(page.range(self))
  blocks[#blocks + 1] = assumptions(self)
  return blocks
end

return page
