-- tags: host
-- Compares predicted times with times that were worked out by hand. Between hosts a message takes 1 ms, and then 1 s
-- for each 1000 bytes. A step takes 3 s on one host, 2 s of it for the backward pass.
local prediction = require "luatensor.bench.distributed.prediction"

local NETWORK <const> = {latency = 1e-3, bandwidth = 1000}

local function work(bytes, messages) return {compute = 3, backward = 2, bytes = bytes, messages = messages or 1} end

describe("the prediction of an all-reduce", function()
  -- 4 hosts, 800 bytes: each host sends 3 · 200 bytes twice, which takes 1.2 s. The ring has 6 messages in turn, the
  -- tree 4.
  it("counts a ring's and a tree's messages, and the bytes that each host sends", function()
    assert.near(1.206, prediction.all_reduce("ring", 4, 800, NETWORK), 1e-12)
    assert.near(1.204, prediction.all_reduce("tree", 4, 800, NETWORK), 1e-12)
  end)

  it("takes ⌈log₂ p⌉ rounds in a tree of any number of hosts, and nothing on one host", function()
    for hosts, messages in pairs{[2] = 2, [3] = 4, [5] = 6, [8] = 6, [9] = 8, [10000] = 28} do
      assert.near(1e-3 * messages, prediction.all_reduce("tree", hosts, 0, NETWORK), 1e-12)
    end
    assert.near(19.998, prediction.all_reduce("ring", 10000, 0, NETWORK), 1e-9)
    assert.equal(0, prediction.all_reduce("ring", 1, 800, NETWORK))
    assert.equal(0, prediction.all_reduce("tree", 1, 800, NETWORK))
  end)

  -- 4 processes: a short message takes 2 rounds of 0.5 ms. A message of 800 bytes then takes 4 · 0.5 ms for its
  -- latency, and the other 1.2 s for 1200 bytes.
  it("finds latency and bandwidth from a short and a long message", function()
    local network = prediction.network(4, 1e-3, 1.202, 800)
    assert.near(0.5e-3, network.latency, 1e-15)
    assert.near(1000, network.bandwidth, 1e-9)
  end)

  it("finds a bandwidth even if the long message took no longer than the short one", function()
    assert.near(2 * 800, prediction.network(2, 1, 1, 800).bandwidth, 1e-9)
  end)
end)

describe("the prediction of a step", function()
  it("adds the all-reduces without overlap, and hides them behind the backward pass with overlap", function()
    assert.near(3 + 1.204, prediction.step("tree", 4, work(800), NETWORK, false), 1e-12)
    assert.equal(3, prediction.step("tree", 4, work(800), NETWORK, true))
    -- ten times the bytes: 12.004 s, of which 2 s are hidden
    assert.near(3 + 10.004, prediction.step("tree", 4, work(8000), NETWORK, true), 1e-9)
    assert.equal(3, prediction.step("ring", 1, work(800), NETWORK, false))
  end)

  it("pays the latency for each message, and for the bytes once", function()
    assert.near(3 + 1.2 + 5 * 0.006, prediction.step("ring", 4, work(800, 5), NETWORK, false), 1e-12)
  end)

  it("has a row for each number of hosts from 1 to 10 000", function()
    local rows = prediction.rows(work(800), NETWORK)
    assert.same({hosts = 1, ring = 3, tree = 3, ring_overlap = 3, tree_overlap = 3}, rows[1])
    local last = rows[#rows]
    assert.equal(10000, last.hosts)
    -- 19.998 s of latency around the ring, 0.028 s in the tree, 2 · 800 · 0.9999 bytes
    assert.near(3 + 19.998 + 1.59984, last.ring, 1e-9)
    assert.near(3 + 0.028 + 1.59984, last.tree, 1e-9)
    assert.near(1 + 19.998 + 1.59984, last.ring_overlap, 1e-9)
    assert.equal(3, last.tree_overlap)
  end)
end)

describe("the range in which more hosts pay off", function()
  -- Half of the speed is left while 2 ⌈log₂ p⌉ messages of 0.5 s, less the 2 s of the backward pass, take at most 3 s:
  -- 5 rounds, 32 hosts.
  it("ends where a host keeps less than half of its speed", function()
    local from, to = prediction.range(work(0), {latency = 0.5, bandwidth = 1000})
    assert.equal(2, from)
    assert.equal(32, to)
  end)

  it("begins where several hosts are faster than one", function()
    -- 6000 bytes take 6 s on 2 hosts, 8 s on 3, and 9 s on 4. All but 2 s are added to the 3 s of a step.
    -- So 2 hosts make 2 / 7 steps a second, which is less than 1 / 3. 3 hosts make 3 / 9 steps, and 4 hosts 4 / 10.
    local from, to = prediction.range(work(6000), {latency = 0, bandwidth = 1000})
    assert.equal(4, from)
    assert.is_nil(to)
  end)

  it("is empty where the latency of two hosts takes longer than any number of them wins", function()
    local from, to = prediction.range(work(0), {latency = 1e6, bandwidth = 1000})
    assert.is_nil(from)
    assert.is_nil(to)
  end)

  it("has no end for a network without cost", function()
    local _, to = prediction.range(work(0), {latency = 0, bandwidth = 1000})
    assert.equal(10000, to)
  end)
end)
