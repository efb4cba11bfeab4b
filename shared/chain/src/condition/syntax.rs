//! The closed world of conditions: every name, filter and test in the syntax tree is known, or the condition is refused.

use std::collections::BTreeSet;

use minijinja::machinery::ast::{CallArg, Expr};
use minijinja::machinery::parse_expr;

use super::ConditionError;

/// Filters of the environment that make sense in a condition.
pub(super) const FILTERS: &[&str] = &[
    "abs",
    "default",
    "first",
    "float",
    "int",
    "join",
    "last",
    "length",
    "list",
    "lower",
    "max",
    "min",
    "reject",
    "rejectattr",
    "replace",
    "select",
    "selectattr",
    "sort",
    "split",
    "string",
    "sum",
    "title",
    "trim",
    "unique",
    "upper",
];

/// Tests of the environment that make sense in a condition.
pub(super) const TESTS: &[&str] = &[
    "boolean",
    "defined",
    "divisibleby",
    "endingwith",
    "eq",
    "equalto",
    "even",
    "false",
    "float",
    "ge",
    "gt",
    "in",
    "integer",
    "iterable",
    "le",
    "lt",
    "mapping",
    "ne",
    "none",
    "number",
    "odd",
    "sequence",
    "startingwith",
    "string",
    "true",
    "undefined",
];

/// Names of the stages that a condition reads.
pub(super) fn stages_read_by(source: &str) -> Result<BTreeSet<String>, ConditionError> {
    let tree = parse_expr(source).map_err(|error| {
        ConditionError::Syntax(error.detail().unwrap_or("not an expression").to_owned())
    })?;
    let mut stages = BTreeSet::new();
    walk(&tree, &mut stages)?;
    Ok(stages)
}

fn walk(expr: &Expr<'_>, stages: &mut BTreeSet<String>) -> Result<(), ConditionError> {
    match expr {
        Expr::Const(_) => Ok(()),
        Expr::Var(var) => match var.id {
            "alert" => Ok(()),
            "stages" => Err(ConditionError::BareStages),
            other => Err(ConditionError::UnknownName(other.to_owned())),
        },
        Expr::GetAttr(get) => match &get.expr {
            Expr::Var(var) if var.id == "stages" => {
                stages.insert(get.name.to_owned());
                Ok(())
            }
            inner => walk(inner, stages),
        },
        Expr::GetItem(get) => match (&get.expr, &get.subscript_expr) {
            (Expr::Var(var), Expr::Const(name)) if var.id == "stages" => {
                let name = name.value.as_str().ok_or(ConditionError::BareStages)?;
                stages.insert(name.to_owned());
                Ok(())
            }
            (inner, subscript) => {
                walk(inner, stages)?;
                walk(subscript, stages)
            }
        },
        Expr::Slice(slice) => {
            walk(&slice.expr, stages)?;
            let bounds = [&slice.start, &slice.stop, &slice.step];
            each(bounds.into_iter().flatten(), stages)
        }
        Expr::UnaryOp(op) => walk(&op.expr, stages),
        Expr::BinOp(op) => each([&op.left, &op.right], stages),
        Expr::Compare(compare) => {
            walk(&compare.expr, stages)?;
            each(compare.ops.iter().map(|op| &op.expr), stages)
        }
        Expr::IfExpr(branch) => {
            each([&branch.test_expr, &branch.true_expr], stages)?;
            each(branch.false_expr.iter(), stages)
        }
        Expr::Filter(filter) => {
            if !FILTERS.contains(&filter.name) {
                return Err(ConditionError::UnknownFilter(filter.name.to_owned()));
            }
            // `selectattr` and its like take the name of a test.
            each(filter.expr.iter(), stages)?;
            arguments(&filter.args, stages)
        }
        Expr::Test(test) => {
            if !TESTS.contains(&test.name) {
                return Err(ConditionError::UnknownTest(test.name.to_owned()));
            }
            walk(&test.expr, stages)?;
            arguments(&test.args, stages)
        }
        Expr::Call(_) => Err(ConditionError::Call),
        Expr::List(list) => each(list.items.iter(), stages),
        Expr::Tuple(tuple) => each(tuple.items.iter(), stages),
        Expr::Map(map) => each(map.keys.iter().chain(&map.values), stages),
    }
}

fn each<'a, 'b: 'a>(
    exprs: impl IntoIterator<Item = &'a Expr<'b>>,
    stages: &mut BTreeSet<String>,
) -> Result<(), ConditionError> {
    exprs.into_iter().try_for_each(|expr| walk(expr, stages))
}

fn arguments(args: &[CallArg<'_>], stages: &mut BTreeSet<String>) -> Result<(), ConditionError> {
    args.iter().try_for_each(|arg| match arg {
        CallArg::Pos(expr)
        | CallArg::Kwarg(_, expr)
        | CallArg::PosSplat(expr)
        | CallArg::KwargSplat(expr) => walk(expr, stages),
    })
}
