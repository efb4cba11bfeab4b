//! Calls of the tools, and their answers.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};
use tarsy_knowledge::sql::{SqlError, SqlReader};
use tarsy_knowledge::store::{self, Collection};
use tarsy_knowledge::{Error, Query, Searcher};

/// Number of records in an answer of `search` or `lookup` if the caller sets no limit.
const LIMIT: usize = 10;
const UNAVAILABLE: &str = "the knowledge store is unavailable";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Search {
    query: String,
    #[serde(default)]
    collections: Vec<String>,
    #[serde(default)]
    filters: BTreeMap<String, Value>,
    limit: Option<usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Lookup {
    collection: String,
    filters: BTreeMap<String, Value>,
    limit: Option<usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Get {
    collection: String,
    key: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Nothing {}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Sql {
    statement: String,
}

/// Returns the values of each filter as texts. Models write `"x"` as often as `["x"]`.
fn plain(filters: BTreeMap<String, Value>) -> Result<BTreeMap<String, Vec<String>>, String> {
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        _ => None,
    };
    let values = |(field, value): (String, Value)| {
        let values: Option<Vec<String>> = match &value {
            Value::Array(values) => values.iter().map(text).collect(),
            one => text(one).map(|one| vec![one]),
        };
        let expected = || format!("wrong arguments: filter `{field}` is no plain value or list");
        Ok((field.clone(), values.ok_or_else(expected)?))
    };
    filters.into_iter().map(values).collect()
}

pub(crate) async fn search(searcher: &Searcher, wanted: Search) -> Result<Value, String> {
    let query = Query {
        text: wanted.query,
        collections: wanted.collections,
        filters: plain(wanted.filters)?,
        limit: wanted.limit.unwrap_or(LIMIT),
    };
    let found = searcher.search(&query).await.map_err(shown_error)?;
    Ok(json!(found))
}

pub(crate) async fn lookup(searcher: &Searcher, wanted: Lookup) -> Result<Value, String> {
    if wanted.filters.is_empty() {
        return Err("name at least one filter".to_owned());
    }
    let (filters, limit) = (plain(wanted.filters)?, wanted.limit.unwrap_or(LIMIT));
    let hits = searcher.lookup(&wanted.collection, &filters, limit).await;
    Ok(json!({ "results": hits.map_err(shown_error)? }))
}

pub(crate) async fn get(searcher: &Searcher, wanted: Get) -> Result<Value, String> {
    let Get { collection, key } = wanted;
    let found = searcher.get(&collection, &key).await;
    match found.map_err(shown_error)? {
        Some(record) => Ok(json!(record)),
        None => Err(format!("`{collection}` has no record `{key}`")),
    }
}

pub(crate) async fn describe(searcher: &Searcher, _: Nothing) -> Result<Value, String> {
    let collections = collections(searcher).await?;
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

pub(crate) async fn ask(reader: &SqlReader, wanted: Sql) -> Result<Value, String> {
    match reader.ask(&wanted.statement).await {
        Ok(answer) => Ok(json!(answer)),
        Err(SqlError::Store(error)) => Err(shown_error(error)),
        Err(error) => Err(error.to_string()),
    }
}

/// Returns all collections. The error is for the model.
pub(crate) async fn collections(searcher: &Searcher) -> Result<Vec<Collection>, String> {
    let connection = searcher.pool().acquire().await;
    let mut connection = connection.map_err(|_| UNAVAILABLE)?;
    let found = store::collections(&mut connection, &[]).await;
    found.map_err(shown_error)
}

/// Returns an error message for a model. It describes the model's mistakes in full, but of a database error it reports
/// only that the store is unavailable.
fn shown_error(error: Error) -> String {
    match error {
        Error::Database(_) | Error::Decode(_) | Error::File { .. } | Error::Interrupted => {
            UNAVAILABLE.to_owned()
        }
        other => other.to_string(),
    }
}
