--- tensor
lt.tensor{{1, 2}, {3, 4}}                     --> [[1, 2], [3, 4]]
lt.tensor({1, 2}, {dtype = "float64"}).dtype  --> float64

--- zeros
lt.zeros(2, 3)  --> [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]

--- ones
lt.ones({2}, {dtype = "int64"})  --> [1, 1]

--- full
lt.full({2, 2}, 7)  --> [[7, 7], [7, 7]]

--- eye
lt.eye(2)  --> [[1.0, 0.0], [0.0, 1.0]]

--- arange
lt.arange(5)           --> [0, 1, 2, 3, 4]
lt.arange(1, 2, 0.25)  --> [1.00, 1.25, 1.50, 1.75]

--- range
lt.range(1, 3)  --> [1, 2, 3]

--- linspace
lt.linspace(0, 1, 5)  --> [0.00, 0.25, 0.50, 0.75, 1.00]

--- empty
lt.empty(2, 3).shape  --> [2, 3]

--- zeros_like
lt.zeros_like(lt.tensor{1, 2})  --> [0, 0]

--- ones_like
lt.ones_like(lt.tensor{1, 2})  --> [1, 1]

--- full_like
lt.full_like(lt.tensor{1, 2}, 9)  --> [9, 9]

--- rand
lt.manual_seed(1)
lt.rand(2, 3).shape  --> [2, 3]

--- randn
lt.randn(1000):mean():item() < 0.2  --> true

--- randint
lt.randint(1, 6, {100}):max():item() <= 6  --> true

--- permutation
lt.permutation(5):sort()  --> [1, 2, 3, 4, 5]

--- manual_seed
lt.manual_seed(1)
local a = lt.rand(3)
lt.manual_seed(1)
lt.rand(3):equal(a):all()  --> true

--- from_bytes
lt.from_bytes("\1\2\3", {3}, {dtype = "uint8"})  --> [1, 2, 3]

--- meshgrid
local x, y = lt.meshgrid(lt.arange(2), lt.arange(3))
x.shape  --> [3, 2]

--- tril
lt.ones(3, 3):tril()  --> [[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, 1.0, 1.0]]

--- triu
lt.ones(3, 3):triu()  --> [[1.0, 1.0, 1.0], [0.0, 1.0, 1.0], [0.0, 0.0, 1.0]]

--- to
lt.tensor{1, 2}:to("float64").dtype  --> float64

--- astype
lt.tensor{1.5, 2.5}:astype("int64")  --> [1, 2]

--- item
lt.tensor(3.5):item()  --> 3.5

--- totable
lt.tensor{1, 2, 3}:totable()[2]  --> 2

--- clone
local x = lt.tensor{1, 2}
local y = x:clone()
y[1] = 9
x  --> [1, 2]
