--- Recurrent layers and cells of lt.nn: RNN, LSTM and GRU. recurrent/fused.lua and recurrent/steps.lua compute the
-- steps.

local args = require "luatensor.base.args"
local core = require "luatensor.core"
local lists = require "luatensor.base.lists"
local lt = require "luatensor"
local autocast = require "luatensor.nn.autocast"
local blame = require "luatensor.base.blame"
local fused = require "luatensor.nn.recurrent.fused"
local functional = require "luatensor.nn.functional"
local layer = require "luatensor.nn.layer"
local Module = require "luatensor.nn.module"
local steps = require "luatensor.nn.recurrent.steps"

--- The number of gates of each kind of cell. Weights and biases have `hidden` rows for each gate.
local gates_of = {RNN = 1, LSTM = 4, GRU = 3}
local step_of = {RNN = steps.rnn_cell, LSTM = steps.lstm_cell, GRU = steps.gru_cell}

local function check_nonlinearity(name, value)
  if value == nil or value == "tanh" or value == "relu" then return value or "tanh" end
  blame.fail(name, "nonlinearity: \"tanh\" or \"relu\" expected, got %s", tostring(value))
end

--- Registers the parameters of a cell, drawn uniformly between -1/√hidden and 1/√hidden. These are the weights of the
-- input [gates · hidden, inputs] and of the state [gates · hidden, outputs], and their biases. If the output size
-- differs from hidden, there is also the projection [outputs, hidden]. The names of the parameters end in `suffix`.
local function add_parameters(self, kind, suffix, inputs, options)
  local hidden, outputs, gates = self.hidden_size, self.output_size, gates_of[kind]
  local bound = 1 / math.sqrt(hidden)
  local function add(name, shape) self[name .. suffix] = layer.uniform(shape, bound, options) end
  add("weight_ih", {gates * hidden, inputs})
  add("weight_hh", {gates * hidden, outputs})
  if self.bias then
    add("bias_ih", {gates * hidden})
    add("bias_hh", {gates * hidden})
  end
  if outputs ~= hidden then add("weight_hr", {outputs, hidden}) end
end

-- ---- one layer in one direction ----

local fits = {float32 = true, float64 = true}

--- True if one fused op can compute all steps: all tensors are float32 or all are float64, there is no projection,
-- and option fused is true.
local function is_fusable(self, gx, w, h, c, projection)
  local dtype = gx.dtype
  return self.fused and fits[dtype] and not projection and w.dtype == dtype and h.dtype == dtype
         and (not c or c.dtype == dtype)
end

--- Runs the layer whose parameters' names end in `suffix` over x [times, batch, inputs]. h and c are the state before
-- the first step; c is nil except in an LSTM. backwards is true if the steps go from the last time to the first.
-- Returns y and the state h and c after the last step.
local function run(self, kind, suffix, x, h, c, backwards)
  local w, b, bh = self["weight_hh" .. suffix], self.bias and self["bias_ih" .. suffix], self["bias_hh" .. suffix]
  local projection = self.output_size ~= self.hidden_size and self["weight_hr" .. suffix] or nil
  if b and kind ~= "GRU" then b = b + bh end
  local gx = autocast.wide(functional.linear(x, self["weight_ih" .. suffix], b or nil))
  bh = kind == "GRU" and self.bias and bh or nil
  if not is_fusable(self, gx, w, h, c, projection) then
    local p = {hh = w, bh = bh, hr = projection, nonlinearity = self.nonlinearity}
    return steps.run(step_of[kind], gx, p, h, c, backwards)
  end
  local y, last
  h, c = h:contiguous(), c and c:contiguous()      -- the steps require contiguous rows
  if kind == "LSTM" then
    y, last = fused.lstm(gx, w, h, c, backwards)
  elseif kind == "GRU" then
    y = fused.gru(gx, w, h, bh, backwards)
  else
    y = fused.rnn(gx, w, h, self.nonlinearity, backwards)
  end
  if gx.shape[1] == 0 then return y, h, c end
  return y, y[backwards and 1 or -1], last
end

-- ---- checks of layers ----

local function like(self) return rawget(self, "weight_ih_l1") or self.weight_ih end

local function check_input(self, x)
  layer.input(self, "the input", x, like(self))
  local shape = x.shape
  if #shape ~= 2 and #shape ~= 3 then
    self:fail("the input must be [%s, %d], or 2-d without the batch; its shape is %s",
              self.batch_first and "batch, times" or "times, batch", self.input_size, tostring(shape))
  elseif shape[#shape] ~= self.input_size then
    self:fail("the input's last dim must be %d, its shape is %s", self.input_size, tostring(shape))
  end
end

local function check_state(self, what, h, shape, x)
  layer.input(self, what, h)
  if not lists.same(h.shape, shape) then
    self:fail("%s must be of shape %s, its shape is %s", what, args.shape_text(shape), tostring(h.shape))
  elseif h.device ~= x.device then
    self:fail("%s is on %s, the input on %s", what, h.device, x.device)
  end
  layer.input(self, what, h, like(self))
end

--- Returns a state [layers, batch, width]: the state that the script gave, with a batch dim if x has none, or zeros.
local function state(self, what, given, x, batch, width, single)
  local count = self.num_layers * (self.bidirectional and 2 or 1)
  if given == nil then
    return core.zeros({count, batch, width}, {dtype = like(self).dtype, device = x.device})
  end
  check_state(self, what, given, single and {count, width} or {count, batch, width}, x)
  return single and given:expand_dims(2) or given
end

-- ---- layers ----

local options_known = {num_layers = true, bias = "boolean", batch_first = "boolean", dropout = true,
                       bidirectional = "boolean", fused = "boolean"}

local function merged(more)
  local known = {}
  for _, set in ipairs {options_known, more} do for name, kind in pairs(set) do known[name] = kind end end
  return known
end

local function check_dropout(name, p)
  if p == nil then return 0 end
  if type(p) ~= "number" or not (p >= 0 and p <= 1) then
    blame.fail(name, "dropout: a number from 0 to 1 expected, got %s", p)
  end
  return p
end

local function each_layer(self, visit)
  for l = 1, self.num_layers do
    for d = 1, self.bidirectional and 2 or 1 do visit(l, ("_l%d%s"):format(l, d == 2 and "_reverse" or ""), d == 2) end
  end
end

--- The common constructor of RNN, LSTM and GRU. `more` has the options that only this kind of layer has.
local function init(self, kind, inputs, hidden, options, more)
  options = layer.options(kind, options, merged(more))
  self.input_size, self.hidden_size = layer.count(kind, "input_size", inputs), layer.count(kind, "hidden_size", hidden)
  self.num_layers = layer.count(kind, "num_layers", options.num_layers or 1)
  self.bias, self.batch_first = options.bias ~= false, options.batch_first == true
  self.bidirectional, self.dropout = options.bidirectional == true, check_dropout(kind, options.dropout)
  self.fused, self.output_size, self.generator = options.fused ~= false, hidden, options.generator
  if options.proj_size ~= nil and options.proj_size ~= 0 then
    self.output_size = layer.count(kind, "proj_size", options.proj_size)
    if self.output_size >= hidden then
      blame.fail(kind, "proj_size must be smaller than hidden_size, %d; it is %d", hidden, self.output_size)
    end
  end
  local wide = self.output_size * (self.bidirectional and 2 or 1)
  each_layer(self, function(l, suffix) add_parameters(self, kind, suffix, l == 1 and inputs or wide, options) end)
end

local function dropped(self, x)
  if self.dropout == 0 or not self.training then return x end
  return functional.dropout(x, {p = self.dropout, generator = self.generator})
end

--- Runs all layers over x [times, batch, inputs] from the states h and c [layers, batch, …]. Returns y, h and c; c is
-- nil except in an LSTM.
local function run_layers(self, kind, x, h, c)
  local hs, cs, ys = {}, {}, {}
  each_layer(self, function(l, suffix, backwards)
    local k = #hs + 1
    if l > 1 and not backwards then x, ys = dropped(self, ys[2] and lt.concat(ys, 3) or ys[1]), {} end
    ys[#ys + 1], hs[k], cs[k] = run(self, kind, suffix, x, h[k], c and c[k], backwards)
  end)
  return ys[2] and lt.concat(ys, 3) or ys[1], lt.stack(hs), c and lt.stack(cs)
end

local function forward(self, kind, x, h0, c0)
  check_input(self, x)
  local single = x.ndim == 2
  local turned = self.batch_first and not single
  if single then x = x:expand_dims(2) elseif turned then x = x:transpose(1, 2) end
  local batch = x.shape[2]
  local h = state(self, "h0", h0, x, batch, self.output_size, single)
  local c = kind == "LSTM" and state(self, "c0", c0, x, batch, self.hidden_size, single) or nil
  local y
  y, h, c = run_layers(self, kind, x, h, c)
  if single then return y:squeeze(2), h:squeeze(2), c and c:squeeze(2) end
  return turned and y:transpose(1, 2) or y, h, c
end

local function extra(self)
  local text = ("%d, %d"):format(self.input_size, self.hidden_size)
  if self.num_layers > 1 then text = text .. (", num_layers = %d"):format(self.num_layers) end
  if self.bidirectional then text = text .. ", bidirectional" end
  return text
end

--- Makes a recurrent layer, which computes h = tanh(W x + b + U h + d) in each step. W, U, b and d of layer 1 are the
-- parameters weight_ih_l1, weight_hh_l1, bias_ih_l1 and bias_hh_l1. Names count layers from 1; names of the reverse
-- direction end in "_reverse".
--
--     local y, h = rnn(x, h0)
--
-- x is [times, batch, inputs], and y is [times, batch, hidden]. h0 and h [layers, batch, hidden] are the state before
-- the first step (zeros unless given) and after the last step. With `bidirectional`, y contains the outputs of both
-- directions side by side, and h has a row for each direction. If x has no batch dim, y, h0 and h have none either.
-- Under nn.autocast, products with inputs compute in half floats; products with the state, and the gates, compute in
-- float32.
-- @function nn.RNN
-- @int inputs length of x's last dim
-- @int hidden length of the state h
-- @tparam[opt] table options `num_layers` (1); `nonlinearity` ("tanh"; "relu"); `bias` (true); `batch_first` (false):
--   x and y are [batch, times, …]; `dropout` (0): of the results of all layers except the last, in training;
--   `bidirectional` (false); `fused` (true): all steps are one op; false runs step by step, which gradients of
--   gradients need; `dtype`, `device`, `generator`
-- @treturn Module takes x and h0, and returns y and h
local RNN = Module:extend "RNN"

function RNN:init(inputs, hidden, options)
  local nonlinearity = type(options) == "table" and options.nonlinearity or nil
  self.nonlinearity = check_nonlinearity("RNN", nonlinearity)
  init(self, "RNN", inputs, hidden, options, {nonlinearity = true})
end

function RNN:forward(x, h0)
  local y, h = forward(self, "RNN", x, h0)
  return y, h
end

--- Makes a layer with long short-term memory. Weights and biases stack the gates i, f, g, o: c = σ(f) c + σ(i)
-- tanh(g), h = σ(o) tanh(c).
--
--     local y, h, c = lstm(x, h0, c0)
--
-- Shapes, options and names of the state are as in nn.RNN; c has the shape of h, or with `proj_size` [layers, batch,
-- hidden].
-- @function nn.LSTM
-- @int inputs length of x's last dim
-- @int hidden length of the state c, and of h without `proj_size`
-- @tparam[opt] table options those of nn.RNN but `nonlinearity`; `proj_size` (0): h is projected to that length, by
--   weight_hr_l1 …
-- @treturn Module takes x, h0 and c0, and returns y, h and c
local LSTM = Module:extend "LSTM"

function LSTM:init(inputs, hidden, options) init(self, "LSTM", inputs, hidden, options, {proj_size = true}) end

function LSTM:forward(x, h0, c0) return forward(self, "LSTM", x, h0, c0) end

--- Makes a layer of gated recurrent units. Weights and biases stack the gates r, z, n. The gates r and z are σ(W x +
-- b + U h + d), with W, b, U and d as in nn.RNN. n = tanh(W x + b + r (U h + d)), and the next h is (1 - z) n + z h.
--
--     local y, h = gru(x, h0)
--
-- Shapes, options and names of the state are as in nn.RNN.
-- @function nn.GRU
-- @int inputs length of x's last dim
-- @int hidden length of the state h
-- @tparam[opt] table options those of nn.RNN but `nonlinearity`
-- @treturn Module takes x and h0, and returns y and h
local GRU = Module:extend "GRU"

function GRU:init(inputs, hidden, options) init(self, "GRU", inputs, hidden, options, {}) end

function GRU:forward(x, h0)
  local y, h = forward(self, "GRU", x, h0)
  return y, h
end

for _, class in ipairs {RNN, LSTM, GRU} do class.extra = extra end

-- ---- cells ----

local function init_cell(self, kind, inputs, hidden, options, more)
  options = layer.options(kind .. "Cell", options, more)
  self.input_size = layer.count(kind .. "Cell", "input_size", inputs)
  self.hidden_size = layer.count(kind .. "Cell", "hidden_size", hidden)
  self.output_size, self.bias, self.fused = hidden, options.bias ~= false, options.fused ~= false
  add_parameters(self, kind, "", inputs, options)
end

--- Checks the arguments of a cell, reshapes them to [1, batch, inputs] and [batch, hidden], and computes one step.
local function forward_cell(self, kind, x, h, c)
  layer.input(self, "the input", x, like(self))
  local shape = x.shape
  if #shape > 2 or shape[#shape] ~= self.input_size then
    local n = self.input_size
    self:fail("the input must be [batch, %d] or [%d], its shape is %s", n, n, tostring(shape))
  end
  local single = #shape == 1
  if single then x = x:expand_dims(1) end
  local function of_batch(what, y)
    if y ~= nil then
      check_state(self, what, y, single and {self.hidden_size} or {x.shape[1], self.hidden_size}, x)
      return single and y:expand_dims(1) or y
    end
    return core.zeros({x.shape[1], self.hidden_size}, {dtype = like(self).dtype, device = x.device})
  end
  h, c = of_batch("h", h), kind == "LSTM" and of_batch("c", c) or nil
  local _
  _, h, c = run(self, kind, "", x:expand_dims(1), h, c, false)
  if single then return h:squeeze(1), c and c:squeeze(1) end
  return h, c
end

local function extra_cell(self) return ("%d, %d"):format(self.input_size, self.hidden_size) end

--- Makes a cell that computes one step of nn.RNN: `h = cell(x, h)` with x [batch, inputs] and h [batch, hidden]. For
-- a single row, both lack the batch dim. State: weight_ih, weight_hh, bias_ih, bias_hh.
-- @function nn.RNNCell
-- @int inputs length of x's last dim
-- @int hidden length of the state h
-- @tparam[opt] table options `bias` (true), `nonlinearity` ("tanh"), `fused`, `dtype`, `device`, `generator`
-- @treturn Module takes x and h, and returns the next h
local RNNCell = Module:extend "RNNCell"

function RNNCell:init(inputs, hidden, options)
  self.nonlinearity = check_nonlinearity("RNNCell", type(options) == "table" and options.nonlinearity or nil)
  init_cell(self, "RNN", inputs, hidden, options, {bias = "boolean", nonlinearity = true, fused = "boolean"})
end

function RNNCell:forward(x, h)
  h = forward_cell(self, "RNN", x, h)
  return h
end

--- Makes a cell that computes one step of nn.LSTM: `h, c = cell(x, h, c)`. Shapes are as in nn.RNNCell.
-- @function nn.LSTMCell
-- @int inputs length of x's last dim
-- @int hidden length of the states h and c
-- @tparam[opt] table options `bias` (true), `fused`, `dtype`, `device`, `generator`
-- @treturn Module takes x, h and c, and returns the next h and c
local LSTMCell = Module:extend "LSTMCell"

function LSTMCell:init(inputs, hidden, options)
  init_cell(self, "LSTM", inputs, hidden, options, {bias = "boolean", fused = "boolean"})
end

function LSTMCell:forward(x, h, c) return forward_cell(self, "LSTM", x, h, c) end

--- Makes a cell that computes one step of nn.GRU: `h = cell(x, h)`. Shapes are as in nn.RNNCell.
-- @function nn.GRUCell
-- @int inputs length of x's last dim
-- @int hidden length of the state h
-- @tparam[opt] table options `bias` (true), `fused`, `dtype`, `device`, `generator`
-- @treturn Module takes x and h, and returns the next h
local GRUCell = Module:extend "GRUCell"

function GRUCell:init(inputs, hidden, options)
  init_cell(self, "GRU", inputs, hidden, options, {bias = "boolean", fused = "boolean"})
end

function GRUCell:forward(x, h)
  h = forward_cell(self, "GRU", x, h)
  return h
end

for _, class in ipairs {RNNCell, LSTMCell, GRUCell} do class.extra = extra_cell end

return {RNN = RNN, LSTM = LSTM, GRU = GRU, RNNCell = RNNCell, LSTMCell = LSTMCell, GRUCell = GRUCell}
