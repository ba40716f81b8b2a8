--- nn.functional.relu
nn.functional.relu(lt.tensor{-1.0, 1.0})  --> [0.0, 1.0]

--- nn.functional.silu
nn.functional.silu(lt.tensor{-1.0, 1.0})  --> [-0.2689, 0.7311]

--- nn.functional.sigmoid
nn.functional.sigmoid(lt.tensor{0.0})  --> [0.5]

--- nn.functional.tanh
nn.functional.tanh(lt.tensor{0.0, 1.0})  --> [0.0000, 0.7616]

--- nn.functional.leaky_relu
nn.functional.leaky_relu(lt.tensor{-1.0, 1.0})  --> [-0.01, 1.00]

--- nn.functional.hardtanh
nn.functional.hardtanh(lt.tensor{-4.0, 0.5})  --> [-1.0, 0.5]

--- nn.functional.relu6
nn.functional.relu6(lt.tensor{-1.0, 9.0})  --> [0.0, 6.0]

--- nn.functional.mish
nn.functional.mish(lt.tensor{1.0})  --> [0.8651]

--- nn.functional.hardsigmoid
nn.functional.hardsigmoid(lt.tensor{-4.0, 0.0})  --> [0.0, 0.5]

--- nn.functional.hardswish
nn.functional.hardswish(lt.tensor{-4.0, 4.0})  --> [-0.0, 4.0]

--- nn.functional.softsign
nn.functional.softsign(lt.tensor{1.0, -3.0})  --> [0.50, -0.75]

--- nn.functional.logsigmoid
nn.functional.logsigmoid(lt.tensor{0.0})  --> [-0.6931]

--- nn.functional.elu
nn.functional.elu(lt.tensor{-1.0, 1.0})  --> [-0.6321, 1.0000]

--- nn.functional.celu
nn.functional.celu(lt.tensor{-1.0, 1.0})  --> [-0.6321, 1.0000]

--- nn.functional.selu
nn.functional.selu(lt.tensor{-1.0, 1.0})  --> [-1.1113, 1.0507]

--- nn.functional.gelu
nn.functional.gelu(lt.tensor{-1.0, 1.0})  --> [-0.1587, 0.8413]

--- nn.functional.softplus
nn.functional.softplus(lt.tensor{0.0})  --> [0.6931]

--- nn.functional.softmax
nn.functional.softmax(lt.tensor{0.0, 0.0}, 1)  --> [0.5, 0.5]

--- nn.functional.softmin
nn.functional.softmin(lt.tensor{0.0, 0.0}, 1)  --> [0.5, 0.5]

--- nn.functional.log_softmax
nn.functional.log_softmax(lt.tensor{0.0, 0.0}, 1)  --> [-0.6931, -0.6931]

--- nn.functional.glu
nn.functional.glu(lt.tensor{1.0, 0.0})  --> [0.5]

--- nn.functional.threshold
nn.functional.threshold(lt.tensor{-1.0, 3.0}, 0, 7)  --> [7.0, 3.0]

--- nn.functional.prelu
nn.functional.prelu(lt.tensor{-1.0, 3.0}, lt.tensor{0.5})  --> [-0.5, 3.0]

--- nn.functional.linear
nn.functional.linear(lt.tensor{{1.0, 2.0}}, lt.tensor{{3.0, 4.0}})  --> [[11.0]]

--- nn.functional.one_hot
nn.functional.one_hot(lt.tensor{1, 3}, 3)  --> [[1, 0, 0], [0, 0, 1]]

--- nn.functional.embedding
nn.functional.embedding(lt.tensor{2}, lt.tensor{{1.0, 2.0}, {3.0, 4.0}})  --> [[3.0, 4.0]]

--- nn.functional.conv1d
nn.functional.conv1d(lt.tensor{{{1.0, 2.0, 3.0}}}, lt.tensor{{{1.0, 1.0}}})  --> [[[3.0, 5.0]]]

--- nn.functional.conv_transpose1d
nn.functional.conv_transpose1d(lt.tensor{{{1.0, 2.0}}}, lt.tensor{{{1.0, 1.0}}})  --> [[[1.0, 3.0, 2.0]]]

--- nn.functional.max_pool1d
nn.functional.max_pool1d(lt.tensor{{{1.0, 3.0, 2.0, 0.0}}}, 2)  --> [[[3.0, 2.0]]]

--- nn.functional.avg_pool1d
nn.functional.avg_pool1d(lt.tensor{{{1.0, 3.0, 2.0, 0.0}}}, 2)  --> [[[2.0, 1.0]]]

--- nn.functional.adaptive_avg_pool1d
nn.functional.adaptive_avg_pool1d(lt.tensor{{{1.0, 3.0, 2.0, 0.0}}}, 1)  --> [[[1.5]]]

--- nn.functional.adaptive_max_pool1d
nn.functional.adaptive_max_pool1d(lt.tensor{{{1.0, 3.0, 2.0, 0.0}}}, 1)  --> [[[3.0]]]

--- nn.functional.l1_loss
nn.functional.l1_loss(lt.tensor{1.0, 2.0}, lt.tensor{1.0, 4.0})  --> 1.0

--- nn.functional.mse_loss
nn.functional.mse_loss(lt.tensor{1.0, 2.0}, lt.tensor{1.0, 4.0})  --> 2.0

--- nn.functional.smooth_l1_loss
nn.functional.smooth_l1_loss(lt.tensor{1.0, 2.0}, lt.tensor{1.0, 4.0})  --> 0.75

--- nn.functional.huber_loss
nn.functional.huber_loss(lt.tensor{1.0, 2.0}, lt.tensor{1.0, 4.0})  --> 0.75

--- nn.functional.binary_cross_entropy
nn.functional.binary_cross_entropy(lt.tensor{0.5, 0.5}, lt.tensor{0.0, 1.0})  --> 0.6931

--- nn.functional.binary_cross_entropy_with_logits
nn.functional.binary_cross_entropy_with_logits(lt.tensor{0.0, 0.0}, lt.tensor{0.0, 1.0})  --> 0.6931

--- nn.functional.nll_loss
nn.functional.nll_loss(lt.tensor{{-1.0, -2.0}}, lt.tensor{2})  --> 2.0

--- nn.functional.cross_entropy
nn.functional.cross_entropy(lt.tensor{{0.0, 0.0}}, lt.tensor{2})  --> 0.6931

--- nn.functional.kl_div
nn.functional.kl_div(lt.tensor{{0.5, 0.5}}:log(), lt.tensor{{0.5, 0.5}}, {reduction = "batchmean"})  --> 0.0

--- nn.functional.layer_norm
nn.functional.layer_norm(lt.tensor{{1.0, 3.0}}, {2})  --> [[-1.0, 1.0]]

--- nn.functional.rms_norm
nn.functional.rms_norm(lt.tensor{{1.0, 1.0}}, {2})  --> [[1.0, 1.0]]

--- nn.functional.normalize
nn.functional.normalize(lt.tensor{{3.0, 4.0}}, {dim = 2})  --> [[0.6, 0.8]]

--- nn.functional.dropout
nn.functional.dropout(lt.ones(2), {p = 0.5, training = false})  --> [1.0, 1.0]

--- nn.functional.alpha_dropout
nn.functional.alpha_dropout(lt.ones(2), {p = 0.5, training = false})  --> [1.0, 1.0]

--- nn.functional.max_pool2d
nn.functional.max_pool2d(lt.rand(1, 3, 8, 8), 2).shape  --> [1, 3, 4, 4]

--- nn.functional.avg_pool2d
nn.functional.avg_pool2d(lt.rand(1, 3, 8, 8), 2).shape  --> [1, 3, 4, 4]

--- nn.functional.adaptive_avg_pool2d
nn.functional.adaptive_avg_pool2d(lt.rand(1, 3, 8, 8), 1).shape  --> [1, 3, 1, 1]

--- nn.functional.adaptive_max_pool2d
nn.functional.adaptive_max_pool2d(lt.rand(1, 3, 8, 8), 1).shape  --> [1, 3, 1, 1]

--- nn.functional.conv_transpose2d
nn.functional.conv_transpose2d(lt.rand(1, 8, 4, 4), lt.rand(8, 3, 2, 2), nil, {stride = 2}).shape  --> [1, 3, 8, 8]

--- nn.functional.batch_norm
nn.functional.batch_norm(lt.rand(4, 3), lt.zeros(3), lt.ones(3)).shape  --> [4, 3]

--- nn.functional.group_norm
nn.functional.group_norm(lt.rand(3, 4, 5), 2).shape  --> [3, 4, 5]

--- nn.functional.instance_norm
nn.functional.instance_norm(lt.rand(4, 3, 8)).shape  --> [4, 3, 8]

--- nn.functional.local_response_norm
nn.functional.local_response_norm(lt.rand(1, 4, 8, 8), 2).shape  --> [1, 4, 8, 8]

--- nn.functional.scaled_dot_product_attention
local x = lt.rand(2, 4, 7, 8)
nn.functional.scaled_dot_product_attention(x, x, x).shape  --> [2, 4, 7, 8]

--- nn.functional.dropout1d
nn.functional.dropout1d(lt.ones(1, 2, 3), {p = 0.5}).shape  --> [1, 2, 3]

--- nn.functional.dropout2d
nn.functional.dropout2d(lt.ones(1, 2, 3, 3), {p = 0.5}).shape  --> [1, 2, 3, 3]

--- nn.functional.dropout3d
nn.functional.dropout3d(lt.ones(1, 2, 3, 3, 3), {p = 0.5}).shape  --> [1, 2, 3, 3, 3]

