"""Elements of URDF files."""

HINGE = '<joint name="{0}" type="{1}"><parent link="{2}"/><child link="{3}"/>{4}</joint>'


def link(name: str, mass: float, moments: str = "", centre: str = "0 0 0", rpy: str = "0 0 0") -> str:
    """A link; without moments a point mass, with neither a frame."""
    if not mass and not moments:
        return f'<link name="{name}"/>'
    keys = zip(("ixx", "iyy", "izz", "ixy", "ixz", "iyz"), (moments or "0 0 0 0 0 0").split(), strict=True)
    tensor = " ".join(f'{key}="{value}"' for key, value in keys)
    return f'<link name="{name}"><inertial><origin xyz="{centre}" rpy="{rpy}"/><mass value="{mass}"/><inertia {tensor}/></inertial></link>'


def joint(name: str, kind: str, parent: str, child: str, more: str = "") -> str:
    origin = '<origin xyz="0.1 -0.2 0.3" rpy="0.3 -0.5 0.7"/><axis xyz="0.36 0.48 0.8"/>'
    limit = '<limit lower="-3" upper="3" effort="1" velocity="1"/>'
    return HINGE.format(name, kind, parent, child, origin + limit + more)


I1, I2, I3 = "0.03 0.04 0.05 0.003 -0.002 0.004", "0.2 0.3 0.4 0 0.01 0", "1e-4 2e-4 1.5e-4 0 0 1e-5"
BASE = link("base", 3.0, "0.5 0.6 0.7 0.01 0.02 -0.03", "0.1 0.2 0.3")
