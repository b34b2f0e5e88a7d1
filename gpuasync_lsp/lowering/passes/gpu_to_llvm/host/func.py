"""Converts func.func, func.call and func.return; memrefs become the fields of their descriptors."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, StringAttr
from xdsl.ir import Attribute, Block, BlockArgument, Region, SSAValue

from gpuasync_lsp.lowering.conversion import descriptors
from gpuasync_lsp.lowering.conversion import llvm_ops as build
from gpuasync_lsp.lowering.conversion.arguments import promote
from gpuasync_lsp.lowering.conversion.patterns import AnyPattern, ConversionPattern
from gpuasync_lsp.lowering.conversion.rewriter import ConversionRewriter
from gpuasync_lsp.lowering.conversion.types import PTR, is_llvm_type, struct
from gpuasync_lsp.lowering.passes.gpu_to_llvm.host.unranked import copy_descriptors
from gpuasync_lsp.releases import Profile
from gpuasync_lsp.syntax.dialects.func import CallIndirectOp, CallOp, ConstantOp, FuncOp, ReturnOp
from gpuasync_lsp.syntax.dialects.llvm import LLVMFuncOp
from gpuasync_lsp.syntax.dialects.llvm_attributes import LLVMFunctionType
from gpuasync_lsp.syntax.kinds import is_memref, is_unranked_memref, memref_type
from gpuasync_lsp.syntax.printer import attribute_text

EMIT_C_INTERFACE = "llvm.emit_c_interface"
_VARARGS = "func.varargs"
_READNONE = "llvm.readnone"
_PUBLIC = StringAttr("public")
_OWN_PROPERTIES = frozenset({"sym_name", "function_type", "arg_attrs", "res_attrs"})


class ConvertFunc(ConversionPattern[FuncOp]):
    """`func.func` becomes `llvm.func`; `llvm.emit_c_interface` adds a wrapper `_mlir_ciface_NAME`."""

    def match_and_rewrite(self, op: FuncOp, rewriter: ConversionRewriter) -> None:
        bare = rewriter.takes_bare_pointers(op)
        arguments = self._argument_types(op, rewriter, bare)
        results = function_results(rewriter, op.function_type.outputs.data, bare)
        stay = {
            block
            for block in list(op.body.blocks)[1:]
            if rewriter.types.convert_all(argument.type for argument in block.args) is None
        }
        if stay and not rewriter.profile.functions_need_entry_only:
            rewriter.match_failure("cannot convert the block arguments")
        inputs = [t for types in arguments for t in types]
        type = LLVMFunctionType(inputs, results[0] if results else None, self._is_variadic(op))
        linkage = op.attributes.get("llvm.linkage", build.LinkageAttr("external"))
        if not isinstance(linkage, build.LinkageAttr):
            message = "Contains llvm.linkage attribute not of type LLVM::LinkageAttr"
            if rewriter.profile.linkage_is_property:
                wrong = f"Invalid attribute `linkage` in property conversion: {attribute_text(linkage)}"
                message = f"'func.func' op invalid llvm.func property{wrong}"
            rewriter.types.complaints[message] = None
            rewriter.match_failure(message)
        has_wrapper = EMIT_C_INTERFACE in op.attributes and not bare
        if has_wrapper and self._is_variadic(op):
            rewriter.match_failure("C interface for variadic functions is not supported yet.")
        properties = build.function_properties(op.sym_name, type, linkage.data)
        properties |= {name: value for name, value in op.properties.items() if name not in _OWN_PROPERTIES}
        if rewriter.profile.functions_lose_public and properties.get("sym_visibility") == _PUBLIC:
            del properties["sym_visibility"]
        if rewriter.profile.functions_lose_no_inline:
            properties.pop("no_inline", None)
        properties |= self._argument_attributes(op, arguments)
        attributes = self._attributes(op, rewriter.profile)
        region = Region()
        function = rewriter.add(
            LLVMFuncOp.create(properties=properties, attributes=attributes, regions=[region])
        )
        is_declaration = not op.body.blocks
        if not is_declaration:
            op.body.move_blocks(region)
            entry, *others = region.blocks
            self._convert_entry(entry, arguments, rewriter, bare)
            for block in others:
                if block not in stay and rewriter.branches_convert:
                    rewriter.convert_arguments(block)
        if has_wrapper:
            wrap = wrap_declaration if is_declaration else wrap_definition
            wrap(rewriter, op, function, attributes)
        rewriter.erase(op)

    @staticmethod
    def _argument_types(op: FuncOp, rewriter: ConversionRewriter, bare: bool) -> list[list[Attribute]]:
        arguments: list[list[Attribute]] = []
        for type in op.function_type.inputs.data:
            types = rewriter.types.argument_types(type, bare)
            if types is None:
                rewriter.match_failure(f"cannot convert an argument of type {type}")
            arguments.append(types)
        return arguments

    @staticmethod
    def _is_variadic(op: FuncOp) -> bool:
        return op.attributes.get(_VARARGS) == IntegerAttr.from_bool(True)

    @staticmethod
    def _attributes(op: FuncOp, profile: Profile) -> dict[str, Attribute]:
        """Return the attributes of the llvm.func: those of the func.func that remain, and lowered ones."""
        dropped = (
            {"llvm.linkage"} if profile.keeps_function_attributes else {"llvm.linkage", _VARARGS, _READNONE}
        )
        found = {name: value for name, value in op.attributes.items() if name not in dropped}
        if _READNONE in op.attributes:
            found[profile.memory_effects[0]] = build.memory_effects(profile)
        return found

    @staticmethod
    def _argument_attributes(op: FuncOp, arguments: Sequence[Sequence[Attribute]]) -> dict[str, Attribute]:
        """Return the attributes of the LLVM arguments.

        An argument that expands to several, such as a memref, loses its attributes.
        """
        found: dict[str, Attribute] = {}
        if op.arg_attrs is not None:
            none = DictionaryAttr({})
            found["arg_attrs"] = ArrayAttr(
                given if len(types) == 1 else none
                for given, types in zip(op.arg_attrs.data, arguments, strict=True)
                for _ in types
            )
        if op.res_attrs is not None and len(op.res_attrs.data) == 1:
            found["res_attrs"] = op.res_attrs
        return found

    @staticmethod
    def _convert_entry(
        block: Block, arguments: Sequence[Sequence[Attribute]], rewriter: ConversionRewriter, bare: bool
    ) -> None:
        old = block.args
        for argument, types in zip(old, arguments, strict=True):
            if [argument.type] == types:
                continue
            new: list[SSAValue] = [rewriter.insert_argument(block, argument, type) for type in types]
            if is_memref(argument.type) or is_unranked_memref(argument.type):
                rewriter.defer_argument(argument, partial(argument_descriptor, rewriter, argument, new, bare))
            else:
                rewriter.replace_argument(argument, new[0])


class ConvertCall(ConversionPattern[CallOp]):
    """`func.call` becomes `llvm.call`; several results are returned in a struct."""

    def match_and_rewrite(self, op: CallOp, rewriter: ConversionRewriter) -> None:
        self._convert(op, op.arguments, op.callee.string_value(), rewriter)

    @staticmethod
    def _convert(
        op: CallOp | CallIndirectOp, operands: Sequence[SSAValue], callee: str, rewriter: ConversionRewriter
    ) -> None:
        """Insert a call to the function `callee`; if it is empty, the first of `operands` is the callee."""
        bare = rewriter.calls_with_bare_pointers(op, callee)
        if bare and any(is_unranked_memref(operand.type) for operand in operands):
            rewriter.match_failure("an unranked memref has no bare pointer")
        lowered = rewriter.lowered_all(operands)
        result_types = [result.type for result in op.res]
        results = function_results(rewriter, result_types, bare)
        arguments = promote(rewriter, operands, lowered, bare)
        call = build.call(rewriter, callee, arguments, results)
        call.attributes |= op.attributes
        if isinstance(op, CallOp) and op.no_inline is not None:
            # llvm.call has no such property.
            call.attributes["no_inline"] = op.no_inline
        if len(result_types) <= 1:
            values: list[SSAValue] = list(call.results)
        else:
            values = [build.extract_value(rewriter, call.results[0], n) for n in range(len(result_types))]
        if bare:
            values = [
                descriptors.static_descriptor(rewriter, memref_type(type), value)
                if is_memref(type)
                else value
                for type, value in zip(result_types, values, strict=True)
            ]
        else:
            values = copy_descriptors(rewriter, result_types, values, to_heap=False)
        rewriter.replace(op, values)


class ConvertCallIndirect(ConvertCall, ops=(CallIndirectOp,)):
    """`func.call_indirect` becomes an `llvm.call` through a pointer."""

    def match_and_rewrite(self, op: CallIndirectOp, rewriter: ConversionRewriter) -> None:  # type: ignore[override]
        self._convert(op, op.operands, "", rewriter)


class ConvertConstant(ConversionPattern[ConstantOp]):
    """`func.constant` becomes `llvm.mlir.addressof`."""

    def match_and_rewrite(self, op: ConstantOp, rewriter: ConversionRewriter) -> None:
        type = rewriter.converted(op.result.type)
        rewriter.replace(op, [build.address_of(rewriter, op.value.string_value(), type)])


class ConvertReturn(ConversionPattern[ReturnOp]):
    """`func.return` becomes `llvm.return`; several values are packed into a struct."""

    def match_and_rewrite(self, op: ReturnOp, rewriter: ConversionRewriter) -> None:
        values = rewriter.lowered_all(op.arguments)
        function = op.parent_op()
        marked = isinstance(function, LLVMFuncOp) and rewriter.takes_bare_pointers(function)
        if marked or rewriter.types.bare_pointers:
            allocation = rewriter.profile.returns_bare_allocation
            pointer = descriptors.allocated_pointer if allocation else descriptors.aligned_pointer
            if any(is_unranked_memref(operand.type) for operand in op.arguments):
                rewriter.match_failure("an unranked memref has no bare pointer")
            if len(values) > 1:
                function_results(rewriter, [operand.type for operand in op.arguments], True)  # It may raise.
            values = [
                pointer(rewriter, value) if _has_bare_pointer(rewriter, operand.type) else value
                for operand, value in zip(op.arguments, values, strict=True)
            ]
        else:
            types = [operand.type for operand in op.arguments]
            values = copy_descriptors(rewriter, types, values, to_heap=True)
        if len(values) > 1:
            packed = build.undefined(rewriter, pack_type(rewriter, [value.type for value in values]))
            for n, value in enumerate(values):
                packed = build.insert_value(rewriter, value, packed, n)
            values = [packed]
        build.return_(rewriter, values, op.attributes)
        rewriter.erase(op)


def _has_bare_pointer(rewriter: ConversionRewriter, type: Attribute) -> bool:
    return is_memref(type) and rewriter.types.bare_pointer(memref_type(type)) is not None


PATTERNS: Sequence[AnyPattern] = (
    ConvertFunc(),
    ConvertCall(),
    ConvertCallIndirect(),
    ConvertConstant(),
    ConvertReturn(),
)


def function_results(
    rewriter: ConversionRewriter, outputs: Sequence[Attribute], bare_pointers: bool
) -> list[Attribute]:
    """Return the LLVM results (none or one) of a function with results `outputs`. Raises MatchFailure."""
    converted: list[Attribute] = []
    for type in outputs:
        bare = is_memref(type) and bare_pointers
        new = rewriter.types.bare_pointer(memref_type(type)) if bare else rewriter.types.convert(type)
        if new is None:
            rewriter.match_failure(f"cannot convert a result of type {type}")
        converted.append(new)
    return [pack_type(rewriter, converted)] if len(converted) > 1 else converted


def pack_type(rewriter: ConversionRewriter, types: Sequence[Attribute]) -> Attribute:
    """Return the type of the struct that contains several results. Raises MatchFailure."""
    if rewriter.profile.packs_llvm_types_only and not all(map(is_llvm_type, types)):
        rewriter.match_failure("cannot pack results that are not of LLVM type")
    return struct(types)


def argument_descriptor(
    rewriter: ConversionRewriter, argument: BlockArgument, fields: Sequence[SSAValue], bare_pointers: bool
) -> SSAValue:
    """Build the descriptor of the memref `argument` from `fields`, the LLVM arguments to which it expands."""
    if is_memref(argument.type):
        type = memref_type(argument.type)
        if bare_pointers:
            return descriptors.static_descriptor(rewriter, type, fields[0])
        empty = build.undefined(rewriter, rewriter.converted(type))
        return descriptors.pack_arguments(rewriter, type, fields, empty)
    packed = build.undefined(rewriter, rewriter.converted(argument.type))
    for position, field in enumerate(fields):
        packed = build.insert_value(rewriter, field, packed, position)
    return packed


def wrap_definition(
    rewriter: ConversionRewriter, op: FuncOp, function: LLVMFuncOp, attributes: dict[str, Attribute]
) -> None:
    """Define `_mlir_ciface_NAME`, which has pointers to descriptors as arguments and calls NAME."""
    inputs, result_pointer, output = c_signature(rewriter, op)
    body = Block(arg_types=inputs)
    type = LLVMFunctionType(inputs, output)
    _add_wrapper(rewriter, op, type, attributes, Region(body))
    given = list(body.args)
    with rewriter.at_end(body):
        out = given.pop(0) if result_pointer is not None else None
        arguments: list[SSAValue] = []
        for type_in, value in zip(op.function_type.inputs.data, given, strict=True):
            if is_memref(type_in):
                descriptor = build.load(rewriter, value, rewriter.converted(type_in))
                rank = len(memref_type(type_in).get_shape())
                arguments += descriptors.unpack(rewriter, rank, descriptor)
            elif is_unranked_memref(type_in):
                descriptor = build.load(rewriter, value, rewriter.converted(type_in))
                arguments += [build.extract_value(rewriter, descriptor, n) for n in range(2)]
            else:
                arguments.append(value)
        call = build.call(rewriter, op.sym_name.data, arguments, function.function_type.results)
        if out is not None:
            build.store(rewriter, call.results[0], out)
            build.return_(rewriter, [])
        else:
            build.return_(rewriter, call.results)


def wrap_declaration(
    rewriter: ConversionRewriter, op: FuncOp, function: LLVMFuncOp, attributes: dict[str, Attribute]
) -> None:
    """Declare `_mlir_ciface_NAME`, and define NAME, which calls it with pointers to descriptors."""
    inputs, result_pointer, output = c_signature(rewriter, op)
    type = LLVMFunctionType(inputs, output)
    _add_wrapper(rewriter, op, type, attributes, Region())
    function.properties["linkage"] = build.LinkageAttr("private")
    body = Block(arg_types=function.function_type.inputs.data)
    function.body.add_block(body)
    fields = list(body.args)
    with rewriter.at_end(body):
        arguments: list[SSAValue] = []
        out = None
        if result_pointer is not None:
            one = build.index_constant(rewriter, 1)
            out = build.alloca(rewriter, one, result_pointer)
            arguments.append(out)
        for type_in in op.function_type.inputs.data:
            if is_memref(type_in):
                memref = memref_type(type_in)
                count = 3 + 2 * len(memref.get_shape())
                taken, fields = fields[:count], fields[count:]
                empty = build.undefined(rewriter, rewriter.converted(memref))
                packed = descriptors.pack_arguments(rewriter, memref, taken, empty)
                arguments.append(_spill(rewriter, packed))
            elif is_unranked_memref(type_in):
                packed = build.undefined(rewriter, rewriter.converted(type_in))
                for position in range(2):
                    packed = build.insert_value(rewriter, fields.pop(0), packed, position)
                arguments.append(_spill(rewriter, packed))
            else:
                arguments.append(fields.pop(0))
        call = build.call(rewriter, f"_mlir_ciface_{op.sym_name.data}", arguments, type.results)
        if out is not None and result_pointer is not None:
            build.return_(rewriter, [build.load(rewriter, out, result_pointer)])
        else:
            build.return_(rewriter, call.results)


def c_signature(
    rewriter: ConversionRewriter, op: FuncOp
) -> tuple[list[Attribute], Attribute | None, Attribute | None]:
    """Return the C wrapper's argument types, its struct returned via the first (or None), and its result."""
    inputs: list[Attribute] = [
        PTR if (is_memref(type) or is_unranked_memref(type)) else rewriter.converted(type)
        for type in op.function_type.inputs.data
    ]
    results = function_results(rewriter, op.function_type.outputs.data, bare_pointers=False)
    if results and results[0].name == "llvm.struct":
        return [PTR, *inputs], results[0], None
    return inputs, None, results[0] if results else None


def _add_wrapper(
    rewriter: ConversionRewriter,
    op: FuncOp,
    type: LLVMFunctionType,
    attributes: dict[str, Attribute],
    region: Region,
) -> None:
    name = StringAttr(f"_mlir_ciface_{op.sym_name.data}")
    properties = build.function_properties(name, type)
    if op.sym_visibility is not None:
        properties["sym_visibility"] = op.sym_visibility
    rewriter.add(LLVMFuncOp.create(properties=properties, attributes=dict(attributes), regions=[region]))


def _spill(rewriter: ConversionRewriter, descriptor: SSAValue) -> SSAValue:
    one = build.index_constant(rewriter, 1)
    slot = build.alloca(rewriter, one, descriptor.type)
    build.store(rewriter, descriptor, slot)
    return slot
