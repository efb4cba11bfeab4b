//! Allow list for expressions. Unknown names, filters and tests are rejected.

use std::collections::BTreeSet;

use minijinja::machinery::ast::{CallArg, Expr};
use minijinja::machinery::parse_expr;

use super::ConditionError;

/// Allowed filters of expressions.
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

/// Allowed tests of expressions.
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

/// Additional filters of templates.
const TEXT_FILTERS: &[&str] = &["items", "lines", "map", "reverse", "round", "tojson"];

#[derive(Default)]
pub(crate) struct Reading<'n> {
    /// Names of the stages it reads.
    pub(crate) stages: BTreeSet<String>,
    /// Variables of the enclosing loops.
    pub(crate) locals: Vec<&'n str>,
    /// Whether the source is a template.
    pub(crate) is_template: bool,
}

/// Returns the names of the stages that a condition reads.
pub(super) fn stages_read_by(source: &str) -> Result<BTreeSet<String>, ConditionError> {
    let tree = parse_expr(source).map_err(|error| {
        ConditionError::Syntax(error.detail().unwrap_or("not an expression").to_owned())
    })?;
    let mut reading = Reading::default();
    walk(&tree, &mut reading)?;
    Ok(reading.stages)
}

/// Checks an expression and collects the stages it reads.
pub(crate) fn walk(expr: &Expr<'_>, reading: &mut Reading<'_>) -> Result<(), ConditionError> {
    match expr {
        Expr::Const(_) => Ok(()),
        Expr::Var(var) => match var.id {
            name if reading.locals.contains(&name) => Ok(()),
            "alert" => Ok(()),
            "stages" => Err(ConditionError::BareStages),
            other => Err(ConditionError::UnknownName(other.to_owned())),
        },
        Expr::GetAttr(get) => match &get.expr {
            Expr::Var(var) if var.id == "stages" => {
                reading.stages.insert(get.name.to_owned());
                Ok(())
            }
            inner => walk(inner, reading),
        },
        Expr::GetItem(get) => match (&get.expr, &get.subscript_expr) {
            (Expr::Var(var), Expr::Const(name)) if var.id == "stages" => {
                let name = name.value.as_str().ok_or(ConditionError::BareStages)?;
                reading.stages.insert(name.to_owned());
                Ok(())
            }
            (inner, subscript) => {
                walk(inner, reading)?;
                walk(subscript, reading)
            }
        },
        Expr::Slice(slice) => {
            walk(&slice.expr, reading)?;
            let bounds = [&slice.start, &slice.stop, &slice.step];
            each(bounds.into_iter().flatten(), reading)
        }
        Expr::UnaryOp(op) => walk(&op.expr, reading),
        Expr::BinOp(op) => each([&op.left, &op.right], reading),
        Expr::Compare(compare) => {
            walk(&compare.expr, reading)?;
            each(compare.ops.iter().map(|op| &op.expr), reading)
        }
        Expr::IfExpr(branch) => {
            each([&branch.test_expr, &branch.true_expr], reading)?;
            each(branch.false_expr.iter(), reading)
        }
        Expr::Filter(filter) => {
            let makes_text = reading.is_template && TEXT_FILTERS.contains(&filter.name);
            if !makes_text && !FILTERS.contains(&filter.name) {
                return Err(ConditionError::UnknownFilter(filter.name.to_owned()));
            }
            // The test name that `selectattr` and similar filters take is a constant, so it is not checked here.
            each(filter.expr.iter(), reading)?;
            arguments(&filter.args, reading)
        }
        Expr::Test(test) => {
            if !TESTS.contains(&test.name) {
                return Err(ConditionError::UnknownTest(test.name.to_owned()));
            }
            walk(&test.expr, reading)?;
            arguments(&test.args, reading)
        }
        Expr::Call(_) => Err(ConditionError::Call),
        Expr::List(list) => each(list.items.iter(), reading),
        Expr::Tuple(tuple) => each(tuple.items.iter(), reading),
        Expr::Map(map) => each(map.keys.iter().chain(&map.values), reading),
    }
}

fn each<'a, 'b: 'a>(
    exprs: impl IntoIterator<Item = &'a Expr<'b>>,
    reading: &mut Reading<'_>,
) -> Result<(), ConditionError> {
    exprs.into_iter().try_for_each(|expr| walk(expr, reading))
}

fn arguments(args: &[CallArg<'_>], reading: &mut Reading<'_>) -> Result<(), ConditionError> {
    args.iter().try_for_each(|arg| match arg {
        CallArg::Pos(expr)
        | CallArg::Kwarg(_, expr)
        | CallArg::PosSplat(expr)
        | CallArg::KwargSplat(expr) => walk(expr, reading),
    })
}
