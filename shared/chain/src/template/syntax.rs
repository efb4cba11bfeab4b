//! Allow list of templates, checked before they are rendered.

use std::collections::BTreeSet;

use minijinja::machinery::ast::{Expr, Stmt};
use minijinja::machinery::{Span, Token, parse, tokenize};
use minijinja::syntax::SyntaxConfig;

use super::{MAX_TEMPLATE_BYTES, TemplateError};
use crate::MAX_CONDITION_BYTES;
use crate::condition::ConditionError;
use crate::condition::syntax::{Reading, walk};

/// Maximum number of statement tags. The parser recurses into them.
pub(super) const MAX_STATEMENTS: usize = 200;

/// Returns the syntax configuration: a statement tag removes its line, and a text keeps its trailing newline.
pub(super) fn config() -> SyntaxConfig {
    let mut config = SyntaxConfig::builder();
    config
        .trim_blocks(true)
        .lstrip_blocks(true)
        .keep_trailing_newline(true);
    // The default delimiters are always valid.
    config.build().unwrap_or_default()
}

/// Returns the names of the stages that a template reads.
pub(super) fn stages_read_by(source: &str) -> Result<BTreeSet<String>, TemplateError> {
    check_size(source)?;
    let tree = parse(source, "<template>", config()).map_err(syntax)?;
    let mut reading = Reading {
        is_template: true,
        ..Reading::default()
    };
    statement(&tree, &mut reading)?;
    Ok(reading.stages)
}

/// Returns the expression if the source is a single `{{ .. }}`. Its value then keeps its type.
pub(super) fn sole_expression(source: &str) -> Option<&str> {
    let mut tokens = tokenize(source, false, config());
    let (Token::VariableStart, start) = tokens.next()?.ok()? else {
        return None;
    };
    let mut end: Option<Span> = None;
    for token in tokens {
        match (token.ok()?, end) {
            // Other text follows.
            (_, Some(_)) => return None,
            ((Token::VariableEnd, span), None) => end = Some(span),
            _ => {}
        }
    }
    let end = end?;
    source.get(start.end_offset as usize..end.start_offset as usize)
}

/// Rejects sources that could overflow a recursive parser.
fn check_size(source: &str) -> Result<(), TemplateError> {
    if source.len() > MAX_TEMPLATE_BYTES {
        return Err(TemplateError::TooLong);
    }
    let mut statements = 0;
    let mut opened: Option<Span> = None;
    for token in tokenize(source, false, config()) {
        let (token, span) = token.map_err(syntax)?;
        match token {
            Token::VariableStart => opened = Some(span),
            Token::BlockStart => {
                statements += 1;
                opened = Some(span);
            }
            _ => {}
        }
        let length = opened.map_or(0, |from| span.end_offset.saturating_sub(from.start_offset));
        if matches!(token, Token::VariableEnd | Token::BlockEnd) {
            opened = None;
        }
        if length as usize > MAX_CONDITION_BYTES {
            return Err(TemplateError::TagTooLong(span.start_line.into()));
        }
    }
    match statements > MAX_STATEMENTS {
        true => Err(TemplateError::TooManyStatements),
        false => Ok(()),
    }
}

fn syntax(error: minijinja::Error) -> TemplateError {
    let message = error
        .detail()
        .map_or_else(|| error.kind().to_string(), str::to_owned);
    TemplateError::Syntax {
        message: format!("syntax error: {message}"),
        line: error.line().unwrap_or(1),
    }
}

fn statement<'n>(stmt: &'n Stmt<'n>, reading: &mut Reading<'n>) -> Result<(), TemplateError> {
    match stmt {
        Stmt::Template(template) => all(&template.children, reading),
        Stmt::EmitRaw(_) => Ok(()),
        Stmt::EmitExpr(emit) => Ok(walk(&emit.expr, reading)?),
        Stmt::IfCond(branch) => {
            walk(&branch.expr, reading)?;
            all(&branch.true_body, reading)?;
            all(&branch.false_body, reading)
        }
        Stmt::ForLoop(each) if !each.recursive => {
            walk(&each.iter, reading)?;
            let outside = reading.locals.len();
            names(&each.target, &mut reading.locals)?;
            reading.locals.push("loop");
            let inside = each
                .filter_expr
                .iter()
                .try_for_each(|filter| walk(filter, reading))
                .map_err(TemplateError::from)
                .and_then(|()| all(&each.body, reading));
            reading.locals.truncate(outside);
            inside?;
            all(&each.else_body, reading)
        }
        _ => Err(TemplateError::Statement),
    }
}

fn all<'n>(stmts: &'n [Stmt<'n>], reading: &mut Reading<'n>) -> Result<(), TemplateError> {
    stmts.iter().try_for_each(|stmt| statement(stmt, reading))
}

/// Collects the names that a loop binds.
fn names<'n>(target: &'n Expr<'n>, found: &mut Vec<&'n str>) -> Result<(), TemplateError> {
    let items = match target {
        Expr::Var(var) if !matches!(var.id, "alert" | "stages") => {
            found.push(var.id);
            return Ok(());
        }
        Expr::Var(var) => return Err(ConditionError::UnknownName(var.id.to_owned()).into()),
        Expr::List(list) => &list.items,
        Expr::Tuple(tuple) => &tuple.items,
        _ => return Err(TemplateError::Statement),
    };
    items.iter().try_for_each(|item| names(item, found))
}
