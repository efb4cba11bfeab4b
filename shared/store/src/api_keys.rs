//! API keys. Only hashes are stored.

use sqlx::PgConnection;
use tarsy_model::Role;
use uuid::Uuid;

use crate::Error;

/// A new key.
#[derive(Clone, Debug)]
pub struct NewApiKey<'a> {
    /// Id of the key.
    pub key_id: Uuid,
    /// Name of the caller who uses it: 1 to 100 characters, unique among live keys.
    pub name: &'a str,
    /// Role of the key.
    pub role: Role,
    /// The part of the key that may be shown.
    pub prefix: &'a str,
    /// SHA-256 of the whole key.
    pub hash: &'a [u8; 32],
    /// Name of the operator who created the key.
    pub created_by: &'a str,
    /// Time when the key expires, in Unix microseconds; `None`: never.
    pub expires_at_us: Option<i64>,
}

/// A key as listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiKeyRecord {
    /// Id of the key.
    pub key_id: Uuid,
    /// Name of the caller in sessions, rate limits and the audit log.
    pub name: String,
    /// Role of the key, as text.
    pub role: String,
    /// The part of the key that may be shown.
    pub prefix: String,
    /// Time when the key was created, in Unix microseconds.
    pub created_at_us: i64,
    /// Name of the operator who created the key.
    pub created_by: String,
    /// Time when the key expires, in Unix microseconds; `None`: never.
    pub expires_at_us: Option<i64>,
    /// Time of the last use, in Unix microseconds. At most a minute out of date.
    pub last_used_at_us: Option<i64>,
    /// Time when the key was revoked, in Unix microseconds.
    pub revoked_at_us: Option<i64>,
}

/// An active key.
#[derive(Clone, Debug)]
pub struct LiveApiKey {
    /// Id of the key.
    pub key_id: Uuid,
    /// Name of the caller in sessions, rate limits and the audit log.
    pub name: String,
    /// Role of the key, as text.
    pub role: String,
    /// Prefix by which the key is found.
    pub prefix: String,
    /// SHA-256 of the whole key.
    pub hash: Vec<u8>,
}

/// Inserts a key. Returns `None` if a key that is not revoked has the same name.
pub async fn insert_api_key(
    conn: &mut PgConnection,
    key: &NewApiKey<'_>,
) -> Result<Option<ApiKeyRecord>, Error> {
    let record = sqlx::query_as!(
        ApiKeyRecord,
        "insert into api_keys (key_id, name, role, prefix, hash, created_by, expires_at_us)
         values ($1, $2, $3, $4, $5, $6, $7)
         on conflict (name) where revoked_at_us is null do nothing
         returning key_id, name, role, prefix, created_at_us, created_by, expires_at_us,
             last_used_at_us, revoked_at_us",
        key.key_id,
        key.name,
        key.role.as_str(),
        key.prefix,
        key.hash.as_slice(),
        key.created_by,
        key.expires_at_us,
    )
    .fetch_optional(conn)
    .await?;
    Ok(record)
}

/// Lists keys, newest first, up to `limit`.
pub async fn list_api_keys(
    conn: &mut PgConnection,
    limit: i64,
) -> Result<Vec<ApiKeyRecord>, Error> {
    let records = sqlx::query_as!(
        ApiKeyRecord,
        "select key_id, name, role, prefix, created_at_us, created_by, expires_at_us,
             last_used_at_us, revoked_at_us
         from api_keys order by created_at_us desc, key_id desc limit $1",
        limit
    )
    .fetch_all(conn)
    .await?;
    Ok(records)
}

/// Lists active keys, oldest first, up to `limit`.
pub async fn live_api_keys(conn: &mut PgConnection, limit: i64) -> Result<Vec<LiveApiKey>, Error> {
    let keys = sqlx::query_as!(
        LiveApiKey,
        "select key_id, name, role, prefix, hash from api_keys
         where revoked_at_us is null and (expires_at_us is null or expires_at_us > now_us())
         order by created_at_us, key_id limit $1",
        limit
    )
    .fetch_all(conn)
    .await?;
    Ok(keys)
}

/// Revokes a key. Repeating it changes nothing. Returns `None` if the key does not exist.
pub async fn revoke_api_key(
    conn: &mut PgConnection,
    key_id: Uuid,
    revoked_by: &str,
) -> Result<Option<ApiKeyRecord>, Error> {
    let record = sqlx::query_as!(
        ApiKeyRecord,
        "update api_keys set
             revoked_at_us = coalesce(revoked_at_us, now_us()),
             revoked_by = coalesce(revoked_by, $1)
         where key_id = $2
         returning key_id, name, role, prefix, created_at_us, created_by, expires_at_us,
             last_used_at_us, revoked_at_us",
        revoked_by,
        key_id
    )
    .fetch_optional(conn)
    .await?;
    Ok(record)
}

/// Records the last use of keys in one statement.
pub async fn note_key_use(conn: &mut PgConnection, used: &[(Uuid, i64)]) -> Result<(), Error> {
    let (ids, times): (Vec<_>, Vec<_>) = used.iter().copied().unzip();
    sqlx::query!(
        "update api_keys k set last_used_at_us = greatest(k.last_used_at_us, u.at_us)
         from unnest($1::uuid[], $2::bigint[]) as u (key_id, at_us) where k.key_id = u.key_id",
        &ids,
        &times
    )
    .execute(conn)
    .await?;
    Ok(())
}
