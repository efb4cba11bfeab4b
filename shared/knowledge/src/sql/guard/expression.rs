//! Checks and rewrites expressions.

use std::fmt::Write as _;

use sqlparser::ast::{
    BinaryOperator, CastKind, CeilFloorKind, DataType, DateTimeField, Expr, TrimWhereField,
    UnaryOperator, Value,
};

use super::scope::Scope;
use super::{Guard, MAX_EXPRESSION, Outcome, Refusal, folded, quoted, refuse};

impl Guard<'_> {
    pub(super) fn expression(&mut self, expression: &Expr, scope: &Scope<'_>) -> Outcome<String> {
        self.count()?;
        self.depth += 1;
        refuse(self.depth > MAX_EXPRESSION, "an expression this deep")?;
        let written = self.written(expression, scope)?;
        self.depth -= 1;
        Ok(written)
    }

    fn written(&mut self, expression: &Expr, scope: &Scope<'_>) -> Outcome<String> {
        let one = |guard: &mut Self, inner: &Expr| guard.expression(inner, scope);
        Ok(match expression {
            Expr::Identifier(ident) => {
                let name = folded(ident)?;
                if !scope.has_column(&name) {
                    return Err(Refusal::new(format!("unknown column `{name}`")));
                }
                quoted(&name)
            }
            Expr::CompoundIdentifier(parts) => {
                let [alias, column] = parts.as_slice() else {
                    return Err(Refusal::unlisted(expression));
                };
                let (alias, column) = (folded(alias)?, folded(column)?);
                let columns = scope.relation(&alias).unwrap_or_default();
                // Postgres reads `t.f` as the function call f(t) if t has no column f.
                if !columns.contains(&column) {
                    return Err(Refusal::new(format!("unknown column `{alias}.{column}`")));
                }
                format!("{}.{}", quoted(&alias), quoted(&column))
            }
            Expr::Value(value) => literal(&value.value)?,
            Expr::Nested(inner) => format!("({})", one(self, inner)?),
            Expr::IsNull(inner) => format!("({} is null)", one(self, inner)?),
            Expr::IsNotNull(inner) => format!("({} is not null)", one(self, inner)?),
            Expr::IsTrue(inner) => format!("({} is true)", one(self, inner)?),
            Expr::IsNotTrue(inner) => format!("({} is not true)", one(self, inner)?),
            Expr::IsFalse(inner) => format!("({} is false)", one(self, inner)?),
            Expr::IsNotFalse(inner) => format!("({} is not false)", one(self, inner)?),
            Expr::IsDistinctFrom(a, b) => {
                format!("({} is distinct from {})", one(self, a)?, one(self, b)?)
            }
            Expr::IsNotDistinctFrom(a, b) => {
                format!("({} is not distinct from {})", one(self, a)?, one(self, b)?)
            }
            Expr::InList {
                expr,
                list,
                negated,
            } => {
                let left = one(self, expr)?;
                let list: Vec<String> = list
                    .iter()
                    .map(|item| one(self, item))
                    .collect::<Outcome<_>>()?;
                format!("({left}{} in ({}))", not(*negated), list.join(", "))
            }
            Expr::InSubquery {
                expr,
                subquery,
                negated,
            } => {
                let (query, _) = self.query(subquery, scope)?;
                format!("({}{} in ({query}))", one(self, expr)?, not(*negated))
            }
            Expr::Exists { subquery, negated } => {
                let (query, _) = self.query(subquery, scope)?;
                format!("({}exists ({query}))", if *negated { "not " } else { "" })
            }
            Expr::Subquery(query) => format!("({})", self.query(query, scope)?.0),
            Expr::Between {
                expr,
                negated,
                low,
                high,
            } => {
                let (low, high) = (one(self, low)?, one(self, high)?);
                format!(
                    "({}{} between {low} and {high})",
                    one(self, expr)?,
                    not(*negated)
                )
            }
            Expr::BinaryOp { left, op, right } => {
                let op = binary(op)?;
                format!("({} {op} {})", one(self, left)?, one(self, right)?)
            }
            Expr::UnaryOp { op, expr } => {
                let op = match op {
                    UnaryOperator::Plus => "+",
                    UnaryOperator::Minus => "-",
                    UnaryOperator::Not => "not",
                    other => return Err(Refusal::unlisted(other)),
                };
                format!("({op} {})", one(self, expr)?)
            }
            Expr::Like {
                negated,
                any,
                expr,
                pattern,
                escape_char,
            }
            | Expr::ILike {
                negated,
                any,
                expr,
                pattern,
                escape_char,
            } => {
                refuse(*any || escape_char.is_some(), "LIKE ANY, ILIKE ANY, ESCAPE")?;
                let like = match expression {
                    Expr::ILike { .. } => "ilike",
                    _ => "like",
                };
                format!(
                    "({}{} {like} {})",
                    one(self, expr)?,
                    not(*negated),
                    one(self, pattern)?
                )
            }
            Expr::Case {
                operand,
                conditions,
                else_result,
                ..
            } => {
                let mut sql = "(case".to_owned();
                if let Some(operand) = operand {
                    let _ = write!(sql, " {}", one(self, operand)?);
                }
                for when in conditions {
                    let _ = write!(
                        sql,
                        " when {} then {}",
                        one(self, &when.condition)?,
                        one(self, &when.result)?
                    );
                }
                if let Some(result) = else_result {
                    let _ = write!(sql, " else {}", one(self, result)?);
                }
                sql + " end)"
            }
            Expr::Cast {
                kind,
                expr,
                data_type,
                format,
                ..
            } => {
                let is_plain =
                    matches!(kind, CastKind::Cast | CastKind::DoubleColon) && format.is_none();
                refuse(!is_plain, "this kind of CAST")?;
                format!("cast({} as {})", one(self, expr)?, plain_type(data_type)?)
            }
            Expr::Substring {
                expr,
                substring_from,
                substring_for,
                ..
            } => {
                let mut arguments = vec![one(self, expr)?];
                for argument in [substring_from, substring_for].into_iter().flatten() {
                    arguments.push(one(self, argument)?);
                }
                format!("pg_catalog.substr({})", arguments.join(", "))
            }
            Expr::Trim {
                trim_where,
                trim_what,
                expr,
                trim_characters,
            } => {
                refuse(
                    trim_what.is_some() || trim_characters.is_some(),
                    "TRIM of other characters",
                )?;
                let function = match trim_where {
                    None | Some(TrimWhereField::Both) => "btrim",
                    Some(TrimWhereField::Leading) => "ltrim",
                    Some(TrimWhereField::Trailing) => "rtrim",
                };
                format!("pg_catalog.{function}({})", one(self, expr)?)
            }
            Expr::Ceil {
                expr,
                field: CeilFloorKind::DateTimeField(DateTimeField::NoDateTime),
            } => {
                format!("pg_catalog.ceil({})", one(self, expr)?)
            }
            Expr::Floor {
                expr,
                field: CeilFloorKind::DateTimeField(DateTimeField::NoDateTime),
            } => {
                format!("pg_catalog.floor({})", one(self, expr)?)
            }
            Expr::Function(function) => self.function(function, scope)?,
            other => return Err(Refusal::unlisted(other)),
        })
    }

    /// Returns the name that Postgres gives to a column without an alias.
    pub(super) fn name_of(&self, expression: &Expr, number: usize) -> String {
        let name = match expression {
            Expr::Identifier(ident) => folded(ident).ok(),
            Expr::CompoundIdentifier(parts) => parts.last().and_then(|part| folded(part).ok()),
            Expr::Function(function) => super::single(&function.name).ok(),
            _ => None,
        };
        name.unwrap_or_else(|| format!("column_{}", number + 1))
    }
}

const fn not(negated: bool) -> &'static str {
    if negated { " not" } else { "" }
}

fn literal(value: &Value) -> Outcome<String> {
    match value {
        Value::Number(text, false) => {
            // The text is sent as it is, so it must be a plain finite number.
            let is_number = text
                .bytes()
                .all(|byte| byte.is_ascii_digit() || b".eE+-".contains(&byte));
            match is_number && text.len() <= 40 && text.parse::<f64>().is_ok_and(f64::is_finite) {
                true => Ok(text.clone()),
                false => Err(Refusal::unlisted(text)),
            }
        }
        Value::SingleQuotedString(text) => Ok(format!("'{}'", text.replace('\'', "''"))),
        Value::Boolean(true) => Ok("true".to_owned()),
        Value::Boolean(false) => Ok("false".to_owned()),
        Value::Null => Ok("null".to_owned()),
        other => Err(Refusal::unlisted(other)),
    }
}

fn binary(op: &BinaryOperator) -> Outcome<&'static str> {
    Ok(match op {
        BinaryOperator::Plus => "+",
        BinaryOperator::Minus => "-",
        BinaryOperator::Multiply => "*",
        BinaryOperator::Divide => "/",
        BinaryOperator::Modulo => "%",
        BinaryOperator::Gt => ">",
        BinaryOperator::Lt => "<",
        BinaryOperator::GtEq => ">=",
        BinaryOperator::LtEq => "<=",
        BinaryOperator::Eq => "=",
        BinaryOperator::NotEq => "<>",
        BinaryOperator::And => "and",
        BinaryOperator::Or => "or",
        other => return Err(Refusal::unlisted(other)),
    })
}

fn plain_type(data_type: &DataType) -> Outcome<&'static str> {
    Ok(match data_type {
        DataType::Text => "pg_catalog.text",
        DataType::Int(None) | DataType::Integer(None) => "pg_catalog.int4",
        DataType::BigInt(None) => "pg_catalog.int8",
        DataType::DoublePrecision | DataType::Real => "pg_catalog.float8",
        DataType::Boolean | DataType::Bool => "pg_catalog.bool",
        DataType::Date => "pg_catalog.date",
        other => return Err(Refusal::unlisted(other)),
    })
}
