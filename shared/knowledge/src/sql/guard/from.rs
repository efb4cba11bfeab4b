//! Checks and rewrites FROM: tables, joins, subqueries and their aliases.

use std::fmt::Write as _;

use sqlparser::ast::{Join, JoinConstraint, JoinOperator, TableAlias, TableFactor, TableWithJoins};

use super::scope::Scope;
use super::{Guard, Outcome, Refusal, SCHEMA, folded, quoted, refuse, single};

impl Guard<'_> {
    pub(super) fn table_with_joins(
        &mut self,
        table: &TableWithJoins,
        scope: &mut Scope<'_>,
    ) -> Outcome<String> {
        let mut sql = self.table(&table.relation, scope)?;
        for join in &table.joins {
            self.join(join, scope, &mut sql)?;
        }
        Ok(sql)
    }

    fn join(&mut self, join: &Join, scope: &mut Scope<'_>, sql: &mut String) -> Outcome<()> {
        refuse(join.global, "GLOBAL JOIN")?;
        let table = self.table(&join.relation, scope)?;
        let (kind, constraint) = match &join.join_operator {
            JoinOperator::Join(constraint) | JoinOperator::Inner(constraint) => {
                ("join", constraint)
            }
            JoinOperator::Left(constraint) | JoinOperator::LeftOuter(constraint) => {
                ("left join", constraint)
            }
            JoinOperator::Right(constraint) | JoinOperator::RightOuter(constraint) => {
                ("right join", constraint)
            }
            JoinOperator::FullOuter(constraint) => ("full join", constraint),
            JoinOperator::CrossJoin(constraint) => ("cross join", constraint),
            _ => return Err(Refusal::unlisted("this kind of JOIN")),
        };
        let _ = write!(sql, " {kind} {table}");
        match constraint {
            JoinConstraint::On(on) => {
                let _ = write!(sql, " on {}", self.expression(on, scope)?);
            }
            JoinConstraint::None if kind == "cross join" => {}
            _ => return Err(Refusal::new("a JOIN needs ON")),
        }
        Ok(())
    }

    fn table(&mut self, table: &TableFactor, scope: &mut Scope<'_>) -> Outcome<String> {
        self.count()?;
        match table {
            TableFactor::Table {
                name,
                alias,
                args,
                with_hints,
                version,
                with_ordinality,
                partitions,
                json_path,
                sample,
                index_hints,
            } => {
                let extras =
                    args.is_some() || version.is_some() || json_path.is_some() || sample.is_some();
                let lists =
                    !with_hints.is_empty() || !partitions.is_empty() || !index_hints.is_empty();
                refuse(extras || lists || *with_ordinality, &format!("{table}"))?;
                let name = single(name)?;
                let (sql, columns) = match (scope.named(&name), self.tables.get(&name)) {
                    (Some(columns), _) => (quoted(&name), columns.to_vec()),
                    (None, Some(columns)) => (
                        format!("{}.{}", quoted(SCHEMA), quoted(&name)),
                        columns.clone(),
                    ),
                    (None, None) => {
                        let known: Vec<&str> = self.tables.keys().map(String::as_str).collect();
                        return Err(Refusal::new(format!(
                            "unknown table `{name}`; known: {}",
                            known.join(", ")
                        )));
                    }
                };
                let alias = match alias {
                    Some(alias) => self.alias(alias)?,
                    None => name,
                };
                let sql = format!("{sql} as {}", quoted(&alias));
                scope.add(alias, columns)?;
                Ok(sql)
            }
            TableFactor::Derived {
                lateral,
                subquery,
                alias,
                sample,
            } => {
                refuse(*lateral || sample.is_some(), "LATERAL, TABLESAMPLE")?;
                let alias = alias
                    .as_ref()
                    .ok_or_else(|| Refusal::new("a subquery in FROM needs an alias"))?;
                let alias = self.alias(alias)?;
                // A derived table can refer to common table expressions, but not to its neighbours.
                let outside = scope.outside();
                let (sql, columns) = self.query(subquery, &outside)?;
                let sql = format!("({sql}) as {}", quoted(&alias));
                scope.add(alias, columns)?;
                Ok(sql)
            }
            TableFactor::NestedJoin {
                table_with_joins,
                alias,
            } => {
                refuse(alias.is_some(), "an alias of a join")?;
                Ok(format!(
                    "({})",
                    self.table_with_joins(table_with_joins, scope)?
                ))
            }
            other => Err(Refusal::unlisted(other)),
        }
    }

    /// Checks an alias; column aliases are refused.
    pub(super) fn alias(&self, alias: &TableAlias) -> Outcome<String> {
        refuse(
            !alias.columns.is_empty() || alias.at.is_some(),
            "an alias with columns",
        )?;
        let name = folded(&alias.name)?;
        refuse(name.starts_with("pg_"), "an alias that begins with pg_")?;
        Ok(name)
    }
}
