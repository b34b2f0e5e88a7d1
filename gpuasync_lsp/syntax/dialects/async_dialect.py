"""The async dialect, which xDSL lacks, in MLIR's own syntax; coroutine and runtime ops stay generic."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    ArrayAttr,
    FlatSymbolRefAttr,
    FunctionType,
    IndexType,
    StringAttr,
    SymbolNameConstraint,
)
from xdsl.ir import Attribute, Dialect, ParametrizedAttribute, Region, SSAValue, TypeAttribute
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    opt_result_def,
    prop_def,
    region_def,
    result_def,
    successor_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import HasParent, IsolatedFromAbove, IsTerminator, Pure, SymbolOpInterface

# Types


@irdl_attr_definition
class TokenType(ParametrizedAttribute, TypeAttribute):
    """`!async.token`: the completion of an async.execute."""

    name = "async.token"


@irdl_attr_definition
class ValueType(ParametrizedAttribute, TypeAttribute):
    """`!async.value<T>`: a T that exists once it was awaited."""

    name = "async.value"

    value_type: Attribute


@irdl_attr_definition
class GroupType(ParametrizedAttribute, TypeAttribute):
    name = "async.group"


@irdl_attr_definition
class CoroIdType(ParametrizedAttribute, TypeAttribute):
    name = "async.coro.id"


@irdl_attr_definition
class CoroHandleType(ParametrizedAttribute, TypeAttribute):
    name = "async.coro.handle"


@irdl_attr_definition
class CoroStateType(ParametrizedAttribute, TypeAttribute):
    name = "async.coro.state"


TOKEN = TokenType()

# Structured ops


@irdl_op_definition
class ExecuteOp(IRDLOperation):
    """`%t, %r = async.execute [%d] (%v as %a: !async.value<T>) -> !async.value<T> { ... }`."""

    name = "async.execute"

    dependencies = var_operand_def(TokenType)
    body_operands = var_operand_def(TokenType | ValueType)
    token = result_def(TokenType)
    body_results = var_result_def(ValueType)
    body_region = region_def("single_block")

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    def __init__(
        self,
        body: Region,
        result_types: Sequence[Attribute] = (),
        dependencies: Sequence[SSAValue] = (),
        body_operands: Sequence[SSAValue] = (),
    ):
        super().__init__(
            operands=[dependencies, body_operands],
            result_types=[TOKEN, [ValueType(result) for result in result_types]],
            regions=[body],
        )


@irdl_op_definition
class YieldOp(IRDLOperation):
    """`async.yield %a : T`, the end of an async.execute body; its values become `!async.value`s."""

    name = "async.yield"

    arguments = var_operand_def()

    traits = traits_def(HasParent(ExecuteOp), IsTerminator(), Pure())


@irdl_op_definition
class AwaitOp(IRDLOperation):
    """`async.await %t : !async.token`, or `%v = async.await %a : !async.value<T>`."""

    name = "async.await"

    operand = operand_def(TokenType | ValueType)
    result = opt_result_def()

    def __init__(self, operand: SSAValue):
        awaited = operand.type
        super().__init__(
            operands=[operand],
            result_types=[awaited.value_type if isinstance(awaited, ValueType) else None],
        )


@irdl_op_definition
class FuncOp(IRDLOperation):
    """`async.func @name(%a: T) -> !async.token { ... }`."""

    name = "async.func"

    sym_name = prop_def(SymbolNameConstraint())
    function_type = prop_def(FunctionType)
    sym_visibility = opt_prop_def(StringAttr)
    arg_attrs = opt_prop_def(ArrayAttr[Attribute])
    res_attrs = opt_prop_def(ArrayAttr[Attribute])
    body = region_def()

    traits = traits_def(IsolatedFromAbove(), SymbolOpInterface())


@irdl_op_definition
class CallOp(IRDLOperation):
    """`%t = async.call @name(%a) : (T) -> !async.token`."""

    name = "async.call"

    callee = prop_def(FlatSymbolRefAttr)
    arguments = var_operand_def()
    arg_attrs = opt_prop_def(ArrayAttr[Attribute])
    res_attrs = opt_prop_def(ArrayAttr[Attribute])
    res = var_result_def(TokenType | ValueType)


@irdl_op_definition
class ReturnOp(IRDLOperation):
    """`async.return %a : T`, the end of an async.func."""

    name = "async.return"

    arguments = var_operand_def()

    traits = traits_def(HasParent(FuncOp), IsTerminator(), Pure())


@irdl_op_definition
class CreateGroupOp(IRDLOperation):
    """`%g = async.create_group %size : !async.group`."""

    name = "async.create_group"

    size = operand_def(IndexType)
    result = result_def(GroupType)

    traits = traits_def(Pure())


@irdl_op_definition
class AddToGroupOp(IRDLOperation):
    """`%rank = async.add_to_group %t, %g : !async.token`."""

    name = "async.add_to_group"

    operand = operand_def(TokenType | ValueType)
    group = operand_def(GroupType)
    rank = result_def(IndexType)


@irdl_op_definition
class AwaitAllOp(IRDLOperation):
    """`async.await_all %g`."""

    name = "async.await_all"

    operand = operand_def(GroupType)


# Coroutines and the runtime: what `async-to-async-runtime` makes of the ops above


@irdl_op_definition
class CoroIdOp(IRDLOperation):
    name = "async.coro.id"

    id = result_def(CoroIdType)


@irdl_op_definition
class CoroBeginOp(IRDLOperation):
    name = "async.coro.begin"

    id = operand_def(CoroIdType)
    handle = result_def(CoroHandleType)


@irdl_op_definition
class CoroFreeOp(IRDLOperation):
    name = "async.coro.free"

    id = operand_def(CoroIdType)
    handle = operand_def(CoroHandleType)


@irdl_op_definition
class CoroEndOp(IRDLOperation):
    name = "async.coro.end"

    handle = operand_def(CoroHandleType)


@irdl_op_definition
class CoroSaveOp(IRDLOperation):
    name = "async.coro.save"

    handle = operand_def(CoroHandleType)
    state = result_def(CoroStateType)


@irdl_op_definition
class CoroSuspendOp(IRDLOperation):
    name = "async.coro.suspend"

    state = operand_def(CoroStateType)
    suspend_dest = successor_def()
    resume_dest = successor_def()
    cleanup_dest = successor_def()

    traits = traits_def(IsTerminator())


@irdl_op_definition
class RuntimeCreateOp(IRDLOperation):
    name = "async.runtime.create"

    result = result_def(TokenType | ValueType)


@irdl_op_definition
class RuntimeCreateGroupOp(IRDLOperation):
    name = "async.runtime.create_group"

    size = operand_def(IndexType)
    result = result_def(GroupType)


@irdl_op_definition
class RuntimeSetAvailableOp(IRDLOperation):
    name = "async.runtime.set_available"

    operand = operand_def(TokenType | ValueType)


@irdl_op_definition
class RuntimeSetErrorOp(IRDLOperation):
    name = "async.runtime.set_error"

    operand = operand_def(TokenType | ValueType)


@irdl_op_definition
class RuntimeIsErrorOp(IRDLOperation):
    name = "async.runtime.is_error"

    operand = operand_def(TokenType | ValueType | GroupType)
    is_error = result_def()


@irdl_op_definition
class RuntimeAwaitOp(IRDLOperation):
    name = "async.runtime.await"

    operand = operand_def(TokenType | ValueType | GroupType)


@irdl_op_definition
class RuntimeResumeOp(IRDLOperation):
    name = "async.runtime.resume"

    handle = operand_def(CoroHandleType)


@irdl_op_definition
class RuntimeAwaitAndResumeOp(IRDLOperation):
    name = "async.runtime.await_and_resume"

    operand = operand_def(TokenType | ValueType | GroupType)
    handle = operand_def(CoroHandleType)


@irdl_op_definition
class RuntimeStoreOp(IRDLOperation):
    name = "async.runtime.store"

    value = operand_def()
    storage = operand_def(ValueType)


@irdl_op_definition
class RuntimeLoadOp(IRDLOperation):
    name = "async.runtime.load"

    storage = operand_def(ValueType)
    result = result_def()


@irdl_op_definition
class RuntimeAddToGroupOp(IRDLOperation):
    name = "async.runtime.add_to_group"

    operand = operand_def(TokenType | ValueType)
    group = operand_def(GroupType)
    rank = result_def(IndexType)


@irdl_op_definition
class RuntimeAddRefOp(IRDLOperation):
    name = "async.runtime.add_ref"

    operand = operand_def(TokenType | ValueType | GroupType)
    count = prop_def(Attribute)


@irdl_op_definition
class RuntimeDropRefOp(IRDLOperation):
    name = "async.runtime.drop_ref"

    operand = operand_def(TokenType | ValueType | GroupType)
    count = prop_def(Attribute)


@irdl_op_definition
class RuntimeNumWorkerThreadsOp(IRDLOperation):
    name = "async.runtime.num_worker_threads"

    result = result_def(IndexType)


ASYNC = Dialect(
    "async",
    [
        ExecuteOp,
        YieldOp,
        AwaitOp,
        FuncOp,
        CallOp,
        ReturnOp,
        CreateGroupOp,
        AddToGroupOp,
        AwaitAllOp,
        CoroIdOp,
        CoroBeginOp,
        CoroFreeOp,
        CoroEndOp,
        CoroSaveOp,
        CoroSuspendOp,
        RuntimeCreateOp,
        RuntimeCreateGroupOp,
        RuntimeSetAvailableOp,
        RuntimeSetErrorOp,
        RuntimeIsErrorOp,
        RuntimeAwaitOp,
        RuntimeResumeOp,
        RuntimeAwaitAndResumeOp,
        RuntimeStoreOp,
        RuntimeLoadOp,
        RuntimeAddToGroupOp,
        RuntimeAddRefOp,
        RuntimeDropRefOp,
        RuntimeNumWorkerThreadsOp,
    ],
    [TokenType, ValueType, GroupType, CoroIdType, CoroHandleType, CoroStateType],
)
