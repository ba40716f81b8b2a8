---@meta luatensor.options
-- Made by `make annotations` from the sources' comments and the op table. Do not edit.

---@alias luatensor.dtype "bool"|"uint8"|"uint16"|"uint32"|"uint64"|"int8"|"int16"|"int32"|"int64"|"float16"|"bfloat16"|"float32"|"float64"|"complex64"|"complex128"

---@class (exact) luatensor.options.dtype_device_requires_grad
---@field dtype? luatensor.dtype of the result
---@field device? string where the result is
---@field requires_grad? boolean (default false) records what is computed from it, for gradients

---@class (exact) luatensor.asarray.options
---@field dtype? luatensor.dtype of the result
---@field device? string where the result is
---@field requires_grad? boolean (default false) records what is computed from it, for gradients
---@field copy? boolean true always copies, false raises an error if a copy is needed

---@class (exact) luatensor.from_bytes.options
---@field dtype? luatensor.dtype (default the default float) of the result
---@field device? string (default the default device) where the result is
---@field requires_grad? boolean (default false) records what is computed from it, for gradients

---@class (exact) luatensor.to.options
---@field dtype? luatensor.dtype of the result
---@field device? string where the result is
---@field copy? boolean (default false) x itself if nothing changes

---@class (exact) luatensor.astype.options
---@field copy? boolean (default true) false returns x itself if it has the dtype
---@field device? string where the result is

---@class (exact) luatensor.zeros_like.options
---@field dtype? luatensor.dtype (default x's) of the result
---@field device? string (default x's) where the result is
---@field requires_grad? boolean (default false) records what is computed from it, for gradients

---@class (exact) luatensor.linspace.options
---@field endpoint? boolean (default true) false excludes stop
---@field dtype? luatensor.dtype (default the default float) of the result
---@field device? string (default the default device) where the result is
---@field requires_grad? boolean (default false) records what is computed from it, for gradients

---@class (exact) luatensor.to_dlpack.options
---@field versioned? boolean (default true) false gives the older struct, DLManagedTensor

---@class (exact) luatensor.from_dlpack.options
---@field versioned? boolean (default true) false for light userdata to the older DLManagedTensor
---@field copy? boolean true always copies, false is an error if a copy is needed
---@field device? string the device of the result. An address is not checked, so a sandbox (docs/embedding.md) accepts only userdata

---@class (exact) luatensor.options.n_dim_out_norm
---@field n? integer number of elements to transform; by default the length of dim. A longer x is cut, a shorter one is padded with zeros
---@field dim? integer default -1
---@field out? luatensor.Tensor the tensor to write the result to
---@field norm? "backward"|"ortho"|"forward" "backward" (not scaled), "ortho" (divided by the root of n) or "forward" (divided by n)

---@class (exact) luatensor.fft.ifft.options
---@field n? integer number of elements to transform; by default the length of dim. A longer x is cut, a shorter one is padded with zeros
---@field dim? integer default -1
---@field out? luatensor.Tensor the tensor to write the result to
---@field norm? "backward"|"ortho"|"forward" "backward" (divided by n), "ortho" (divided by the root of n) or "forward" (not scaled)

---@class (exact) luatensor.fft.irfft.options
---@field n? integer length of the result; by default 2 (m - 1), where m is the length of x. A longer x than n // 2 + 1 is cut, a shorter one is padded with zeros
---@field dim? integer default -1
---@field out? luatensor.Tensor the tensor to write the result to
---@field norm? "backward"|"ortho"|"forward" "backward" (divided by n), "ortho" (divided by the root of n) or "forward" (not scaled)

---@class (exact) luatensor.fft.hfft.options
---@field n? integer length of the result; by default 2 (m - 1), where m is the length of x. A longer x than n // 2 + 1 is cut, a shorter one is padded with zeros
---@field dim? integer default -1
---@field out? luatensor.Tensor the tensor to write the result to
---@field norm? "backward"|"ortho"|"forward" "backward" (not scaled), "ortho" (divided by the root of n) or "forward" (divided by n)

---@class (exact) luatensor.options.s_dim_out_norm
---@field s? table the length along each dim, where -1 keeps the length
---@field dim? integer|table by default the last two
---@field out? luatensor.Tensor the tensor to write the result to
---@field norm? "backward"|"ortho"|"forward" "backward" (not scaled), "ortho" (divided by the root of the product of s) or "forward" (divided by the product)

---@class (exact) luatensor.fft.ifft2.options
---@field s? table the length along each dim, where -1 keeps the length
---@field dim? integer|table by default the last two
---@field out? luatensor.Tensor the tensor to write the result to
---@field norm? "backward"|"ortho"|"forward" "backward" (divided by the product of s), "ortho" (divided by the root of the product) or "forward" (not scaled)

---@class (exact) luatensor.fft.irfft2.options
---@field s? table the length of the result along each dim; -1 gives the length of x or, for m elements along the last dim of `dim`, 2 (m - 1)
---@field dim? integer|table by default the last two
---@field out? luatensor.Tensor the tensor to write the result to
---@field norm? "backward"|"ortho"|"forward" "backward" (divided by the product of s), "ortho" (divided by the root of the product) or "forward" (not scaled)

---@class (exact) luatensor.fft.fftn.options
---@field s? table the length along each dim, where -1 keeps the length; requires `dim`
---@field dim? integer|table by default all dims
---@field out? luatensor.Tensor the tensor to write the result to
---@field norm? "backward"|"ortho"|"forward" "backward" (not scaled), "ortho" (divided by the root of the product of s) or "forward" (divided by the product)

---@class (exact) luatensor.fft.ifftn.options
---@field s? table the length along each dim, where -1 keeps the length; requires `dim`
---@field dim? integer|table by default all dims
---@field out? luatensor.Tensor the tensor to write the result to
---@field norm? "backward"|"ortho"|"forward" "backward" (divided by the product of s), "ortho" (divided by the root of the product) or "forward" (not scaled)

---@class (exact) luatensor.fft.irfftn.options
---@field s? table the length of the result along each dim; -1 gives the length of x or, for m elements along the last dim of `dim`, 2 (m - 1); requires `dim`
---@field dim? integer|table by default all dims
---@field out? luatensor.Tensor the tensor to write the result to
---@field norm? "backward"|"ortho"|"forward" "backward" (divided by the product of s), "ortho" (divided by the root of the product) or "forward" (not scaled)

---@class (exact) luatensor.graph.options
---@field device? string (default the default device) or the first GPU instead of the CPU

---@class (exact) luatensor.linalg.cholesky.options
---@field upper? boolean reads the upper triangle and gives U with x = Uᴴ U

---@class (exact) luatensor.options.upper
---@field upper? boolean reads the upper triangle instead of the lower one

---@class (exact) luatensor.linalg.qr.options
---@field mode? "reduced"|"complete" (default "reduced") "reduced" (default; Q [..., m, k], R [..., k, n], k = min(m, n)) or "complete" (Q [..., m, m], R [..., m, n])

---@class (exact) luatensor.linalg.svd.options
---@field full_matrices? boolean (default true) U [..., m, m] and Vh [..., n, n]; else [..., m, k] and [..., k, n], k = min(m, n)

---@class (exact) luatensor.clip.options
---@field min? number|luatensor.Tensor|nil broadcast with x; nil: no limit below
---@field max? number|luatensor.Tensor|nil broadcast with x; nil: no limit above
---@field out? luatensor.Tensor the tensor to write to

---@class (exact) luatensor.options.out
---@field out? luatensor.Tensor the tensor to write to

---@class (exact) luatensor.isclose.options
---@field rtol? number|luatensor.Tensor relative tolerance; default 1e-5
---@field atol? number|luatensor.Tensor absolute tolerance; default 1e-8
---@field equal_nan? boolean (default false) NaN is close to NaN
---@field out? luatensor.Tensor the tensor to write the result to

---@class (exact) luatensor.mm.options
---@field out? luatensor.Tensor the tensor to write the result to

---@class (exact) luatensor.options.dim
---@field dim? integer as numbered in the tensor with more dims; a negative dim counts from the end of both tensors; default -1

---@class (exact) luatensor.addmm.options
---@field alpha? number (default 1)
---@field beta? number (default 1) if beta is 0, x is not read
---@field out? luatensor.Tensor the tensor to write the result to

---@class (exact) luatensor.generator.options
---@field seed? integer an integer; by default the system provides a seed

---@class (exact) luatensor.options.dtype_device_generator_requires_grad
---@field dtype? luatensor.dtype a float; by default the default float
---@field device? string where the result is
---@field generator? luatensor.generator of random numbers; the default generator unless given
---@field requires_grad? boolean (default false) records what is computed from it, for gradients

---@class (exact) luatensor.randint.options
---@field dtype? luatensor.dtype (default int64) of the result
---@field device? string where the result is
---@field generator? luatensor.generator of random numbers; the default generator unless given
---@field requires_grad? boolean (default false) of floats

---@class (exact) luatensor.uniform.options
---@field dtype? luatensor.dtype a float
---@field device? string where the result is
---@field generator? luatensor.generator of random numbers; the default generator unless given
---@field requires_grad? boolean (default false) records what is computed from it, for gradients

---@class (exact) luatensor.permutation.options
---@field device? string where the result is
---@field generator? luatensor.generator of random numbers; the default generator unless given

---@class (exact) luatensor.rand_like.options
---@field dtype? luatensor.dtype of the result
---@field device? string where the result is
---@field generator? luatensor.generator of random numbers; the default generator unless given
---@field requires_grad? boolean (default false) records what is computed from it, for gradients

---@class (exact) luatensor.options.generator
---@field generator? luatensor.generator of random numbers; the default generator unless given

---@class (exact) luatensor.cumulative_sum.options
---@field dim? integer required unless x has at most one dim
---@field include_initial? boolean true puts 0 before the first of the sums
---@field dtype? luatensor.dtype of the result
---@field out? luatensor.Tensor the tensor to write the result to

---@class (exact) luatensor.cumulative_prod.options
---@field dim? integer required unless x has at most one dim
---@field include_initial? boolean true puts 1 before the first of the products
---@field dtype? luatensor.dtype of the result
---@field out? luatensor.Tensor the tensor to write the result to

---@class (exact) luatensor.cumulative_max.options
---@field dim? integer required unless x has at most one dim
---@field include_initial? boolean true puts the least value of the dtype before the first maximum
---@field dtype? luatensor.dtype of the result
---@field out? luatensor.Tensor the tensor to write the result to

---@class (exact) luatensor.cumulative_min.options
---@field dim? integer required unless x has at most one dim
---@field include_initial? boolean true puts the greatest value of the dtype before the first minimum
---@field dtype? luatensor.dtype of the result
---@field out? luatensor.Tensor the tensor to write the result to

---@class (exact) luatensor.options.dim_dtype_out
---@field dim? integer default -1
---@field dtype? luatensor.dtype of the result
---@field out? luatensor.Tensor the tensor to write the result to

---@class (exact) luatensor.options.dim_descending_stable
---@field dim? integer default -1
---@field descending? boolean (default false)
---@field stable? boolean accepted; sorting is always stable

---@class (exact) luatensor.topk.options
---@field dim? integer default -1
---@field largest? boolean (default true) false: the k smallest, the smallest first
---@field sorted? boolean accepted; the results are always sorted

---@class (exact) luatensor.event.options
---@field device? string (default the default device) where the result is
---@field timing? boolean (default true)

---@class (exact) luatensor.take.options
---@field dim? integer required unless x is 1-d
---@field out? luatensor.Tensor the tensor to write the result to

---@class (exact) luatensor.take_along_axis.options
---@field dim? integer default -1
---@field out? luatensor.Tensor the tensor to write the result to

---@class (exact) luatensor.searchsorted.options
---@field side? "left"|"right" (default "left") "left" (default) is before equal elements, "right" after them
---@field right? boolean true is the same as `side = "right"`
---@field sorter? luatensor.Tensor positions that sort the first argument (a result of argsort)

---@class (exact) luatensor.concat.options
---@field dim? integer default 1
---@field out? luatensor.Tensor the tensor to write the result to

---@class (exact) luatensor.stack.options
---@field dim? integer the new dim of the result; default 1
---@field out? luatensor.Tensor the tensor to write the result to

---@class (exact) luatensor.reshape.options
---@field copy? boolean true always copies, false never copies (an error if a copy is needed)

---@class (exact) luatensor.expand_dims.options
---@field dim? integer|table the positions of the new dims in the result

---@class (exact) luatensor.squeeze.options
---@field dim? integer|table the dims to remove, by default all dims of length 1

---@class (exact) luatensor.flip.options
---@field dim? integer|table by default all dims

---@class (exact) luatensor.options.offset_dim1_dim2
---@field offset? integer the number of diagonals above the main diagonal, or below it if negative; default 0
---@field dim1? integer (default -2)
---@field dim2? integer (default -1)

---@class (exact) luatensor.advise.choices.options
---@field largest? integer (default 10000000) parameters of the largest network that is measured
---@field seconds? number as lt.advise has them
---@field devices? string[] as lt.advise has them
---@field patience? number as lt.advise has them
---@field latency? number (default 5e-5) seconds of a message between hosts
---@field bandwidth? number (default 1.25e9) bytes that a host sends in a second; both are for the prediction of how many hosts pay off

---@class (exact) luatensor.advise.options
---@field sizes? integer[] (default 64 to 1024) doubling
---@field inputs? function function(n) that returns every tensor that fn uses (two n × n matrices of random numbers)
---@field calls? integer how often fn is called with the same data, which are sent once (1: data are sent, and results fetched, in every call)
---@field devices? string[] (default all of this machine) names
---@field seconds? number (default 0.2) a measurement
---@field name? string of the work
---@field patience? number (default 60) seconds that a size may take on a device

---@class (exact) luatensor.advise.network.options
---@field parameters? string|integer (default 1000000) smaller networks are measured, too, for the trend
---@field batch? integer (default 64) samples a call
---@field calls? integer (default 1) with the same batch
---@field training? boolean (default false) a step of gradient descent instead of a forward pass
---@field layers? integer (default 4)
---@field dtype? luatensor.dtype (default "float32") of the result
---@field devices? string[] as lt.advise has them
---@field seconds? number as lt.advise has them
---@field patience? number as lt.advise has them

---@class (exact) luatensor.allclose.options
---@field rtol? number|luatensor.Tensor relative tolerance; default 1e-5
---@field atol? number|luatensor.Tensor absolute tolerance; default 1e-8
---@field equal_nan? boolean (default false)

---@class (exact) luatensor.options.d_dtype_device
---@field d? number distance between two samples; default 1
---@field dtype? luatensor.dtype a real float, the default float unless given
---@field device? string where the result is

---@class (exact) luatensor.fft.fftshift.options
---@field dim? integer|table also option `dim`; by default all dims

---@class (exact) luatensor.info.default_dtypes.options
---@field device? string where the result is

---@class (exact) luatensor.info.dtypes.options
---@field device? string where the result is
---@field kind? string|string[] a kind or a list of kinds, as in isdtype

---@class (exact) luatensor.options.dims
---@field dims? integer|integer[][] n: the last n dims of x, the first n of y; or {dims of x, dims of y}

---@class (exact) luatensor.linalg.trace.options
---@field offset? integer (default 0) the diagonal, above the main diagonal when positive
---@field dtype? luatensor.dtype as in sum

---@class (exact) luatensor.linalg.cross.options
---@field dim? integer|integer[] (default -1) the dim, or the dims

---@class (exact) luatensor.linalg.vector_norm.options
---@field ord? number math.huge: the largest |x|; -math.huge: the smallest |x|; 0: the number of elements other than 0; default 2
---@field dim? integer|integer[] a dim or a list of dims; by default all dims
---@field keepdim? boolean (default false) keeps the reduced dims, of length 1
---@field dtype? luatensor.dtype of the result

---@class (exact) luatensor.linalg.matrix_norm.options
---@field ord? number|"fro"|"nuc" "fro", "nuc", 2, -2, 1, -1, math.huge or -math.huge; default "fro"
---@field keepdim? boolean (default false) keeps the reduced dims, of length 1

---@class (exact) luatensor.linalg.matrix_rank.options
---@field rtol? number|luatensor.Tensor a number, or a tensor with a number for each matrix; default max(m, n) * eps

---@class (exact) luatensor.linalg.pinv.options
---@field rtol? number|luatensor.Tensor singular values up to rtol times the largest count as 0; a number, or a tensor with a number for each matrix; default max(m, n) * eps

---@class (exact) luatensor.linalg.lstsq.options
---@field rtol? number|luatensor.Tensor singular values up to rtol times the largest count as 0; default max(m, n) * eps

---@class (exact) luatensor.unstack.options
---@field dim? integer also option `dim`; default 1

---@class (exact) luatensor.repeat.options
---@field dim? integer if missing, x is flattened

---@class (exact) luatensor.roll.options
---@field dim? integer|table if missing, x is shifted as one row in row-major order

---@class (exact) luatensor.pad.options
---@field mode? "constant"|"reflect"|"replicate"|"circular" (default "constant") "constant" (default), "reflect" (the edge is not repeated), "replicate", "circular"
---@field value? number (default 0) for "constant"

---@class (exact) luatensor.options.k
---@field k? integer (default 0) the number of the diagonal, above the main diagonal when positive

---@class (exact) luatensor.eye.options
---@field k? integer (default 0) the number of the diagonal, above the main diagonal when positive
---@field dtype? luatensor.dtype of the result
---@field device? string where the result is

---@class (exact) luatensor.meshgrid.options
---@field indexing? "xy"|"ij" (default "xy") "xy" (default: the first two dims are swapped) or "ij"

---@class (exact) luatensor.options.dim_keepdim_dtype
---@field dim? integer|integer[] a dim or a list of dims; by default all dims
---@field keepdim? boolean (default false) keeps the reduced dims, of length 1
---@field dtype? luatensor.dtype of the result

---@class (exact) luatensor.nanvar.options
---@field dim? integer|integer[] a dim or a list of dims; by default all dims
---@field keepdim? boolean (default false) keeps the reduced dims, of length 1
---@field correction? number (default 0) the sum of squares is divided by the number of elements minus the correction

---@class (exact) luatensor.nanstd.options
---@field dim? integer|integer[] (default 0) as for lt.nanvar
---@field keepdim? boolean (default 0) as for lt.nanvar
---@field correction? number (default 0) as for lt.nanvar

---@class (exact) luatensor.options.dim_keepdim
---@field dim? integer|integer[] a dim or a list of dims; by default all dims
---@field keepdim? boolean (default false) keeps the reduced dims, of length 1

---@class (exact) luatensor.nanquantile.options
---@field dim? integer|integer[] a dim or a list of dims; by default all dims
---@field keepdim? boolean (default false) keeps the reduced dims, of length 1
---@field method? "linear"|"lower"|"higher"|"midpoint"|"nearest" (default "linear") "linear", "lower", "higher", "midpoint" or "nearest", as for lt.quantile

---@class (exact) luatensor.quantile.options
---@field dim? integer|integer[] a dim or a list of dims; by default all dims
---@field keepdim? boolean (default false) keeps the reduced dims, of length 1
---@field method? "linear"|"lower"|"higher"|"midpoint"|"nearest" (default "linear") the value at a position between two elements: "linear" (default), "lower", "higher", "midpoint", "nearest" (of two equally near elements, the one with the even position, counted from 0)

---@class (exact) luatensor.bincount.options
---@field weights? luatensor.Tensor a tensor with a weight for each element, added up instead of 1
---@field minlength? integer minimum length of the result

---@class (exact) luatensor.histogram.options
---@field range? number[] {lowest, highest} edge of bins of equal width, by default the smallest and largest element
---@field weights? luatensor.Tensor a tensor of x's shape, whose elements are added up instead of 1
---@field density? boolean (default false) divides the counts so that the sum of count times width is 1

---@class (exact) luatensor.set_printoptions.options
---@field precision? integer (default 4) the maximum number of digits after the point
---@field threshold? number (default 1000) tensors with more elements are shortened
---@field edgeitems? integer (default 3) elements that a shortened tensor shows at each end of a dim
---@field linewidth? integer (default 80) columns after which a row continues in the next line
---@field sci? boolean|"auto" (default "auto") true prints all floats with exponents, false prints no exponents, "auto" prints exponents where fixed notation would be long or hide digits

---@class (exact) luatensor.bernoulli.options
---@field dtype? luatensor.dtype (default the dtype of a float tensor p or else float32) of the result
---@field device? string where the result is
---@field generator? luatensor.generator of random numbers; the default generator unless given

---@class (exact) luatensor.multinomial.options
---@field replacement? boolean (default false) each position is drawn at most once from a row
---@field generator? luatensor.generator of random numbers; the default generator unless given

---@class (exact) luatensor.isin.options
---@field invert? boolean (default false) true if no element of x2 is equal
---@field assume_unique? boolean accepted, without effect

---@class (exact) luatensor.norm.options
---@field p? number math.huge: the largest |x|; -math.huge: the smallest |x|; 0: the number of elements other than 0; default 2
---@field dim? integer|integer[] a dim or a list of dims; by default all dims
---@field keepdim? boolean (default false) keeps the reduced dims, of length 1
---@field dtype? luatensor.dtype of the result
---@field out? luatensor.Tensor the tensor to write the result to

---@class (exact) luatensor.diff.options
---@field dim? integer default -1
---@field n? integer (default 1) 0 gives a copy of x
---@field prepend? luatensor.Tensor tensors that are first joined to the ends of x
---@field append? luatensor.Tensor tensors that are first joined to the ends of x

---@class (exact) luatensor.options.argnums_retain_graph
---@field argnums? integer|integer[] the number of an argument, or a list of numbers; all float and complex tensors unless given
---@field retain_graph? boolean (default false) keeps the graph that fn recorded, for a backward pass from tensors that fn stored outside of its results

---@class (exact) luatensor.autograd.grad.options
---@field grad_outputs? luatensor.Tensor|table the gradients of the outputs, a tensor or a list; missing gradients, and gradients that are false, are 1
---@field create_graph? boolean (default false) the gradients can be differentiated, too
---@field retain_graph? boolean (default create_graph) keeps the graph for another backward pass
---@field allow_unused? boolean (default false) returns nil for inputs on which the outputs do not depend, instead of an error

---@class (exact) luatensor.backward.options
---@field retain_graph? boolean (default create_graph) keeps the graph for another backward pass
---@field create_graph? boolean (default false) the gradients can be differentiated, too

---@class (exact) luatensor.bench.compare.options
---@field name? string (default the place of the function's definition) of the work
---@field seconds? number (default 0.5) to measure each entry
---@field rounds? integer (default 12) of each entry
---@field warmup? number (default 0.1) the minimum seconds of calls before the first round. At least one call is made, and calls are repeated until two successive times agree
---@field device? string (default the call waits for all devices in use) the device to wait for, which is also the default device while fn runs
---@field gc? "count"|"out" (default "count") "count" (default) lets collections happen, "out" stops the collector within a round. Garbage is always collected before a round
---@field threads? integer
---@field seed? integer (default 0) of the default generator, whose state is restored afterwards
---@field clock? function (default lt.clock) a function that returns seconds
---@field check? boolean (default true) false: results are not compared
---@field same? function a function that takes the first result of the base and that of another entry, and returns true if they agree

---@class (exact) luatensor.bench.crossover.options
---@field inputs? function function(n) that returns every tensor that fn uses, also in tables (two n × n matrices of random numbers)
---@field devices? string[] (default all of this machine) names
---@field seconds? number (default 0.2) of a measurement
---@field name? string of the measured work
---@field transfers? boolean (default true)
---@field refine? integer the number of additional sizes inside the interval (2; 0 if fn takes only the given sizes)
---@field patience? number (default 60) the seconds that a size may take on a device

---@class (exact) luatensor.bench.machine.options
---@field fresh? boolean true measures again
---@field seconds? number (default 0.25) for each figure, and limits that were measured in fewer seconds are not kept
---@field devices? string[] (default all of this machine) names

---@class (exact) luatensor.bench.split.options
---@field name? string (default the place of the function's definition) of the work
---@field seconds? number (default 0.5) to measure
---@field rounds? integer (default 5) the minimum number of rounds. A round makes as many calls as fit into its share of the seconds. If calls take many seconds, two rounds suffice
---@field warmup? number (default 0.1) the minimum seconds of calls before the first round. At least one call is made, and calls are repeated until two successive times agree
---@field device? string (default the call waits for all devices in use) the device to wait for, which is also the default device while fn runs
---@field gc? "count"|"out" (default "count") "count" (default) lets collections happen, "out" stops the collector within a round. Garbage is always collected before a round
---@field threads? integer
---@field seed? integer (default 0) of the default generator, whose state is restored afterwards
---@field clock? function of normal runs (the parts are always measured with lt.clock)
---@field limits? function|boolean (default shares of the limits that bench.machine measured before, if any) a function that takes a row and its device's name, and returns the share of a limit and the limit's name; false: no shares

---@class (exact) luatensor.bench.time.options
---@field name? string (default the place of the function's definition) of the work
---@field seconds? number (default 0.5) to measure
---@field rounds? integer (default 5) the minimum number of rounds. A round makes as many calls as fit into its share of the seconds. If calls take many seconds, two rounds suffice
---@field warmup? number (default 0.1) the minimum seconds of calls before the first round. At least one call is made, and calls are repeated until two successive times agree
---@field device? string (default the call waits for all devices in use) the device to wait for, which is also the default device while fn runs
---@field gc? "count"|"out" (default "count") "count" (default) lets collections happen, "out" stops the collector within a round. Garbage is always collected before a round
---@field threads? integer
---@field seed? integer (default 0) of the default generator, whose state is restored afterwards
---@field clock? function (default lt.clock) a function that returns seconds

---@class (exact) luatensor.compile.options
---@field replay? boolean (default false) after two calls with the same operations, the work is captured and repeated
---@field device? string (default the device of the first tensor among the arguments, or else the default device) where the captured work runs
---@field check? boolean (default false) each replayed call also calls f, and raises an error that names the first line at which f does other work than the replay, for example because an upvalue has changed

---@class (exact) luatensor.data.read_csv.options
---@field header? boolean (default true unless the first row has only numbers) or names are given: if true, the first row names the columns
---@field names? string[] a list of the columns' names
---@field columns? (string|integer)[] a list of names or numbers, negative from the end, in the wanted order
---@field types? table<string,string> the type of all columns, or types by name: "integer", "float", "boolean", "category", "text" (a list of strings), "date" (ISO 8601, in days since 1970-01-01) or "time" (the same in seconds, in UTC)
---@field na_values? string|string[] a list of texts that mean a missing value
---@field keep_default_na? boolean (default true) also the empty text, NA, N/A, NaN, NULL and None mean a missing value
---@field delimiter? string (default ",")
---@field decimal? string (default ".") the decimal point, "." or ","
---@field quote? boolean (default true) double quotes enclose fields
---@field comment? string the first character of lines to skip
---@field skip? integer (default 0) the number of lines before the header or the first row

---@class (exact) luatensor.data.write_csv.options
---@field names? string[] the names of a tensor's columns, for a header; or the names of the table's columns to write, in their order
---@field delimiter? string (default ",")
---@field decimal? string (default ".") the decimal point, "." or ","
---@field na_rep? string (default "") the text of missing values and NaN, without the delimiter and quotes

---@class (exact) luatensor.data.digits.options
---@field dtype? luatensor.dtype (default the default float) of x, a float
---@field device? string where the result is
---@field image? boolean (default false) if true, x is [1797, 1, 8, 8], the shape that convolutions take

---@class (exact) luatensor.data.read_idx.options
---@field dtype? luatensor.dtype (default the dtype of the file) of the result
---@field device? string where the result is

---@class (exact) luatensor.data.mnist.options
---@field dtype? luatensor.dtype (default the default float) of x, a float
---@field device? string where the result is
---@field image? boolean (default false) if true, x is [n, 1, 28, 28], the shape that convolutions take

---@class (exact) luatensor.data.ImageFolder.options
---@field transform? function a function that takes an image, uint8 or uint16 [channels, height, width], and returns the value to use in its place
---@field mode? "rgb"|"gray"|"gray_alpha"|"rgba" (default "rgb") "gray", "gray_alpha", "rgb" or "rgba"
---@field extensions? string[] (default png, jpg, jpeg, pgm, ppm, pbm, pnm, pam) the list of the endings of image files

---@class (exact) luatensor.data.Loader.options
---@field batch_size? integer (default 1)
---@field shuffle? boolean (default false) draws a new order for each epoch
---@field generator? luatensor.generator (default the default generator) for these orders
---@field drop_last? boolean (default false) leaves out a last batch that is smaller
---@field sampler? luatensor.DistributedSampler|table chooses the samples and their order, such as data.DistributedSampler
---@field device? string the tensors of batches are moved to this device
---@field map? function a function that takes a batch on that device and returns the values to use in place of the batch
---@field workers? integer the number of processes that fetch batches while the script works
---@field interpreter? string (default the program that runs the script) the Lua program that they run

---@class (exact) luatensor.data.DistributedSampler.options
---@field group? luatensor.Group the processes (default: all processes, from distributed.init())
---@field shuffle? boolean (default true) a new order for each epoch
---@field seed? integer (default 0) the same in all processes
---@field drop_last? boolean (default false) leaves out the samples that remain when all processes have the same number; otherwise the first samples of the epoch are repeated

---@class (exact) luatensor.data.split.options
---@field generator? luatensor.generator of random numbers; the default generator unless given
---@field stratify? luatensor.Tensor|boolean labels, a tensor [n] (true: the data set's last tensor, or the classes of an ImageFolder). Then each part gets its share of the samples of every label, rounded up or down

---@class (exact) luatensor.data.transforms.random_crop.options
---@field padding? integer|integer[]|string (default 0) the number of zeros that are first put around the image
---@field generator? luatensor.generator of random numbers; the default generator unless given

---@class (exact) luatensor.data.transforms.resize.options
---@field mode? string (default "bilinear")
---@field antialias? boolean (default true for bilinear and bicubic)

---@class (exact) luatensor.data.transforms.random_flip.options
---@field p? number (default 0.5) the probability
---@field generator? luatensor.generator of random numbers; the default generator unless given

---@class (exact) luatensor.data.transforms.to_float.options
---@field dtype? luatensor.dtype (default the default float) of the result

---@class (exact) luatensor.kernel.options
---@field device? string (default the default device if it is a GPU) else the accelerator
---@field parameters? string|integer the list of parameters as text, if the source has types that this function cannot read

---@class (exact) luatensor.distributed.init.options
---@field backend? "any"|"mpi"|"nccl" (default "any") the engine. "mpi": Open MPI or MPICH. "nccl": NVIDIA's NCCL or AMD's RCCL. "any": MPI, with NCCL for tensors of GPUs, if MPI started the processes; NCCL if the variables RANK and WORLD_SIZE are set; otherwise a group of one process
---@field check? boolean (default true if LUATENSOR_DISTRIBUTED_CHECK is 1) the checking mode, in which the processes first compare the function, dtype and shape of each call, and raise an error if these differ

---@class (exact) luatensor.options.group_out
---@field group? luatensor.Group (default all processes)
---@field out? luatensor.Tensor tensor for the result, which may be x

---@class (exact) luatensor.distributed.all_gather.options
---@field group? luatensor.Group (default all processes)
---@field out? luatensor.Tensor tensor for the result

---@class (exact) luatensor.distributed.broadcast.options
---@field group? luatensor.Group (default all processes)
---@field root? number (default 0) rank of the process whose x is returned
---@field out? luatensor.Tensor tensor for the result, which may be x

---@class (exact) luatensor.options.group
---@field group? luatensor.Group (default all processes)

---@class (exact) luatensor.save.options
---@field metadata? table<string,string> strings by name for other programs to read (.safetensors)
---@field group? luatensor.Group a group of processes, which all call lt.save: rank 0 writes its values, and the others wait until the file is there
---@field compress? boolean (default false) deflates the tensors (.npz)
---@field quality? integer (default 75) from 1 to 100 (.jpg)

---@class (exact) luatensor.load.options
---@field device? string (default the default device) where the result is
---@field metadata? boolean (default false) also return the file's metadata
---@field mode? "gray"|"gray_alpha"|"rgb"|"rgba" converts an image to "gray", "gray_alpha", "rgb" or "rgba"

---@class (exact) luatensor.options.negative_slope
---@field negative_slope? number (default 0.01)

---@class (exact) luatensor.nn.Hardtanh.options
---@field min_val? number (default -1)
---@field max_val? number (default 1)

---@class (exact) luatensor.options.alpha
---@field alpha? number (default 1)

---@class (exact) luatensor.options.beta_threshold
---@field beta? number (default 1)
---@field threshold? number (default 20) the result is x if beta x is greater than this number

---@class (exact) luatensor.nn.Softmax.options
---@field dim? integer|table also option `dim`; default -1

---@class (exact) luatensor.nn.GELU.options
---@field approximate? "none"|"tanh" (default "none") or "tanh"

---@class (exact) luatensor.nn.PReLU.options
---@field num_parameters? integer (default 1) one weight for all channels; else one for each channel, dim 2
---@field init? number (default 0.25)
---@field dtype? luatensor.dtype of the weights
---@field device? string where the weights are

---@class (exact) luatensor.nn.MultiheadAttention.options
---@field dropout? number (default 0) probability that a weight becomes 0 in training
---@field bias? boolean (default true) has it a bias?
---@field kdim? integer (default embed_dim) widths of keys and values
---@field vdim? integer (default embed_dim) widths of keys and values
---@field batch_first? boolean (default false) the first dim is the batch
---@field dtype? luatensor.dtype of the weights
---@field device? string where the weights are
---@field generator? luatensor.generator of random numbers; the default generator unless given

---@class (exact) luatensor.nn.autocast.options
---@field dtype? luatensor.dtype (default "bfloat16") of the result
---@field device? "cuda"|"cpu" (default all) "cuda" or "cpu" limits the effect to tensors on such devices
---@field enabled? boolean (default true) false switches mixed precision off in fn

---@class (exact) luatensor.nn.Flatten.options
---@field start_dim? integer (default 2)
---@field end_dim? integer (default -1)

---@class (exact) luatensor.options.stride_padding_dilation_groups_bias_dtype_device_generator
---@field stride? integer|integer[] (default 1) distance of the windows
---@field padding? integer|integer[]|string (default 0) a number, "same" or "valid"
---@field dilation? integer|integer[] (default 1) distance of a window's elements
---@field groups? integer (default 1) groups of channels that are computed apart
---@field bias? boolean (default true) has it a bias?
---@field dtype? luatensor.dtype of the weights
---@field device? string where the weights are
---@field generator? luatensor.generator of random numbers; the default generator unless given

---@class (exact) luatensor.options.stride_padding_output_padding_dilation_groups_bias_dtype_device_generator
---@field stride? integer|integer[] (default 1) distance of the windows
---@field padding? integer|integer[]|string (default 0) zeros on each side
---@field output_padding? integer|integer[] (default 0) less than the stride
---@field dilation? integer|integer[] (default 1) distance of a window's elements
---@field groups? integer (default 1) groups of channels that are computed apart
---@field bias? boolean (default true) has it a bias?
---@field dtype? luatensor.dtype of the weights
---@field device? string where the weights are
---@field generator? luatensor.generator of random numbers; the default generator unless given

---@class (exact) luatensor.nn.Dropout.options
---@field p? number probability that an element becomes 0; default 0.5
---@field generator? luatensor.generator of random numbers; the default generator unless given

---@class (exact) luatensor.options.p_generator
---@field p? number probability that a channel becomes 0; default 0.5
---@field generator? luatensor.generator of random numbers; the default generator unless given

---@class (exact) luatensor.nn.AlphaDropout.options
---@field p? number probability that an element is dropped; default 0.5
---@field generator? luatensor.generator of random numbers; the default generator unless given

---@class (exact) luatensor.nn.Embedding.options
---@field padding_idx? integer a row of zeros that gets no gradient
---@field dtype? luatensor.dtype of the weights
---@field device? string where the weights are
---@field generator? luatensor.generator of random numbers; the default generator unless given

---@class (exact) luatensor.nn.Embedding.from_pretrained.options
---@field freeze? boolean (default true) the weight is not trained
---@field padding_idx? integer a row that gets no gradient

---@class (exact) luatensor.nn.functional.hardtanh.options
---@field min_val? number (default -1)
---@field max_val? number (default 1) at least `min_val`

---@class (exact) luatensor.nn.functional.gelu.options
---@field approximate? "none"|"tanh" (default "none") "tanh" approximates erf by tanh(√(2/π) (x + 0.044715 x³))

---@class (exact) luatensor.nn.functional.softmax.options
---@field dim? integer the dim of the sum; default -1
---@field dtype? luatensor.dtype (default x's) of the computation and the result

---@class (exact) luatensor.options.dim_dtype
---@field dim? integer the dim of the sum; default -1
---@field dtype? luatensor.dtype (default x's) of the result

---@class (exact) luatensor.nn.functional.glu.options
---@field dim? integer also option `dim`; default -1

---@class (exact) luatensor.nn.functional.scaled_dot_product_attention.options
---@field attn_mask? luatensor.Tensor broadcasts to [..., queries, keys]; a bool mask is true if a key is seen; a float mask is added to the scores
---@field is_causal? boolean (default false) query i sees keys 1 … i
---@field dropout_p? number (default 0) the probability that a weight becomes 0, even in evaluation
---@field scale? number (default 1 / √width)
---@field generator? luatensor.generator of random numbers; the default generator unless given

---@class (exact) luatensor.nn.functional.conv1d.options
---@field stride? integer|integer[] (default 1) distance of the windows
---@field padding? integer|integer[]|string (default 0) a number, "same" or "valid"
---@field dilation? integer|integer[] (default 1) distance of a window's elements
---@field groups? integer (default 1) groups of channels that are computed apart
---@field out? luatensor.Tensor the tensor to write the result to

---@class (exact) luatensor.nn.functional.conv2d.options
---@field stride? integer|integer[] (default 1) distance of the windows
---@field padding? integer|integer[]|string (default 0) numbers, "same" or "valid"
---@field dilation? integer|integer[] (default 1) distance of a window's elements
---@field groups? integer (default 1) groups of channels that are computed apart
---@field out? luatensor.Tensor the tensor to write the result to

---@class (exact) luatensor.options.stride_padding_output_padding_dilation_groups_out
---@field stride? integer|integer[] (default 1) distance of the windows
---@field padding? integer|integer[]|string (default 0) zeros on each side
---@field output_padding? integer|integer[] (default 0) zeros more at the end of the result
---@field dilation? integer|integer[] (default 1) distance of a window's elements
---@field groups? integer (default 1) groups of channels that are computed apart
---@field out? luatensor.Tensor the tensor to write the result to

---@class (exact) luatensor.nn.functional.nll_loss.options
---@field weight? luatensor.Tensor a factor for each class, [C]
---@field ignore_index? integer (default -100) rows of this class are ignored
---@field reduction? "mean"|"sum"|"none" (default "mean") "mean", "sum", "none"

---@class (exact) luatensor.nn.functional.cross_entropy.options
---@field weight? luatensor.Tensor a factor for each class, [C]; for classes, the mean is then the sum divided by the sum of the rows' weights
---@field ignore_index? integer (default -100) rows of this class are ignored
---@field label_smoothing? number (default 0) the share of the target that is spread over all classes (Szegedy et al.)
---@field reduction? "mean"|"sum"|"none" (default "mean") "mean", "sum", "none"

---@class (exact) luatensor.options.p_training_generator
---@field p? number (default 0.5) probability of a zero
---@field training? boolean (default true) else x itself is returned
---@field generator? luatensor.generator of random numbers; the default generator unless given

---@class (exact) luatensor.nn.functional.embedding.options
---@field padding_idx? integer the number of a row that gets no gradient

---@class (exact) luatensor.options.size_scale_factor_mode_align_corners_antialias
---@field size? integer|integer[] the lengths of the result, a number or a list;
---@field scale_factor? number|number[] their ratio to the lengths of x, a number or a list
---@field mode? string (default "nearest")
---@field align_corners? boolean (default false) the first and the last elements of x and of the result have the same positions
---@field antialias? boolean (default false) a smaller image is a mean of all pixels of x (bilinear and bicubic)

---@class (exact) luatensor.options.reduction
---@field reduction? "mean"|"sum"|"none" (default "mean") "mean", "sum", "none"

---@class (exact) luatensor.options.beta_reduction
---@field beta? number (default 1)
---@field reduction? "mean"|"sum"|"none" (default "mean") of the losses of all elements

---@class (exact) luatensor.options.delta_reduction
---@field delta? number (default 1)
---@field reduction? "mean"|"sum"|"none" (default "mean") of the losses of all elements

---@class (exact) luatensor.nn.functional.binary_cross_entropy.options
---@field weight? luatensor.Tensor the factors of the elements' losses, a tensor that broadcasts
---@field reduction? "mean"|"sum"|"none" (default "mean") of the losses of all elements

---@class (exact) luatensor.nn.functional.binary_cross_entropy_with_logits.options
---@field weight? luatensor.Tensor of each element
---@field pos_weight? luatensor.Tensor a factor of y: tensors that broadcast
---@field reduction? "mean"|"sum"|"none" (default "mean") of the losses of all elements

---@class (exact) luatensor.nn.functional.kl_div.options
---@field log_target? boolean (default false) y are log-probabilities, too
---@field reduction? "mean"|"batchmean"|"sum"|"none" (default "mean") "batchmean", the sum divided by the length of dim 1, is the divergence itself

---@class (exact) luatensor.nn.functional.layer_norm.options
---@field weight? luatensor.Tensor of that shape
---@field bias? luatensor.Tensor of that shape
---@field eps? number (default 1e-5) keeps denominators away from 0

---@class (exact) luatensor.nn.functional.rms_norm.options
---@field weight? luatensor.Tensor of that shape
---@field eps? number (default the eps of x's dtype) keeps denominators away from 0

---@class (exact) luatensor.options.weight_bias_eps
---@field weight? luatensor.Tensor [C]
---@field bias? luatensor.Tensor [C]
---@field eps? number (default 1e-5) keeps denominators away from 0

---@class (exact) luatensor.nn.functional.batch_norm.options
---@field weight? luatensor.Tensor [C]
---@field bias? luatensor.Tensor [C]
---@field training? boolean (default false)
---@field momentum? number (default 0.1)
---@field eps? number (default 1e-5) keeps denominators away from 0

---@class (exact) luatensor.nn.functional.normalize.options
---@field p? number (default 2) probability of a zero
---@field dim? integer|integer[] (default 2) the dim, or the dims
---@field eps? number (default 1e-12) keeps denominators away from 0

---@class (exact) luatensor.options.alpha_beta_k
---@field alpha? number (default 1e-4)
---@field beta? number (default 0.75)
---@field k? integer (default 1)

---@class (exact) luatensor.options.stride_padding_dilation_ceil_mode_return_indices
---@field stride? integer|integer[] (default kernel_size) distance of the windows
---@field padding? integer|integer[]|string (default 0) at most half of the kernel; padding is never the maximum
---@field dilation? integer|integer[] (default 1) distance of a window's elements
---@field ceil_mode? boolean (default false) true: windows may extend beyond the padding
---@field return_indices? boolean (default false) returns positions, too

---@class (exact) luatensor.options.stride_padding_ceil_mode_count_include_pad_divisor_override
---@field stride? integer|integer[] (default kernel_size) distance of the windows
---@field padding? integer|integer[]|string (default 0) zeros on each side
---@field ceil_mode? boolean (default false) the last window may reach beyond the input
---@field count_include_pad? boolean (default true) the padding's zeros count
---@field divisor_override? integer divides the sums in place of the window's size

---@class (exact) luatensor.options.return_indices
---@field return_indices? boolean (default false) returns positions, too

---@class (exact) luatensor.nn.init.dirac_.options
---@field groups? integer (default 1) the outputs of each group copy the first input channels

---@class (exact) luatensor.options.a_mode_nonlinearity_generator
---@field a? number (default 0) the slope of leaky_relu
---@field mode? "fan_in"|"fan_out" (default "fan_in") "fan_out"
---@field nonlinearity? string (default "leaky_relu")
---@field generator? luatensor.generator of random numbers; the default generator unless given

---@class (exact) luatensor.options.gain_generator
---@field gain? number (default 1)
---@field generator? luatensor.generator of random numbers; the default generator unless given

---@class (exact) luatensor.nn.init.trunc_normal_.options
---@field a? number (default -2)
---@field b? number (default 2) the limits
---@field generator? luatensor.generator of random numbers; the default generator unless given

---@class (exact) luatensor.nn.init.sparse_.options
---@field std? number (default 0.01)
---@field generator? luatensor.generator of random numbers; the default generator unless given

---@class (exact) luatensor.nn.Linear.options
---@field bias? boolean (default true) has it a bias?
---@field dtype? luatensor.dtype of the weights
---@field device? string where the weights are
---@field generator? luatensor.generator of random numbers; the default generator unless given

---@class (exact) luatensor.nn.BCELoss.options
---@field weight? luatensor.Tensor of each class or element
---@field reduction? "mean"|"sum"|"none" (default "mean") of the losses of all elements

---@class (exact) luatensor.nn.BCEWithLogitsLoss.options
---@field weight? luatensor.Tensor of each class or element
---@field pos_weight? luatensor.Tensor
---@field reduction? "mean"|"sum"|"none" (default "mean") of the losses of all elements

---@class (exact) luatensor.nn.KLDivLoss.options
---@field log_target? boolean (default false)
---@field reduction? "mean"|"batchmean"|"sum"|"none" (default "mean") of the losses of all elements

---@class (exact) luatensor.nn.NLLLoss.options
---@field weight? luatensor.Tensor of each class or element
---@field ignore_index? integer (default -100)
---@field reduction? "mean"|"sum"|"none" (default "mean") of the losses of all elements

---@class (exact) luatensor.nn.CrossEntropyLoss.options
---@field weight? luatensor.Tensor of each class or element
---@field ignore_index? integer (default -100)
---@field label_smoothing? number (default 0)
---@field reduction? "mean"|"sum"|"none" (default "mean") of the losses of all elements

---@class (exact) luatensor.nn.metrics.accuracy.options
---@field top_k? integer (default 1) a prediction is right if the class is among the top_k highest scores

---@class (exact) luatensor.nn.metrics.confusion_matrix.options
---@field classes? integer (default the number of scores, or the highest class) the number of classes

---@class (exact) luatensor.options.average_classes
---@field average? "binary"|"macro"|"micro"|"weighted"|"none" (default "binary") the measure of true, of 1, or of class 2 of 2 classes; "macro": the mean over all classes that occur; "micro": over all samples; "weighted": the mean weighted by the numbers of targets; "none": a list by class
---@field classes? integer the number of classes

---@class (exact) luatensor.options.average
---@field average? "binary"|"macro"|"micro"|"weighted"|"none" (default "binary")

---@class (exact) luatensor.Module.register_buffer.options
---@field persistent? boolean (default true) x is saved with the state

---@class (exact) luatensor.Module.load_state_dict.options
---@field strict? boolean (default true) the module and the state must have the same names

---@class (exact) luatensor.nn.LayerNorm.options
---@field eps? number (default 1e-5) keeps denominators away from 0
---@field elementwise_affine? boolean (default true) the layer has weight and bias
---@field bias? boolean (default true) has it a bias?
---@field dtype? luatensor.dtype of the weights
---@field device? string where the weights are

---@class (exact) luatensor.nn.RMSNorm.options
---@field eps? number (default the eps of the input's dtype) keeps denominators away from 0
---@field elementwise_affine? boolean (default true)
---@field dtype? luatensor.dtype of the weights
---@field device? string where the weights are

---@class (exact) luatensor.nn.GroupNorm.options
---@field eps? number (default 1e-5) keeps denominators away from 0
---@field affine? boolean (default true) has it weight and bias?
---@field dtype? luatensor.dtype of the weights
---@field device? string where the weights are

---@class (exact) luatensor.options.eps_momentum_affine_track_running_stats_dtype_device
---@field eps? number (default 1e-5) keeps denominators away from 0
---@field momentum? number|boolean (default 0.1) false: running statistics are means over all batches; the number of batches is read each time, which waits for a GPU
---@field affine? boolean (default true) has it weight and bias?
---@field track_running_stats? boolean (default true) false: always uses the batch's own statistics
---@field dtype? luatensor.dtype of the weights
---@field device? string where the weights are

---@class (exact) luatensor.options.eps_affine_dtype_device
---@field eps? number (default 1e-5) keeps denominators away from 0
---@field affine? boolean (default false) has it weight and bias?
---@field dtype? luatensor.dtype of the weights
---@field device? string where the weights are

---@class (exact) luatensor.nn.parallel.DataParallel.options
---@field group? luatensor.Group the processes (default: all processes, from distributed.init())
---@field bucket_bytes? integer (default 25 MiB) the gradients of so many bytes are summed together

---@class (exact) luatensor.nn.MaxPool1d.options
---@field stride? integer|integer[] (default kernel_size) distance of the windows
---@field padding? integer|integer[]|string (default 0) zeros on each side
---@field dilation? integer|integer[] (default 1) distance of a window's elements
---@field ceil_mode? boolean (default false) the last window may reach beyond the input
---@field return_indices? boolean (default false) returns positions, too

---@class (exact) luatensor.nn.AvgPool1d.options
---@field stride? integer|integer[] (default kernel_size) distance of the windows
---@field padding? integer|integer[]|string (default 0) zeros on each side
---@field ceil_mode? boolean (default false) the last window may reach beyond the input
---@field count_include_pad? boolean (default true)
---@field divisor_override? integer

---@class (exact) luatensor.nn.RNN.options
---@field num_layers? integer (default 1)
---@field nonlinearity? "tanh"|"relu" (default "tanh") or "relu"
---@field bias? boolean (default true) has it a bias?
---@field batch_first? boolean (default false) x and y are [batch, times, …]
---@field dropout? number (default 0) of the results of all layers except the last, in training
---@field bidirectional? boolean (default false)
---@field fused? boolean (default true) all steps are one op; false runs step by step, which gradients of gradients need
---@field dtype? luatensor.dtype of the weights
---@field device? string where the weights are
---@field generator? luatensor.generator of random numbers; the default generator unless given

---@class (exact) luatensor.nn.LSTM.options
---@field num_layers? integer (default 1)
---@field bias? boolean (default true) has it a bias?
---@field batch_first? boolean (default false) x and y are [batch, times, …]
---@field dropout? number (default 0) of the results of all layers except the last, in training
---@field bidirectional? boolean (default false)
---@field fused? boolean (default true) all steps are one op; false runs step by step, which gradients of gradients need
---@field dtype? luatensor.dtype of the weights
---@field device? string where the weights are
---@field generator? luatensor.generator of random numbers; the default generator unless given
---@field proj_size? integer (default 0) h is projected to that length, by weight_hr_l1 …

---@class (exact) luatensor.nn.GRU.options
---@field num_layers? integer (default 1)
---@field bias? boolean (default true) has it a bias?
---@field batch_first? boolean (default false) x and y are [batch, times, …]
---@field dropout? number (default 0) of the results of all layers except the last, in training
---@field bidirectional? boolean (default false)
---@field fused? boolean (default true) all steps are one op; false runs step by step, which gradients of gradients need
---@field dtype? luatensor.dtype of the weights
---@field device? string where the weights are
---@field generator? luatensor.generator of random numbers; the default generator unless given

---@class (exact) luatensor.nn.RNNCell.options
---@field bias? boolean (default true) has it a bias?
---@field nonlinearity? string (default "tanh")
---@field fused? boolean
---@field dtype? luatensor.dtype of the weights
---@field device? string where the weights are
---@field generator? luatensor.generator of random numbers; the default generator unless given

---@class (exact) luatensor.options.bias_fused_dtype_device_generator
---@field bias? boolean (default true) has it a bias?
---@field fused? boolean
---@field dtype? luatensor.dtype of the weights
---@field device? string where the weights are
---@field generator? luatensor.generator of random numbers; the default generator unless given

---@class (exact) luatensor.options.dim_feedforward_dropout_activation_layer_norm_eps_batch_first_norm_first_bias_dtype_device_generator
---@field dim_feedforward? integer (default 2048)
---@field dropout? number (default 0.1)
---@field activation? string|function (default "relu") "gelu"; a function
---@field layer_norm_eps? number (default 1e-5)
---@field batch_first? boolean (default false) x is [times, batch, width]
---@field norm_first? boolean (default false)
---@field bias? boolean (default true) has it a bias?
---@field dtype? luatensor.dtype of the weights
---@field device? string where the weights are
---@field generator? luatensor.generator of random numbers; the default generator unless given

---@class (exact) luatensor.options.norm
---@field norm? luatensor.Module a module that is applied to the last layer's result

---@class (exact) luatensor.nn.utils.clip_grad_norm_.options
---@field norm_type? number (default 2) math.huge takes the largest magnitude
---@field error_if_nonfinite? boolean (default false)

---@class (exact) luatensor.optim.Adam.options
---@field lr? number (default 0.001) learning rate
---@field betas? number[] (default {0.9, 0.999})
---@field eps? number (default 1e-8) keeps denominators away from 0
---@field weight_decay? number (default 0) share of the weights in their gradient
---@field amsgrad? boolean (default false)
---@field maximize? boolean (default false) ascends instead of descending

---@class (exact) luatensor.optim.AdamW.options
---@field lr? number (default 0.001) learning rate
---@field betas? number[] (default {0.9, 0.999})
---@field eps? number (default 1e-8) keeps denominators away from 0
---@field weight_decay? number (default 0.01) share of the weights in their gradient
---@field amsgrad? boolean (default false)
---@field maximize? boolean (default false) ascends instead of descending

---@class (exact) luatensor.optim.Adamax.options
---@field lr? number (default 0.002) learning rate
---@field betas? number[] (default {0.9, 0.999})
---@field eps? number (default 1e-8) keeps denominators away from 0
---@field weight_decay? number (default 0) share of the weights in their gradient
---@field maximize? boolean (default false) goes up instead of down

---@class (exact) luatensor.optim.NAdam.options
---@field lr? number (default 0.002) learning rate
---@field betas? number[] (default {0.9, 0.999})
---@field eps? number (default 1e-8) keeps denominators away from 0
---@field weight_decay? number (default 0) share of the weights in their gradient
---@field momentum_decay? number (default 0.004)
---@field decoupled_weight_decay? boolean (default false) as in AdamW
---@field maximize? boolean (default false) goes up instead of down

---@class (exact) luatensor.optim.RAdam.options
---@field lr? number (default 0.001) learning rate
---@field betas? number[] (default {0.9, 0.999})
---@field eps? number (default 1e-8) keeps denominators away from 0
---@field weight_decay? number (default 0) share of the weights in their gradient
---@field decoupled_weight_decay? boolean (default false) as in AdamW
---@field maximize? boolean (default false) goes up instead of down

---@class (exact) luatensor.optim.RMSprop.options
---@field lr? number (default 0.01) learning rate
---@field alpha? number (default 0.99)
---@field eps? number (default 1e-8) keeps denominators away from 0
---@field weight_decay? number (default 0) share of the weights in their gradient
---@field momentum? number (default 0)
---@field centered? boolean (default false)
---@field maximize? boolean (default false) goes up instead of down

---@class (exact) luatensor.optim.Adagrad.options
---@field lr? number (default 0.01) learning rate
---@field lr_decay? number (default 0)
---@field weight_decay? number (default 0) share of the weights in their gradient
---@field initial_accumulator_value? number (default 0)
---@field eps? number (default 1e-10) keeps denominators away from 0
---@field maximize? boolean (default false) goes up instead of down

---@class (exact) luatensor.optim.Adadelta.options
---@field lr? number (default 1) learning rate
---@field rho? number (default 0.9)
---@field eps? number (default 1e-6) keeps denominators away from 0
---@field weight_decay? number (default 0) share of the weights in their gradient
---@field maximize? boolean (default false) goes up instead of down

---@class (exact) luatensor.optim.GradScaler.options
---@field init_scale? number (default 65536)
---@field backoff_factor? number (default 0.5) the factor of the scale after a skipped step
---@field growth_factor? number (default 2) the factor of the scale after `growth_interval` steps
---@field growth_interval? integer (default 2000) the number of consecutive steps without a skipped step
---@field enabled? boolean (default true)

---@class (exact) luatensor.optim.LBFGS.options
---@field lr? number (default 1) learning rate
---@field max_iter? integer (default 20) iterations per step
---@field max_eval? integer (default max_iter · 5/4) calls of the closure per step
---@field tolerance_grad? number (default 1e-7)
---@field tolerance_change? number (default 1e-9)
---@field history_size? integer (default 100)
---@field line_search_fn? string "strong_wolfe", or nil for steps of length lr
---@field maximize? boolean (default false) goes up instead of down

---@class (exact) luatensor.optim.scheduler.CosineAnnealingLR.options
---@field eta_min? number (default 0)

---@class (exact) luatensor.optim.scheduler.CosineAnnealingWarmRestarts.options
---@field T_mult? integer (default 1)
---@field eta_min? number (default 0)

---@class (exact) luatensor.optim.scheduler.OneCycleLR.options
---@field total_steps? integer
---@field epochs? integer
---@field steps_per_epoch? integer
---@field pct_start? number (default 0.3)
---@field anneal_strategy? "cos"|"linear" (default "cos") or "linear"
---@field cycle_momentum? boolean (default true)
---@field base_momentum? number (default 0.85)
---@field max_momentum? number (default 0.95)
---@field div_factor? number (default 25)
---@field final_div_factor? number (default 1e4)
---@field three_phase? boolean (default false)

---@class (exact) luatensor.optim.scheduler.CyclicLR.options
---@field step_size_up? integer (default 2000)
---@field step_size_down? integer (default step_size_up)
---@field mode? string (default "triangular")
---@field gamma? number (default 1)
---@field cycle_momentum? boolean (default true)
---@field base_momentum? number (default 0.8)
---@field max_momentum? number (default 0.9)

---@class (exact) luatensor.options.gamma
---@field gamma? number (default 0.1)

---@class (exact) luatensor.optim.scheduler.ConstantLR.options
---@field factor? number (default 1/3)
---@field total_iters? integer (default 5)

---@class (exact) luatensor.optim.scheduler.LinearLR.options
---@field start_factor? number (default 1/3)
---@field end_factor? number (default 1)
---@field total_iters? integer (default 5)

---@class (exact) luatensor.optim.scheduler.PolynomialLR.options
---@field total_iters? integer (default 5)
---@field power? number (default 1)

---@class (exact) luatensor.optim.scheduler.ReduceLROnPlateau.options
---@field mode? string (default "min")
---@field factor? number (default 0.1)
---@field patience? number (default 10)
---@field threshold? number (default 1e-4)
---@field threshold_mode? string (default "rel")
---@field cooldown? integer (default 0) the number of steps after a change that are not counted
---@field min_lr? number|number[] (default 0)
---@field eps? number (default 1e-8) smaller changes are not made

---@class (exact) luatensor.optim.SGD.options
---@field lr? number (default 0.001) learning rate
---@field momentum? number (default 0)
---@field dampening? number (default 0)
---@field weight_decay? number (default 0) share of the weights in their gradient
---@field nesterov? boolean (default false)
---@field maximize? boolean (default false) ascends instead of descending

---@class (exact) luatensor.optim.Sharded.options
---@field group? luatensor.Group the processes (default: all processes, from distributed.init())

---@class (exact) luatensor.plot.bar.options
---@field names? string[] of the bars, if the heights are a table of series
---@field horizontal? boolean draws the bars from left to right. By default the bars are horizontal if their names are too long for columns
---@field title? string
---@field xlabel? string
---@field ylabel? string
---@field yscale? "linear"|"log" (default "linear") or "log"
---@field ylim? number[] {low, high}
---@field label? string name of the only series
---@field labels? string[] names of the series
---@field legend? boolean false for none
---@field color? string "#rrggbb"
---@field width? integer (default 720) of the picture in pixels
---@field height? integer (default 420) of the picture with columns
---@field theme? "auto"|"light"|"dark" (default "auto") or "light" or "dark"

---@class (exact) luatensor.plot.hist.options
---@field bins? integer|number[]|luatensor.Tensor their number, or the list of their edges. By default the number is the square root of the number of values, but at least 10 and at most 50
---@field range? number[] {low, high} of the bins
---@field density? boolean (default false) divides by the number of values and by the width of the bin
---@field title? string
---@field xlabel? string
---@field ylabel? string
---@field xscale? "linear"|"log" (default "linear") or "log"
---@field yscale? "linear"|"log" (default "linear") or "log"
---@field xlim? number[] {low, high}
---@field ylim? number[] {low, high}
---@field label? string name of the only series
---@field labels? string[] names of the series
---@field legend? boolean false for none
---@field color? string "#rrggbb"
---@field width? integer (default 720) in pixels
---@field height? integer (default 420)
---@field theme? "auto"|"light"|"dark" (default "auto") or "light" or "dark"

---@class (exact) luatensor.plot.image.options
---@field colormap? "gray"|"viridis"|"magma"|"cividis"|"coolwarm" (default "gray") or "viridis", "magma", "cividis" or "coolwarm" for an image of one channel
---@field vmin? number the number of the first colour
---@field vmax? number the number of the last colour
---@field colorbar? boolean (default false) draws the colours with their numbers
---@field title? string
---@field xlabel? string
---@field ylabel? string
---@field width? integer (default 480) in pixels
---@field height? integer (default 480)
---@field theme? "auto"|"light"|"dark" (default "auto") or "light" or "dark"

---@class (exact) luatensor.plot.heatmap.options
---@field row_labels? string[] names of the rows
---@field column_labels? string[] names of the columns
---@field annotate? boolean|string true writes the numbers into the cells, and a string such as "%.2f" is their format
---@field colormap? "viridis"|"magma"|"cividis"|"coolwarm"|"gray" (default "viridis") or "magma", "cividis", "coolwarm" or "gray"
---@field vmin? number the number of the first colour
---@field vmax? number the number of the last colour
---@field colorbar? boolean (default true) draws the colours with their numbers
---@field title? string
---@field xlabel? string
---@field ylabel? string
---@field width? integer (default 560) in pixels
---@field height? integer (default 440)
---@field theme? "auto"|"light"|"dark" (default "auto") or "light" or "dark"

---@class (exact) luatensor.Figure.text.options
---@field width? integer (default 80) of the picture in characters
---@field height? integer (default 14) of a panel's grid in lines
---@field unicode? boolean (default true) draws with braille and block characters. Without them the picture is ASCII
---@field colors? "none"|"256"|"24bit" (default "none") "256" or "24bit" adds the escape sequences of terminals for colours

---@class (exact) luatensor.Figure.png.options
---@field scale? number (default 1) pixels of the PNG for a pixel of the figure, up to 10

---@class (exact) luatensor.Figure.save.options
---@field scale? number (default 2) pixels of a .png for a pixel of the figure, up to 10
---@field width? integer (default 80) of a .txt in characters
---@field height? integer (default 14) of a panel's grid in lines
---@field unicode? boolean (default true) draws a .txt with braille and block characters
---@field colors? "none"|"256"|"24bit" (default "none") "256" or "24bit" adds the escape sequences of terminals to a .txt

---@class (exact) luatensor.plot.subplots.options
---@field columns? integer (default 2) figures in a row, for a list of figures
---@field title? string above all figures
---@field width? integer (default 480 for each column) of the picture in pixels
---@field height? integer (default 320 for each row)
---@field theme? "auto"|"light"|"dark" (default "auto") or "light" or "dark"

---@class (exact) luatensor.plot.line.options
---@field title? string
---@field xlabel? string
---@field ylabel? string
---@field xscale? "linear"|"log" (default "linear") or "log"
---@field yscale? "linear"|"log" (default "linear") or "log"
---@field xlim? number[] {low, high}
---@field ylim? number[] {low, high}
---@field label? string name of the only series
---@field labels? string[] names of the series
---@field legend? boolean false for none, true for a legend of one series, too
---@field color? string "#rrggbb"
---@field style? "solid"|"dashed"|"dotted" (default "solid") or "dashed" or "dotted"
---@field marks? boolean a mark at each point. By default lines of at most 30 points have marks
---@field width? integer (default 720) of the picture in pixels
---@field height? integer (default 420)
---@field theme? "auto"|"light"|"dark" (default "auto") "light" or "dark", or "auto", which follows the viewer

---@class (exact) luatensor.plot.scatter.options
---@field title? string
---@field xlabel? string
---@field ylabel? string
---@field xscale? "linear"|"log" (default "linear") or "log"
---@field yscale? "linear"|"log" (default "linear") or "log"
---@field xlim? number[] {low, high}
---@field ylim? number[] {low, high}
---@field label? string name of the only series
---@field labels? string[] names of the series
---@field legend? boolean false for none, true for a legend of one series, too
---@field color? string "#rrggbb"
---@field width? integer (default 720) of the picture in pixels
---@field height? integer (default 420)
---@field theme? "auto"|"light"|"dark" (default "auto") or "light" or "dark"

---@class (exact) luatensor.Log.plot.options
---@field columns? (string|integer)[] (default all but the first) the names to draw
---@field title? string
---@field xlabel? string
---@field ylabel? string
---@field xscale? "linear"|"log" (default "linear") or "log"
---@field yscale? "linear"|"log" (default "linear") or "log"
---@field xlim? number[] {low, high}
---@field ylim? number[] {low, high}
---@field label? string name of the only series
---@field labels? string|integer names of the series
---@field legend? boolean false for none, true for a legend of one series, too
---@field color? string "#rrggbb"
---@field style? "solid"|"dashed"|"dotted" (default "solid") or "dashed" or "dotted"
---@field marks? boolean a mark at each point. By default lines of at most 30 points have marks
---@field width? integer (default 720) of the picture in pixels
---@field height? integer (default 420)
---@field theme? "auto"|"light"|"dark" (default "auto") "light" or "dark", or "auto", which follows the viewer

---@class (exact) luatensor.train.progress.options
---@field title? string (default "") the beginning of the line
---@field total? integer the number of steps of an iterator
---@field every? number (default 30) seconds between two lines in a file

---@class (exact) luatensor.train.EarlyStopping.options
---@field patience? number (default 10) the number of calls in sequence without improvement after which training ends
---@field min_delta? number (default 0) a smaller difference is no improvement
---@field mode? "min"|"max" (default "min") "max" if greater values are better
---@field model? luatensor.Module the module whose best weights are kept
---@field path? string (default they are kept in memory) the file for these weights, which lt.save replaces completely or not at all
---@field overwrite? boolean (default false) true replaces a file of an earlier run, which otherwise is an error of the first improvement. A run that continues with load_state_dict replaces its file in any case

---@class (exact) luatensor.options.dim_keepdim_out
---@field dim? integer|integer[] all dims unless given
---@field keepdim? boolean (default false) keeps the reduced dims, of length 1
---@field out? luatensor.Tensor the tensor to write the result to

---@class (exact) luatensor.argmax.options
---@field dim? integer unless given, the position is that in the flattened x
---@field keepdim? boolean (default false) keeps the reduced dims, of length 1
---@field out? luatensor.Tensor the tensor to write the result to

---@class (exact) luatensor.options.dim_keepdim_out_dtype
---@field dim? integer|integer[] all dims unless given
---@field keepdim? boolean (default false) keeps the reduced dims, of length 1
---@field out? luatensor.Tensor the tensor to write the result to
---@field dtype? luatensor.dtype of the result, in which it is added up

---@class (exact) luatensor.prod.options
---@field dim? integer|integer[] all dims unless given
---@field keepdim? boolean (default false) keeps the reduced dims, of length 1
---@field out? luatensor.Tensor the tensor to write the result to
---@field dtype? luatensor.dtype of the result, in which it is multiplied

---@class (exact) luatensor.options.dim_keepdim_out_correction
---@field dim? integer|integer[] all dims unless given
---@field keepdim? boolean (default false) keeps the reduced dims, of length 1
---@field out? luatensor.Tensor the tensor to write the result to
---@field correction? number (default 0) what is divided by is the number of elements less this; 1 as in PyTorch

