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
