--- The claims of the teaching notebook, in our words, with its figures. Each experiment names the claims that it tests
-- (`claims` of experiment.list).

local document = require "luatensor.page.document"

local notebook = {}

--- The source of the figures.
notebook.title = "Importância da GPU no treinamento de redes neurais"
notebook.where = "PyTorch on an Apple laptop and its GPU, device mps"

--- The claims in the notebook's order, each with its number. figures: the notebook's measurements, in seconds for
-- `loop`; elsewhere: a page that answers a claim that no experiment tests.
notebook.claims = {
  {claim = "A GPU can make the training of a neural network up to 10 times as fast."},
  {claim = "A network is many artificial neurons, each a simple operation; training adjusts their weights."},
  {
    claim = "GPUs were made for rendering; since 2007/2008 CUDA opens them to scientific computing. They work beside a "
      .. "CPU, for numerically intensive work.",
    elsewhere = "a fact, nothing to measure",
  },
  {
    claim = "A CPU executes serially: load values, compute, store. Memory is slow compared with computing and can "
      .. "limit it. It has dozens of cores at most.",
  },
  {claim = "A GPU executes thousands of multiplications and additions at once, on thousands of cores."},
  {
    claim = "The CPU transfers data from its memory to the GPU's, gives the instructions, administers memory and "
      .. "coordinates the resources.",
  },
  {
    claim = "Cited: 16 384 cores of a GeForce RTX 4090 with 24 GB, 64 of a Ryzen Threadripper Pro 5995WX.",
    -- Rows of luatensor.public_figures. The notebook used neither of the two.
    cited = {"rtx-4090", "threadripper-5995wx"},
  },
  {claim = "A GPU is efficient with a large volume of data: small or simple tasks cannot use all of its cores."},
  {claim = "With little data, sending it to the GPU and back can outweigh computing: the CPU alone is faster."},
  {claim = "So large volumes that can be processed in parallel → GPU; small and less parallel tasks → CPU."},
  {claim = "Check that there is a GPU, else raise \"GPU not found\"."},
  {
    claim = "100 × {two rand(7000, 3000), x @ y.T, sum}: the GPU takes less time than the CPU.",
    figures = {cpu = 53.21, gpu = 33.03}, loop = {iterations = 100, rows = 7000, cols = 3000},
  },
  {
    claim = "100 × {two rand(70, 30), x @ y.T, sum}: the GPU takes 16 times as long as the CPU.",
    figures = {cpu = 0.00588, gpu = 0.0965}, loop = {iterations = 100, rows = 70, cols = 30},
  },
  {
    claim = "Libraries for GPUs: CUDA (NVIDIA), Metal (Apple), ROCm (AMD).",
    elsewhere = "CUDA; the others behind the same device boundary",
  },
  {
    claim = "TPUs are matrix processors for neural networks: massive matrix operations; few libraries reach them.",
    elsewhere = "luatensor advise, by published figures",
  },
  {
    claim = "The choice depends on the model, the amount of data, the budget, the time and the task. CPU: small "
      .. "models, quick prototypes, beginnings. GPU: medium to large networks. TPU: large scale, language models.",
    elsewhere = "luatensor advise",
  },
  {
    claim = "References: Princeton Research Computing, \"GPU Computing\"; Google Cloud, \"Introduction to Cloud TPU\".",
    elsewhere = "to read",
  },
}

for number, row in ipairs(notebook.claims) do row.number = number end

-- True if an experiment measured the notebook's loop on a real device. The number of rounds may differ.
local function compares(result, loop)
  local options = result.options
  return not result.emulated and options.rows == loop.rows and options.cols == loop.cols and options.dtype == "float32"
end

local function line(name, rounds, queued, elapsed)
  return {name, rounds, queued, elapsed or false, (elapsed or queued) / rounds}
end

--- The notebook's figures for a claim beside those of experiments. The notebook read its clock without waiting for the
-- device.
-- @int claim
-- @tab results results of the experiments, one for each device
-- @treturn[1] table block
-- @treturn[2] nil if nothing compares: other sizes or dtypes, or an emulated device
function notebook.beside(claim, results)
  local figures, loop = notebook.claims[claim].figures, notebook.claims[claim].loop
  local rows = {
    line("notebook's laptop, CPU", loop.iterations, figures.cpu),
    line("notebook's laptop, GPU", loop.iterations, figures.gpu),
  }
  for _, result in ipairs(results) do
    local values = result.values
    if compares(result, loop) then
      rows[#rows + 1] = line("here, " .. result.device, result.options.iterations, values.queue_seconds.value,
        values.seconds.value)
    end
  end
  if #rows == 2 then return nil end
  return document.table{
    title = ("%d × %d: the notebook's figures (%s) beside this machine's"):format(loop.rows, loop.cols, notebook.where),
    columns = {
      {name = "", unit = "text"}, {name = "rounds", unit = "count"}, {name = "clock read at once", unit = "s"},
      {name = "after a synchronisation", unit = "s"}, {name = "a round", unit = "s"},
    },
    rows = rows,
  }
end

return notebook
