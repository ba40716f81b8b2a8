# Cases of interpolate, which make.py runs in PyTorch and writes to JSON.
def resize(options, ours, *shape, **more):
    case("lambda x: F.interpolate(x, %s)" % options, "function(x) return functional.interpolate(x, {%s}) end" % ours,
         randn(*shape), **more)


for mode in ("nearest", "nearest-exact", "area"):
    resize("size=7, mode='%s'" % mode, 'size = 7, mode = "%s"' % mode, 2, 2, 3)
    resize("size=(5, 3), mode='%s'" % mode, 'size = {5, 3}, mode = "%s"' % mode, 1, 2, 4, 7)
    resize("size=(2, 3, 4), mode='%s'" % mode, 'size = {2, 3, 4}, mode = "%s"' % mode, 1, 1, 3, 2, 4)
    resize("scale_factor=1.7, mode='%s'" % mode, 'scale_factor = 1.7, mode = "%s"' % mode, 1, 1, 4, 3)
    resize("scale_factor=2.0, mode='%s'" % mode, 'scale_factor = 2, mode = "%s"' % mode, 1, 1, 3, 4)
for align in ("False", "True"):
    tail, ours = ", align_corners=" + align, ", align_corners = " + align.lower()
    resize("size=7, mode='linear'" + tail, 'size = 7, mode = "linear"' + ours, 2, 2, 3)
    resize("size=(3, 2, 5), mode='trilinear'" + tail, 'size = {3, 2, 5}, mode = "trilinear"' + ours, 1, 1, 2, 3, 4)
    for mode in ("bilinear", "bicubic"):
        for size, text in (("(5, 9)", "{5, 9}"), ("(3, 2)", "{3, 2}"), ("(1, 4)", "{1, 4}"), ("(4, 6)", "{4, 6}")):
            resize("size=%s, mode='%s'%s" % (size, mode, tail), 'size = %s, mode = "%s"%s' % (text, mode, ours), 1, 2, 4, 6)
        resize("scale_factor=(1.3, 0.6), mode='%s'%s" % (mode, tail), 'scale_factor = {1.3, 0.6}, mode = "%s"%s' % (mode, ours), 1, 1, 6, 7)
for mode in ("bilinear", "bicubic"):
    for size, text in (("(3, 4)", "{3, 4}"), ("(12, 2)", "{12, 2}"), ("(9, 11)", "{9, 11}")):
        resize("size=%s, mode='%s', antialias=True" % (size, mode), 'size = %s, mode = "%s", antialias = true' % (text, mode), 1, 2, 9, 11)
    resize("scale_factor=0.4, mode='%s', antialias=True" % mode, 'scale_factor = 0.4, mode = "%s", antialias = true' % mode, 1, 1, 10, 8)
case("nn.Upsample(scale_factor=2, mode='bilinear')", 'nn.Upsample {scale_factor = 2, mode = "bilinear"}', randn(1, 2, 3, 4))
case("nn.Upsample(size=(5, 4))", "nn.Upsample {size = {5, 4}}", randn(1, 2, 3, 4))
