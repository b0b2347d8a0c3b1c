"""The canary: which name of Numba or llvmlite that mbsim uses, and that is no part of their documented face, a new series has changed."""

import ast
import importlib
import inspect
from pathlib import Path

import pytest

import mbsim

JIT = Path(mbsim.__file__).parent / "jit"
# module, name in it, parameters that mbsim counts on (None: only that it is there)
NAMES: dict[str, tuple[str, str, list[str] | None]] = {
    "a library is finished in two steps": ("numba.core.codegen", "JITCodeLibrary._optimize_final_module", ["self"]),
    "the second of them": ("numba.core.codegen", "JITCodeLibrary._finalize_final_module", ["self"]),
    "and what it does for constants": ("numba.core.codegen", "CPUCodeLibrary._finalize_dynamic_globals", ["self"]),
    "a library is finished on demand": ("numba.core.codegen", "CPUCodeLibrary._ensure_finalized", ["self"]),
    "object code of a library": ("numba.core.codegen", "CPUCodeLibrary._get_compiled_object", ["self"]),
    "its module before linking": ("numba.core.codegen", "CPUCodeLibrary._get_module_for_linking", ["self"]),
    "its address of a function": ("numba.core.codegen", "JITCodeLibrary.get_pointer_to_function", ["self", "name"]),
    "a library is finished once": ("numba.core.codegen", "CPUCodeLibrary._raise_if_finalized", ["self"]),
    "and links others": ("numba.core.codegen", "CPUCodeLibrary.finalize", ["self"]),
    "the signature of a call": ("numba.core.types.functions", "BaseFunction.get_call_type", ["self", "context", "args", "kws"]),
    "the steps of compiling": ("numba.core.compiler", "CompilerBase._compile_core", ["self"]),
    "statements of byte code": ("numba.core.interpreter", "Interpreter.post_process", ["self", "peepholes", "func_ir"]),
    "variables that are joined": ("numba.core.typed_passes", "PreLowerStripPhis._strip_phi_nodes", ["self", "func_ir"]),
    "a block of statements": ("numba.core.lowering", "Lower.lower_block", ["self", "block"]),
    "a statement": ("numba.core.lowering", "Lower.lower_inst", ["self", "inst"]),
    "an expression": ("numba.core.lowering", "Lower.lower_expr", ["self", "resty", "expr"]),
    "a call": ("numba.core.lowering", "Lower.lower_call", ["self", "resty", "expr"]),
    "an argument": ("numba.core.lowering", "Lower._cast_var", ["self", "var", "ty"]),
    "room for a variable": ("numba.core.lowering", "Lower.alloca_lltype", ["self", "name", "lltype", "datamodel"]),
    "variables in memory for debuggers": ("numba.core.lowering", "Lower._disable_sroa_like_opt", None),
    "the optimiser's passes": ("numba.core.codegen", "CPUCodegen._module_pass_manager", None),
    "the environment of Python objects": ("numba.core.codegen", "JITCPUCodegen.set_env", ["self", "env_name", "env"]),
    "what a cache file depends on": ("numba.core.codegen", "CPUCodegen.magic_tuple", ["self"]),
    "the class of libraries": ("numba.core.codegen", "JITCPUCodegen._library_class", None),
    "a compiled function rebuilt": ("numba.core.compiler", "CompileResult._rebuild", None),
    "and reduced": ("numba.core.compiler", "CompileResult._reduce", ["self"]),
    "a cache that keeps nothing": ("numba.core.caching", "NullCache.load_overload", ["self", "sig", "target_context"]),
    "its other half": ("numba.core.caching", "NullCache.save_overload", ["self", "sig", "cres"]),
    "pickles of compiled functions": ("numba.core.serialize", "dumps", None),
    "arrays made of words": ("numba.np.arrayobj", "populate_array", ["array", "data", "shape", "strides", "itemsize", "meminfo", "parent"]),
    "calls in Numba's convention": ("numba.core.callconv", "CPUCallConv.call_function", None),
    "and their errors": ("numba.core.callconv", "CPUCallConv.return_status_propagate", ["self", "builder", "status"]),
}
# of instances, tried below
OURS = {
    "_linking_libraries",
    "_codegen",
    "_engine",
    "_final_module",
    "_finalized",
    "_defined_symbols",
    "_getvalue",
    "_cache",
    "_tm",
    "_definitions",
}


def found(module: str, name: str) -> object:
    """The object, or the assertion that says what has gone."""
    value: object = importlib.import_module(module)
    for part in name.split("."):
        assert hasattr(value, part), f"Numba has no {module}.{name} any more"
        value = getattr(value, part)
    return value


@pytest.mark.parametrize("use", NAMES)
def test_a_name_of_numba_is_still_there(use: str) -> None:
    module, name, parameters = NAMES[use]
    value = found(module, name)
    if parameters is not None:
        assert callable(value)
        assert list(inspect.signature(value).parameters) == parameters, f"{module}.{name} takes other arguments ({use})"


def test_every_private_name_is_listed() -> None:
    """A private attribute that is neither made in these files nor listed here is one that nobody would look for."""
    listed = {name.rpartition(".")[2] for _, name, _ in NAMES.values()} | OURS
    for path in (JIT / "compiler.py", *(JIT / "fastload" / f"{name}.py" for name in ("frontend", "lean", "lowering"))):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        made = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)}
        made |= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)}
        used = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute) and node.attr.startswith("_")}
        private = {name for name in used - made if not name.startswith("__")}
        assert private <= listed, f"{path.name}: {sorted(private - listed)}"


def test_instances_have_what_is_read_of_them() -> None:
    """An ordinary function, compiled: the attributes that exist only once something is."""
    import numba
    from numba.core.registry import cpu_target

    codegen = cpu_target.target_context.codegen()
    assert isinstance(codegen._engine._defined_symbols, set)
    assert callable(codegen._engine.is_symbol_defined) and callable(codegen._tm.emit_object)
    made = numba.njit("f8(f8)", _nrt=False, no_cpython_wrapper=True, no_cfunc_wrapper=True)(lambda x: 2.0 * x)
    (result,) = made.overloads.values()
    library = result.library
    assert library._codegen is codegen and library._finalized and library._final_module is not None
    assert library.get_pointer_to_function(result.fndesc.llvm_func_name) > 0
    assert hasattr(made, "_cache") and made.stats.cache_hits == {}
    assert not library.has_dynamic_globals and result.lifted == ()
    (library_parts, *_) = result._reduce()
    assert len(library_parts) == 3 and len(library_parts[2]) == 2  # name, kind, (object code, bitcode)
