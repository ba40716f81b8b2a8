"""Writes images.json for spec/io/images_spec.lua: small image files, and their pixels as other programs read them.

    pip install pillow numpy; python3 spec/data/make_images.py

PNG files of every kind are packed here by zlib from known samples; Pillow, which uses libpng, reads the pixels of those
that it reads without loss. Pillow, which uses libjpeg-turbo, also writes and reads the JPEG files. Netpbm's text is short
enough to be written by hand.

A row: name, file (hexadecimal), shape [channels, height, width], size (bytes of a sample), pixels (hexadecimal, pixel by
pixel, the high byte first).
"""
import io
import struct
import zlib

import numpy
from PIL import Image

import as_json

ROWS = []


def add(name, data, pixels):
    """pixels: an array [height, width, channels] of uint8 or uint16."""
    h, w, c = pixels.shape
    ROWS.append({"name": name, "file": data.hex(), "shape": [c, h, w], "size": pixels.itemsize,
                 "pixels": pixels.astype(">u2" if pixels.itemsize == 2 else "u1").tobytes().hex()})


# ---- PNG ----

SAMPLES = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
PASSES = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]


def chunk(name, body):
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def pack_row(row, depth):
    """Bytes of a row of samples."""
    if depth == 16:
        return row.astype(">u2").tobytes()
    bits = "".join(format(v, "0%db" % depth) for v in row.tolist())
    bits += "0" * (-len(bits) % 8)
    return bytes(int(bits[i:i + 8], 2) for i in range(0, len(bits), 8))


def paeth(a, b, c):
    p = a + b - c
    return min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]


def filtered(rows, distance):
    """Each row by another filter."""
    out, before = b"", bytes(len(rows[0]))
    for k, row in enumerate(rows):
        kind, line = (k + 1) % 5, bytearray()
        for i, x in enumerate(row):
            a, b, c = (row[i - distance] if i >= distance else 0), before[i], (before[i - distance] if i >= distance else 0)
            line.append(x - (0, a, b, (a + b) // 2, paeth(a, b, c))[kind] & 255)
        out, before = out + bytes([kind]) + bytes(line), row
    return out


def png(samples, kind, depth, interlaced, extra=(), parts=1):
    """samples: [height, width, samples of a pixel]; extra: chunks before the pixels; parts: chunks of pixels."""
    h, w, n = samples.shape
    raw, distance = b"", max(1, n * depth // 8)
    for x, y, dx, dy in PASSES if interlaced else [(0, 0, 1, 1)]:
        part = samples[y::dy, x::dx]
        if part.size:
            raw += filtered([pack_row(row.reshape(-1), depth) for row in part], distance)
    packed = zlib.compress(raw, 9)
    size = -(-len(packed) // parts)
    data = b"".join(chunk(b"IDAT", packed[i:i + size]) for i in range(0, len(packed), size))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", w, h, depth, kind, 0, 0, int(interlaced)))
            + b"".join(chunk(*e) for e in extra) + data + chunk(b"IEND", b""))


def pillow(data, mode=None):
    image = Image.open(io.BytesIO(data))
    array = numpy.array(image.convert(mode) if mode else image)
    return array.reshape(array.shape[0], array.shape[1], -1)


def pngs():
    numpy.random.seed(1)
    for kind, n in SAMPLES.items():
        for depth in (1, 2, 4, 8, 16):
            if kind in (2, 4, 6) and depth < 8 or kind == 3 and depth == 16:
                continue
            for interlaced in (False, True):
                h, w = (9, 11) if interlaced else (6, 7)
                samples = numpy.random.randint(0, 1 << depth, (h, w, n))
                extra = []
                if kind == 3:
                    colours = numpy.random.randint(0, 256, (1 << depth, 3)).astype("u1")
                    extra = [(b"PLTE", colours.tobytes())]
                    pixels = colours[samples[:, :, 0]]
                else:
                    pixels = (samples * (255 // ((1 << depth) - 1)) if depth < 8 else samples).astype("u2" if depth == 16 else "u1")
                data = png(samples, kind, depth, interlaced, extra, parts=2)
                name = "png kind %d of %d bits%s" % (kind, depth, ", interlaced" if interlaced else "")
                if depth < 16:
                    mode = "RGB" if kind == 3 else {1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}[n]
                    assert (pillow(data, mode) == pixels).all(), name
                elif kind == 0:
                    assert (pillow(data) == pixels).all(), name
                add(name, data, pixels)
    transparent_pngs()


def transparent_pngs():
    """Files whose transparent colours have a chunk of their own."""
    for kind, depth in ((0, 2), (0, 8), (0, 16), (2, 8), (2, 16)):
        n = SAMPLES[kind]
        samples = numpy.random.randint(0, 1 << depth, (5, 6, n))
        key = samples[2, 3]
        samples[4] = key
        most = 65535 if depth == 16 else 255
        clear = (samples == key).all(2, keepdims=True)
        pixels = numpy.concatenate([samples * (255 // ((1 << depth) - 1) if depth < 8 else 1), numpy.where(clear, 0, most)], 2)
        data = png(samples, kind, depth, False, [(b"tRNS", key.astype(">u2").tobytes())])
        pixels = pixels.astype("u2" if depth == 16 else "u1")
        if depth == 8:
            assert (pillow(data, "RGBA") == (pixels if n == 3 else pixels[:, :, [0, 0, 0, 1]])).all()
        add("png kind %d of %d bits, a transparent colour" % (kind, depth), data, pixels)
    colours = numpy.random.randint(0, 256, (16, 3)).astype("u1")
    alpha = numpy.array([0, 100, 200], "u1")
    samples = numpy.random.randint(0, 16, (5, 6, 1))
    data = png(samples, 3, 4, True, [(b"gAMA", struct.pack(">I", 100000)), (b"PLTE", colours.tobytes()), (b"tRNS", alpha.tobytes())])
    add("png palette with alpha, a gamma, interlaced", data, pillow(data, "RGBA"))
    add("png of one pixel, interlaced", png(numpy.array([[[7]]]), 0, 8, True), numpy.array([[[7]]], "u1"))


# ---- JPEG ----

def jpegs():
    y, x = numpy.mgrid[0:13, 0:18]
    colours = numpy.stack([x * 12, y * 15, (x + y) * 8], 2).astype("u1")
    for name, image, options in (
            ("gray", Image.fromarray(colours).convert("L"), {}),
            ("4:4:4", Image.fromarray(colours), {"subsampling": 0}),
            ("4:2:2", Image.fromarray(colours), {"subsampling": 1}),
            ("4:2:0", Image.fromarray(colours), {"subsampling": 2}),
            ("progressive", Image.fromarray(colours), {"progressive": True}),
            ("with restarts", Image.fromarray(colours), {"restart_marker_blocks": 1})):
        file = io.BytesIO()
        image.save(file, "JPEG", quality=90, **options)
        add("jpeg " + name, file.getvalue(), pillow(file.getvalue()))
    file = io.BytesIO()
    Image.fromarray(colours).convert("CMYK").save(file, "JPEG", quality=95)
    cmyk = 255 - pillow(file.getvalue()).astype(int)            # Pillow inverts what the file holds
    pixels = (cmyk[:, :, :3] * cmyk[:, :, 3:] + 127) // 255
    add("jpeg CMYK", file.getvalue(), pixels.astype("u1"))


# ---- Netpbm ----

def netpbm():
    u1 = lambda *rows: numpy.array(rows, "u1")
    bits = u1([0, 255, 255, 0], [255, 0, 255, 0])[:, :, None]
    gray = u1([0, 7, 255], [30, 40, 50])[:, :, None]
    colour = u1([[1, 2, 3], [4, 5, 6]], [[255, 0, 9], [10, 35, 32]])
    deep = numpy.array([[0, 1, 256], [65535, 4660, 9]], "u2")[:, :, None]
    for name, data, pixels in (
            ("P1", b"P1\n# a comment\n4 2\n1 0 0 1\n0101\n", bits),
            ("P2", b"P2 3 2 255\n0 7 255\n30 40 # half\n50\n", gray),
            ("P3", b"P3\n2\n2\n255\n1 2 3 4 5 6\n255 0 9 10 35 32", colour),
            ("P4", b"P4\n4 2\n" + bytes([0b10010000, 0b01010000]), bits),
            ("P5", b"P5 3 2 255\n" + gray.tobytes(), gray),
            ("P5 of 16 bits", b"P5 3 2 65535\n" + deep.astype(">u2").tobytes(), deep),
            ("P6", b"P6\n#c\n2 2\n#d\n255\n" + colour.tobytes(), colour)):
        if "16" not in name:
            assert (pillow(data, "L" if pixels.shape[2] == 1 else "RGB") == pixels).all(), name
        add("netpbm " + name, data, pixels)
    add("netpbm P2 of 4 bits", b"P2 3 1 15\n0 7 15\n", u1([0, 119, 255])[:, :, None])
    add("netpbm P2 of 10 bits", b"P2 3 1 1023\n0 512 1023\n", numpy.array([[[0], [32800], [65535]]], "u2"))
    rgba = numpy.arange(24, dtype="u1").reshape(2, 3, 4)
    add("netpbm P7", b"P7\n# c\nWIDTH 3\nHEIGHT 2\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n" + rgba.tobytes(), rgba)
    add("netpbm P7 black and white", b"P7\nWIDTH 4\nHEIGHT 2\nDEPTH 1\nMAXVAL 1\nTUPLTYPE BLACKANDWHITE\nENDHDR\n"
        + (bits // 255).tobytes(), bits)


def converted():
    """One image in each of Pillow's modes, for option mode."""
    rgba = numpy.random.randint(0, 256, (3, 4, 4)).astype("u1")
    image = Image.fromarray(rgba)
    return {name: numpy.array(image.convert(mode)).tobytes().hex()
            for name, mode in (("gray", "L"), ("gray_alpha", "LA"), ("rgb", "RGB"), ("rgba", "RGBA"))}


pngs()
jpegs()
netpbm()
as_json.write("images", {"files": ROWS, "modes": converted()}, 2)
