--- Computes recurrent layers step by step, with ops that record their own gradients. recurrent.lua uses this file for
-- half floats, for projections and with {fused = false}, which gradients of gradients need.
--
-- gx [times, batch, gates] contains the products of the input with the input's weights. p contains the weights of the
-- state: hh [gates, hidden], its bias bh for a GRU, and hr [projected, hidden] or nil. h and c [batch, …] are the
-- previous state.

local core = require "luatensor.core"
local lt = require "luatensor"
local fused = require "luatensor.nn.recurrent.fused"

local steps = {}

--- Returns gate k (from 1) of x [batch, gates], whose gates are side by side, each with `width` columns.
local function gate(x, k, width) return x:narrow(2, (k - 1) * width + 1, width) end

local function of_state(h, p, b)
  local y = h:matmul(p.hh.mT)
  return b and y + b or y
end

--- Computes one step of an LSTM. sums: gx of this step; p: the weights. Returns the next h and c.
function steps.lstm_cell(sums, p, h, c)
  local all, width = sums + of_state(h, p), c.shape[2]
  local i, f = gate(all, 1, width):sigmoid(), gate(all, 2, width):sigmoid()
  local g, o = gate(all, 3, width):tanh(), gate(all, 4, width):sigmoid()
  c = f * c + i * g
  h = o * c:tanh()
  return p.hr and h:matmul(p.hr.mT) or h, c
end

--- Computes one step of a GRU. sums: gx of this step; p: the weights. Returns the next h.
function steps.gru_cell(sums, p, h)
  local other, width = of_state(h, p, p.bh), h.shape[2]
  local r = (gate(sums, 1, width) + gate(other, 1, width)):sigmoid()
  local z = (gate(sums, 2, width) + gate(other, 2, width)):sigmoid()
  local n = (gate(sums, 3, width) + r * gate(other, 3, width)):tanh()
  return n + z * (h - n)
end

--- Computes one step of an RNN. sums: gx of this step; p: the weights. Returns the next h.
function steps.rnn_cell(sums, p, h)
  local all = sums + of_state(h, p)
  return p.nonlinearity == "relu" and all:maximum(0) or all:tanh()
end

--- Runs all time steps. Returns y [times, batch, …] and the last h and c.
-- @tparam function cell one of the functions above
-- @tparam tensor gx the products of the input with the input's weights
-- @tab p the weights
-- @tparam tensor h the state before the first step
-- @tparam ?tensor c the state c of an LSTM before the first step
-- @tparam boolean backwards true if the last time is the first step
function steps.run(cell, gx, p, h, c, backwards)
  local list, times = {}, gx.shape[1]
  for t in fused.steps(times, backwards) do
    h, c = cell(gx[t], p, h, c)
    list[t] = h
  end
  if times == 0 then return core.empty({0, h.shape[1], h.shape[2]}, {dtype = h.dtype, device = h.device}), h, c end
  return lt.stack(list), h, c
end

return steps
