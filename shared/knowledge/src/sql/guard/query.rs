//! Checks and rewrites queries: SELECT, common table expressions, UNION, ORDER BY.

use std::fmt::Write as _;

use sqlparser::ast::{
    Distinct, GroupByExpr, LimitClause, OrderBy, OrderByKind, OrderBySort, Query, Select,
    SelectFlavor, SelectItem, SelectItemQualifiedWildcardKind, SetExpr, SetOperator, SetQuantifier,
    WildcardAdditionalOptions, With,
};

use super::scope::Scope;
use super::{Guard, Outcome, Refusal, folded, quoted, refuse, single};

/// A rewritten query and its column names.
type Rewritten = (String, Vec<String>);

impl Guard<'_> {
    pub(super) fn query(&mut self, query: &Query, outer: &Scope<'_>) -> Outcome<Rewritten> {
        self.count()?;
        let Query {
            with,
            body,
            order_by,
            limit_clause,
            fetch,
            locks,
            for_clause,
            settings,
            format_clause,
            pipe_operators,
        } = query;
        refuse(fetch.is_some(), "FETCH, use LIMIT")?;
        refuse(!locks.is_empty(), "FOR UPDATE")?;
        refuse(
            for_clause.is_some() || settings.is_some() || format_clause.is_some(),
            "FOR, SETTINGS, FORMAT",
        )?;
        refuse(!pipe_operators.is_empty(), "|>")?;
        let mut scope = Scope::within(outer);
        let mut sql = match with {
            Some(with) => self.with(with, &mut scope)?,
            None => String::new(),
        };
        let (body, columns) = match body.as_ref() {
            // ORDER BY can refer to everything that the SELECT can.
            SetExpr::Select(select) => {
                let (mut body, columns, mut inner) = self.select(select, &scope)?;
                inner.outputs.clone_from(&columns);
                if let Some(order_by) = order_by {
                    body.push_str(&self.order_by(order_by, &inner)?);
                }
                (body, columns)
            }
            other => {
                let (mut body, columns) = self.set_expression(other, &scope)?;
                let mut inner = Scope::outermost();
                inner.outputs.clone_from(&columns);
                if let Some(order_by) = order_by {
                    body.push_str(&self.order_by(order_by, &inner)?);
                }
                (body, columns)
            }
        };
        sql.push_str(&body);
        match limit_clause {
            None => {}
            Some(LimitClause::LimitOffset {
                limit,
                offset,
                limit_by,
            }) => {
                refuse(!limit_by.is_empty(), "LIMIT BY")?;
                let nothing = Scope::outermost();
                if let Some(limit) = limit {
                    let _ = write!(sql, " limit {}", self.expression(limit, &nothing)?);
                }
                if let Some(offset) = offset {
                    let _ = write!(sql, " offset {}", self.expression(&offset.value, &nothing)?);
                }
            }
            Some(LimitClause::OffsetCommaLimit { .. }) => {
                return Err(Refusal::unlisted("LIMIT a, b"));
            }
        }
        Ok((sql, columns))
    }

    fn with(&mut self, with: &With, scope: &mut Scope<'_>) -> Outcome<String> {
        refuse(with.recursive, "WITH RECURSIVE")?;
        let mut parts = Vec::new();
        for cte in &with.cte_tables {
            refuse(
                cte.from.is_some() || cte.materialized.is_some(),
                "MATERIALIZED",
            )?;
            let name = self.alias(&cte.alias)?;
            // Otherwise the name would be ambiguous.
            refuse(
                self.tables.contains_key(&name) || name.starts_with("pg_"),
                "WITH a table's name",
            )?;
            let (sql, columns) = self.query(&cte.query, scope)?;
            parts.push(format!("{} as ({sql})", quoted(&name)));
            scope.name(name, columns);
        }
        Ok(format!("with {} ", parts.join(", ")))
    }

    fn set_expression(&mut self, body: &SetExpr, scope: &Scope<'_>) -> Outcome<Rewritten> {
        self.count()?;
        match body {
            SetExpr::Select(select) => {
                let (sql, columns, _) = self.select(select, scope)?;
                Ok((sql, columns))
            }
            SetExpr::Query(query) => {
                let (sql, columns) = self.query(query, scope)?;
                Ok((format!("({sql})"), columns))
            }
            SetExpr::SetOperation {
                left,
                op,
                set_quantifier,
                right,
            } => {
                let (left, columns) = self.set_expression(left, scope)?;
                let (right, _) = self.set_expression(right, scope)?;
                let op = match op {
                    SetOperator::Union => "union",
                    SetOperator::Except => "except",
                    SetOperator::Intersect => "intersect",
                    SetOperator::Minus => return Err(Refusal::unlisted("MINUS")),
                };
                let all = match set_quantifier {
                    SetQuantifier::All => " all",
                    SetQuantifier::Distinct | SetQuantifier::None => "",
                    _ => return Err(Refusal::unlisted("BY NAME")),
                };
                Ok((format!("({left} {op}{all} {right})"), columns))
            }
            _ => Err(Refusal::new("only SELECT is allowed")),
        }
    }

    fn select<'s>(
        &mut self,
        select: &Select,
        outer: &'s Scope<'s>,
    ) -> Outcome<(String, Vec<String>, Scope<'s>)> {
        self.count()?;
        let Select {
            select_token: _,
            optimizer_hints,
            distinct,
            select_modifiers,
            top,
            top_before_distinct: _,
            projection,
            exclude,
            into,
            from,
            lateral_views,
            prewhere,
            selection,
            connect_by,
            group_by,
            cluster_by,
            distribute_by,
            sort_by,
            having,
            named_window,
            qualify,
            window_before_qualify: _,
            value_table_mode,
            flavor,
        } = select;
        refuse(into.is_some(), "INTO")?;
        refuse(
            !optimizer_hints.is_empty() || select_modifiers.is_some(),
            "hints",
        )?;
        refuse(
            top.is_some() || exclude.is_some() || prewhere.is_some() || qualify.is_some(),
            "TOP, EXCLUDE, QUALIFY",
        )?;
        refuse(
            !lateral_views.is_empty() || !connect_by.is_empty(),
            "LATERAL VIEW, CONNECT BY",
        )?;
        refuse(
            !cluster_by.is_empty() || !distribute_by.is_empty() || !sort_by.is_empty(),
            "CLUSTER BY",
        )?;
        refuse(
            !named_window.is_empty() || value_table_mode.is_some(),
            "WINDOW",
        )?;
        refuse(*flavor != SelectFlavor::Standard, "FROM without SELECT")?;
        let mut scope = Scope::within(outer);
        let mut tables = Vec::new();
        for table in from {
            tables.push(self.table_with_joins(table, &mut scope)?);
        }
        let distinct = match distinct {
            None | Some(Distinct::All) => "",
            Some(Distinct::Distinct) => "distinct ",
            Some(Distinct::On(_)) => return Err(Refusal::unlisted("DISTINCT ON")),
        };
        let (mut items, mut columns) = (Vec::new(), Vec::new());
        for item in projection {
            self.item(item, &scope, &mut items, &mut columns)?;
        }
        refuse(items.is_empty(), "SELECT without columns")?;
        let mut sql = format!("select {distinct}{}", items.join(", "));
        if !tables.is_empty() {
            let _ = write!(sql, " from {}", tables.join(", "));
        }
        if let Some(selection) = selection {
            let _ = write!(sql, " where {}", self.expression(selection, &scope)?);
        }
        scope.outputs.clone_from(&columns);
        match group_by {
            GroupByExpr::Expressions(expressions, modifiers) => {
                refuse(!modifiers.is_empty(), "GROUP BY .. WITH")?;
                let written: Vec<String> = expressions
                    .iter()
                    .map(|one| self.expression(one, &scope))
                    .collect::<Outcome<_>>()?;
                if !written.is_empty() {
                    let _ = write!(sql, " group by {}", written.join(", "));
                }
            }
            GroupByExpr::All(_) => return Err(Refusal::unlisted("GROUP BY ALL")),
        }
        if let Some(having) = having {
            let _ = write!(sql, " having {}", self.expression(having, &scope)?);
        }
        Ok((sql, columns, scope))
    }

    fn item(
        &mut self,
        item: &SelectItem,
        scope: &Scope<'_>,
        items: &mut Vec<String>,
        columns: &mut Vec<String>,
    ) -> Outcome<()> {
        let mut expand = |alias: &str, names: &[String]| {
            for name in names {
                items.push(format!("{}.{}", quoted(alias), quoted(name)));
                columns.push(name.clone());
            }
        };
        match item {
            SelectItem::Wildcard(options) if is_plain(options) => {
                scope
                    .relations()
                    .iter()
                    .for_each(|(alias, names)| expand(alias, names));
            }
            SelectItem::QualifiedWildcard(
                SelectItemQualifiedWildcardKind::ObjectName(name),
                options,
            ) if is_plain(options) => {
                let alias = single(name)?;
                let names = scope
                    .relation(&alias)
                    .ok_or_else(|| Refusal::new(format!("unknown table `{alias}`")))?;
                expand(&alias, names);
            }
            SelectItem::UnnamedExpr(expression) => {
                let name = self.name_of(expression, columns.len());
                items.push(format!(
                    "{} as {}",
                    self.expression(expression, scope)?,
                    quoted(&name)
                ));
                columns.push(name);
            }
            SelectItem::ExprWithAlias { expr, alias } => {
                let name = folded(alias)?;
                items.push(format!(
                    "{} as {}",
                    self.expression(expr, scope)?,
                    quoted(&name)
                ));
                columns.push(name);
            }
            other => return Err(Refusal::unlisted(other)),
        }
        Ok(())
    }

    pub(super) fn order_by(&mut self, order_by: &OrderBy, scope: &Scope<'_>) -> Outcome<String> {
        refuse(order_by.interpolate.is_some(), "INTERPOLATE")?;
        let OrderByKind::Expressions(expressions) = &order_by.kind else {
            return Err(Refusal::unlisted("ORDER BY ALL"));
        };
        let mut parts = Vec::new();
        for one in expressions {
            refuse(one.with_fill.is_some(), "WITH FILL")?;
            let mut part = self.expression(&one.expr, scope)?;
            part.push_str(match &one.options.sort {
                None | Some(OrderBySort::Asc) => "",
                Some(OrderBySort::Desc) => " desc",
                Some(OrderBySort::Using(_)) => return Err(Refusal::unlisted("ORDER BY .. USING")),
            });
            part.push_str(match one.options.nulls_first {
                None => "",
                Some(true) => " nulls first",
                Some(false) => " nulls last",
            });
            parts.push(part);
        }
        Ok(format!(" order by {}", parts.join(", ")))
    }
}

fn is_plain(options: &WildcardAdditionalOptions) -> bool {
    let WildcardAdditionalOptions {
        wildcard_token: _,
        opt_ilike,
        opt_exclude,
        opt_except,
        opt_replace,
        opt_rename,
        opt_alias,
    } = options;
    let choices = opt_ilike.is_none() && opt_exclude.is_none() && opt_except.is_none();
    choices && opt_replace.is_none() && opt_rename.is_none() && opt_alias.is_none()
}
