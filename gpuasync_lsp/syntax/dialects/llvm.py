"""MLIR's `llvm` dialect: the ops of `mlir-opt --gpu-to-llvm` output, in MLIR 22's own assembly.

Classes have the names of MLIR's ODS classes, fields the ODS argument names in snake_case. To build ops:

    LLVMFuncOp(name, LLVMFunctionType(inputs, output), linkage="external", region=None)
    CallOp("callee" or value, arguments, result_type=None, callee_type=None)   .callee, .args, .result
    ConstantOp(attribute, type), ZeroOp(type), UndefOp(type), PoisonOp(type), AddressOfOp("global", type)
    GEPOp(base, indices, elem_type, flags="", result_type=None)    indices: values or ints
    LoadOp(addr, type, alignment=None), StoreOp(value, addr, alignment=None), AllocaOp(array_size, elem_type)
    InsertValueOp(value, container, position), ExtractValueOp(container, position)
    PtrToIntOp(arg, type), BitcastOp, AddrSpaceCastOp, ZExtOp, ... : all casts alike
    AddOp(lhs, rhs, overflow=""), FAddOp(lhs, rhs), ... : all binary ops alike;  FNegOp(operand)
    ICmpOp("eq", lhs, rhs), FCmpOp("olt", lhs, rhs), SelectOp(condition, true_value, false_value)
    BrOp(dest, operands), CondBrOp(condition, true_dest, true_operands, false_dest, false_operands)
    SwitchOp(value, default, default_operands, [(case value, block, operands), ...])
    ReturnOp(value=None), UnreachableOp()
    GlobalOp(name, type, linkage, value=None, constant=False, region=None)
    GlobalCtorsOp(names, priorities)
    IntrinsicOps: see `INTRINSICS`, a class for each: INTRINSICS["llvm.intr.fma"](operands, result_type)

Results are called `res` (CallOp: `result`). Types and attributes are in `llvm_attributes`. What is missing
here (llvm.invoke, llvm.indirectbr, debug intrinsics) parses as an opaque op.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import Any, ClassVar, cast

from xdsl.dialects.builtin import (
    I64,
    ArrayAttr,
    DenseArrayBase,
    DenseIntElementsAttr,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    FunctionType,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    NoneAttr,
    StringAttr,
    SymbolRefAttr,
    TensorType,
    UnitAttr,
    UnrankedMemRefType,
    VectorType,
    i32,
)
from xdsl.ir import Attribute, Block, Dialect, Operation, Region, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    opt_result_def,
    prop_def,
    region_def,
    result_def,
    successor_def,
    traits_def,
    var_operand_def,
    var_result_def,
    var_successor_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    IsolatedFromAbove,
    IsTerminator,
    NoTerminator,
    Pure,
    SymbolOpInterface,
    SymbolTable,
)

from gpuasync_lsp.syntax.dialects.assembly import (
    UNIT,
    Attributes,
    i32_array,
    i64_array,
    i64_attr,
    integers,
    parse_attributes,
    parse_branch_target_operands,
    parse_integer_list,
    parse_operand_names,
    parse_result_list,
    parse_signature,
    parse_types,
    print_attributes,
    print_branch_target_operands,
    print_integer_list,
    print_result_list,
    print_signature,
    print_values_with_types,
    refuse,
)
from gpuasync_lsp.syntax.dialects.llvm_attributes import (
    LINKAGES,
    TYPES_AND_ATTRIBUTES,
    CConvAttr,
    FastmathFlagsAttr,
    IntegerOverflowFlagsAttr,
    LinkageAttr,
    LLVMArrayType,
    LLVMFunctionType,
    LLVMPointerType,
    LLVMStructType,
    LLVMVectorType,
    LLVMVoidType,
    TailCallKindAttr,
    element_at,
    i1_like,
)
from gpuasync_lsp.syntax.dialects.llvm_rare import RARE

_FOREIGN = (FunctionType, IndexType, MemRefType, TensorType, UnrankedMemRefType)
"""Builtin types that a function of the llvm dialect cannot take."""
VISIBILITIES = ("default", "hidden", "protected")
UNNAMED_ADDRS = ("", "local_unnamed_addr", "unnamed_addr")
CALLING_CONVENTIONS = (
    "ccc", "fastcc", "coldcc", "cc_10", "cc_11", "anyregcc", "preserve_mostcc", "preserve_allcc",
    "swiftcc", "cxx_fast_tlscc", "tailcc", "cfguard_checkcc", "swifttailcc", "x86_stdcallcc",
    "x86_fastcallcc", "arm_apcscc", "arm_aapcscc", "arm_aapcs_vfpcc", "msp430_intrcc", "x86_thiscallcc",
    "ptx_kernelcc", "ptx_devicecc", "spir_funccc", "spir_kernelcc", "intel_ocl_bicc", "x86_64_sysvcc",
    "win64cc", "x86_vectorcallcc", "hhvmcc", "hhvm_ccc", "x86_intrcc", "avr_intrcc", "avr_builtincc",
    "amdgpu_vscc", "amdgpu_gscc", "amdgpu_cscc", "amdgpu_kernelcc", "x86_regcallcc", "amdgpu_hscc",
    "msp430_builtincc", "amdgpu_lscc", "amdgpu_escc", "aarch64_vectorcallcc", "aarch64_sve_vectorcallcc",
    "wasm_emscripten_invokecc", "amdgpu_gfxcc", "m68k_intrcc",
)  # fmt: skip
TAIL_CALL_KINDS = ("none", "notail", "musttail", "tail")
ORDERINGS = {
    "not_atomic": 0,
    "unordered": 1,
    "monotonic": 2,
    "acquire": 4,
    "release": 5,
    "acq_rel": 6,
    "seq_cst": 7,
}
ATOMIC_BINARY_OPS = (
    "xchg", "add", "sub", "_and", "nand", "_or", "_xor", "max", "min", "umax", "umin", "fadd", "fsub",
    "fmax", "fmin", "uinc_wrap", "udec_wrap", "usub_cond", "usub_sat", "fmaximum", "fminimum",
)  # fmt: skip
ICMP_PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
FCMP_PREDICATES = (
    "_false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une",
    "uno", "_true",
)  # fmt: skip
OVERFLOW_FLAGS = {"nsw": 1, "nuw": 2}
GEP_FLAGS = {"inbounds_flag": 1, "nusw": 2, "inbounds": 3, "nuw": 4}
GEP_DYNAMIC_INDEX = -(2**31)
"""In `rawConstantIndices`: take the next dynamic index."""

NO_FASTMATH = FastmathFlagsAttr("none")
_FASTMATH_DEFAULT: Attributes = {"fastmathFlags": NO_FASTMATH}


# Functions, calls and globals


@irdl_op_definition
class LLVMFuncOp(IRDLOperation):
    name = "llvm.func"

    sym_name = prop_def(StringAttr)
    sym_visibility = opt_prop_def(StringAttr)
    function_type = prop_def(LLVMFunctionType)
    linkage = opt_prop_def(LinkageAttr, LinkageAttr("external"))
    cconv = opt_prop_def(CConvAttr, CConvAttr("ccc"), prop_name="CConv")
    visibility_ = opt_prop_def(IntegerAttr[I64], i64_attr(0))
    unnamed_addr = opt_prop_def(IntegerAttr[I64], i64_attr(0))
    dso_local = opt_prop_def(UnitAttr)
    comdat = opt_prop_def(SymbolRefAttr)
    personality = opt_prop_def(SymbolRefAttr)
    passthrough = opt_prop_def(ArrayAttr)
    arg_attrs = opt_prop_def(ArrayAttr[DictionaryAttr])
    res_attrs = opt_prop_def(ArrayAttr[DictionaryAttr])
    body = region_def()

    traits = traits_def(IsolatedFromAbove(), SymbolOpInterface())

    def __init__(
        self,
        name: str,
        function_type: LLVMFunctionType,
        linkage: str = "external",
        region: Region | None = None,
        properties: Attributes | None = None,
        attributes: Attributes | None = None,
    ):
        super().__init__(
            properties={
                "sym_name": StringAttr(name),
                "function_type": function_type,
                "linkage": LinkageAttr(linkage),
                **(properties or {}),
            },
            attributes=attributes or {},
            regions=[region or Region()],
        )

    @classmethod
    def parse(cls, parser: Parser) -> LLVMFuncOp:
        linkage = parser.parse_optional_keyword_in(LINKAGES) or "external"
        properties = _parse_symbol_flags(parser)
        if (convention := parser.parse_optional_keyword_in(CALLING_CONVENTIONS)) is not None:
            properties["CConv"] = CConvAttr(convention)
        name = parser.parse_symbol_name().data
        start = parser.pos
        signature = parse_signature(parser, allow_variadic=True)
        for what, types in (("arguments", signature.inputs), ("results", signature.results)):
            if any(isinstance(type, _FOREIGN) or type.name.startswith(("async.", "gpu.")) for type in types):
                words = f"failed to construct function type: expected LLVM type for function {what}"
                refuse(parser, cls.name, words, start)
        if len(signature.results) > 1:
            parser.raise_error("failed to construct function type: expected zero or one function result")
        vscale = _parse_vscale_range(parser)
        _parse_comdat(parser, properties)
        named, attributes = parse_attributes(parser, cls, keyword=True)
        properties |= named
        if vscale is not None:
            attributes["vscale_range"] = vscale
        if signature.argument_attributes is not None:
            properties["arg_attrs"] = signature.argument_attributes
        if signature.result_attributes is not None:
            properties["res_attrs"] = signature.result_attributes
        output = signature.results[0] if signature.results else LLVMVoidType()
        function_type = LLVMFunctionType(signature.inputs, output, signature.variadic)
        # Of a body without anything in it, MLIR makes a declaration.
        region = parser.parse_optional_region(signature.arguments or None)
        return cls(name, function_type, linkage, region, properties, attributes)

    def print(self, printer: Printer) -> None:
        if self.linkage.data != "external":
            printer.print_string(f" {self.linkage.data}")
        _print_symbol_flags(printer, self.visibility_, None, self.unnamed_addr)
        if self.cconv.data != "ccc":
            printer.print_string(f" {self.cconv.data}")
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        body = self.body.blocks.first
        print_signature(
            printer,
            self.function_type.inputs.data,
            self.function_type.results,
            None if body is None else body.args,
            self.arg_attrs,
            self.res_attrs,
            self.function_type.is_variadic,
        )
        vscale = self.attributes.get("vscale_range")
        if vscale is not None:
            _print_vscale_range(printer, vscale)
        _print_comdat(printer, self.comdat)
        print_attributes(printer, self, self.SAID_ELSEWHERE, keyword=True)
        if body is not None:
            printer.print_string(" ")
            printer.print_region(self.body, print_entry_block_args=False, print_empty_block=False)

    SAID_ELSEWHERE: ClassVar = frozenset(
        {
            "sym_name",
            "function_type",
            "linkage",
            "CConv",
            "visibility_",
            "unnamed_addr",
            "comdat",
            "arg_attrs",
            "res_attrs",
            "vscale_range",
        }
    )


@irdl_op_definition
class CallOp(IRDLOperation):
    """A direct call (`callee` is a symbol) or an indirect one (`callee` is None: the first operand is it)."""

    name = "llvm.call"

    callee = opt_prop_def(SymbolRefAttr)
    var_callee_type = opt_prop_def(LLVMFunctionType)
    cconv = opt_prop_def(CConvAttr, CConvAttr("ccc"), prop_name="CConv")
    tail_call_kind = opt_prop_def(TailCallKindAttr, TailCallKindAttr("none"), prop_name="TailCallKind")
    fastmath_flags = opt_prop_def(FastmathFlagsAttr, NO_FASTMATH, prop_name="fastmathFlags")
    op_bundle_sizes = opt_prop_def(DenseArrayBase, i32_array(()))
    op_bundle_tags = opt_prop_def(ArrayAttr)
    arg_attrs = opt_prop_def(ArrayAttr[DictionaryAttr])
    res_attrs = opt_prop_def(ArrayAttr[DictionaryAttr])
    branch_weights = opt_prop_def()
    no_unwind = opt_prop_def(UnitAttr)
    will_return = opt_prop_def(UnitAttr)
    convergent = opt_prop_def(UnitAttr)
    callee_operands = var_operand_def()
    op_bundle_operands = var_operand_def()
    result = opt_result_def()

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    def __init__(
        self,
        callee: str | SymbolRefAttr | SSAValue,
        arguments: Sequence[SSAValue | Operation] = (),
        result_type: Attribute | None = None,
        var_callee_type: LLVMFunctionType | None = None,
        bundles: Sequence[tuple[str, Sequence[SSAValue]]] = (),
        properties: Attributes | None = None,
        attributes: Attributes | None = None,
    ):
        values = [SSAValue.get(argument) for argument in arguments]
        named = dict(properties or {})
        if isinstance(callee, SSAValue):
            values.insert(0, callee)
        else:
            named["callee"] = SymbolRefAttr(callee) if isinstance(callee, str) else callee
        if var_callee_type is not None:
            named["var_callee_type"] = var_callee_type
        named["op_bundle_sizes"] = i32_array([len(values) for _, values in bundles])
        if bundles:
            named["op_bundle_tags"] = ArrayAttr([StringAttr(tag) for tag, _ in bundles])
        super().__init__(
            operands=[values, [value for _, bundle in bundles for value in bundle]],
            result_types=[[] if result_type is None else [result_type]],
            properties=named,
            attributes=attributes or {},
        )

    @property
    def args(self) -> Sequence[SSAValue]:
        """The call's arguments, without the called value of an indirect call."""
        # Without bundles these are all operands; to ask for a segment costs ten times as much.
        operands = self.operands if self.op_bundle_tags is None else self.callee_operands
        return operands if self.callee is not None else operands[1:]

    @classmethod
    def parse(cls, parser: Parser) -> CallOp:
        properties: Attributes = {}
        if (convention := parser.parse_optional_keyword_in(CALLING_CONVENTIONS)) is not None:
            properties["CConv"] = CConvAttr(convention)
        if (kind := parser.parse_optional_keyword_in(TAIL_CALL_KINDS)) is not None:
            properties["TailCallKind"] = TailCallKindAttr(kind)
        called = parser.parse_optional_unresolved_operand()
        symbol = None if called is not None else SymbolRefAttr(parser.parse_symbol_name())
        with parser.in_parens():
            names = parse_operand_names(parser)
        callee_type: Attribute | None = None
        if parser.parse_optional_keyword("vararg") is not None:
            with parser.in_parens():
                callee_type = parser.parse_type()
        bundles = _parse_bundles(parser)
        named, attributes = parse_attributes(parser, cls)
        properties |= named
        parser.parse_punctuation(":")
        pointer_type = None
        if called is not None:
            pointer_type = parser.parse_type()
            parser.parse_punctuation(",")
        inputs, argument_attributes = _parse_argument_types(parser)
        parser.parse_punctuation("->")
        results, result_attributes = parse_result_list(parser)
        if argument_attributes is not None:
            properties["arg_attrs"] = argument_attributes
        if result_attributes is not None:
            properties["res_attrs"] = result_attributes
        if len(results) > 1:
            parser.raise_error("expected function with 0 or 1 result")
        arguments = parser.resolve_operands(names, inputs, parser.pos)
        callee = symbol
        if called is not None and pointer_type is not None:
            callee = parser.resolve_operand(called, pointer_type)
        assert callee is not None
        return cls(
            callee,
            arguments,
            results[0] if results else None,
            callee_type if isinstance(callee_type, LLVMFunctionType) else None,
            bundles,
            properties,
            attributes,
        )

    def print(self, printer: Printer) -> None:
        if self.cconv.data != "ccc":
            printer.print_string(f" {self.cconv.data}")
        if self.tail_call_kind.data != "none":
            printer.print_string(f" {self.tail_call_kind.data}")
        printer.print_string(" ")
        callee, arguments = self.callee, self.args
        if callee is not None:
            printer.print_attribute(callee)
        else:
            printer.print_ssa_value(self.callee_operands[0])
        with printer.in_parens():
            printer.print_list(arguments, printer.print_ssa_value)
        if self.var_callee_type is not None:
            printer.print_string(" vararg(")
            printer.print_attribute(self.var_callee_type)
            printer.print_string(")")
        if self.op_bundle_tags is not None:
            _print_bundles(printer, self.op_bundle_operands, self.op_bundle_sizes, self.op_bundle_tags)
        print_attributes(printer, self, self.SAID_ELSEWHERE, _FASTMATH_DEFAULT)
        printer.print_string(" : ")
        if callee is None:
            printer.print_attribute(self.callee_operands[0].type)
            printer.print_string(", ")
        print_signature(printer, [value.type for value in arguments], [], argument_attributes=self.arg_attrs)
        printer.print_string(" -> ")
        print_result_list(printer, [result.type for result in self.results], self.res_attrs)

    SAID_ELSEWHERE: ClassVar = frozenset(
        {
            "callee",
            "var_callee_type",
            "CConv",
            "TailCallKind",
            "op_bundle_sizes",
            "op_bundle_tags",
            "operandSegmentSizes",
            "arg_attrs",
            "res_attrs",
        }
    )


@irdl_op_definition
class ReturnOp(IRDLOperation):
    name = "llvm.return"

    arg = opt_operand_def()

    traits = traits_def(IsTerminator())

    def __init__(self, arg: SSAValue | Operation | None = None, attributes: Attributes | None = None):
        super().__init__(operands=[arg], attributes=attributes or {})

    @classmethod
    def parse(cls, parser: Parser) -> ReturnOp:
        _, attributes = parse_attributes(parser, cls)
        name = parser.parse_optional_unresolved_operand()
        if name is None:
            return cls(attributes=attributes)
        parser.parse_punctuation(":")
        return cls(parser.resolve_operand(name, parser.parse_type()), attributes)

    def print(self, printer: Printer) -> None:
        print_attributes(printer, self)
        if self.arg is not None:
            printer.print_string(" ")
            print_values_with_types(printer, [self.arg])


@irdl_op_definition
class UnreachableOp(IRDLOperation):
    name = "llvm.unreachable"

    traits = traits_def(IsTerminator())

    assembly_format = "attr-dict"


@irdl_op_definition
class GlobalOp(IRDLOperation):
    name = "llvm.mlir.global"

    sym_name = prop_def(StringAttr)
    sym_visibility = opt_prop_def(StringAttr)
    global_type = prop_def()
    linkage = prop_def(LinkageAttr)
    constant = opt_prop_def(UnitAttr)
    value = opt_prop_def()
    addr_space = opt_prop_def(IntegerAttr, IntegerAttr(0, i32))
    visibility_ = opt_prop_def(IntegerAttr[I64], i64_attr(0))
    unnamed_addr = opt_prop_def(IntegerAttr[I64], i64_attr(0))
    dso_local = opt_prop_def(UnitAttr)
    thread_local_ = opt_prop_def(UnitAttr)
    externally_initialized = opt_prop_def(UnitAttr)
    alignment = opt_prop_def(IntegerAttr)
    section = opt_prop_def(StringAttr)
    comdat = opt_prop_def(SymbolRefAttr)
    dbg_exprs = opt_prop_def()
    target_specific_attrs = opt_prop_def(ArrayAttr)
    initializer = region_def()

    traits = traits_def(IsolatedFromAbove(), SymbolOpInterface())

    def __init__(
        self,
        name: str,
        global_type: Attribute,
        linkage: str = "external",
        value: Attribute | None = None,
        constant: bool = False,
        region: Region | None = None,
        properties: Attributes | None = None,
        attributes: Attributes | None = None,
    ):
        super().__init__(
            properties={
                "addr_space": IntegerAttr(0, i32),
                "sym_name": StringAttr(name),
                "global_type": global_type,
                "linkage": LinkageAttr(linkage),
                "value": value,
                "constant": UNIT if constant else None,
                **(properties or {}),
            },
            attributes=attributes or {},
            regions=[region or Region()],
        )

    @classmethod
    def parse(cls, parser: Parser) -> GlobalOp:
        linkage = parser.parse_optional_keyword_in(LINKAGES) or "external"
        properties = _parse_symbol_flags(parser, allow_thread_local=True)
        constant = parser.parse_optional_keyword("constant") is not None
        name = parser.parse_symbol_name().data
        value: Attribute | None = None
        with parser.in_parens():
            value = parser.parse_optional_attribute()
        _parse_comdat(parser, properties)
        named, attributes = parse_attributes(parser, cls)
        properties |= named
        region = None
        if parser.parse_optional_punctuation(":") is not None:
            global_type: Attribute = parser.parse_type()
            region = parser.parse_optional_region()
        elif isinstance(value, StringAttr):
            global_type = LLVMArrayType(len(value.data.encode()), IntegerType(8))
        else:
            parser.raise_error("type can only be omitted for string globals")
        return cls(name, global_type, linkage, value, constant, region, properties, attributes)

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {self.linkage.data}")
        _print_symbol_flags(printer, self.visibility_, self.thread_local_, self.unnamed_addr)
        if self.constant is not None:
            printer.print_string(" constant")
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        with printer.in_parens():
            if self.value is not None:
                printer.print_attribute(self.value)
        _print_comdat(printer, self.comdat)
        print_attributes(printer, self, self.SAID_ELSEWHERE)
        if not isinstance(self.value, StringAttr):
            printer.print_string(" : ")
            printer.print_attribute(self.global_type)
        if self.initializer.blocks:
            printer.print_string(" ")
            printer.print_region(self.initializer, print_entry_block_args=False)

    SAID_ELSEWHERE: ClassVar = frozenset(
        {
            "sym_name",
            "global_type",
            "linkage",
            "constant",
            "value",
            "visibility_",
            "unnamed_addr",
            "thread_local_",
            "comdat",
        }
    )


@irdl_op_definition
class AliasOp(IRDLOperation):
    name = "llvm.mlir.alias"

    sym_name = prop_def(StringAttr)
    alias_type = prop_def()
    linkage = prop_def(LinkageAttr)
    visibility_ = opt_prop_def(IntegerAttr[I64], i64_attr(0))
    unnamed_addr = opt_prop_def(IntegerAttr[I64], i64_attr(0))
    dso_local = opt_prop_def(UnitAttr)
    thread_local_ = opt_prop_def(UnitAttr)
    initializer = region_def()

    traits = traits_def(IsolatedFromAbove(), SymbolOpInterface())

    @classmethod
    def parse(cls, parser: Parser) -> AliasOp:
        linkage = parser.parse_optional_keyword_in(LINKAGES) or "external"
        properties = _parse_symbol_flags(parser, allow_thread_local=True)
        name = parser.parse_symbol_name()
        named, attributes = parse_attributes(parser, cls)
        parser.parse_punctuation(":")
        properties |= named
        properties |= {"sym_name": name, "linkage": LinkageAttr(linkage), "alias_type": parser.parse_type()}
        return cls.create(properties=properties, attributes=attributes, regions=[parser.parse_region()])

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {self.linkage.data}")
        _print_symbol_flags(printer, self.visibility_, self.thread_local_, self.unnamed_addr)
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        print_attributes(
            printer,
            self,
            ("sym_name", "alias_type", "linkage", "visibility_", "unnamed_addr", "thread_local_"),
        )
        printer.print_string(" : ")
        printer.print_attribute(self.alias_type)
        printer.print_string(" ")
        printer.print_region(self.initializer, print_entry_block_args=False)


@irdl_op_definition
class AddressOfOp(IRDLOperation):
    name = "llvm.mlir.addressof"

    global_name = prop_def(SymbolRefAttr)
    res = result_def()

    traits = traits_def(Pure())

    def __init__(
        self,
        global_name: str | SymbolRefAttr,
        result_type: Attribute | None = None,
        attributes: Attributes | None = None,
    ):
        symbol = SymbolRefAttr(global_name) if isinstance(global_name, str) else global_name
        super().__init__(
            result_types=[result_type or LLVMPointerType()],
            properties={"global_name": symbol},
            attributes=attributes or {},
        )

    @classmethod
    def parse(cls, parser: Parser) -> AddressOfOp:
        symbol = SymbolRefAttr(parser.parse_symbol_name())
        _, attributes = parse_attributes(parser, cls)
        parser.parse_punctuation(":")
        return cls(symbol, parser.parse_type(), attributes)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_attribute(self.global_name)
        print_attributes(printer, self, ("global_name",))
        printer.print_string(" : ")
        printer.print_attribute(self.res.type)


class _StructorsOp(IRDLOperation, ABC):
    """`llvm.mlir.global_ctors ctors = [@f], priorities = [0 : i32], data = [#llvm.zero]`.

    Up to LLVM 20 an attribute dictionary: `llvm.mlir.global_ctors {ctors = [@f], priorities = [0 : i32]}`.
    """

    KEYWORD: ClassVar[str]

    priorities = prop_def(ArrayAttr)
    data = opt_prop_def(ArrayAttr)

    def __init__(
        self,
        functions: Sequence[str],
        priorities: Sequence[int],
        properties: Attributes | None = None,
    ):
        super().__init__(
            properties={
                self.KEYWORD: ArrayAttr([SymbolRefAttr(name) for name in functions]),
                "priorities": ArrayAttr([IntegerAttr(priority, i32) for priority in priorities]),
                **(properties or {}),
            }
        )

    @classmethod
    def parse(cls, parser: Parser) -> _StructorsOp:
        properties: Attributes = {}
        for index, keyword in enumerate((cls.KEYWORD, "priorities", "data")):
            if index and properties and parser.parse_optional_punctuation(",") is None:
                break
            if parser.parse_optional_keyword(keyword) is None:
                break
            parser.parse_punctuation("=")
            properties[keyword] = parser.parse_attribute()
        named, attributes = parse_attributes(parser, cls)
        return cls.create(properties=properties | named, attributes=attributes)

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {self.KEYWORD} = ")
        printer.print_attribute(self.properties[self.KEYWORD])
        printer.print_string(", priorities = ")
        printer.print_attribute(self.priorities)
        if self.data is not None:
            printer.print_string(", data = ")
            printer.print_attribute(self.data)
        print_attributes(printer, self, (self.KEYWORD, "priorities", "data"))


@irdl_op_definition
class GlobalCtorsOp(_StructorsOp):
    name = "llvm.mlir.global_ctors"

    KEYWORD: ClassVar = "ctors"

    ctors = prop_def(ArrayAttr)


@irdl_op_definition
class GlobalDtorsOp(_StructorsOp):
    name = "llvm.mlir.global_dtors"

    KEYWORD: ClassVar = "dtors"

    dtors = prop_def(ArrayAttr)


@irdl_op_definition
class ComdatOp(IRDLOperation):
    name = "llvm.comdat"

    sym_name = prop_def(StringAttr)
    body = region_def()

    traits = traits_def(NoTerminator(), SymbolTable(), SymbolOpInterface())

    @classmethod
    def parse(cls, parser: Parser) -> ComdatOp:
        name = parser.parse_symbol_name()
        region = parser.parse_region()
        _, attributes = parse_attributes(parser, cls)
        return cls.create(properties={"sym_name": name}, attributes=attributes, regions=[region])

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False, print_empty_block=False)
        print_attributes(printer, self, ("sym_name",))


@irdl_op_definition
class ComdatSelectorOp(IRDLOperation):
    name = "llvm.comdat_selector"

    KINDS: ClassVar = ("any", "exactmatch", "largest", "nodeduplicate", "samesize")

    sym_name = prop_def(StringAttr)
    comdat = prop_def(IntegerAttr[I64])

    traits = traits_def(SymbolOpInterface())

    @classmethod
    def parse(cls, parser: Parser) -> ComdatSelectorOp:
        name = parser.parse_symbol_name()
        kind = i64_attr(cls.KINDS.index(parser.parse_keyword_in(cls.KINDS)))
        _, attributes = parse_attributes(parser, cls)
        return cls.create(properties={"sym_name": name, "comdat": kind}, attributes=attributes)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        printer.print_string(f" {self.KINDS[self.comdat.value.data]}")
        print_attributes(printer, self, ("sym_name", "comdat"))


# Constants


@irdl_op_definition
class ConstantOp(IRDLOperation):
    name = "llvm.mlir.constant"

    value = prop_def()
    res = result_def()

    traits = traits_def(Pure())

    def __init__(self, value: Attribute, result_type: Attribute, attributes: Attributes | None = None):
        super().__init__(result_types=[result_type], properties={"value": value}, attributes=attributes or {})

    @classmethod
    def parse(cls, parser: Parser) -> ConstantOp:
        with parser.in_parens():
            value = parser.parse_attribute()
        _, attributes = parse_attributes(parser, cls)
        parser.parse_punctuation(":")
        return cls(value, parser.parse_type(), attributes)

    def print(self, printer: Printer) -> None:
        with printer.in_parens():
            printer.print_attribute(self.value)
        print_attributes(printer, self, ("value",))
        printer.print_string(" : ")
        printer.print_attribute(self.res.type)


class _TypedConstantOp(IRDLOperation, ABC):
    """An op without operands that is printed as its type alone."""

    res = result_def()

    traits = traits_def(Pure())

    def __init__(self, result_type: Attribute, attributes: Attributes | None = None):
        super().__init__(result_types=[result_type], attributes=attributes or {})

    @classmethod
    def parse(cls, parser: Parser) -> _TypedConstantOp:
        _, attributes = parse_attributes(parser, cls)
        parser.parse_punctuation(":")
        return cls(parser.parse_type(), attributes)

    def print(self, printer: Printer) -> None:
        print_attributes(printer, self)
        printer.print_string(" : ")
        printer.print_attribute(self.res.type)


@irdl_op_definition
class ZeroOp(_TypedConstantOp):
    name = "llvm.mlir.zero"


@irdl_op_definition
class UndefOp(_TypedConstantOp):
    name = "llvm.mlir.undef"


@irdl_op_definition
class PoisonOp(_TypedConstantOp):
    name = "llvm.mlir.poison"


@irdl_op_definition
class NullOp(_TypedConstantOp):
    """Until LLVM 17; llvm.mlir.zero replaced it."""

    name = "llvm.mlir.null"


@irdl_op_definition
class NoneTokenOp(_TypedConstantOp):
    name = "llvm.mlir.none"


@irdl_op_definition
class StackSaveOp(_TypedConstantOp):
    name = "llvm.intr.stacksave"


# Arithmetic


class _BinaryOp(IRDLOperation, ABC):
    """`FLAG %a, %b overflow<...> {attributes} : type`; each op uses the parts that it has."""

    FLAG: ClassVar[tuple[str, str] | None] = None
    """The keyword before the operands and the property that it sets."""

    lhs = operand_def()
    rhs = operand_def()
    res = result_def()

    traits = traits_def(Pure())

    def __init__(
        self,
        lhs: SSAValue | Operation,
        rhs: SSAValue | Operation,
        properties: Attributes | None = None,
        attributes: Attributes | None = None,
    ):
        super().__init__(
            operands=[lhs, rhs],
            result_types=[SSAValue.get(lhs).type],
            properties=properties or {},
            attributes=attributes or {},
        )

    @classmethod
    def parse(cls, parser: Parser) -> _BinaryOp:
        properties: Attributes = {}
        if cls.FLAG is not None and parser.parse_optional_keyword(cls.FLAG[0]) is not None:
            properties[cls.FLAG[1]] = UNIT
        lhs = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        rhs = parser.parse_unresolved_operand()
        if issubclass(cls, _OverflowOp):
            properties |= _parse_overflow(parser)
        named, attributes = parse_attributes(parser, cls)
        properties |= named
        parser.parse_punctuation(":")
        type = parser.parse_type()
        return cls.create(
            operands=[parser.resolve_operand(lhs, type), parser.resolve_operand(rhs, type)],
            result_types=[type],
            properties=properties,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        elided = ["overflowFlags"]
        if self.FLAG is not None:
            keyword, name = self.FLAG
            elided.append(name)
            if name in self.properties:
                printer.print_string(f" {keyword}")
        printer.print_string(" ")
        printer.print_list([self.lhs, self.rhs], printer.print_ssa_value)
        _print_overflow(printer, self.properties.get("overflowFlags"))
        print_attributes(printer, self, elided, _FASTMATH_DEFAULT)
        printer.print_string(" : ")
        printer.print_attribute(self.res.type)


class _OverflowOp(_BinaryOp, ABC):
    """An integer op with `overflow<nsw, nuw>`."""

    overflow_flags = opt_prop_def(
        IntegerAttr | IntegerOverflowFlagsAttr, IntegerAttr(0, i32), prop_name="overflowFlags"
    )


class _ExactOp(_BinaryOp, ABC):
    FLAG: ClassVar = ("exact", "isExact")

    is_exact = opt_prop_def(UnitAttr, prop_name="isExact")


class _FloatOp(_BinaryOp, ABC):
    fastmath_flags = opt_prop_def(FastmathFlagsAttr, NO_FASTMATH, prop_name="fastmathFlags")


@irdl_op_definition
class AddOp(_OverflowOp):
    name = "llvm.add"


@irdl_op_definition
class SubOp(_OverflowOp):
    name = "llvm.sub"


@irdl_op_definition
class MulOp(_OverflowOp):
    name = "llvm.mul"


@irdl_op_definition
class ShlOp(_OverflowOp):
    name = "llvm.shl"


@irdl_op_definition
class UDivOp(_ExactOp):
    name = "llvm.udiv"


@irdl_op_definition
class SDivOp(_ExactOp):
    name = "llvm.sdiv"


@irdl_op_definition
class LShrOp(_ExactOp):
    name = "llvm.lshr"


@irdl_op_definition
class AShrOp(_ExactOp):
    name = "llvm.ashr"


@irdl_op_definition
class URemOp(_BinaryOp):
    name = "llvm.urem"


@irdl_op_definition
class SRemOp(_BinaryOp):
    name = "llvm.srem"


@irdl_op_definition
class AndOp(_BinaryOp):
    name = "llvm.and"


@irdl_op_definition
class OrOp(_BinaryOp):
    name = "llvm.or"

    FLAG: ClassVar = ("disjoint", "isDisjoint")

    is_disjoint = opt_prop_def(UnitAttr, prop_name="isDisjoint")


@irdl_op_definition
class XOrOp(_BinaryOp):
    name = "llvm.xor"


@irdl_op_definition
class FAddOp(_FloatOp):
    name = "llvm.fadd"


@irdl_op_definition
class FSubOp(_FloatOp):
    name = "llvm.fsub"


@irdl_op_definition
class FMulOp(_FloatOp):
    name = "llvm.fmul"


@irdl_op_definition
class FDivOp(_FloatOp):
    name = "llvm.fdiv"


@irdl_op_definition
class FRemOp(_FloatOp):
    name = "llvm.frem"


@irdl_op_definition
class ExpectOp(_BinaryOp):
    name = "llvm.intr.expect"


class _UnaryOp(IRDLOperation, ABC):
    """`%a {attributes} : type` with a result of the same type."""

    operand = operand_def()
    res = result_def()

    traits = traits_def(Pure())

    def __init__(
        self,
        operand: SSAValue | Operation,
        properties: Attributes | None = None,
        attributes: Attributes | None = None,
    ):
        super().__init__(
            operands=[operand],
            result_types=[SSAValue.get(operand).type],
            properties=properties or {},
            attributes=attributes or {},
        )

    @classmethod
    def parse(cls, parser: Parser) -> _UnaryOp:
        name = parser.parse_unresolved_operand()
        properties, attributes = parse_attributes(parser, cls)
        parser.parse_punctuation(":")
        return cls(parser.resolve_operand(name, parser.parse_type()), properties, attributes)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.operand)
        print_attributes(printer, self, (), _FASTMATH_DEFAULT)
        printer.print_string(" : ")
        printer.print_attribute(self.operand.type)


@irdl_op_definition
class FNegOp(_UnaryOp):
    name = "llvm.fneg"

    fastmath_flags = opt_prop_def(FastmathFlagsAttr, NO_FASTMATH, prop_name="fastmathFlags")


@irdl_op_definition
class FreezeOp(_UnaryOp):
    name = "llvm.freeze"


class _ComparisonOp(IRDLOperation, ABC):
    """`"predicate" %a, %b {attributes} : type`."""

    PREDICATES: ClassVar[tuple[str, ...]]

    predicate = prop_def(IntegerAttr[I64])
    lhs = operand_def()
    rhs = operand_def()
    res = result_def()

    traits = traits_def(Pure())

    def __init__(
        self,
        predicate: str,
        lhs: SSAValue | Operation,
        rhs: SSAValue | Operation,
        properties: Attributes | None = None,
        attributes: Attributes | None = None,
    ):
        super().__init__(
            operands=[lhs, rhs],
            result_types=[i1_like(SSAValue.get(lhs).type)],
            properties={"predicate": i64_attr(self.PREDICATES.index(predicate)), **(properties or {})},
            attributes=attributes or {},
        )

    @classmethod
    def parse(cls, parser: Parser) -> _ComparisonOp:
        position = parser.pos
        predicate = parser.parse_str_literal()
        if predicate not in cls.PREDICATES:
            parser.raise_error(f"'{predicate}' is an incorrect value of the 'predicate' attribute", position)
        lhs = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        rhs = parser.parse_unresolved_operand()
        properties, attributes = parse_attributes(parser, cls)
        parser.parse_punctuation(":")
        type = parser.parse_type()
        operands = parser.resolve_operands([lhs, rhs], [type, type], parser.pos)
        return cls(predicate, operands[0], operands[1], properties, attributes)

    def print(self, printer: Printer) -> None:
        printer.print_string(f' "{self.PREDICATES[self.predicate.value.data]}" ')
        printer.print_list([self.lhs, self.rhs], printer.print_ssa_value)
        print_attributes(printer, self, ("predicate",), _FASTMATH_DEFAULT)
        printer.print_string(" : ")
        printer.print_attribute(self.lhs.type)


@irdl_op_definition
class ICmpOp(_ComparisonOp):
    name = "llvm.icmp"

    PREDICATES: ClassVar = ICMP_PREDICATES


@irdl_op_definition
class FCmpOp(_ComparisonOp):
    name = "llvm.fcmp"

    PREDICATES: ClassVar = FCMP_PREDICATES

    fastmath_flags = opt_prop_def(FastmathFlagsAttr, NO_FASTMATH, prop_name="fastmathFlags")


@irdl_op_definition
class SelectOp(IRDLOperation):
    name = "llvm.select"

    condition = operand_def()
    true_value = operand_def()
    false_value = operand_def()
    fastmath_flags = opt_prop_def(FastmathFlagsAttr, NO_FASTMATH, prop_name="fastmathFlags")
    res = result_def()

    traits = traits_def(Pure())

    def __init__(
        self,
        condition: SSAValue | Operation,
        true_value: SSAValue | Operation,
        false_value: SSAValue | Operation,
        properties: Attributes | None = None,
        attributes: Attributes | None = None,
    ):
        super().__init__(
            operands=[condition, true_value, false_value],
            result_types=[SSAValue.get(true_value).type],
            properties=properties or {},
            attributes=attributes or {},
        )

    @classmethod
    def parse(cls, parser: Parser) -> SelectOp:
        names = parse_operand_names(parser)
        properties, attributes = parse_attributes(parser, cls)
        parser.parse_punctuation(":")
        condition, type = parse_types(parser, 2)
        operands = parser.resolve_operands(names, [condition, type, type], parser.pos)
        return cls(operands[0], operands[1], operands[2], properties, attributes)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_ssa_value)
        print_attributes(printer, self, (), _FASTMATH_DEFAULT)
        printer.print_string(" : ")
        printer.print_list([self.condition.type, self.res.type], printer.print_attribute)


# Casts


class _CastOp(IRDLOperation, ABC):
    """`FLAG %a overflow<...> {attributes} : type to type`."""

    FLAG: ClassVar[tuple[str, str] | None] = None

    arg = operand_def()
    res = result_def()

    traits = traits_def(Pure())

    def __init__(
        self,
        arg: SSAValue | Operation,
        result_type: Attribute,
        properties: Attributes | None = None,
        attributes: Attributes | None = None,
    ):
        super().__init__(
            operands=[arg],
            result_types=[result_type],
            properties=properties or {},
            attributes=attributes or {},
        )

    @classmethod
    def parse(cls, parser: Parser) -> _CastOp:
        properties: Attributes = {}
        if cls.FLAG is not None and parser.parse_optional_keyword(cls.FLAG[0]) is not None:
            properties[cls.FLAG[1]] = UNIT
        name = parser.parse_unresolved_operand()
        properties |= _parse_overflow(parser)
        named, attributes = parse_attributes(parser, cls)
        parser.parse_punctuation(":")
        operand_type = parser.parse_type()
        parser.parse_keyword("to")
        operand = parser.resolve_operand(name, operand_type)
        return cls(operand, parser.parse_type(), properties | named, attributes)

    def print(self, printer: Printer) -> None:
        elided = ["overflowFlags"]
        if self.FLAG is not None:
            elided.append(self.FLAG[1])
            if self.FLAG[1] in self.properties:
                printer.print_string(f" {self.FLAG[0]}")
        printer.print_string(" ")
        printer.print_ssa_value(self.arg)
        _print_overflow(printer, self.properties.get("overflowFlags"))
        print_attributes(printer, self, elided, _FASTMATH_DEFAULT)
        printer.print_string(" : ")
        printer.print_attribute(self.arg.type)
        printer.print_string(" to ")
        printer.print_attribute(self.res.type)


@irdl_op_definition
class BitcastOp(_CastOp):
    name = "llvm.bitcast"


@irdl_op_definition
class AddrSpaceCastOp(_CastOp):
    name = "llvm.addrspacecast"


@irdl_op_definition
class IntToPtrOp(_CastOp):
    name = "llvm.inttoptr"


@irdl_op_definition
class PtrToIntOp(_CastOp):
    name = "llvm.ptrtoint"


@irdl_op_definition
class SExtOp(_CastOp):
    name = "llvm.sext"


@irdl_op_definition
class ZExtOp(_CastOp):
    name = "llvm.zext"

    FLAG: ClassVar = ("nneg", "nonNeg")

    non_neg = opt_prop_def(UnitAttr, prop_name="nonNeg")


@irdl_op_definition
class TruncOp(_CastOp):
    name = "llvm.trunc"

    overflow_flags = opt_prop_def(
        IntegerAttr | IntegerOverflowFlagsAttr, IntegerAttr(0, i32), prop_name="overflowFlags"
    )


@irdl_op_definition
class SIToFPOp(_CastOp):
    name = "llvm.sitofp"


@irdl_op_definition
class UIToFPOp(_CastOp):
    name = "llvm.uitofp"

    FLAG: ClassVar = ("nneg", "nonNeg")

    non_neg = opt_prop_def(UnitAttr, prop_name="nonNeg")


@irdl_op_definition
class FPToSIOp(_CastOp):
    name = "llvm.fptosi"


@irdl_op_definition
class FPToUIOp(_CastOp):
    name = "llvm.fptoui"


@irdl_op_definition
class FPExtOp(_CastOp):
    name = "llvm.fpext"

    fastmath_flags = opt_prop_def(FastmathFlagsAttr, NO_FASTMATH, prop_name="fastmathFlags")


@irdl_op_definition
class FPTruncOp(_CastOp):
    name = "llvm.fptrunc"

    fastmath_flags = opt_prop_def(FastmathFlagsAttr, NO_FASTMATH, prop_name="fastmathFlags")


# Aggregates and vectors


@irdl_op_definition
class InsertValueOp(IRDLOperation):
    name = "llvm.insertvalue"

    container = operand_def()
    value = operand_def()
    position = prop_def(DenseArrayBase)
    res = result_def()

    traits = traits_def(Pure())

    def __init__(
        self,
        value: SSAValue | Operation,
        container: SSAValue | Operation,
        position: Sequence[int],
        attributes: Attributes | None = None,
    ):
        super().__init__(
            operands=[container, value],
            result_types=[SSAValue.get(container).type],
            properties={"position": i64_array(position)},
            attributes=attributes or {},
        )

    @classmethod
    def parse(cls, parser: Parser) -> InsertValueOp:
        value = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        container = parser.parse_unresolved_operand()
        position = parse_integer_list(parser)
        _, attributes = parse_attributes(parser, cls)
        container_type, value_type = _parse_container_type(parser, position)
        return cls(
            parser.resolve_operand(value, value_type),
            parser.resolve_operand(container, container_type),
            position,
            attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list([self.value, self.container], printer.print_ssa_value)
        print_integer_list(printer, integers(self.position))
        print_attributes(printer, self, ("position",))
        printer.print_string(" : ")
        printer.print_attribute(self.container.type)
        printer.print_string(" ")


@irdl_op_definition
class ExtractValueOp(IRDLOperation):
    name = "llvm.extractvalue"

    container = operand_def()
    position = prop_def(DenseArrayBase)
    res = result_def()

    traits = traits_def(Pure())

    def __init__(
        self,
        container: SSAValue | Operation,
        position: Sequence[int],
        attributes: Attributes | None = None,
    ):
        type = element_at(SSAValue.get(container).type, position)
        if type is None:
            raise ValueError(f"no element {list(position)} in {SSAValue.get(container).type}")
        super().__init__(
            operands=[container],
            result_types=[type],
            properties={"position": i64_array(position)},
            attributes=attributes or {},
        )

    @classmethod
    def parse(cls, parser: Parser) -> ExtractValueOp:
        container = parser.parse_unresolved_operand()
        position = parse_integer_list(parser)
        _, attributes = parse_attributes(parser, cls)
        container_type, _ = _parse_container_type(parser, position)
        return cls(parser.resolve_operand(container, container_type), position, attributes)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.container)
        print_integer_list(printer, integers(self.position))
        print_attributes(printer, self, ("position",))
        printer.print_string(" : ")
        printer.print_attribute(self.container.type)
        printer.print_string(" ")


@irdl_op_definition
class ExtractElementOp(IRDLOperation):
    name = "llvm.extractelement"

    vector = operand_def()
    position = operand_def()
    res = result_def()

    traits = traits_def(Pure())

    def __init__(
        self,
        vector: SSAValue | Operation,
        position: SSAValue | Operation,
        attributes: Attributes | None = None,
    ):
        super().__init__(
            operands=[vector, position],
            result_types=[_vector_element(SSAValue.get(vector).type)],
            attributes=attributes or {},
        )

    @classmethod
    def parse(cls, parser: Parser) -> ExtractElementOp:
        vector = parser.parse_unresolved_operand()
        position = _parse_typed_index(parser)
        _, attributes = parse_attributes(parser, cls)
        parser.parse_punctuation(":")
        return cls(parser.resolve_operand(vector, parser.parse_type()), position, attributes)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.vector)
        _print_typed_index(printer, self.position)
        print_attributes(printer, self)
        printer.print_string(" : ")
        printer.print_attribute(self.vector.type)


@irdl_op_definition
class InsertElementOp(IRDLOperation):
    name = "llvm.insertelement"

    vector = operand_def()
    value = operand_def()
    position = operand_def()
    res = result_def()

    traits = traits_def(Pure())

    def __init__(
        self,
        value: SSAValue | Operation,
        vector: SSAValue | Operation,
        position: SSAValue | Operation,
        attributes: Attributes | None = None,
    ):
        super().__init__(
            operands=[vector, value, position],
            result_types=[SSAValue.get(vector).type],
            attributes=attributes or {},
        )

    @classmethod
    def parse(cls, parser: Parser) -> InsertElementOp:
        value = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        vector = parser.parse_unresolved_operand()
        position = _parse_typed_index(parser)
        _, attributes = parse_attributes(parser, cls)
        parser.parse_punctuation(":")
        type = parser.parse_type()
        return cls(
            parser.resolve_operand(value, _vector_element(type)),
            parser.resolve_operand(vector, type),
            position,
            attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list([self.value, self.vector], printer.print_ssa_value)
        _print_typed_index(printer, self.position)
        print_attributes(printer, self)
        printer.print_string(" : ")
        printer.print_attribute(self.vector.type)


@irdl_op_definition
class ShuffleVectorOp(IRDLOperation):
    name = "llvm.shufflevector"

    v1 = operand_def()
    v2 = operand_def()
    mask = prop_def(DenseArrayBase)
    res = result_def()

    traits = traits_def(Pure())

    def __init__(
        self,
        v1: SSAValue | Operation,
        v2: SSAValue | Operation,
        mask: Sequence[int],
        attributes: Attributes | None = None,
    ):
        type = SSAValue.get(v1).type
        result_type: Attribute = LLVMVectorType(False, len(mask), _vector_element(type))
        if isinstance(type, VectorType):
            vector = cast(VectorType[Attribute], type)
            result_type = VectorType(vector.element_type, [len(mask)], vector.scalable_dims)
        super().__init__(
            operands=[v1, v2],
            result_types=[result_type],
            properties={"mask": i32_array(mask)},
            attributes=attributes or {},
        )

    @classmethod
    def parse(cls, parser: Parser) -> ShuffleVectorOp:
        names = parse_operand_names(parser)
        mask = parse_integer_list(parser)
        _, attributes = parse_attributes(parser, cls)
        parser.parse_punctuation(":")
        type = parser.parse_type()
        v1, v2 = parser.resolve_operands(names, [type, type], parser.pos)
        return cls(v1, v2, mask, attributes)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list([self.v1, self.v2], printer.print_ssa_value)
        printer.print_string(" ")
        print_integer_list(printer, integers(self.mask))
        print_attributes(printer, self, ("mask",))
        printer.print_string(" : ")
        printer.print_attribute(self.v1.type)
        printer.print_string(" ")


# Memory


@irdl_op_definition
class AllocaOp(IRDLOperation):
    name = "llvm.alloca"

    array_size = operand_def()
    elem_type = opt_prop_def()
    alignment = opt_prop_def(IntegerAttr)
    inalloca = opt_prop_def(UnitAttr)
    res = result_def()

    def __init__(
        self,
        array_size: SSAValue | Operation,
        elem_type: Attribute,
        result_type: Attribute | None = None,
        alignment: int | None = None,
        properties: Attributes | None = None,
        attributes: Attributes | None = None,
    ):
        super().__init__(
            operands=[array_size],
            result_types=[result_type or LLVMPointerType()],
            properties={
                "elem_type": elem_type,
                "alignment": None if alignment is None else i64_attr(alignment),
                **(properties or {}),
            },
            attributes=attributes or {},
        )

    @classmethod
    def parse(cls, parser: Parser) -> AllocaOp:
        inalloca = parser.parse_optional_keyword("inalloca") is not None
        size = parser.parse_unresolved_operand()
        parser.parse_keyword("x")
        elem_type = parser.parse_type()
        properties, attributes = parse_attributes(parser, cls)
        if inalloca:
            properties["inalloca"] = UNIT
        parser.parse_punctuation(":")
        type = parser.parse_function_type()
        if len(type.inputs.data) != 1 or len(type.outputs.data) != 1:
            parser.raise_error("expected trailing function type with one argument and one result")
        operand = parser.resolve_operand(size, type.inputs.data[0])
        return cls(operand, elem_type, type.outputs.data[0], None, properties, attributes)

    def print(self, printer: Printer) -> None:
        if self.inalloca is not None:
            printer.print_string(" inalloca")
        printer.print_string(" ")
        printer.print_ssa_value(self.array_size)
        printer.print_string(" x ")
        printer.print_attribute(self.elem_type or self.res.type)
        print_attributes(printer, self, ("elem_type", "inalloca"))
        printer.print_string(" : ")
        printer.print_function_type([self.array_size.type], [self.res.type])


@irdl_op_definition
class GEPOp(IRDLOperation):
    name = "llvm.getelementptr"

    base = operand_def()
    dynamic_indices = var_operand_def()
    raw_constant_indices = prop_def(DenseArrayBase, prop_name="rawConstantIndices")
    elem_type = opt_prop_def()
    no_wrap_flags = opt_prop_def(IntegerAttr, IntegerAttr(0, i32), prop_name="noWrapFlags")
    inbounds = opt_prop_def(UnitAttr)
    """The generic form of `inbounds` up to LLVM 19; bits of `no_wrap_flags` later."""
    res = result_def()

    traits = traits_def(Pure())

    def __init__(
        self,
        base: SSAValue | Operation,
        indices: Sequence[SSAValue | int],
        elem_type: Attribute | None,
        flags: str = "",
        result_type: Attribute | None = None,
        attributes: Attributes | None = None,
    ):
        constants = [index if isinstance(index, int) else GEP_DYNAMIC_INDEX for index in indices]
        properties: dict[str, Attribute | None] = {
            "rawConstantIndices": i32_array(constants),
            "elem_type": elem_type,
        }
        if flags:
            bits = 0
            for flag in flags.split("|"):
                bits |= GEP_FLAGS[flag]
            properties["noWrapFlags"] = IntegerAttr(bits, i32)
        super().__init__(
            operands=[base, [index for index in indices if not isinstance(index, int)]],
            result_types=[result_type or SSAValue.get(base).type],
            properties=properties,
            attributes=attributes or {},
        )

    @property
    def indices(self) -> list[SSAValue | int]:
        """Constant and dynamic indices in the order of the text."""
        dynamic = iter(self.dynamic_indices)
        constants = integers(self.raw_constant_indices)
        return [next(dynamic) if index == GEP_DYNAMIC_INDEX else index for index in constants]

    @classmethod
    def parse(cls, parser: Parser) -> GEPOp:
        flags: list[str] = []
        if (flag := parser.parse_optional_keyword_in(GEP_FLAGS)) is not None:
            flags.append(flag)
            while parser.parse_optional_punctuation("|") is not None:
                flags.append(parser.parse_keyword_in(GEP_FLAGS))
        base = parser.parse_unresolved_operand()
        entries = parser.parse_comma_separated_list(
            parser.Delimiter.SQUARE,
            lambda: parser.parse_optional_unresolved_operand() or parser.parse_integer(),
        )
        _, attributes = parse_attributes(parser, cls)
        parser.parse_punctuation(":")
        type = parser.parse_function_type()
        if len(type.outputs.data) != 1:
            parser.raise_error("expected one result type")
        elem_type = parser.parse_type() if parser.parse_optional_punctuation(",") is not None else None
        names = [base, *(entry for entry in entries if not isinstance(entry, int))]
        values = iter(parser.resolve_operands(names, type.inputs.data, parser.pos))
        pointer = next(values)
        indices = [entry if isinstance(entry, int) else next(values) for entry in entries]
        return cls(pointer, indices, elem_type, "|".join(flags), type.outputs.data[0], attributes)

    def print(self, printer: Printer) -> None:
        flags = self._flags()
        printer.print_string(f" {flags} " if flags else " ")
        printer.print_ssa_value(self.base)
        with printer.in_square_brackets():
            printer.print_list(
                self.indices,
                lambda index: (
                    printer.print_int(index) if isinstance(index, int) else printer.print_ssa_value(index)
                ),
            )
        print_attributes(printer, self, ("rawConstantIndices", "elem_type", "noWrapFlags", "inbounds"))
        printer.print_string(" : ")
        printer.print_function_type(self.operand_types, self.result_types)
        if self.elem_type is not None:
            printer.print_string(", ")
            printer.print_attribute(self.elem_type)

    def _flags(self) -> str:
        if self.inbounds is not None:
            return "inbounds"
        bits = self.no_wrap_flags.value.data
        names: list[str] = []
        for name in ("inbounds", "inbounds_flag", "nusw", "nuw"):
            if bits & GEP_FLAGS[name] == GEP_FLAGS[name]:
                names.append(name)
                bits &= ~GEP_FLAGS[name]
        return "|".join(names)


@irdl_op_definition
class LoadOp(IRDLOperation):
    name = "llvm.load"

    addr = operand_def()
    alignment = opt_prop_def(IntegerAttr)
    volatile_ = opt_prop_def(UnitAttr)
    nontemporal = opt_prop_def(UnitAttr)
    invariant = opt_prop_def(UnitAttr)
    invariant_group = opt_prop_def(UnitAttr, prop_name="invariantGroup")
    ordering = opt_prop_def(IntegerAttr[I64], i64_attr(0))
    syncscope = opt_prop_def(StringAttr)
    dereferenceable = opt_prop_def()
    access_groups = opt_prop_def()
    alias_scopes = opt_prop_def()
    noalias_scopes = opt_prop_def()
    tbaa = opt_prop_def()
    res = result_def()

    def __init__(
        self,
        addr: SSAValue | Operation,
        result_type: Attribute,
        alignment: int | None = None,
        properties: Attributes | None = None,
        attributes: Attributes | None = None,
    ):
        super().__init__(
            operands=[addr],
            result_types=[result_type],
            properties={
                "alignment": None if alignment is None else i64_attr(alignment),
                **(properties or {}),
            },
            attributes=attributes or {},
        )

    @classmethod
    def parse(cls, parser: Parser) -> LoadOp:
        properties: Attributes = {}
        if parser.parse_optional_keyword("volatile") is not None:
            properties["volatile_"] = UNIT
        name = parser.parse_unresolved_operand()
        properties |= _parse_atomic(parser)
        for keyword, property_name in (("invariant", "invariant"), ("invariant_group", "invariantGroup")):
            if parser.parse_optional_keyword(keyword) is not None:
                properties[property_name] = UNIT
        if parser.parse_optional_keyword("dereferenceable") is not None:
            properties["dereferenceable"] = parser.parse_attribute()
        named, attributes = parse_attributes(parser, cls)
        parser.parse_punctuation(":")
        pointer = parser.parse_type()
        if parser.parse_optional_punctuation("->") is not None:
            result_type: Attribute = parser.parse_type()
        else:
            result_type = _pointee(parser, pointer)
        operand = parser.resolve_operand(name, pointer)
        return cls(operand, result_type, None, properties | named, attributes)

    def print(self, printer: Printer) -> None:
        if self.volatile_ is not None:
            printer.print_string(" volatile")
        printer.print_string(" ")
        printer.print_ssa_value(self.addr)
        _print_atomic(printer, self.ordering, self.syncscope)
        if self.invariant is not None:
            printer.print_string(" invariant")
        if self.invariant_group is not None:
            printer.print_string(" invariant_group")
        if self.dereferenceable is not None:
            printer.print_string(" dereferenceable")
            printer.print_string(" ")
            printer.print_attribute(self.dereferenceable)
        print_attributes(
            printer,
            self,
            ("volatile_", "ordering", "syncscope", "invariant", "invariantGroup", "dereferenceable"),
        )
        printer.print_string(" : ")
        printer.print_attribute(self.addr.type)
        if not _is_typed_pointer(self.addr.type):
            printer.print_string(" -> ")
            printer.print_attribute(self.res.type)


@irdl_op_definition
class StoreOp(IRDLOperation):
    name = "llvm.store"

    value = operand_def()
    addr = operand_def()
    alignment = opt_prop_def(IntegerAttr)
    volatile_ = opt_prop_def(UnitAttr)
    nontemporal = opt_prop_def(UnitAttr)
    invariant_group = opt_prop_def(UnitAttr, prop_name="invariantGroup")
    ordering = opt_prop_def(IntegerAttr[I64], i64_attr(0))
    syncscope = opt_prop_def(StringAttr)
    access_groups = opt_prop_def()
    alias_scopes = opt_prop_def()
    noalias_scopes = opt_prop_def()
    tbaa = opt_prop_def()

    def __init__(
        self,
        value: SSAValue | Operation,
        addr: SSAValue | Operation,
        alignment: int | None = None,
        properties: Attributes | None = None,
        attributes: Attributes | None = None,
    ):
        super().__init__(
            operands=[value, addr],
            properties={
                "alignment": None if alignment is None else i64_attr(alignment),
                **(properties or {}),
            },
            attributes=attributes or {},
        )

    @classmethod
    def parse(cls, parser: Parser) -> StoreOp:
        properties: Attributes = {}
        if parser.parse_optional_keyword("volatile") is not None:
            properties["volatile_"] = UNIT
        names = parse_operand_names(parser)
        properties |= _parse_atomic(parser)
        if parser.parse_optional_keyword("invariant_group") is not None:
            properties["invariantGroup"] = UNIT
        named, attributes = parse_attributes(parser, cls)
        parser.parse_punctuation(":")
        first = parser.parse_type()
        if parser.parse_optional_punctuation(",") is not None:
            types = [first, parser.parse_type()]
        else:
            types = [_pointee(parser, first), first]
        value, addr = parser.resolve_operands(names, types, parser.pos)
        return cls(value, addr, None, properties | named, attributes)

    def print(self, printer: Printer) -> None:
        if self.volatile_ is not None:
            printer.print_string(" volatile")
        printer.print_string(" ")
        printer.print_list([self.value, self.addr], printer.print_ssa_value)
        _print_atomic(printer, self.ordering, self.syncscope)
        if self.invariant_group is not None:
            printer.print_string(" invariant_group")
        print_attributes(printer, self, ("volatile_", "ordering", "syncscope", "invariantGroup"))
        printer.print_string(" : ")
        if not _is_typed_pointer(self.addr.type):
            printer.print_attribute(self.value.type)
            printer.print_string(", ")
        printer.print_attribute(self.addr.type)


@irdl_op_definition
class AtomicRMWOp(IRDLOperation):
    name = "llvm.atomicrmw"

    bin_op = prop_def(IntegerAttr[I64])
    ptr = operand_def()
    val = operand_def()
    ordering = prop_def(IntegerAttr[I64])
    syncscope = opt_prop_def(StringAttr)
    alignment = opt_prop_def(IntegerAttr)
    volatile_ = opt_prop_def(UnitAttr)
    access_groups = opt_prop_def()
    alias_scopes = opt_prop_def()
    noalias_scopes = opt_prop_def()
    tbaa = opt_prop_def()
    res = result_def()

    @classmethod
    def parse(cls, parser: Parser) -> AtomicRMWOp:
        properties: Attributes = {}
        if parser.parse_optional_keyword("volatile") is not None:
            properties["volatile_"] = UNIT
        kind = parser.parse_keyword_in(ATOMIC_BINARY_OPS)
        properties["bin_op"] = i64_attr(ATOMIC_BINARY_OPS.index(kind))
        names = parse_operand_names(parser)
        properties |= _parse_syncscope(parser)
        properties["ordering"] = _parse_ordering(parser)
        named, attributes = parse_attributes(parser, cls)
        parser.parse_punctuation(":")
        types = parse_types(parser, 2)
        return cls.create(
            operands=parser.resolve_operands(names, types, parser.pos),
            result_types=[types[1]],
            properties=properties | named,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        if self.volatile_ is not None:
            printer.print_string(" volatile")
        printer.print_string(f" {ATOMIC_BINARY_OPS[self.bin_op.value.data]} ")
        printer.print_list([self.ptr, self.val], printer.print_ssa_value)
        _print_syncscope(printer, self.syncscope)
        printer.print_string(f" {_ordering_name(self.ordering)}")
        print_attributes(printer, self, ("volatile_", "bin_op", "ordering", "syncscope"))
        printer.print_string(" : ")
        printer.print_list([self.ptr.type, self.val.type], printer.print_attribute)


@irdl_op_definition
class AtomicCmpXchgOp(IRDLOperation):
    name = "llvm.cmpxchg"

    ptr = operand_def()
    cmp = operand_def()
    val = operand_def()
    success_ordering = prop_def(IntegerAttr[I64])
    failure_ordering = prop_def(IntegerAttr[I64])
    syncscope = opt_prop_def(StringAttr)
    alignment = opt_prop_def(IntegerAttr)
    weak = opt_prop_def(UnitAttr)
    volatile_ = opt_prop_def(UnitAttr)
    access_groups = opt_prop_def()
    alias_scopes = opt_prop_def()
    noalias_scopes = opt_prop_def()
    tbaa = opt_prop_def()
    res = result_def()

    @classmethod
    def parse(cls, parser: Parser) -> AtomicCmpXchgOp:
        properties: Attributes = {}
        if parser.parse_optional_keyword("weak") is not None:
            properties["weak"] = UNIT
        if parser.parse_optional_keyword("volatile") is not None:
            properties["volatile_"] = UNIT
        names = parse_operand_names(parser)
        properties |= _parse_syncscope(parser)
        properties["success_ordering"] = _parse_ordering(parser)
        properties["failure_ordering"] = _parse_ordering(parser)
        named, attributes = parse_attributes(parser, cls)
        parser.parse_punctuation(":")
        pointer, type = parse_types(parser, 2)
        return cls.create(
            operands=parser.resolve_operands(names, [pointer, type, type], parser.pos),
            result_types=[LLVMStructType.literal([type, IntegerType(1)])],
            properties=properties | named,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        if self.weak is not None:
            printer.print_string(" weak")
        if self.volatile_ is not None:
            printer.print_string(" volatile")
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_ssa_value)
        _print_syncscope(printer, self.syncscope)
        orderings = _ordering_name(self.success_ordering), _ordering_name(self.failure_ordering)
        printer.print_string(f" {orderings[0]} {orderings[1]}")
        print_attributes(
            printer, self, ("weak", "volatile_", "syncscope", "success_ordering", "failure_ordering")
        )
        printer.print_string(" : ")
        printer.print_list([self.ptr.type, self.val.type], printer.print_attribute)


@irdl_op_definition
class FenceOp(IRDLOperation):
    name = "llvm.fence"

    ordering = prop_def(IntegerAttr[I64])
    syncscope = opt_prop_def(StringAttr)

    @classmethod
    def parse(cls, parser: Parser) -> FenceOp:
        properties = _parse_syncscope(parser)
        properties["ordering"] = _parse_ordering(parser)
        named, attributes = parse_attributes(parser, cls)
        return cls.create(properties=properties | named, attributes=attributes)

    def print(self, printer: Printer) -> None:
        _print_syncscope(printer, self.syncscope)
        printer.print_string(f" {_ordering_name(self.ordering)}")
        print_attributes(printer, self, ("ordering", "syncscope"))


@irdl_op_definition
class VaArgOp(IRDLOperation):
    name = "llvm.va_arg"

    arg = operand_def()
    res = result_def()

    assembly_format = "$arg attr-dict `:` functional-type($arg, $res)"


# Control flow


@irdl_op_definition
class BrOp(IRDLOperation):
    name = "llvm.br"

    dest_operands = var_operand_def()
    loop_annotation = opt_prop_def()
    dest = successor_def()

    traits = traits_def(IsTerminator())

    def __init__(
        self,
        dest: Block,
        operands: Sequence[SSAValue] = (),
        properties: Attributes | None = None,
        attributes: Attributes | None = None,
    ):
        super().__init__(
            operands=[operands],
            successors=[dest],
            properties=properties or {},
            attributes=attributes or {},
        )

    @classmethod
    def parse(cls, parser: Parser) -> BrOp:
        dest = parser.parse_successor()
        operands = parse_branch_target_operands(parser)
        properties, attributes = parse_attributes(parser, cls)
        return cls(dest, operands, properties, attributes)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_block_name(self.dest)
        print_branch_target_operands(printer, self.dest_operands)
        print_attributes(printer, self)


@irdl_op_definition
class CondBrOp(IRDLOperation):
    name = "llvm.cond_br"

    condition = operand_def()
    true_dest_operands = var_operand_def()
    false_dest_operands = var_operand_def()
    branch_weights = opt_prop_def()
    loop_annotation = opt_prop_def()
    true_dest = successor_def()
    false_dest = successor_def()

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(IsTerminator())

    def __init__(
        self,
        condition: SSAValue | Operation,
        true_dest: Block,
        true_operands: Sequence[SSAValue],
        false_dest: Block,
        false_operands: Sequence[SSAValue],
        properties: Attributes | None = None,
        attributes: Attributes | None = None,
    ):
        super().__init__(
            operands=[condition, true_operands, false_operands],
            successors=[true_dest, false_dest],
            properties=properties or {},
            attributes=attributes or {},
        )

    @classmethod
    def parse(cls, parser: Parser) -> CondBrOp:
        condition = parser.parse_operand(IntegerType(1))
        properties: Attributes = {}
        if parser.parse_optional_keyword("weights") is not None:
            with parser.in_parens():
                properties["branch_weights"] = _parse_weights(parser)
        parser.parse_punctuation(",")
        true_dest = parser.parse_successor()
        true_operands = parse_branch_target_operands(parser)
        parser.parse_punctuation(",")
        false_dest = parser.parse_successor()
        false_operands = parse_branch_target_operands(parser)
        named, attributes = parse_attributes(parser, cls)
        properties |= named
        return cls(condition, true_dest, true_operands, false_dest, false_operands, properties, attributes)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.condition)
        if self.branch_weights is not None:
            printer.print_string(" weights(")
            _print_weights(printer, self.branch_weights)
            printer.print_string(")")
        printer.print_string(", ")
        printer.print_block_name(self.true_dest)
        print_branch_target_operands(printer, self.true_dest_operands)
        printer.print_string(", ")
        printer.print_block_name(self.false_dest)
        print_branch_target_operands(printer, self.false_dest_operands)
        print_attributes(printer, self, ("branch_weights", "operandSegmentSizes"))


@irdl_op_definition
class SwitchOp(IRDLOperation):
    name = "llvm.switch"

    value = operand_def()
    default_operands = var_operand_def()
    case_operands = var_operand_def()
    case_values = opt_prop_def(DenseIntOrFPElementsAttr)
    case_operand_segments = prop_def(DenseArrayBase)
    branch_weights = opt_prop_def()
    default_destination = successor_def()
    case_destinations = var_successor_def()

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(IsTerminator())

    def __init__(
        self,
        value: SSAValue | Operation,
        default: Block,
        default_operands: Sequence[SSAValue],
        cases: Sequence[tuple[int, Block, Sequence[SSAValue]]],
        properties: Attributes | None = None,
        attributes: Attributes | None = None,
    ):
        named: dict[str, Attribute | None] = {
            "case_operand_segments": i32_array([len(operands) for _, _, operands in cases]),
            **(properties or {}),
        }
        if cases:
            type = VectorType(cast(IntegerType, SSAValue.get(value).type), [len(cases)])
            numbers = [number for number, _, _ in cases]
            named["case_values"] = DenseIntOrFPElementsAttr.from_list(type, numbers)
        super().__init__(
            operands=[value, default_operands, [value for _, _, operands in cases for value in operands]],
            successors=[default, [block for _, block, _ in cases]],
            properties=named,
            attributes=attributes or {},
        )

    @property
    def cases(self) -> list[tuple[int, Block, Sequence[SSAValue]]]:
        """(case value, destination, its operands) of each case."""
        if self.case_values is None:
            return []
        numbers = cast(DenseIntElementsAttr, self.case_values).get_values()
        sizes = integers(self.case_operand_segments)
        found: list[tuple[int, Block, Sequence[SSAValue]]] = []
        start = 0
        for number, block, size in zip(numbers, self.case_destinations, sizes, strict=True):
            found.append((number, block, self.case_operands[start : start + size]))
            start += size
        return found

    @classmethod
    def parse(cls, parser: Parser) -> SwitchOp:
        name = parser.parse_unresolved_operand()
        parser.parse_punctuation(":")
        value = parser.resolve_operand(name, parser.parse_type())
        parser.parse_punctuation(",")
        default = parser.parse_successor()
        default_operands = parse_branch_target_operands(parser)

        def parse_case() -> tuple[int, Block, Sequence[SSAValue]]:
            number = parser.parse_integer()
            parser.parse_punctuation(":")
            return number, parser.parse_successor(), parse_branch_target_operands(parser)

        cases = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parse_case)
        properties, attributes = parse_attributes(parser, cls)
        return cls(value, default, default_operands, cases, properties, attributes)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        print_values_with_types(printer, [self.value])
        printer.print_string(", ")
        printer.print_block_name(self.default_destination)
        print_branch_target_operands(printer, self.default_operands)
        printer.print_string(" [")
        with printer.indented():
            for index, (number, block, operands) in enumerate(self.cases):
                printer.print_string(",\n" if index else "\n")
                printer.print_string(f"{number}: ")
                printer.print_block_name(block)
                print_branch_target_operands(printer, operands)
        printer.print_string("\n]")
        print_attributes(printer, self, ("case_values", "case_operand_segments", "operandSegmentSizes"))


# Inline assembly and intrinsics


@irdl_op_definition
class InlineAsmOp(IRDLOperation):
    name = "llvm.inline_asm"

    DIALECTS: ClassVar = ("att", "intel")

    asm_operands = var_operand_def()
    asm_string = prop_def(StringAttr)
    constraints = prop_def(StringAttr)
    has_side_effects = opt_prop_def(UnitAttr)
    is_align_stack = opt_prop_def(UnitAttr)
    tail_call_kind = opt_prop_def(TailCallKindAttr, TailCallKindAttr("none"))
    asm_dialect = opt_prop_def(IntegerAttr)
    operand_attrs = opt_prop_def(ArrayAttr)
    res = opt_result_def()

    @classmethod
    def parse(cls, parser: Parser) -> InlineAsmOp:
        properties: Attributes = {}
        for flag in ("has_side_effects", "is_align_stack"):
            if parser.parse_optional_keyword(flag) is not None:
                properties[flag] = UNIT
        if parser.parse_optional_keyword("tail_call_kind") is not None:
            parser.parse_punctuation("=")
            properties["tail_call_kind"] = TailCallKindAttr(TailCallKindAttr.parse_parameter(parser))
        if parser.parse_optional_keyword("asm_dialect") is not None:
            parser.parse_punctuation("=")
            properties["asm_dialect"] = i64_attr(cls.DIALECTS.index(parser.parse_keyword_in(cls.DIALECTS)))
        if parser.parse_optional_keyword("operand_attrs") is not None:
            parser.parse_punctuation("=")
            properties["operand_attrs"] = parser.parse_attribute()
        named, attributes = parse_attributes(parser, cls)
        properties["asm_string"] = StringAttr(parser.parse_str_literal())
        parser.parse_punctuation(",")
        properties["constraints"] = StringAttr(parser.parse_str_literal())
        names = parse_operand_names(parser)
        parser.parse_punctuation(":")
        type = parser.parse_function_type()
        return cls.create(
            operands=parser.resolve_operands(names, type.inputs.data, parser.pos),
            result_types=type.outputs.data,
            properties=properties | named,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        for flag in ("has_side_effects", "is_align_stack"):
            if flag in self.properties:
                printer.print_string(f" {flag}")
        if self.tail_call_kind.data != "none":
            printer.print_string(f" tail_call_kind = <{self.tail_call_kind.data}>")
        if self.asm_dialect is not None:
            printer.print_string(f" asm_dialect = {self.DIALECTS[self.asm_dialect.value.data]}")
        if self.operand_attrs is not None:
            printer.print_string(" operand_attrs = ")
            printer.print_attribute(self.operand_attrs)
        print_attributes(printer, self, self.get_irdl_definition().properties)
        printer.print_string(" ")
        printer.print_attribute(self.asm_string)
        printer.print_string(", ")
        printer.print_attribute(self.constraints)
        if self.operands:
            printer.print_string(" ")
            printer.print_list(self.operands, printer.print_ssa_value)
        printer.print_string(" : ")
        printer.print_function_type(self.operand_types, self.result_types)


@irdl_op_definition
class AssumeOp(IRDLOperation):
    name = "llvm.intr.assume"

    cond = operand_def()
    op_bundle_operands = var_operand_def()
    op_bundle_sizes = opt_prop_def(DenseArrayBase, i32_array(()))
    op_bundle_tags = opt_prop_def(ArrayAttr)

    @classmethod
    def parse(cls, parser: Parser) -> AssumeOp:
        name = parser.parse_unresolved_operand()
        bundles = _parse_bundles(parser)
        properties, attributes = parse_attributes(parser, cls)
        properties["op_bundle_sizes"] = i32_array([len(values) for _, values in bundles])
        if bundles:
            properties["op_bundle_tags"] = ArrayAttr([StringAttr(tag) for tag, _ in bundles])
        parser.parse_punctuation(":")
        cond = parser.resolve_operand(name, parser.parse_type())
        return cls.create(
            operands=[cond, *(value for _, values in bundles for value in values)],
            properties=properties,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.cond)
        _print_bundles(printer, self.op_bundle_operands, self.op_bundle_sizes, self.op_bundle_tags)
        print_attributes(printer, self, ("op_bundle_sizes", "op_bundle_tags"))
        printer.print_string(" : ")
        printer.print_attribute(self.cond.type)


class _LifetimeOp(IRDLOperation, ABC):
    """`llvm.intr.lifetime.start %p : !llvm.ptr`; until LLVM 21 a size precedes the pointer."""

    size = opt_prop_def(IntegerAttr)
    ptr = operand_def()

    @classmethod
    def parse(cls, parser: Parser) -> _LifetimeOp:
        size = parser.parse_optional_integer()
        if size is not None:
            parser.parse_punctuation(",")
        name = parser.parse_unresolved_operand()
        properties, attributes = parse_attributes(parser, cls)
        if size is not None:
            properties["size"] = i64_attr(size)
        parser.parse_punctuation(":")
        operand = parser.resolve_operand(name, parser.parse_type())
        return cls.create(operands=[operand], properties=properties, attributes=attributes)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        if self.size is not None:
            printer.print_string(f"{self.size.value.data}, ")
        printer.print_ssa_value(self.ptr)
        print_attributes(printer, self, ("size",))
        printer.print_string(" : ")
        printer.print_attribute(self.ptr.type)


@irdl_op_definition
class LifetimeStartOp(_LifetimeOp):
    name = "llvm.intr.lifetime.start"


@irdl_op_definition
class LifetimeEndOp(_LifetimeOp):
    name = "llvm.intr.lifetime.end"


@irdl_op_definition
class StackRestoreOp(IRDLOperation):
    name = "llvm.intr.stackrestore"

    ptr = operand_def()

    assembly_format = "$ptr attr-dict `:` type($ptr)"


class IntrinsicOp(IRDLOperation, ABC):
    """An intrinsic in functional form: `llvm.intr.fma(%a, %b, %c) : (f32, f32, f32) -> f32`."""

    args = var_operand_def()
    fastmath_flags = opt_prop_def(FastmathFlagsAttr, prop_name="fastmathFlags")
    res = var_result_def()

    def __init__(
        self,
        args: Sequence[SSAValue],
        result_type: Attribute | None = None,
        properties: Attributes | None = None,
        attributes: Attributes | None = None,
    ):
        super().__init__(
            operands=[args],
            result_types=[[] if result_type is None else [result_type]],
            properties=properties or {},
            attributes=attributes or {},
        )

    @classmethod
    def parse(cls, parser: Parser) -> IntrinsicOp:
        with parser.in_parens():
            names = parse_operand_names(parser)
        properties, attributes = parse_attributes(parser, cls)
        parser.parse_punctuation(":")
        type = parser.parse_function_type()
        operands = parser.resolve_operands(names, type.inputs.data, parser.pos)
        results = type.outputs.data
        return cls(operands, results[0] if results else None, properties, attributes)

    def print(self, printer: Printer) -> None:
        with printer.in_parens():
            printer.print_list(self.args, printer.print_ssa_value)
        print_attributes(printer, self, (), _FASTMATH_DEFAULT)
        printer.print_string(" : ")
        printer.print_function_type(self.operand_types, self.result_types)


def _intrinsic(mnemonic: str) -> type[IntrinsicOp]:
    """Return the class of `llvm.intr.<mnemonic>`: the intrinsics differ in nothing but their names."""
    name = f"llvm.intr.{mnemonic}"
    body: dict[str, Any] = {"name": name, "__doc__": f"`{name}` in functional form.", "__module__": __name__}
    class_name = "".join(part.capitalize() for part in mnemonic.replace(".", "_").split("_")) + "IntrinsicOp"
    return irdl_op_definition(cast(type[IntrinsicOp], type(class_name, (IntrinsicOp,), body)))


_MNEMONICS = (
    "acos", "asin", "atan", "atan2", "bitreverse", "bswap", "canonicalize", "ceil", "copysign",
    "cos", "cosh", "ctpop", "exp", "exp10", "exp2", "fabs", "floor", "fma", "fmuladd", "frexp", "fshl",
    "fshr", "ldexp", "llrint", "llround", "log", "log10", "log2", "lrint",
    "lround", "maximum", "maximumnum", "maxnum", "minimum", "minimumnum", "minnum", "nearbyint", "pow",
    "powi", "rint", "round", "roundeven", "sadd.sat", "scmp", "sin", "sincos", "sinh", "smax",
    "smin", "sqrt", "sshl.sat", "ssub.sat", "tan", "tanh", "threadlocal.address", "trunc", "uadd.sat",
    "ucmp", "umax", "umin", "ushl.sat", "usub.sat", "vector.reduce.add", "vector.reduce.and",
    "vector.reduce.fadd", "vector.reduce.fmax", "vector.reduce.fmaximum", "vector.reduce.fmin",
    "vector.reduce.fminimum", "vector.reduce.fmul", "vector.reduce.mul", "vector.reduce.or",
    "vector.reduce.smax", "vector.reduce.smin", "vector.reduce.umax", "vector.reduce.umin",
    "vector.reduce.xor",
)  # fmt: skip

INTRINSICS = {f"llvm.intr.{mnemonic}": _intrinsic(mnemonic) for mnemonic in _MNEMONICS}
"""Intrinsics by op name. The others have generic form only (`"llvm.intr.memcpy"(...)`) or are opaque here."""


# Pieces of assembly


def _parse_symbol_flags(parser: Parser, allow_thread_local: bool = False) -> Attributes:
    """Parse `hidden thread_local unnamed_addr`, each optional."""
    properties: Attributes = {}
    if (visibility := parser.parse_optional_keyword_in(VISIBILITIES)) is not None:
        properties["visibility_"] = i64_attr(VISIBILITIES.index(visibility))
    if allow_thread_local and parser.parse_optional_keyword("thread_local") is not None:
        properties["thread_local_"] = UNIT
    if (unnamed := parser.parse_optional_keyword_in(UNNAMED_ADDRS)) is not None:
        properties["unnamed_addr"] = i64_attr(UNNAMED_ADDRS.index(unnamed))
    return properties


def _print_symbol_flags(
    printer: Printer,
    visibility: IntegerAttr[I64] | None,
    thread_local: UnitAttr | None,
    unnamed: IntegerAttr[I64] | None,
) -> None:
    if visibility is not None and visibility.value.data:
        printer.print_string(f" {VISIBILITIES[visibility.value.data]}")
    if thread_local is not None:
        printer.print_string(" thread_local")
    if unnamed is not None and unnamed.value.data:
        printer.print_string(f" {UNNAMED_ADDRS[unnamed.value.data]}")


def _parse_comdat(parser: Parser, properties: Attributes) -> None:
    if parser.parse_optional_keyword("comdat") is not None:
        with parser.in_parens():
            properties["comdat"] = parser.parse_attribute()


def _print_comdat(printer: Printer, comdat: SymbolRefAttr | None) -> None:
    if comdat is not None:
        printer.print_string(" comdat(")
        printer.print_attribute(comdat)
        printer.print_string(")")


def _parse_vscale_range(parser: Parser) -> Attribute | None:
    """Parse `vscale_range(1, 16)`; kept as the array of its two i32 bounds."""
    if parser.parse_optional_keyword("vscale_range") is None:
        return None
    return i32_array(
        parser.parse_comma_separated_list(parser.Delimiter.PAREN, lambda: parser.parse_integer())
    )


def _print_vscale_range(printer: Printer, bounds: Attribute) -> None:
    if isinstance(bounds, DenseArrayBase):
        values = integers(cast(DenseArrayBase, bounds))
        printer.print_string(f" vscale_range({', '.join(map(str, values))})")


def _parse_overflow(parser: Parser) -> Attributes:
    """Parse an optional `overflow<nsw, nuw>`."""
    if parser.parse_optional_keyword("overflow") is None:
        return {}
    flags = parser.parse_comma_separated_list(
        parser.Delimiter.ANGLE, lambda: parser.parse_keyword_in((*OVERFLOW_FLAGS, "none"))
    )
    return {"overflowFlags": IntegerAttr(sum(OVERFLOW_FLAGS.get(flag, 0) for flag in set(flags)), i32)}


def _print_overflow(printer: Printer, flags: Attribute | None) -> None:
    if isinstance(flags, IntegerOverflowFlagsAttr) and flags.data != "none":
        printer.print_string(f" overflow<{flags.data}>")
    elif isinstance(flags, IntegerAttr):
        names = [name for name, bit in OVERFLOW_FLAGS.items() if flags.value.data & bit]
        if names:
            printer.print_string(f" overflow<{', '.join(names)}>")


def _parse_argument_types(parser: Parser) -> tuple[list[Attribute], ArrayAttr[DictionaryAttr] | None]:
    """Parse `(i32 {llvm.noundef}, f32)`."""
    pairs = parser.parse_comma_separated_list(
        parser.Delimiter.PAREN, lambda: (parser.parse_type(), parser.parse_optional_attr_dict())
    )
    dictionaries = [DictionaryAttr(attributes) for _, attributes in pairs]
    has_any = any(attributes for _, attributes in pairs)
    return [type for type, _ in pairs], ArrayAttr(dictionaries) if has_any else None


def _parse_bundles(parser: Parser) -> list[tuple[str, Sequence[SSAValue]]]:
    """Parse optional operand bundles: `["tag"(%a : i32), "other"()]`."""

    def parse_bundle() -> tuple[str, Sequence[SSAValue]]:
        return parser.parse_str_literal(), parse_branch_target_operands(parser)

    return parser.parse_optional_comma_separated_list(parser.Delimiter.SQUARE, parse_bundle) or []


def _print_bundles(
    printer: Printer,
    operands: Sequence[SSAValue],
    sizes: DenseArrayBase | None,
    tags: ArrayAttr[Attribute] | None,
) -> None:
    if tags is None or sizes is None:
        return
    printer.print_string(" [")
    start = 0
    for index, (tag, size) in enumerate(zip(tags.data, integers(sizes), strict=True)):
        printer.print_string(", " if index else "")
        printer.print_attribute(tag)
        with printer.in_parens():
            if size:
                print_values_with_types(printer, operands[start : start + size])
        start += size
    printer.print_string("]")


def _parse_container_type(parser: Parser, position: Sequence[int]) -> tuple[Attribute, Attribute]:
    """Parse `: type`; return it and the type of its element at `position`."""
    parser.parse_punctuation(":")
    start = parser.pos
    container = parser.parse_type()
    element = element_at(container, position)
    if element is None:
        parser.raise_error("expected position to index into nested LLVM structure/array types", start)
    return container, element


def _vector_element(type: Attribute) -> Attribute:
    if isinstance(type, VectorType):
        return cast(VectorType[Attribute], type).element_type
    return type.type if isinstance(type, LLVMVectorType) else type


def _parse_typed_index(parser: Parser) -> SSAValue:
    """Parse `[%i : i32]`."""
    with parser.in_square_brackets():
        name = parser.parse_unresolved_operand()
        parser.parse_punctuation(":")
        return parser.resolve_operand(name, parser.parse_type())


def _print_typed_index(printer: Printer, index: SSAValue) -> None:
    with printer.in_square_brackets():
        print_values_with_types(printer, [index])


def _is_typed_pointer(type: Attribute) -> bool:
    return isinstance(type, LLVMPointerType) and not isinstance(type.pointee, NoneAttr)


def _pointee(parser: Parser, pointer: Attribute) -> Attribute:
    """Return what a typed pointer of LLVM 16 points to; for the others the text must say it."""
    if not isinstance(pointer, LLVMPointerType) or isinstance(pointer.pointee, NoneAttr):
        parser.raise_error("expected '->' and the result type of an access through an opaque pointer")
    return pointer.pointee


def _parse_atomic(parser: Parser) -> Attributes:
    """Parse an optional `atomic syncscope("agent") monotonic`."""
    if parser.parse_optional_keyword("atomic") is None:
        return {}
    properties = _parse_syncscope(parser)
    properties["ordering"] = _parse_ordering(parser)
    return properties


def _print_atomic(printer: Printer, ordering: IntegerAttr[I64] | None, scope: StringAttr | None) -> None:
    if ordering is None or not ordering.value.data:
        return
    printer.print_string(" atomic")
    _print_syncscope(printer, scope)
    printer.print_string(f" {_ordering_name(ordering)}")


def _parse_syncscope(parser: Parser) -> Attributes:
    if parser.parse_optional_keyword("syncscope") is None:
        return {}
    with parser.in_parens():
        return {"syncscope": StringAttr(parser.parse_str_literal())}


def _print_syncscope(printer: Printer, scope: StringAttr | None) -> None:
    if scope is not None:
        printer.print_string(" syncscope(")
        printer.print_attribute(scope)
        printer.print_string(")")


def _parse_ordering(parser: Parser) -> IntegerAttr[Any]:
    return i64_attr(ORDERINGS[parser.parse_keyword_in(ORDERINGS)])


def _ordering_name(ordering: IntegerAttr[I64]) -> str:
    return next(name for name, number in ORDERINGS.items() if number == ordering.value.data)


def _parse_weights(parser: Parser) -> Attribute:
    """Parse `[1, 2]`, or the elements attribute of LLVM 16."""
    numbers = parser.parse_optional_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)
    return parser.parse_attribute() if numbers is None else i32_array(numbers)


def _print_weights(printer: Printer, weights: Attribute) -> None:
    if isinstance(weights, DenseArrayBase):
        print_integer_list(printer, integers(cast(DenseArrayBase, weights)))
        return
    printer.print_attribute(weights)


LLVM = Dialect(
    "llvm",
    [
        *RARE,
        AShrOp,
        AddOp,
        AddrSpaceCastOp,
        AddressOfOp,
        AliasOp,
        AllocaOp,
        AndOp,
        AssumeOp,
        AtomicCmpXchgOp,
        AtomicRMWOp,
        BitcastOp,
        BrOp,
        CallOp,
        ComdatOp,
        ComdatSelectorOp,
        CondBrOp,
        ConstantOp,
        ExpectOp,
        ExtractElementOp,
        ExtractValueOp,
        FAddOp,
        FCmpOp,
        FDivOp,
        FMulOp,
        FNegOp,
        FPExtOp,
        FPToSIOp,
        FPToUIOp,
        FPTruncOp,
        FRemOp,
        FSubOp,
        FenceOp,
        FreezeOp,
        GEPOp,
        GlobalCtorsOp,
        GlobalDtorsOp,
        GlobalOp,
        ICmpOp,
        InlineAsmOp,
        InsertElementOp,
        InsertValueOp,
        IntToPtrOp,
        LLVMFuncOp,
        LShrOp,
        LifetimeEndOp,
        LifetimeStartOp,
        LoadOp,
        MulOp,
        NoneTokenOp,
        NullOp,
        OrOp,
        PoisonOp,
        PtrToIntOp,
        ReturnOp,
        SDivOp,
        SExtOp,
        SIToFPOp,
        SRemOp,
        SelectOp,
        ShlOp,
        ShuffleVectorOp,
        StackRestoreOp,
        StackSaveOp,
        StoreOp,
        SubOp,
        SwitchOp,
        TruncOp,
        UDivOp,
        UIToFPOp,
        URemOp,
        UndefOp,
        UnreachableOp,
        VaArgOp,
        XOrOp,
        ZExtOp,
        ZeroOp,
        *INTRINSICS.values(),
    ],
    TYPES_AND_ATTRIBUTES,
)
