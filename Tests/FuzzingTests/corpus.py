# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: the hedgerow authors
"""Corpora as text: one input a line in hexadecimal, shortest first, at most INPUTS of them.

corpus.py unpack FILE FOLDER | corpus.py pack FOLDER FILE
"""

import hashlib
import os
import sys

INPUTS = 150
BYTES = 2048


def unpack(file, folder):
    with open(file, encoding="ascii") as lines:
        for line in lines:
            data = bytes.fromhex(line.strip())
            with open(os.path.join(folder, hashlib.sha1(data).hexdigest()), "wb") as out:
                out.write(data)


def pack(folder, file):
    with open(file, encoding="ascii") as lines:
        known = {bytes.fromhex(line.strip()) for line in lines}
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), "rb") as data:
            known.add(data.read())
    kept = sorted((data for data in known if 0 < len(data) <= BYTES), key=lambda d: (len(d), d))
    step = max(1, -(-len(kept) // INPUTS))
    with open(file, "w", encoding="ascii") as out:
        out.writelines(data.hex() + "\n" for data in kept[::step])


if __name__ == "__main__":
    {"unpack": unpack, "pack": pack}[sys.argv[1]](*sys.argv[2:])
