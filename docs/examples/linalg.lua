--- matmul
local x = lt.tensor{{1, 2}, {3, 4}}
x:matmul(x)                --> [[7, 10], [15, 22]]
x:matmul(lt.tensor{1, 1})  --> [3, 7]

--- dot
lt.tensor{1, 2}:dot(lt.tensor{3, 4})  --> 11

--- einsum
lt.einsum("ij,j->i", lt.tensor{{1, 2}, {3, 4}}, lt.tensor{1, 1})  --> [3, 7]

--- outer, linalg.outer
lt.tensor{1, 2}:outer(lt.tensor{3, 4})  --> [[3, 4], [6, 8]]

--- linalg.inv
lt.linalg.inv(lt.tensor{{2.0, 0.0}, {0.0, 4.0}})  --> [[0.50, 0.00], [0.00, 0.25]]

--- linalg.det
lt.linalg.det(lt.tensor{{2.0, 0.0}, {0.0, 4.0}})  --> 8.0

--- linalg.solve
lt.linalg.solve(lt.tensor{{2.0, 0.0}, {0.0, 4.0}}, lt.tensor{2.0, 8.0})  --> [1.0, 2.0]

--- linalg.trace
lt.linalg.trace(lt.tensor{{1, 2}, {3, 4}})  --> 5

--- linalg.matrix_rank
lt.linalg.matrix_rank(lt.ones(3, 3))  --> 1

--- fft.fft
lt.fft.fft(lt.tensor{1.0, 0.0}):real()  --> [1.0, 1.0]
