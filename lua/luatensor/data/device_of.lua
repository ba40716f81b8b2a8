--- The device on which a data set takes the numbers of samples.

local core = require "luatensor.core"

--- Returns the data set's device, or the CPU if it has no field `device`.
return function(ds) return ds.device or core.host_device end
