-- Chains of operations as a user writes them, for the performance table: each is a function of its inputs.
-- peers/chains.py has the same chains.

local lt = require "luatensor"

local chains = {}

--- GELU by its approximation with tanh.
function chains.gelu(x) return 0.5 * x * (1 + lt.tanh(0.7978845608 * (x + 0.044715 * x ^ 3))) end

--- `chains.gelu` as a function of lt.elementwise, which reads and writes memory only once.
chains.gelu_kernel = lt.elementwise("float32 x", "0.5 * x * (1 + tanh(0.7978845608 * (x + 0.044715 * pow(x, 3))))")

-- The distribution function of the standard normal distribution.
local function normal(x) return 0.5 * (1 + lt.erf(x * 0.7071067811865476)) end

--- Returns the prices of a call and of a put by Black and Scholes. The inputs are the price of the stock, the strike
-- price and the years until the option ends.
function chains.black_scholes(price, strike, years)
  local rate, volatility = 0.05, 0.2
  local deviation = volatility * lt.sqrt(years)
  local a = (lt.log(price / strike) + (rate + 0.5 * volatility * volatility) * years) / deviation
  local b = a - deviation
  local discounted = strike * lt.exp(-rate * years)
  return price * normal(a) - discounted * normal(b), discounted * normal(-b) - price * normal(-a)
end

--- Returns the next state of a membrane on a torus from its present and its previous state.
function chains.wave(now, before)
  local neighbours = now:roll(1, 1) + now:roll(-1, 1) + now:roll(1, 2) + now:roll(-1, 2)
  return 2 * now - before + 0.1 * (neighbours - 4 * now)
end

--- RMS norm of the rows of x.
function chains.rms_norm(x, gain) return x * lt.rsqrt((x * x):mean(2, {keepdim = true}) + 1e-6) * gain end

--- Softmax of the rows of scores, as in attention with a bias.
function chains.biased_softmax(scores, bias) return lt.softmax(scores * 0.125 + bias, 2) end

return chains
