--- Predicts the speed of training on many hosts from the latency and the bandwidth between them and from the times of a
-- step on one host. The functions are pure.
--
-- The costs of an all-reduce are those of R. Thakur, R. Rabenseifner and W. Gropp, "Optimization of Collective
-- Communication Operations in MPICH", International Journal of High Performance Computing Applications 19 (2005),
-- without the term of the additions, which the measured bandwidth includes. p: hosts, n: bytes.
--
--     ring    2 (p - 1) latency      + 2 (p - 1) / p · n / bandwidth
--     tree    2 ⌈log₂ p⌉ latency     + 2 (p - 1) / p · n / bandwidth     (recursive halving and doubling)
--
-- An engine adds a short message in ⌈log₂ p⌉ rounds (recursive doubling).

local prediction = {}

--- The network that is assumed if none was measured or given: Ethernet of 10 Gbit/s.
prediction.ETHERNET = {
  latency = 50e-6, bandwidth = 1.25e9, source = "assumed: Ethernet of 10 Gbit/s, 50 µs a message",
}

--- The fields of a network, for classes of results.
prediction.fields = {latency = "number", bandwidth = "number", source = "string"}

--- The numbers of hosts of a prediction.
prediction.HOSTS = {1, 2, 4, 8, 16, 64, 256, 1024, 4096, 10000}

local function rounds(hosts)
  local count = 0
  while 1 << count < hosts do count = count + 1 end
  return count
end

local messages_in_turn = {
  ring = function(hosts) return 2 * (hosts - 1) end,
  tree = function(hosts) return 2 * rounds(hosts) end,
}

-- Returns the bytes that each host sends, as a multiple of the bytes to add.
local function share_sent(hosts) return 2 * (hosts - 1) / hosts end

--- Returns the seconds of an all-reduce.
-- @string kind "ring" or "tree"
-- @int hosts
-- @number bytes
-- @tab network latency (seconds) and bandwidth (bytes a second)
function prediction.all_reduce(kind, hosts, bytes, network)
  return messages_in_turn[kind](hosts) * network.latency + share_sent(hosts) * bytes / network.bandwidth
end

--- Returns the seconds in which the gradients of a step are added.
function prediction.reduce(kind, hosts, work, network)
  return work.messages * prediction.all_reduce(kind, hosts, work.bytes / work.messages, network)
end

--- Returns the seconds of a training step on each of `hosts` hosts.
-- @string kind "ring" or "tree"
-- @int hosts
-- @tab work compute (seconds of a step alone), backward (those of them that the backward pass takes), bytes (of the
--   gradients), messages (the number of all-reduces that add the gradients)
-- @tab network
-- @bool overlap true: the all-reduces run during the backward pass; false: after the backward pass
function prediction.step(kind, hosts, work, network, overlap)
  local reduce = prediction.reduce(kind, hosts, work, network)
  return work.compute + (overlap and math.max(0, reduce - work.backward) or reduce)
end

--- Returns the network that explains two measured all-reduces between `hosts` processes.
-- @int hosts at least 2
-- @number short seconds of a message of a few bytes
-- @number long seconds of a large message
-- @number bytes the size of the large message
function prediction.network(hosts, short, long, bytes)
  local latency = short / rounds(hosts)
  -- noise may make short messages so slow that nothing would be left for the bytes
  local moving = math.max(long - messages_in_turn.tree(hosts) * latency, long / 2)
  return {latency = latency, bandwidth = share_sent(hosts) * bytes / moving}
end

--- Returns a network with the latency and the bandwidth that the options give, and otherwise with those of `other`.
function prediction.given(options, other)
  if not (options.latency or options.bandwidth) then return other end
  local given = not options.latency and "bandwidth" or not options.bandwidth and "latency"
  return {
    latency = options.latency or other.latency, bandwidth = options.bandwidth or other.bandwidth,
    source = given and ("%s given; otherwise %s"):format(given, other.source) or "given",
  }
end

--- Returns {{hosts =, ring =, tree =, ring_overlap =, tree_overlap = seconds of a step}, …}.
function prediction.rows(work, network)
  local rows = {}
  for i, hosts in ipairs(prediction.HOSTS) do
    rows[i] = {hosts = hosts}
    for kind in pairs(messages_in_turn) do
      rows[i][kind] = prediction.step(kind, hosts, work, network, false)
      rows[i][kind .. "_overlap"] = prediction.step(kind, hosts, work, network, true)
    end
  end
  return rows
end

--- Returns the numbers of hosts between which more hosts pay off, with the tree and with overlap. Each host has a batch
-- of its own.
-- @treturn ?int from the least number of hosts that together make more steps than one host alone; nil: none does
-- @treturn ?int until the largest number of hosts, up to the last one of HOSTS, of which each keeps at least half of
--   its speed; nil: not even two do
function prediction.range(work, network)
  local from, to
  for hosts = 2, prediction.HOSTS[#prediction.HOSTS] do
    local share = work.compute / prediction.step("tree", hosts, work, network, true)
    if hosts * share > 1 then from = from or hosts end
    if share >= 0.5 then to = hosts end
  end
  return from, to
end

return prediction
