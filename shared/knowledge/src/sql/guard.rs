//! Allow list for SQL. It rejects everything that is not listed, and rewrites the rest.
//!
//! No part of the input is sent as it is. Each name in the output is that of a table, a column or an alias that was
//! resolved, in quotes. Each function is on a list. Each literal is escaped here. Functions that build long values from
//! short ones are not on the list.

mod expression;
mod from;
mod function;
mod query;
mod scope;

use std::collections::BTreeMap;

use sqlparser::ast::{Ident, ObjectName, ObjectNamePart, Query};
use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Token, Tokenizer};

/// Longest statement, in bytes.
const MAX_BYTES: usize = 8 * 1024;
/// Maximum number of tokens. Long flat expressions are parsed into deep trees, and a stack overflow would end the
/// process.
const MAX_TOKENS: usize = 1_200;
/// Maximum depth of a rewritten expression.
const MAX_EXPRESSION: usize = 100;
/// Maximum nesting of a parsed statement.
const MAX_DEPTH: usize = 40;
/// Stack size of the checking thread. Only the used part takes memory.
const STACK_BYTES: usize = 64 * 1024 * 1024;
/// Schema of the collection views.
const SCHEMA: &str = "knowledge_views";

/// Columns of each table.
pub type Tables = BTreeMap<String, Vec<String>>;

/// A checked statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// The rewritten statement.
    pub sql: String,
    /// Column names of the result.
    pub columns: Vec<String>,
}

/// Reason for refusing a statement. It is shown to the statement's author.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Refusal(String);

impl Refusal {
    fn new(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }

    /// Creates the refusal of an SQL feature that isn't listed.
    fn unlisted(what: impl std::fmt::Display) -> Self {
        let shown: String = what.to_string().chars().take(80).collect();
        Self(format!("not allowed here: {shown}"))
    }
}

type Outcome<T> = Result<T, Refusal>;

/// Checks that a text is a single SELECT over these tables, and rewrites it.
///
/// # Errors
///
/// [`Refusal`] with the reason.
pub fn check(sql: &str, tables: &Tables) -> Result<Checked, Refusal> {
    // The stack is large enough for the deepest statement within the limits.
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
        let checking = thread.spawn_scoped(scope, || check_here(sql, tables));
        let checked = checking.ok().and_then(|checking| checking.join().ok());
        checked.unwrap_or_else(|| Err(Refusal::new("the statement could not be checked")))
    })
}

fn check_here(sql: &str, tables: &Tables) -> Result<Checked, Refusal> {
    if sql.len() > MAX_BYTES {
        return Err(Refusal::new(format!(
            "the statement is longer than {MAX_BYTES} bytes"
        )));
    }
    if sql.contains('\0') {
        return Err(Refusal::new("the statement holds a NUL character"));
    }
    let query = parse(sql)?;
    let mut guard = Guard {
        tables,
        nodes: 0,
        depth: 0,
    };
    let (sql, columns) = guard.query(&query, &scope::Scope::outermost())?;
    let mut seen = std::collections::BTreeSet::new();
    if let Some(twice) = columns.iter().find(|column| !seen.insert(column.as_str())) {
        return Err(Refusal::new(format!(
            "two columns are called `{twice}`: give one an alias with AS"
        )));
    }
    Ok(Checked { sql, columns })
}

/// Parses `sql` as a query. Statements that don't begin like a query are refused without parsing.
fn parse(sql: &str) -> Outcome<Box<Query>> {
    let not_understood = |error: ParserError| Refusal::new(format!("not understood: {error}"));
    let dialect = PostgreSqlDialect {};
    let tokens = Tokenizer::new(&dialect, sql).tokenize();
    if tokens.map_err(|error| not_understood(error.into()))?.len() > MAX_TOKENS {
        return Err(Refusal::new("the statement has too many parts"));
    }
    let mut parser = Parser::new(&dialect)
        .with_recursion_limit(MAX_DEPTH)
        .try_with_sql(sql)
        .map_err(not_understood)?;
    let one = || Refusal::new("exactly one statement is allowed");
    let skip = |parser: &mut Parser<'_>| {
        let mut skipped = false;
        while parser.consume_token(&Token::SemiColon) {
            skipped = true;
        }
        skipped
    };
    skip(&mut parser);
    match &parser.peek_token_ref().token {
        Token::LParen => {}
        Token::Word(word) if matches!(word.keyword, Keyword::SELECT | Keyword::WITH) => {}
        Token::EOF => return Err(one()),
        _ => return Err(Refusal::new("only SELECT is allowed")),
    }
    let query = parser.parse_query().map_err(not_understood)?;
    let is_ended = skip(&mut parser);
    match &parser.peek_token_ref().token {
        Token::EOF => Ok(query),
        _ if is_ended => Err(one()),
        _ => parser
            .expected_ref("end of statement", parser.peek_token_ref())
            .map_err(not_understood),
    }
}

/// Maximum number of parts of a statement.
const MAX_NODES: usize = 2_000;

struct Guard<'t> {
    tables: &'t Tables,
    nodes: usize,
    depth: usize,
}

impl Guard<'_> {
    /// Counts a part of the statement.
    fn count(&mut self) -> Outcome<()> {
        self.nodes += 1;
        match self.nodes > MAX_NODES {
            true => Err(Refusal::new("the statement has too many parts")),
            false => Ok(()),
        }
    }
}

/// Folds a name as Postgres does: it becomes lower-case unless it is quoted.
fn folded(ident: &Ident) -> Outcome<String> {
    let name = match ident.quote_style {
        None => ident.value.to_ascii_lowercase(),
        Some('"') => ident.value.clone(),
        Some(_) => return Err(Refusal::unlisted(ident)),
    };
    let is_plain = !name.is_empty()
        && name.len() <= 63
        && name
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
    match is_plain {
        true => Ok(name),
        false => Err(Refusal::new(format!(
            "`{name}`: names have lower-case letters, digits and `_`"
        ))),
    }
}

/// Returns the only part of an unqualified name.
fn single(name: &ObjectName) -> Outcome<String> {
    match name.0.as_slice() {
        [ObjectNamePart::Identifier(ident)] => folded(ident),
        _ => Err(Refusal::unlisted(name)),
    }
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Refuses an unsupported clause if it is present.
fn refuse(is_there: bool, what: &str) -> Outcome<()> {
    match is_there {
        true => Err(Refusal::unlisted(what)),
        false => Ok(()),
    }
}
