-- The setup of fault_train.lua for fault_host. check() fails if the results of a network do not match its weights
-- after an allocation failed during training.
local lt = require "luatensor"
local nn = require "luatensor.nn"

lt.manual_seed(1)
net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU(), nn.Flatten(), nn.Dropout(0.2), nn.Linear(8, 3))
images, labels = lt.rand(6, 1, 4, 4), lt.tensor{1, 2, 3, 1, 2, 3}

function check()
  assert(lt.is_grad_enabled(), "nothing is recorded")
  local layer = net[#net]
  local row = lt.ones(1, 8)
  local expected = row:matmul(layer.weight.T) + layer.bias
  assert((layer(row) - expected):abs():max():item() < 1e-5, "the network computes something else")
  for _, p in ipairs(net:parameters()) do assert(p.requires_grad and p:isfinite():all():item(), "a parameter is damaged") end
  lt.empty_cache()
end
