--- reshape
lt.arange(6):reshape(2, 3)         --> [[0, 1, 2], [3, 4, 5]]
lt.arange(6):reshape(3, -1).shape  --> [3, 2]

--- flatten
lt.ones(2, 3):flatten().shape  --> [6]

--- squeeze
lt.ones(1, 3, 1):squeeze().shape  --> [3]

--- expand_dims
lt.tensor{1, 2}:expand_dims(1).shape  --> [1, 2]

--- broadcast_to
lt.tensor{1, 2}:broadcast_to(2, 2)  --> [[1, 2], [1, 2]]

--- permute_dims
lt.ones(2, 3, 4):permute_dims(3, 1, 2).shape  --> [4, 2, 3]

--- swapaxes
lt.ones(2, 3, 4):swapaxes(1, 3).shape  --> [4, 3, 2]

--- moveaxis
lt.ones(2, 3, 4):moveaxis(1, 3).shape  --> [3, 4, 2]

--- concat
lt.concat{lt.tensor{1, 2}, lt.tensor{3}}  --> [1, 2, 3]

--- stack
lt.stack{lt.tensor{1, 2}, lt.tensor{3, 4}}  --> [[1, 2], [3, 4]]

--- split
local a, b = table.unpack(lt.arange(5):split(3))
b  --> [3, 4]

--- flip
lt.tensor{1, 2, 3}:flip()  --> [3, 2, 1]

--- roll
lt.tensor{1, 2, 3}:roll(1)  --> [3, 1, 2]

--- repeat
lt["repeat"](lt.tensor{1, 2}, 2)  --> [1, 1, 2, 2]

--- tile
lt.tensor{1, 2}:tile(2)  --> [1, 2, 1, 2]

--- pad
lt.tensor{1, 2}:pad{1, 1}  --> [0, 1, 2, 0]

--- take
lt.tensor{10, 20, 30}:take(lt.tensor{3, 1})  --> [30, 10]

--- gather
lt.tensor{{1, 2}, {3, 4}}:gather(2, lt.tensor{{2}, {1}})  --> [[2], [3]]

--- argwhere
lt.tensor{0, 5, 7}:argwhere()  --> [[2], [3]]

--- diagonal
lt.tensor{{1, 2}, {3, 4}}:diagonal()  --> [1, 4]

--- broadcast_arrays
local a, b = lt.broadcast_arrays(lt.ones(3, 1), lt.ones(4))
a.shape  --> [3, 4]

--- broadcast_shapes
table.concat(lt.broadcast_shapes({3, 1}, {4}), " ")  --> 3 4

--- chunk
lt.chunk(lt.arange(4), 2)[2]  --> [2, 3]

--- contiguous
lt.zeros(2, 3).T:contiguous():is_contiguous()  --> true

--- is_contiguous
lt.zeros(2, 3).T:is_contiguous()  --> false

--- diag
lt.diag(lt.tensor{1, 2})          --> [[1, 0], [0, 2]]
lt.tensor{{1, 2}, {3, 4}}:diag()  --> [1, 4]

--- masked_select
lt.tensor{1, 2, 3}:masked_select(lt.tensor{true, false, true})  --> [1, 3]

--- masked_scatter
lt.zeros(3):masked_scatter(lt.tensor{true, false, true}, lt.tensor{5.0, 6.0})  --> [5.0, 0.0, 6.0]

--- matrix_transpose
lt.tensor{{1, 2}, {3, 4}}:matrix_transpose()  --> [[1, 3], [2, 4]]

--- narrow
lt.arange(10):narrow(1, 3, 4)  --> [2, 3, 4, 5]

--- index_add
lt.zeros(3):index_add(1, lt.tensor{1, 3, 1}, lt.tensor{1.0, 2.0, 3.0})  --> [4.0, 0.0, 2.0]

--- scatter
lt.zeros(3):scatter(1, lt.tensor{3, 1}, lt.tensor{7.0, 8.0})  --> [8.0, 0.0, 7.0]

--- scatter_add
lt.zeros(2):scatter_add(1, lt.tensor{1, 2, 1}, lt.ones(3))  --> [2.0, 1.0]

--- take_along_axis
local x = lt.tensor{30, 10, 20}
x:take_along_axis(x:argsort())  --> [10, 20, 30]

--- rows
local sums = {}
for i, row in lt.rows(lt.tensor{{1, 2}, {3, 4}}) do sums[i] = row:sum():item() end
sums[2]  --> 7

--- unflatten
lt.arange(6):unflatten(1, {2, 3}).shape  --> [2, 3]

--- unstack
lt.unstack(lt.tensor{{1, 2}, {3, 4}})[2]  --> [3, 4]

--- asarray
lt.asarray{1, 2, 3}  --> [1, 2, 3]

--- copy_
lt.zeros(2):copy_(lt.tensor{1, 2})  --> [1.0, 2.0]

--- fill_
lt.zeros(2):fill_(5)  --> [5.0, 5.0]

--- zero_
lt.ones(2):zero_()  --> [0.0, 0.0]

--- uniform_
lt.zeros(100):uniform_(2, 3):min():item() >= 2  --> true

--- normal_
lt.zeros(2, 3):normal_(0, 1).shape  --> [2, 3]

--- random_
lt.zeros(100):random_(1, 6):max():item() <= 6  --> true

--- bernoulli_
lt.zeros(100):bernoulli_(1.0):sum()  --> 100.0

--- shuffle_
lt.arange(5):shuffle_():sort()  --> [0, 1, 2, 3, 4]

--- detach_
lt.ones(1, {requires_grad = true}):multiply(2):detach_().requires_grad  --> false

--- requires_grad_
lt.ones(1):requires_grad_().requires_grad  --> true

--- retain_grad
local x = lt.ones(1, {requires_grad = true})
local y = x * 2
y:retain_grad()
y:square():sum():backward()
y.grad  --> [4.0]

--- free
local x = lt.ones(1000)
x:free()
pcall(lt.sum, x)  --> false

--- is_tensor
lt.is_tensor(lt.ones(1))  --> true
lt.is_tensor(1)           --> false

--- to_bytes
#lt.ones(3):to_bytes()  --> 12

--- data_ptr
type(lt.ones(3):data_ptr())  --> number

--- empty_like
lt.empty_like(lt.ones(2, 3)).shape  --> [2, 3]

--- rand_like
lt.rand_like(lt.ones(2, 3)).shape  --> [2, 3]

--- randn_like
lt.randn_like(lt.ones(2, 3)).shape  --> [2, 3]

--- uniform
lt.uniform(2, 3, {100}):max():item() < 3  --> true

--- normal
lt.normal(0, 1, {2, 3}).shape  --> [2, 3]

--- bernoulli
lt.bernoulli(lt.tensor{0.0, 1.0})  --> [0.0, 1.0]

--- multinomial
lt.multinomial(lt.tensor{0.0, 1.0}, 1)  --> [2]

--- shuffle
lt.shuffle(lt.arange(5)):sort()  --> [0, 1, 2, 3, 4]

--- generator
local g = lt.generator{seed = 7}
lt.rand(2, {generator = g}).shape  --> [2]

--- generator:seed
lt.generator{seed = 7}:seed()  --> 7

--- generator:manual_seed
lt.generator():manual_seed(3):seed()  --> 3

--- generator:state, generator:set_state
local g = lt.generator{seed = 1}
local state = g:state()
local first = lt.rand(2, {generator = g})
g:set_state(state)
lt.rand(2, {generator = g}):equal(first):all()  --> true

--- default_generator
lt.manual_seed(5)
lt.default_generator():seed()  --> 5

--- result_type
lt.result_type(lt.ones(1), lt.ones(1, {dtype = "float64"}))  --> float64

--- can_cast
lt.can_cast("int32", "float64")  --> true

--- isdtype
lt.isdtype("float32", "real floating")  --> true

--- finfo
lt.finfo("float32").eps  --> 1.1920928955078e-07

--- iinfo
lt.iinfo("int8").max  --> 127

--- get_default_dtype
lt.get_default_dtype()  --> float32

--- set_default_dtype
lt.set_default_dtype("float64")
lt.zeros(1).dtype  --> float64
lt.set_default_dtype("float32")

--- ops
lt.ops().add.kind  --> binary

--- set_printoptions
lt.set_printoptions{precision = 2}
lt.tensor{1 / 3}  --> [0.33]
lt.set_printoptions{precision = 4}
