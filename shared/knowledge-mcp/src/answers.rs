//! Calls of the tools, and their answers.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use tarsy_knowledge::sql::{SqlError, SqlReader};
use tarsy_knowledge::store::{self, Collection};
use tarsy_knowledge::{Error, Query, Searcher};

/// Number of records in an answer of `search` or `lookup` if the caller sets no limit.
const LIMIT: usize = 10;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Search {
    query: String,
    #[serde(default)]
    collections: Vec<String>,
    #[serde(default)]
    filters: BTreeMap<String, OneOrMore>,
    limit: Option<usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Lookup {
    collection: String,
    filters: BTreeMap<String, OneOrMore>,
    limit: Option<usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Get {
    collection: String,
    key: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Nothing {}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sql {
    statement: String,
}

/// One value or a list. Models write `"x"` as often as `["x"]`.
#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMore {
    One(Plain),
    More(Vec<Plain>),
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Plain {
    Text(String),
    Number(serde_json::Number),
    Boolean(bool),
}

impl Plain {
    fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Number(number) => number.to_string(),
            Self::Boolean(boolean) => boolean.to_string(),
        }
    }
}

fn plain(filters: BTreeMap<String, OneOrMore>) -> BTreeMap<String, Vec<String>> {
    let values = |values: OneOrMore| match values {
        OneOrMore::One(value) => vec![value.text()],
        OneOrMore::More(values) => values.iter().map(Plain::text).collect(),
    };
    filters
        .into_iter()
        .map(|(field, one)| (field, values(one)))
        .collect()
}

/// Returns the answer of a tool as JSON, or an error message for the model. `None` if the tool is unknown.
pub(crate) async fn answer(
    searcher: &Searcher,
    sql: Option<&SqlReader>,
    tool: &str,
    arguments: Map<String, Value>,
) -> Option<Result<Value, String>> {
    Some(match (tool, sql) {
        ("search", _) => search(searcher, arguments).await,
        ("lookup", _) => lookup(searcher, arguments).await,
        ("get", _) => get(searcher, arguments).await,
        ("describe", _) => describe(searcher, arguments).await,
        ("sql", Some(reader)) => ask(reader, arguments).await,
        _ => return None,
    })
}

async fn search(searcher: &Searcher, arguments: Map<String, Value>) -> Result<Value, String> {
    let Search {
        query,
        collections,
        filters,
        limit,
    } = parsed(arguments)?;
    let query = Query {
        text: query,
        collections,
        filters: plain(filters),
        limit: limit.unwrap_or(LIMIT),
    };
    let found = searcher
        .search(&query)
        .await
        .map_err(|error| shown_error(&error))?;
    serde_json::to_value(found).map_err(|error| error.to_string())
}

async fn lookup(searcher: &Searcher, arguments: Map<String, Value>) -> Result<Value, String> {
    let Lookup {
        collection,
        filters,
        limit,
    } = parsed(arguments)?;
    if filters.is_empty() {
        return Err("name at least one filter".to_owned());
    }
    let limit = limit.unwrap_or(LIMIT);
    let hits = searcher
        .lookup(&collection, &plain(filters), limit)
        .await
        .map_err(|error| shown_error(&error))?;
    Ok(json!({ "results": hits }))
}

async fn get(searcher: &Searcher, arguments: Map<String, Value>) -> Result<Value, String> {
    let Get { collection, key } = parsed(arguments)?;
    match searcher
        .get(&collection, &key)
        .await
        .map_err(|error| shown_error(&error))?
    {
        Some(record) => serde_json::to_value(record).map_err(|error| error.to_string()),
        None => Err(format!("`{collection}` has no record `{key}`")),
    }
}

async fn describe(searcher: &Searcher, arguments: Map<String, Value>) -> Result<Value, String> {
    let Nothing {} = parsed(arguments)?;
    let unavailable = || "the knowledge store is unavailable".to_owned();
    let connection = searcher.pool().acquire().await;
    let mut connection = connection.map_err(|_| unavailable())?;
    let collections = store::collections(&mut connection, &[]).await;
    let collections = collections.map_err(|error| shown_error(&error))?;
    let one = |collection: &Collection| {
        let fields = collection.mapping.fields.iter().map(|field| {
            json!({
                "name": field.name, "type": field.kind, "identifier": field.identifier, "filter": field.is_filter(),
            })
        });
        json!({"name": collection.name, "fields": fields.collect::<Vec<_>>()})
    };
    Ok(json!({ "collections": collections.iter().map(one).collect::<Vec<_>>() }))
}

async fn ask(reader: &SqlReader, arguments: Map<String, Value>) -> Result<Value, String> {
    let Sql { statement } = parsed(arguments)?;
    match reader.ask(&statement).await {
        Ok(answer) => serde_json::to_value(answer).map_err(|error| error.to_string()),
        Err(SqlError::Store(error)) => Err(shown_error(&error)),
        Err(error) => Err(error.to_string()),
    }
}

fn parsed<T: DeserializeOwned>(arguments: Map<String, Value>) -> Result<T, String> {
    serde_json::from_value(Value::Object(arguments))
        .map_err(|error| format!("wrong arguments: {error}"))
}

/// Returns an error message for a model. It describes the model's mistakes in full, but of a database error it reports
/// only that the store is unavailable.
fn shown_error(error: &Error) -> String {
    match error {
        Error::Database(_) | Error::Decode(_) | Error::File { .. } | Error::Interrupted => {
            "the knowledge store is unavailable".to_owned()
        }
        other => other.to_string(),
    }
}
