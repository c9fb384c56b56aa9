"""Quantised blocks and what the PyPI package gguf decodes them to.

python quantise.py FOLDER: one GGUF file with a tensor of every type, written by gguf itself, and beside it NAME.f32 with
the decoded values. python quantise.py --fixture: a few blocks of each type as JSON, for the fast test.
"""

import json
import sys
from pathlib import Path

import numpy as np
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType, GGUFWriter, quants

SIMPLE = ["F32", "F16", "BF16", "Q8_0", "Q4_0", "Q4_1", "Q5_0", "Q5_1"]
# gguf has no quantiser for these: random blocks, with sane numbers where the half-precision scales stand.
SCALES_AT = {"Q4_K": (0, 2), "Q5_K": (0, 2), "Q6_K": (208,)}


def blocks(rng, name, rows, width):
    """Bytes of rows × width elements, as a uint8 array with one line a row."""
    kind = GGMLQuantizationType[name]
    if name in SIMPLE:
        values = rng.standard_normal((rows, width)) * np.exp(2 * rng.standard_normal((rows, 1)))
        values[0] = 0
        return quants.quantize(values.astype(np.float32), kind).reshape(rows, -1).view(np.uint8)
    block, size = GGML_QUANT_SIZES[kind]
    raw = rng.integers(0, 256, (rows * width // block, size), dtype=np.uint8)
    for at in SCALES_AT[name]:
        raw[:, at : at + 2] = rng.standard_normal((len(raw), 1)).astype(np.float16).view(np.uint8)
    return raw.reshape(rows, -1)


def decoded(raw, name):
    return quants.dequantize(raw, GGMLQuantizationType[name]).astype("<f4")


def main():
    rng = np.random.default_rng(20261121)
    names = [*SIMPLE, *SCALES_AT]
    if sys.argv[1] == "--fixture":
        out = {}
        for name in names:
            width = GGML_QUANT_SIZES[GGMLQuantizationType[name]][0] * (8 if name in SIMPLE[:3] else 1)
            raw = blocks(rng, name, 3, width)
            out[name] = {"blocks": raw.tobytes().hex(), "values": decoded(raw, name).tobytes().hex()}
        print(json.dumps(out, indent=1))
        return
    folder = Path(sys.argv[1])
    writer = GGUFWriter(folder / "types.gguf", "test")
    writer.add_array("some.words", ["one", "zwei", "三"])
    writer.add_float64("some.number", 0.1)
    for name in names:
        raw = blocks(rng, name, 64, 512)
        (folder / f"{name}.f32").write_bytes(decoded(raw, name).tobytes())
        writer.add_tensor(name, raw, raw_dtype=GGMLQuantizationType[name])
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


main()
