"""Names, values and parameters against the original's published type stubs (isaacgym-stubs)."""

from __future__ import annotations

import ast
import importlib.metadata
import inspect
from pathlib import Path

import pytest

from rofunc_isaac.isaacgym import gymapi
from rofunc_isaac.isaacgym._enum import GymEnum
from rofunc_isaac.isaacgym._record import Record

# Where ours differ on purpose: handles are made around what they stand for.
OUR_OWN_PARAMETERS = {"Tensor.__init__", "ForceSensor.__init__"}


def stub_path() -> Path:
    try:
        files = importlib.metadata.files("isaacgym-stubs") or []
    except importlib.metadata.PackageNotFoundError:
        files = []
    for file in files:
        if file.name == "gymapi.pyi":
            return Path(str(file.locate()))
    pytest.skip("isaacgym-stubs is not installed: pip install isaacgym-stubs==1.1rc4")


@pytest.fixture(scope="module")
def stub() -> ast.Module:
    # `lambda` is a property's name there, which no Python file can have.
    text = stub_path().read_text(encoding="utf-8").replace("def lambda(", "def lambda_(")
    return ast.parse(text)


def classes_of(stub: ast.Module) -> dict:
    return {node.name: node for node in stub.body if isinstance(node, ast.ClassDef)}


def attributes_of(node: ast.ClassDef) -> set:
    """The attributes and properties of a stub class, without its methods."""
    names = set()
    for item in node.body:
        if isinstance(item, ast.AnnAssign):
            names.add(item.target.id)
        elif isinstance(item, ast.FunctionDef) and item.decorator_list:
            names.add(item.name)
    return {name for name in names if not name.startswith("__")}


def methods_of(node: ast.ClassDef) -> dict:
    """The methods of a stub class: name -> its first definition."""
    methods: dict = {}
    for item in node.body:
        if isinstance(item, ast.FunctionDef) and not any(
            isinstance(d, ast.Name) and d.id == "property" for d in item.decorator_list
        ):
            methods.setdefault(item.name, item)
    return methods


def offered_classes(stub: ast.Module) -> dict:
    """Stub classes that gymapi offers as data types."""
    return {
        name: node
        for name, node in classes_of(stub).items()
        if inspect.isclass(getattr(gymapi, name, None))
        and name not in ("Gym", "Sim", "Env", "Asset")
    }


def test_every_enumeration_and_its_members_are_offered(stub):
    enums = {
        name: attributes_of(node)
        for name, node in classes_of(stub).items()
        if any(isinstance(i, ast.AnnAssign) and i.target.id == "__members__" for i in node.body)
    }
    assert len(enums) >= 15
    for name, members in enums.items():
        ours = getattr(gymapi, name)
        assert issubclass(ours, GymEnum)
        assert set(ours.__members__) == members - {"name"}, name


def test_every_module_constant_is_offered_with_its_value_and_type(stub):
    constants = [node for node in stub.body if isinstance(node, ast.AnnAssign)]
    assert len(constants) > 150
    for node in constants:
        ours = getattr(gymapi, node.target.id)
        if node.value is not None:
            assert ours == ast.literal_eval(node.value), node.target.id
        assert type(ours).__name__ == node.annotation.id, node.target.id


def test_documented_enumeration_values(stub):
    documented = classes_of(stub)["ContactCollection"]
    text = ast.get_docstring(documented)
    for member in gymapi.ContactCollection:
        line = next(line for line in text.splitlines() if line.startswith(member.name))
        assert f"(value = {int(member)})" in line


def test_attributes_are_the_originals(stub):
    offered = offered_classes(stub)
    assert {"SimParams", "AssetOptions", "Transform", "RigidShapeProperties"} <= set(offered)
    for name, node in offered.items():
        ours = getattr(gymapi, name)
        if issubclass(ours, Record):
            extra = {"dtype"} if hasattr(ours, "dtype") else set()
            assert set(ours.fields()) | extra == attributes_of(node), name
        elif not issubclass(ours, GymEnum):
            for attribute in attributes_of(node):
                assert hasattr(ours, attribute), f"{name}.{attribute}"


def test_attribute_types_are_the_originals(stub):
    for name, node in offered_classes(stub).items():
        ours = getattr(gymapi, name)
        if not issubclass(ours, Record):
            continue
        for item in node.body:
            if not isinstance(item, ast.AnnAssign) or not isinstance(item.annotation, ast.Name):
                continue
            attribute, kind = item.target.id, item.annotation.id
            if kind != "Any":
                found = type(getattr(ours(), attribute)).__name__
                assert found == kind, f"{name}.{attribute}"


def test_dtypes_are_the_originals(stub):
    lines = stub_path().read_text(encoding="utf-8").splitlines()
    documented = {}
    for node in classes_of(stub).values():
        for item in node.body:
            if isinstance(item, ast.AnnAssign) and item.target.id == "dtype":
                _, found, text = lines[item.lineno - 1].partition("# dtype = dtype(")
                if found:
                    documented[node.name] = ast.literal_eval(text.rstrip().removesuffix(")"))
    assert {"Vec3", "Quat", "Transform", "RigidBodyState", "DofState"} <= set(documented)
    for name, fields in documented.items():
        assert getattr(gymapi, name).dtype == fields, name


def test_parameter_names_are_the_originals(stub):
    """Named parameters agree; ``arg0``, ``arg1``, ... stand for unnamed ones and only count."""
    compared = 0
    for name, node in offered_classes(stub).items():
        ours = getattr(gymapi, name)
        if issubclass(ours, GymEnum):
            continue
        for method, definition in methods_of(node).items():
            if f"{name}.{method}" in OUR_OWN_PARAMETERS or definition.args.vararg:
                continue
            if method in ("__getstate__", "__setstate__"):
                continue
            theirs = [arg.arg for arg in definition.args.args if arg.arg != "self"]
            found = list(inspect.signature(getattr(ours, method)).parameters)
            found = [parameter for parameter in found if parameter != "self"]
            assert len(found) == len(theirs), f"{name}.{method}"
            for mine, other in zip(found, theirs, strict=True):
                if not other.startswith("arg"):
                    assert mine == other, f"{name}.{method}"
            compared += 1
    assert compared > 40


# Calls of ours that the original does not have, in Preview 4.
OUR_OWN_CALLS = {
    "apply_body_force",
    "create_force_sensor",
    "get_unstable_env_mask",
    "set_actor_root_state_tensor_masked",
    "set_dof_state_tensor_masked",
}


def test_calls_of_gym_are_the_originals(stub):
    """The same names with the same parameters; those that the stub leaves open are not compared."""
    theirs = methods_of(classes_of(stub)["Gym"])
    ours = {name: getattr(gymapi.Gym, name) for name in dir(gymapi.Gym) if name[0] != "_"}
    assert set(ours) - set(theirs) == OUR_OWN_CALLS
    compared = 0
    for name, method in ours.items():
        if name in OUR_OWN_CALLS or theirs[name].args.vararg:
            continue
        expected = [arg.arg for arg in theirs[name].args.args if arg.arg != "self"]
        found = [p for p in inspect.signature(method).parameters if p != "self"]
        assert len(found) == len(expected), name
        named = [(f, e) for f, e in zip(found, expected, strict=True) if not e.startswith("arg")]
        assert all(mine == other for mine, other in named), name
        compared += 1
    assert compared > 120
