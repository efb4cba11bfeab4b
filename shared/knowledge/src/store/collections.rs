//! Collections. The first load creates a collection.

use sqlx::types::Json;
use sqlx::{Connection as _, PgConnection};

use super::views;
use crate::error::{Error, Result};
use crate::mapping::{Field, Mapping, is_name};

/// A collection of records.
#[derive(Clone, Debug)]
pub struct Collection {
    /// Id.
    pub collection_id: i32,
    /// Name, which its SQL view has too.
    pub name: String,
    /// Mapping of the latest load.
    pub mapping: Mapping,
    /// Increases with each change.
    pub generation: i64,
}

/// A collection as `tarsy knowledge show` shows it.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Clone, Debug, serde::Serialize)]
pub struct CollectionSummary {
    pub name: String,
    pub records: i64,
    /// Searchable chunks.
    pub chunks: i64,
    /// Index segments.
    pub segments: i64,
    pub fields: Vec<Field>,
    /// Loads, newest first, at most 20.
    pub loads: Vec<LoadSummary>,
}

/// A load of a file.
#[derive(Clone, Debug, serde::Serialize, sqlx::FromRow)]
pub struct LoadSummary {
    /// File name.
    pub source: String,
    /// `running` (also after a crash, until the load is repeated) or `completed`.
    pub state: String,
    /// Rows read so far.
    pub rows_read: i64,
    /// New records.
    pub added: i64,
    /// Records that replaced an older record of the same key.
    pub replaced: i64,
    /// Rows that were already loaded.
    pub unchanged: i64,
    /// Rejected rows.
    pub rejected: i64,
    /// Rows without a value.
    pub empty: i64,
    /// Start time, in Unix microseconds.
    pub started_at_us: i64,
}

type Row = (i32, String, Json<Mapping>, i64);

fn from_row((collection_id, name, Json(mapping), generation): Row) -> Collection {
    Collection {
        collection_id,
        name,
        mapping,
        generation,
    }
}

/// Returns all collections, or only these, by name.
///
/// # Errors
///
/// [`Error::UnknownCollection`] for the first unknown name.
pub async fn collections(
    connection: &mut PgConnection,
    names: &[String],
) -> Result<Vec<Collection>> {
    let rows: Vec<Row> = sqlx::query_as(
        "select collection_id, name, mapping, generation from knowledge.collections
          where cardinality($1::text[]) = 0 or name = any($1) order by name",
    )
    .bind(names)
    .fetch_all(connection)
    .await?;
    let found: Vec<Collection> = rows.into_iter().map(from_row).collect();
    match names
        .iter()
        .find(|name| found.iter().all(|one| one.name != **name))
    {
        Some(unknown) => Err(Error::UnknownCollection(unknown.clone())),
        None => Ok(found),
    }
}

/// Returns a collection by name.
pub(crate) async fn collection(connection: &mut PgConnection, name: &str) -> Result<Collection> {
    let mut found = collections(connection, &[name.to_owned()]).await?;
    found
        .pop()
        .ok_or_else(|| Error::UnknownCollection(name.to_owned()))
}

/// Creates a collection or updates its mapping. Field types can't change.
pub(crate) async fn declare(
    connection: &mut PgConnection,
    name: &str,
    mapping: &Mapping,
) -> Result<Collection> {
    if !is_name(name) {
        return Err(Error::invalid(
            format!("collection `{name}`"),
            "a name has lower-case letters, digits and `_`, and begins with a letter",
        ));
    }
    let mut tx = connection.begin().await?;
    let old: Option<Row> = sqlx::query_as(
        "select collection_id, name, mapping, generation from knowledge.collections where name = $1 for update",
    )
    .bind(name)
    .fetch_optional(&mut *tx)
    .await?;
    if let Some((_, _, Json(old), _)) = &old {
        let changed = mapping.fields.iter().find(|field| {
            let before = old.field(&field.name);
            before.is_some_and(|before| before.kind != field.kind)
        });
        if let Some(field) = changed {
            return Err(Error::invalid(
                format!("collection `{name}`"),
                format!(
                    "field `{}` has another type there: use another name",
                    field.name
                ),
            ));
        }
    }
    let is_same = old
        .as_ref()
        .is_some_and(|(_, _, Json(old), _)| old == mapping);
    let row: Row = match old {
        Some(old) if is_same => old,
        _ => {
            let row: Row = sqlx::query_as(
                "insert into knowledge.collections (name, mapping) values ($1, $2)
                 on conflict (name) do update set mapping = excluded.mapping
                 returning collection_id, name, mapping, generation",
            )
            .bind(name)
            .bind(Json(mapping))
            .fetch_one(&mut *tx)
            .await?;
            views::make(&mut tx, row.0, name, mapping).await?;
            row
        }
    };
    tx.commit().await?;
    Ok(from_row(row))
}

/// Describes all collections, or only these.
///
/// # Errors
///
/// As [`collections`].
pub async fn summaries(
    connection: &mut PgConnection,
    names: &[String],
) -> Result<Vec<CollectionSummary>> {
    let mut all = Vec::new();
    for collection in collections(connection, names).await? {
        let (records, chunks, segments): (i64, i64, i64) = sqlx::query_as(
            "select (select count(*) from knowledge.records where collection_id = $1),
                    coalesce(sum(live)::bigint, 0), count(*)
               from knowledge.segments where collection_id = $1",
        )
        .bind(collection.collection_id)
        .fetch_one(&mut *connection)
        .await?;
        let loads = sqlx::query_as(
            "select source, state, rows_read, added, replaced, unchanged, rejected, empty,
                    (extract(epoch from started_at) * 1000000)::bigint as started_at_us
               from knowledge.loads where collection_id = $1 order by load_id desc limit 20",
        )
        .bind(collection.collection_id)
        .fetch_all(&mut *connection)
        .await?;
        all.push(CollectionSummary {
            name: collection.name,
            records,
            chunks,
            segments,
            fields: collection.mapping.fields,
            loads,
        });
    }
    Ok(all)
}

/// Deletes a collection with all its records. Returns the number of records.
///
/// # Errors
///
/// [`Error::UnknownCollection`].
pub async fn drop_collection(connection: &mut PgConnection, name: &str) -> Result<u64> {
    let mut tx = connection.begin().await?;
    let collection = collection(&mut tx, name).await?;
    views::drop(&mut tx, name).await?;
    let records = sqlx::query(
        "with deleted as (delete from knowledge.records where collection_id = $1 returning record_id),
              chunks as (delete from knowledge.chunks where record_id in (select record_id from deleted) returning chunk_id),
              vectors as (delete from knowledge.embeddings where chunk_id in (select chunk_id from chunks))
         select 1 from deleted",
    )
    .bind(collection.collection_id)
    .execute(&mut *tx)
    .await?;
    for statement in [
        "delete from knowledge.postings where segment_id in (select segment_id from knowledge.segments where collection_id = $1)",
        "delete from knowledge.segments where collection_id = $1",
        "delete from knowledge.collections where collection_id = $1",
    ] {
        sqlx::query(statement)
            .bind(collection.collection_id)
            .execute(&mut *tx)
            .await?;
    }
    tx.commit().await?;
    Ok(records.rows_affected())
}
