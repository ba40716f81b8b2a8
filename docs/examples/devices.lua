--- accelerator
pcall(lt.accelerator) == (lt.cuda.is_available() or lt.rocm.is_available())  --> true

--- device
tostring(lt.device("cpu"))  --> cpu

--- devices
lt.devices()[1].kind  --> cpu

--- cuda.is_available
type(lt.cuda.is_available())  --> boolean

--- rocm.is_available
type(lt.rocm.is_available())  --> boolean

--- tpu.is_available
type(lt.tpu.is_available())  --> boolean

--- metal.is_available
type(lt.metal.is_available())  --> boolean

--- xpu.is_available
type(lt.xpu.is_available())  --> boolean

--- xla.is_available
type(lt.xla.is_available())  --> boolean

--- get_default_device
lt.get_default_device()  --> cpu

--- set_default_device
lt.set_default_device("cpu")
lt.ones(1).device  --> cpu

--- set_num_threads, get_num_threads
local n = lt.get_num_threads()
lt.set_num_threads(1)
lt.get_num_threads()  --> 1
lt.set_num_threads(n)

--- get_matmul_precision
lt.get_matmul_precision()  --> ieee

--- set_matmul_precision
lt.set_matmul_precision("ieee")

--- clock
local began = lt.clock()
lt.clock() >= began  --> true

--- synchronize
lt.synchronize()

--- memory
lt.memory("cpu").live >= 0  --> true

--- reset_peak_memory
lt.reset_peak_memory("cpu")
lt.memory("cpu").peak == lt.memory("cpu").live  --> true

--- set_memory_limit
lt.set_memory_limit(1 << 20)
pcall(lt.ones, 1 << 20)  --> false
lt.set_memory_limit(nil)

--- empty_cache
lt.empty_cache()

--- is_pinned
lt.ones(2):is_pinned()  --> false

--- stream, with_stream, stream:synchronize
local s = lt.stream("cpu")
local y = lt.with_stream(s, function() return lt.ones(2) + 1 end)
s:synchronize()
y  --> [2.0, 2.0]

--- event, event:record, event:query
local e = lt.event{device = "cpu"}
e:record()
e:query()  --> true

--- event:synchronize, event:elapsed
local a, b = lt.event{device = "cpu"}, lt.event{device = "cpu"}
a:record()
b:record()
b:synchronize()
a:elapsed(b) >= 0  --> true

--- stream:wait
local e = lt.event{device = "cpu"}
e:record()
lt.stream("cpu"):wait(e)

--- to_dlpack, from_dlpack
lt.from_dlpack(lt.tensor{1, 2}:to_dlpack())  --> [1, 2]

--- help
lt.help "conv2d"

--- config
type(lt.config())  --> string

--- info.capabilities
lt.info.capabilities()["max dimensions"]  --> 16

--- info.default_device
lt.info.default_device()  --> cpu

--- info.devices
lt.info.devices()[1]  --> cpu

--- info.dtypes
type(lt.info.dtypes())  --> table

--- info.default_dtypes
lt.info.default_dtypes()["real floating"]  --> float32


--- cuda.reopen
pcall(lt.cuda.reopen, "cuda:99")  --> false

--- rocm.reopen
pcall(lt.rocm.reopen, "rocm:99")  --> false

--- graph, graph:replay, graph:free
if lt.cuda.is_available() then
  local x = lt.ones(3, {device = "cuda"})
  local add = lt.graph(function() x:add_(1) end)
  add:replay()
  add:free()
end

--- kernel
if lt.cuda.is_available() then
  local twice = lt.kernel("__global__ void twice(float *x) { x[threadIdx.x] *= 2; }", "twice")
  twice({grid = 1, block = 4}, lt.ones(4, {device = "cuda"}))
end

--- pin_memory
if lt.cuda.is_available() then
  local x = lt.ones(4):pin_memory():to("cuda")
end
