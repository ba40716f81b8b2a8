--- The claims of the teaching notebook, in our words, with the notebook's figures. The field `claims` of
-- experiment.list has the numbers of the claims that an experiment tests.

local document = require "luatensor.page.document"

local notebook = {}

--- The title of the notebook from which the claims and figures are taken.
notebook.title = "Importância da GPU no treinamento de redes neurais"
notebook.where = "PyTorch on an Apple laptop and its GPU, device mps"

--- The claims in the notebook's order; a claim's number is its position in the list. `figures` are the seconds that
-- the notebook measured for `loop`. `elsewhere` is the answer to a claim that no experiment tests.
notebook.claims = {
  {claim = "A GPU can make the training of a neural network up to 10 times as fast."},
  {
    claim = "A network consists of many artificial neurons. Each neuron is a simple operation. Training adjusts the "
      .. "weights of the neurons.",
  },
  {
    claim = "GPUs were made for rendering. Since 2007/2008, CUDA makes GPUs usable for scientific computing. A GPU "
      .. "works beside a CPU and does the numerically intensive work.",
    elsewhere = "history: no experiment tests this claim",
  },
  {
    claim = "A CPU executes serially: it loads values, computes, and stores the result. Memory is slower than the "
      .. "arithmetic units and can limit the speed. A CPU has at most dozens of cores.",
  },
  {claim = "A GPU executes thousands of multiplications and additions at once, on thousands of cores."},
  {
    claim = "The CPU transfers data from its memory to the GPU's, gives the instructions, administers memory and "
      .. "coordinates the resources.",
  },
  {
    claim = "A GeForce RTX 4090 has 16 384 cores and 24 GB. A Ryzen Threadripper Pro 5995WX has 64 cores.",
    -- Ids of rows in luatensor.bench.public_figures. The notebook's text cites both processors, but the notebook was
    -- run on neither.
    cited = {"rtx-4090", "threadripper-5995wx"},
  },
  {claim = "A GPU is efficient with a large volume of data. Small or simple tasks cannot use all cores of a GPU."},
  {
    claim = "With little data, sending the data to the GPU and back can take longer than computing. Then the CPU alone "
      .. "is faster.",
  },
  {
    claim = "Use the GPU for large volumes of data that can be processed in parallel, and the CPU for small or less "
      .. "parallel tasks.",
  },
  {claim = "A script should check whether there is a GPU, and otherwise raise \"GPU not found\"."},
  {
    claim = "For 100 rounds of {two rand(7000, 3000), x @ y.T, sum}, the GPU takes less time than the CPU.",
    figures = {cpu = 53.21, gpu = 33.03}, loop = {iterations = 100, rows = 7000, cols = 3000},
  },
  {
    claim = "For 100 rounds of {two rand(70, 30), x @ y.T, sum}, the GPU takes 16 times as long as the CPU.",
    figures = {cpu = 0.00588, gpu = 0.0965}, loop = {iterations = 100, rows = 70, cols = 30},
  },
  {
    claim = "The libraries for GPUs are CUDA (NVIDIA), Metal (Apple) and ROCm (AMD).",
    elsewhere = "luatensor supports CUDA and a part of ROCm; Metal could be added",
  },
  {
    claim = "TPUs are matrix processors for neural networks. They compute very large matrix operations. Few libraries "
      .. "support TPUs.",
    elsewhere = "luatensor advise, from published figures",
  },
  {
    claim = "The choice depends on the model, the amount of data, the budget, the time and the task. A CPU suits small "
      .. "models, quick prototypes and first steps. A GPU suits medium to large networks. A TPU suits very large "
      .. "models, such as language models.",
    elsewhere = "luatensor advise",
  },
  {
    claim = "References: Princeton Research Computing, \"GPU Computing\"; Google Cloud, \"Introduction to Cloud TPU\".",
    elsewhere = "further reading",
  },
}

for number, row in ipairs(notebook.claims) do row.number = number end

-- True if a result is comparable with the notebook's loop: the same matrix sizes, float32 and a real device. The number
-- of rounds may differ.
local function compares(result, loop)
  local options = result.options
  return not result.emulated and options.rows == loop.rows and options.cols == loop.cols and options.dtype == "float32"
end

local function line(name, rounds, queued, elapsed)
  return {name, rounds, queued, elapsed or false, (elapsed or queued) / rounds}
end

--- Makes a table that compares the notebook's times for a claim with the times that experiments measured. The notebook
-- read its clock without waiting for the device, so the table shows the time before the synchronisation as well.
-- @int claim
-- @tab results results of the experiments, one for each device
-- @treturn[1] table block
-- @treturn[2] nil if no result is comparable, because of other sizes, another dtype or an emulated device
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
