//! Name resolution.

use super::{Outcome, Refusal};

/// Names visible to a part of a statement: tables, aliases, common table expressions.
pub(super) struct Scope<'p> {
    parent: Option<&'p Scope<'p>>,
    relations: Vec<(String, Vec<String>)>,
    named: Vec<(String, Vec<String>)>,
    /// Aliases of the SELECT list, for GROUP BY and ORDER BY.
    pub(super) outputs: Vec<String>,
}

impl<'p> Scope<'p> {
    pub(super) const fn outermost() -> Self {
        Self {
            parent: None,
            relations: Vec::new(),
            named: Vec::new(),
            outputs: Vec::new(),
        }
    }

    pub(super) const fn within(parent: &'p Scope<'p>) -> Self {
        Self {
            parent: Some(parent),
            relations: Vec::new(),
            named: Vec::new(),
            outputs: Vec::new(),
        }
    }

    /// Returns the scope of a subquery in FROM, which does not include its neighbours.
    pub(super) fn outside(&self) -> Scope<'p> {
        Scope {
            parent: self.parent,
            relations: Vec::new(),
            named: self.named.clone(),
            outputs: Vec::new(),
        }
    }

    /// Adds a relation under its alias.
    pub(super) fn add(&mut self, alias: String, columns: Vec<String>) -> Outcome<()> {
        if self.relations.iter().any(|(known, _)| *known == alias) {
            return Err(Refusal::new(format!(
                "`{alias}` is there twice: give each table an alias of its own"
            )));
        }
        self.relations.push((alias, columns));
        Ok(())
    }

    /// Adds a common table expression.
    pub(super) fn name(&mut self, name: String, columns: Vec<String>) {
        self.named.push((name, columns));
    }

    /// Returns the columns of a common table expression.
    pub(super) fn named(&self, name: &str) -> Option<&[String]> {
        let own = self.named.iter().rev().find(|(known, _)| known == name);
        match own {
            Some((_, columns)) => Some(columns),
            None => self.parent?.named(name),
        }
    }

    /// Returns the relations in the order in which they were added.
    pub(super) fn relations(&self) -> &[(String, Vec<String>)] {
        &self.relations
    }

    /// Returns the columns of a relation, by its alias.
    pub(super) fn relation(&self, alias: &str) -> Option<&[String]> {
        match self.relations.iter().find(|(known, _)| known == alias) {
            Some((_, columns)) => Some(columns),
            None => self.parent?.relation(alias),
        }
    }

    /// Whether a name without an alias is a column.
    pub(super) fn has_column(&self, name: &str) -> bool {
        let is_column = |columns: &[String]| columns.iter().any(|column| column == name);
        self.relations.iter().any(|(_, columns)| is_column(columns))
            || is_column(&self.outputs)
            || self.parent.is_some_and(|parent| parent.has_column(name))
    }
}
