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

--- addmm
lt.addmm(lt.ones(2, 2), lt.eye(2), lt.eye(2))  --> [[2.0, 1.0], [1.0, 2.0]]

--- bmm
lt.bmm(lt.ones(5, 2, 3), lt.ones(5, 3, 4)).shape  --> [5, 2, 4]

--- mm
lt.mm(lt.tensor{{1, 2}}, lt.tensor{{3}, {4}})  --> [[11]]

--- mv
lt.mv(lt.tensor{{1, 2}, {3, 4}}, lt.tensor{1, 1})  --> [3, 7]

--- vecdot
lt.vecdot(lt.tensor{{1, 2}, {3, 4}}, lt.tensor{1, 1})  --> [3, 7]

--- tensordot
lt.tensordot(lt.ones(2, 3), lt.ones(3, 4), 1).shape  --> [2, 4]

--- linalg.cholesky
lt.linalg.cholesky(lt.tensor{{4.0, 2.0}, {2.0, 5.0}})  --> [[2.0, 0.0], [1.0, 2.0]]

--- linalg.cond
lt.linalg.cond(lt.tensor{{2.0, 0.0}, {0.0, 1.0}})  --> 2.0

--- linalg.cross
lt.linalg.cross(lt.tensor{1, 0, 0}, lt.tensor{0, 1, 0})  --> [0, 0, 1]

--- linalg.eigh
local values, vectors = lt.linalg.eigh(lt.tensor{{2.0, 0.0}, {0.0, 1.0}})
values  --> [1.0, 2.0]

--- linalg.eigvalsh
lt.linalg.eigvalsh(lt.tensor{{2.0, 1.0}, {1.0, 2.0}})  --> [1.0, 3.0]

--- linalg.eig
local values, vectors = lt.linalg.eig(lt.tensor{{0.0, 1.0}, {-1.0, 0.0}})
values.shape  --> [2]

--- linalg.eigvals
lt.linalg.eigvals(lt.tensor{{0.0, 1.0}, {-1.0, 0.0}}):abs()  --> [1.0, 1.0]

--- linalg.lstsq
local a = lt.tensor{{1.0, 1.0}, {1.0, 2.0}, {1.0, 3.0}}
lt.linalg.lstsq(a, lt.tensor{{3.0}, {5.0}, {7.0}}):flatten():round()  --> [1.0, 2.0]

--- linalg.lu
local p, l, u = lt.linalg.lu(lt.tensor{{0.0, 1.0}, {2.0, 3.0}})
p:matmul(l):matmul(u)  --> [[0.0, 1.0], [2.0, 3.0]]

--- linalg.lu_factor, linalg.lu_solve
local lu, pivots = lt.linalg.lu_factor(lt.tensor{{2.0, 0.0}, {0.0, 4.0}})
lt.linalg.lu_solve(lu, pivots, lt.tensor{{2.0}, {4.0}})  --> [[1.0], [1.0]]

--- linalg.matrix_norm
lt.linalg.matrix_norm(lt.tensor{{3.0, 0.0}, {0.0, 4.0}})  --> 5.0

--- linalg.vector_norm
lt.linalg.vector_norm(lt.tensor{3.0, 4.0})  --> 5.0

--- linalg.matrix_power
lt.linalg.matrix_power(lt.tensor{{1, 1}, {0, 1}}, 5)  --> [[1, 5], [0, 1]]

--- linalg.pinv
lt.linalg.pinv(lt.tensor{{2.0, 0.0}, {0.0, 4.0}})  --> [[0.50, 0.00], [0.00, 0.25]]

--- linalg.qr
local q, r = lt.linalg.qr(lt.rand(5, 3))
q.shape  --> [5, 3]
r.shape  --> [3, 3]

--- linalg.slogdet
local sign, logarithm = lt.linalg.slogdet(lt.tensor{{0.0, 1.0}, {1.0, 0.0}})
sign  --> -1.0

--- linalg.svd
local u, s, vh = lt.linalg.svd(lt.tensor{{3.0, 0.0}, {0.0, 2.0}})
s  --> [3.0, 2.0]

--- linalg.svdvals
lt.linalg.svdvals(lt.tensor{{3.0, 0.0}, {0.0, 2.0}})  --> [3.0, 2.0]

--- fft.ifft
lt.fft.ifft(lt.fft.fft(lt.tensor{1.0, 2.0})):real()  --> [1.0, 2.0]

--- fft.rfft
lt.fft.rfft(lt.ones(4))  --> [4.0+0.0i, 0.0-0.0i, 0.0+0.0i]

--- fft.irfft
lt.fft.irfft(lt.fft.rfft(lt.tensor{1.0, 2.0, 3.0, 4.0}))  --> [1.0, 2.0, 3.0, 4.0]

--- fft.hfft
lt.fft.hfft(lt.fft.ihfft(lt.tensor{1.0, 2.0, 3.0, 4.0}))  --> [1.0, 2.0, 3.0, 4.0]

--- fft.ihfft
lt.fft.ihfft(lt.ones(4)).shape  --> [3]

--- fft.fft2
lt.fft.fft2(lt.ones(2, 2)):real()  --> [[4.0, 0.0], [0.0, 0.0]]

--- fft.ifft2
lt.fft.ifft2(lt.fft.fft2(lt.ones(2, 2))):real()  --> [[1.0, 1.0], [1.0, 1.0]]

--- fft.rfft2
lt.fft.rfft2(lt.ones(4, 4)).shape  --> [4, 3]

--- fft.irfft2
lt.fft.irfft2(lt.fft.rfft2(lt.ones(4, 4))).shape  --> [4, 4]

--- fft.fftn
lt.fft.fftn(lt.ones(2, 3, 4)).shape  --> [2, 3, 4]

--- fft.ifftn
lt.fft.ifftn(lt.ones(2, 3, 4)).shape  --> [2, 3, 4]

--- fft.rfftn
lt.fft.rfftn(lt.ones(2, 3, 4)).shape  --> [2, 3, 3]

--- fft.irfftn
lt.fft.irfftn(lt.ones(2, 3, 3)).shape  --> [2, 3, 4]

--- fft.fftfreq
lt.fft.fftfreq(4)  --> [0.00, 0.25, -0.50, -0.25]

--- fft.rfftfreq
lt.fft.rfftfreq(4)  --> [0.00, 0.25, 0.50]

--- fft.fftshift
lt.fft.fftshift(lt.fft.fftfreq(4))  --> [-0.50, -0.25, 0.00, 0.25]

--- fft.ifftshift
lt.fft.ifftshift(lt.tensor{-2, -1, 0, 1})  --> [0, 1, -2, -1]
