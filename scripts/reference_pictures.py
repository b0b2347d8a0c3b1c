"""Draws the first example of each joint, force, controller and constraint in docs/model-file.

    python scripts/reference_pictures.py
    python scripts/reference_pictures.py --quick    # one of each; nothing is kept

Writes docs/images/joints/NAME.png, docs/images/forces/NAME.png and so on: the schematic of `mbsim draw`, as assembled; of an example with
shapes of its own a frame of `mbsim view`. Examples without bodies have no picture.
"""

import re
from pathlib import Path

import numpy as np
from command_line import DOCS, ROOT, output_folder, parser

import mbsim
from mbsim import registry
from mbsim.model.load import load
from mbsim.observe.pose import pose_at
from mbsim.plots.drawing import schematic
from mbsim.plots.moving import Wanted, still
from mbsim.scene.motion import motion
from mbsim.scene.read import parse

KINDS = ("joints", "forces", "controllers", "constraints")
SIZE = (480, 320)  # pixels, of examples with shapes of their own
EQUATIONS = ("holonomic", "nonholonomic")  # the picture would not show them


def main() -> None:
    given = parser(__doc__, writes=True).parse_args()
    with output_folder(given) as folder:
        for kind in KINDS:
            text = (DOCS / "model-file" / f"{kind}.md").read_text(encoding="utf-8")
            words = [path.stem for path in sorted((ROOT / "mbsim" / kind).glob("[!_]*.py")) if path.stem not in EQUATIONS]
            for word in words[:1] if given.quick else words:
                picture(text, word, folder / "images" / kind)


def picture(text: str, word: str, folder: Path) -> None:
    """The picture of a leaf."""
    section = re.search(rf"^## {word}$(.*?)(?=^#|\Z)", text, re.DOTALL | re.MULTILINE)
    assert section is not None, word
    example = re.search(r"^```yaml\n(.*?)^```", section[1], re.DOTALL | re.MULTILINE)
    model = load(example[1], registry, file=str(DOCS / f"{word}.yaml")) if example is not None else None
    if model is None or model.coordinates:
        return
    folder.mkdir(parents=True, exist_ok=True)
    made = mbsim.assemble(model)
    position, orientation = pose_at(made.system, made.start, made.q)
    poses = motion(np.zeros(1), position[None], orientation[None])
    if any(body.shape for body in model.bodies.values()):
        still(parse(made.scene), poses, 0, folder / f"{word}.png", "", Wanted(SIZE), force=True)
    else:
        schematic(parse(made.scene), poses, 0, folder / f"{word}.png", "", names=True, force=True)
    print(f"{folder.name}/{word}.png", flush=True)


if __name__ == "__main__":
    main()
