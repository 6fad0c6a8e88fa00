"""XXH64 as its specification says it."""
import struct

WORD = (1 << 64) - 1
P1, P2, P3, P4, P5 = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F,
                      0x165667B19E3779F9, 0x85EBCA77C2B2AE63,
                      0x27D4EB2F165667C5)


def rotate(x, n):
    return (x << n | x >> (64 - n)) & WORD


def mix(lane, word):
    lane = (lane + word * P2) & WORD
    return ((lane << 31 | lane >> 33) & WORD) * P1 & WORD


def xxh64(data):
    h, at, n = P5, 0, len(data)
    if n >= 32:
        lanes = [(P1 + P2) & WORD, P2, 0, -P1 & WORD]
        whole = n // 32 * 32
        a, b, c, d = lanes
        for w, x, y, z in struct.iter_unpack("<4Q", data[:whole]):
            a, b, c, d = mix(a, w), mix(b, x), mix(c, y), mix(d, z)
        h = (rotate(a, 1) + rotate(b, 7) + rotate(c, 12) + rotate(d, 18)) & WORD
        for lane in (a, b, c, d):
            h = ((h ^ mix(0, lane)) * P1 + P4) & WORD
        at = whole
    h = (h + n) & WORD
    for at in range(at, n - 7, 8):
        h ^= mix(0, struct.unpack_from("<Q", data, at)[0])
        h = (rotate(h, 27) * P1 + P4) & WORD
    at = n // 8 * 8
    if n - at >= 4:
        h ^= struct.unpack_from("<I", data, at)[0] * P1 & WORD
        h = (rotate(h, 23) * P2 + P3) & WORD
        at += 4
    for byte in data[at:]:
        h = rotate(h ^ byte * P5 & WORD, 11) * P1 & WORD
    h = (h ^ h >> 33) * P2 & WORD
    h = (h ^ h >> 29) * P3 & WORD
    return h ^ h >> 32
