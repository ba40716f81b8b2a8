--- sum
local x = lt.tensor{{1, 2}, {3, 4}}
x:sum()                         --> 10
x:sum(1)                        --> [4, 6]
x:sum{dim = 2, keepdim = true}  --> [[3], [7]]

--- prod
lt.tensor{2, 3, 4}:prod()  --> 24

--- mean
lt.tensor{{1, 2}, {3, 5}}:mean(1)  --> [2.0, 3.5]

--- var
lt.tensor{1, 2, 3, 4}:var()                --> 1.25
lt.tensor{1, 2, 3, 4}:var{correction = 1}  --> 1.6667

--- std
lt.tensor{1, 2, 3, 4}:std()                --> 1.118
lt.tensor{1, 2, 3, 4}:std{correction = 1}  --> 1.291

--- max
lt.tensor{{1, 5}, {7, 2}}:max(2)  --> [5, 7]

--- min
lt.tensor{{1, 5}, {7, 2}}:min(2)  --> [1, 2]

--- argmax
lt.tensor{3, 9, 4}:argmax()  --> 2

--- argmin
lt.tensor{3, 9, 1}:argmin()  --> 3

--- all
lt.tensor{true, false}:all()  --> false

--- any
lt.tensor{true, false}:any()  --> true

--- count_nonzero
lt.tensor{0, 2, 3}:count_nonzero()  --> 2

--- logsumexp
lt.tensor{0.0, 0.0}:logsumexp()  --> 0.6931

--- median
lt.tensor{1, 9, 2}:median()  --> 2.0

--- quantile
lt.tensor{1, 2, 3, 4, 5}:quantile(0.25)  --> 2.0

--- nansum
lt.tensor{1, lt.nan, 3}:nansum()  --> 4.0

--- nanmean
lt.tensor{1, lt.nan, 3}:nanmean()  --> 2.0

--- nanvar
lt.tensor{1, lt.nan, 3}:nanvar()  --> 1.0

--- nanstd
lt.tensor{1, lt.nan, 3}:nanstd({correction = 1})  --> 1.4142

--- nanmin
lt.tensor{1, lt.nan, 3}:nanmin()  --> 1.0

--- nanmax
lt.tensor{1, lt.nan, 3}:nanmax()  --> 3.0

--- nanmedian
lt.tensor{1, lt.nan, 3, 7}:nanmedian()  --> 3.0

--- nanquantile
lt.tensor{1, lt.nan, 3}:nanquantile(0.25)  --> 1.5

--- cumulative_sum
lt.tensor{1, 2, 3}:cumulative_sum()  --> [1, 3, 6]

--- cumulative_prod
lt.tensor{1, 2, 3}:cumulative_prod()  --> [1, 2, 6]

--- norm
lt.tensor{3.0, 4.0}:norm()  --> 5.0

--- sort
lt.tensor{3, 1, 2}:sort()                   --> [1, 2, 3]
lt.tensor{3, 1, 2}:sort{descending = true}  --> [3, 2, 1]

--- argsort
lt.tensor{3, 1, 2}:argsort()  --> [2, 3, 1]

--- topk
local values, positions = lt.tensor{3, 9, 5}:topk(2)
values     --> [9, 5]
positions  --> [2, 3]

--- unique_values
lt.tensor{3, 1, 3}:unique_values():sort()  --> [1, 3]

--- bincount
lt.tensor{1, 3, 3}:bincount()  --> [1, 0, 2]

--- searchsorted
lt.tensor{10, 20, 30}:searchsorted(lt.tensor{20, 25})  --> [2, 3]

--- isin
lt.tensor{1, 2, 3}:isin(lt.tensor{2, 5})  --> [false, true, false]

--- diff
lt.tensor{1, 4, 9}:diff()  --> [3, 5]

--- cumulative_max
lt.cumulative_max(lt.tensor{1, 3, 2})  --> [1, 3, 3]

--- cumulative_min
lt.cumulative_min(lt.tensor{3, 1, 2})  --> [3, 1, 1]

--- log_softmax
lt.tensor{0.0, 0.0}:log_softmax(1)  --> [-0.6931, -0.6931]

--- histogram
local counts, edges = lt.histogram(lt.tensor{0.0, 0.1, 0.6, 1.0}, 2)
counts  --> [2, 2]
edges   --> [0.0, 0.5, 1.0]

--- unique_all
local values, positions, inverse, counts = lt.unique_all(lt.tensor{3, 1, 3})
values     --> [1, 3]
positions  --> [2, 1]
inverse    --> [2, 1, 2]
counts     --> [1, 2]

--- unique_counts
local values, counts = lt.unique_counts(lt.tensor{3, 1, 3})
values  --> [1, 3]
counts  --> [1, 2]

--- unique_inverse
local values, inverse = lt.unique_inverse(lt.tensor{3, 1, 3})
inverse  --> [2, 1, 2]

--- nonzero
lt.nonzero(lt.tensor{0, 5, 0, 7})[1]  --> 2
