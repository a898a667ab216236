#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""forge.py STREAM PACKET FIELD=[+-]NUMBER...: changes fields in the header of a packet of a stream, from 0, or
-1 for the last, and makes its checksum right. With a sign, the number is added."""
import struct
import sys
import zlib

FIELDS = {"time_first": 24, "time_last": 32, "lost": 56, "number": 64, "sequence_first": 80,
          "sequence_end": 88, "skipped": 96}
path, which = sys.argv[1], int(sys.argv[2])
with open(path, "rb") as stream:
    data = bytearray(stream.read())
order = "<" if data[:4] == b"\xc1\x1f\xfc\xc1" else ">"
packets = [0]
while packets[-1] < len(data):
    packets.append(packets[-1] + struct.unpack_from(order + "Q", data, packets[-1] + 48)[0] // 8)
packets.pop()
at = packets[which]
end = at + struct.unpack_from(order + "Q", data, at + 48)[0] // 8
for change in sys.argv[3:]:
    field, number = change.split("=")
    place = at + FIELDS[field]
    old = struct.unpack_from(order + "Q", data, place)[0] if number[0] in "+-" else 0
    struct.pack_into(order + "Q", data, place, old + int(number))
struct.pack_into("4x", data, at + 108)
struct.pack_into(order + "I", data, at + 108, zlib.crc32(data[at:end]))
with open(path, "wb") as stream:
    stream.write(data)
