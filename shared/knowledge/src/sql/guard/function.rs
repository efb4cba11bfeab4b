//! Checks and rewrites function calls.

use std::fmt::Write as _;

use sqlparser::ast::{
    DuplicateTreatment, Function, FunctionArg, FunctionArgExpr, FunctionArgumentList,
    FunctionArguments, OrderBy, OrderByKind, WindowType,
};

use super::scope::Scope;
use super::{Guard, Outcome, Refusal, refuse, single};

/// Allowed functions. None of them returns values longer than its arguments, reads data or sleeps.
const FUNCTIONS: [&str; 26] = [
    "abs",
    "avg",
    "bool_and",
    "bool_or",
    "btrim",
    "ceil",
    "count",
    "dense_rank",
    "floor",
    "left",
    "length",
    "lower",
    "ltrim",
    "max",
    "min",
    "rank",
    "right",
    "round",
    "row_number",
    "rtrim",
    "split_part",
    "starts_with",
    "strpos",
    "substr",
    "sum",
    "upper",
];
/// Functions that are SQL syntax and have no schema.
const SYNTAX: [&str; 4] = ["coalesce", "greatest", "least", "nullif"];

impl Guard<'_> {
    pub(super) fn function(&mut self, function: &Function, scope: &Scope<'_>) -> Outcome<String> {
        let Function {
            name,
            uses_odbc_syntax,
            parameters,
            args,
            within_group,
            filter,
            null_treatment,
            over,
        } = function;
        let called = single(name)?;
        let place = match called.as_str() {
            listed if FUNCTIONS.contains(&listed) => "pg_catalog.",
            listed if SYNTAX.contains(&listed) => "",
            _ => {
                let known = [&FUNCTIONS[..], &SYNTAX[..]].concat().join(", ");
                return Err(Refusal::new(format!(
                    "unknown function `{called}`; known: {known}"
                )));
            }
        };
        refuse(
            *uses_odbc_syntax || null_treatment.is_some(),
            "this form of a call",
        )?;
        refuse(
            !matches!(parameters, FunctionArguments::None),
            "parameters of a call",
        )?;
        refuse(!within_group.is_empty(), "WITHIN GROUP")?;
        let FunctionArguments::List(FunctionArgumentList {
            duplicate_treatment,
            args,
            clauses,
        }) = args
        else {
            return Err(Refusal::unlisted(function));
        };
        refuse(!clauses.is_empty(), "clauses within a call")?;
        let mut written = Vec::new();
        for argument in args {
            written.push(match argument {
                FunctionArg::Unnamed(FunctionArgExpr::Expr(expression)) => {
                    self.expression(expression, scope)?
                }
                FunctionArg::Unnamed(FunctionArgExpr::Wildcard)
                    if called == "count" && duplicate_treatment.is_none() =>
                {
                    "*".to_owned()
                }
                other => return Err(Refusal::unlisted(other)),
            });
        }
        let distinct = match duplicate_treatment {
            Some(DuplicateTreatment::Distinct) => "distinct ",
            Some(DuplicateTreatment::All) | None => "",
        };
        let mut sql = format!("{place}{called}({distinct}{})", written.join(", "));
        if let Some(filter) = filter {
            let _ = write!(sql, " filter (where {})", self.expression(filter, scope)?);
        }
        match over {
            None => {}
            Some(WindowType::NamedWindow(_)) => return Err(Refusal::unlisted("OVER a name")),
            Some(WindowType::WindowSpec(window)) => {
                refuse(
                    window.window_name.is_some() || window.window_frame.is_some(),
                    "a window's frame",
                )?;
                let mut inside = Vec::new();
                if !window.partition_by.is_empty() {
                    let parts: Vec<String> = window
                        .partition_by
                        .iter()
                        .map(|one| self.expression(one, scope))
                        .collect::<Outcome<_>>()?;
                    inside.push(format!("partition by {}", parts.join(", ")));
                }
                if !window.order_by.is_empty() {
                    let order_by = OrderBy {
                        kind: OrderByKind::Expressions(window.order_by.clone()),
                        interpolate: None,
                    };
                    inside.push(self.order_by(&order_by, scope)?.trim().to_owned());
                }
                let _ = write!(sql, " over ({})", inside.join(" "));
            }
        }
        Ok(sql)
    }
}
