"""The options of `cfa`, of its kernels for joint coordinates as of those for absolute ones."""

from collections.abc import Mapping

OPTIONS = {
    "elimination": {
        "default": "leaf_to_root",
        "choices": ["leaf_to_root", "odd_even", "dense", "nested_dissection"],
        "help": "from the leaves to the base, O(N); in joint coordinates the paper's odd-even form, or a dense matrix; in absolute"
        " coordinates nested dissection, in parts that do not meet",
    },
    "parts": {
        "default": 2,
        "least": 2,
        "help": "of nested dissection: how many subtrees of about equal size",
    },
}


def refuse_parts(options: Mapping[str, object]) -> None:
    """Raise ValueError where parts are asked for of an order that has none."""
    if options.get("parts", 2) != 2 and options.get("elimination") != "nested_dissection":
        raise ValueError("cfa: parts: the parts are those of nested dissection; add `elimination: nested_dissection`")
