"""Building multilingual-e5-small as an ONNX graph for ONNX Runtime on CPUs.

The graph computes L2-normalised, mean-pooled vectors from token ids. The embedding table stays in its 4 bits. Matrices
become int8, with one scale per row. Activations are quantised inside the graph, with one scale per token. ONNX
Runtime's own dynamic quantisation uses one scale for the whole batch: then a text's vector depends on the other texts
of its batch (cosine .996), and is less accurate (cosine .997 with float32, instead of .999).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from adapters.embedding.weights import BLOCK, Array, Weights

# Processors without VNNI add two products of a uint8 and an int8 in 16 bits, which overflows if weights exceed 7 bits.
_WEIGHT_RANGE = 63
_TOKEN_RANGE = 127
_MICROSOFT = "com.microsoft"  # https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md


def build_graph(weights: Weights) -> bytes:
    """Return the serialised model.

    Inputs ``ids`` and ``mask`` (1 for a token, 0 for padding): int32 (texts, tokens). Outputs ``vectors``: float32
    (texts, hidden), and ``tokens.states``, the last layer: float32 (texts, tokens, hidden). Only the requested outputs
    are computed.
    """
    writer = _Writer()
    state = _add_embedding(writer, weights)
    for layer in range(weights.shape.layers):
        state = _add_layer(writer, weights, f"l{layer}.", state)
    _add_pooling(writer, state)
    writer.add_node("Identity", [state], "tokens.states")
    graph = helper.make_graph(
        writer.nodes,
        "multilingual-e5-small",
        [helper.make_tensor_value_info(name, TensorProto.INT32, ["texts", "tokens"]) for name in ("ids", "mask")],
        [
            helper.make_tensor_value_info("vectors", TensorProto.FLOAT, ["texts", weights.shape.hidden]),
            helper.make_tensor_value_info(
                "tokens.states", TensorProto.FLOAT, ["texts", "tokens", weights.shape.hidden]
            ),
        ],
        writer.constants,
    )
    opsets = [helper.make_opsetid("", 20), helper.make_opsetid(_MICROSOFT, 1)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=10)
    return bytes(model.SerializeToString())


class _Writer:
    """Collects nodes and constants. Every method returns the name of the added one."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []
        self._scalars: dict[str, str] = {}

    def add_constant(self, name: str, value: Array) -> str:
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def add_scalar(self, value: float, kind: type[np.generic] = np.float32) -> str:
        name = f"{kind.__name__}.{value}"
        if name not in self._scalars:
            self._scalars[name] = self.add_constant(name, np.array(value, kind))
        return name

    def add_axis(self, value: int) -> str:
        name = f"axis.{value}"
        if name not in self._scalars:
            self._scalars[name] = self.add_constant(name, np.array([value], np.int64))
        return name

    def add_node(self, kind: str, inputs: list[str], output: str, domain: str = "", **attributes: Any) -> str:
        self.nodes.append(helper.make_node(kind, inputs, [output], domain=domain, **attributes))
        return output


def _add_embedding(writer: _Writer, weights: Weights) -> str:
    hidden = weights.shape.hidden
    table = weights.read_matrix("emb.word", weights.shape.vocabulary)
    words = [writer.add_constant("word", table.pack()), "ids", writer.add_constant("word.scale", table.scales)]
    attributes = {"bits": 4, "block_size": BLOCK, "gather_axis": 0, "quantize_axis": 1}
    half = writer.add_node("GatherBlockQuantized", words, "word.half", _MICROSOFT, **attributes)
    word = writer.add_node("Cast", [half], "word.float", to=TensorProto.FLOAT)
    # The only token type is 0, so its vector can be added to the positions here.
    positions = (
        weights.read_vector("emb.pos").reshape(-1, hidden) + weights.read_vector("emb.type").reshape(-1, hidden)[0]
    )
    tokens = writer.add_node("Shape", ["ids"], "tokens", start=1, end=2)
    position = writer.add_node(
        "Slice", [writer.add_constant("position", positions), writer.add_axis(0), tokens], "position.used"
    )
    return _add_normalisation(writer, weights, "emb.ln.", word, position)


def _add_layer(writer: _Writer, weights: Weights, at: str, state: str) -> str:
    shape = weights.shape
    projected = _add_product(writer, weights, state, [at + "q", at + "k", at + "v"], shape.hidden)
    parts = [at + "query", at + "key", at + "value"]
    writer.nodes.append(helper.make_node("Split", [projected], parts, axis=-1, num_outputs=3))
    heads = {"num_heads": shape.heads}
    context = writer.add_node("MultiHeadAttention", [*parts, "", "mask"], at + "context", _MICROSOFT, **heads)
    attended = _add_product(writer, weights, context, [at + "ao"], shape.hidden)
    state = _add_normalisation(writer, weights, at + "aln.", state, attended)
    inner = _add_product(writer, weights, state, [at + "fi"], shape.feed_forward)
    active = writer.add_node("Gelu", [inner], at + "active", _MICROSOFT)
    outer = _add_product(writer, weights, active, [at + "fo"], shape.hidden)
    return _add_normalisation(writer, weights, at + "oln.", state, outer)


def _add_normalisation(writer: _Writer, weights: Weights, name: str, first: str, second: str) -> str:
    """Add layer normalisation of a sum, as two nodes because the joined SkipLayerNormalization is slower than both."""
    inputs = [writer.add_node("Add", [first, second], name + "sum")]
    inputs += [writer.add_constant(name + part, weights.read_vector(name + part)) for part in ("w", "b")]
    return writer.add_node("LayerNormalization", inputs, name + "out", axis=-1, epsilon=weights.shape.epsilon)


def _add_product(writer: _Writer, weights: Weights, state: str, names: list[str], rows: int) -> str:
    """Add ``state`` times the matrices ``names`` (each with ``rows`` rows) side by side, plus their biases."""
    name = "+".join(names)
    matrix = np.concatenate([weights.read_matrix(part + ".w", rows).dequantise() for part in names])
    bias = np.concatenate([weights.read_vector(part + ".b") for part in names])
    row_scale = np.abs(matrix).max(axis=1) / _WEIGHT_RANGE
    whole = np.round(matrix / row_scale[:, None]).astype(np.int8).T
    bytes_, token_scale = _add_quantisation(writer, state, name)
    inputs = [bytes_, writer.add_constant(name + ".w", whole), writer.add_scalar(_TOKEN_RANGE + 1, np.uint8)]
    counted = writer.add_node("MatMulInteger", inputs, name + ".counted")
    product = writer.add_node("Cast", [counted], name + ".float", to=TensorProto.FLOAT)
    product = writer.add_node("Mul", [product, token_scale], name + ".per_token")
    product = writer.add_node("Mul", [product, writer.add_constant(name + ".scale", row_scale)], name + ".per_row")
    return writer.add_node("Add", [product, writer.add_constant(name + ".b", bias)], name + ".out")


def _add_quantisation(writer: _Writer, state: str, name: str) -> tuple[str, str]:
    """Add ``state`` as uint8 around 128, and the float32 scale of each token, shape (texts, tokens, 1)."""
    size = writer.add_node("Abs", [state], name + ".abs")
    largest = writer.add_node("ReduceMax", [size, writer.add_axis(-1)], name + ".largest", keepdims=1)
    above_zero = writer.add_node("Max", [largest, writer.add_scalar(1e-9)], name + ".above_zero")
    scale = writer.add_node("Div", [above_zero, writer.add_scalar(_TOKEN_RANGE)], name + ".token_scale")
    scaled = writer.add_node("Div", [state, scale], name + ".scaled")
    # A cast truncates, and the values are positive, so adding 0.5 makes it round.
    shifted = writer.add_node("Add", [scaled, writer.add_scalar(_TOKEN_RANGE + 1.5)], name + ".shifted")
    return writer.add_node("Cast", [shifted], name + ".bytes", to=TensorProto.UINT8), scale


def _add_pooling(writer: _Writer, state: str) -> str:
    """Add the mean over a text's tokens, L2-normalised. The sum is enough, because normalising removes its length."""
    mask = writer.add_node("Cast", ["mask"], "mask.float", to=TensorProto.FLOAT)
    row = writer.add_node("Unsqueeze", [mask, writer.add_axis(1)], "mask.row")
    summed = writer.add_node("Squeeze", [writer.add_node("MatMul", [row, state], "sum.row"), writer.add_axis(1)], "sum")
    return writer.add_node("LpNormalization", [summed], "vectors", axis=-1, p=2)
