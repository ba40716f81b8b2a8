-- fault_host runs this script while allocations fail. The script loads the module.
local lt = require "luatensor"
lt.ones(3)
