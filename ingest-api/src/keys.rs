//! API keys and the caller's identity.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tarsy_failpoint::reached;
use tarsy_model::{OperatorAction, Role};
use tarsy_store::api_keys::{ApiKeyRecord, NewApiKey};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::access::{Actor, MOST_KEYS, NewKey};
use crate::problem::{ConflictError, FieldError, Problem};
use crate::server::audit::note;
use crate::server::clock;
use crate::server::operator_request::{Reason, ReasonBody, ValidJson};
use crate::server::state::AppState;

/// Maximum number of listed keys.
const LISTED: i64 = 2_000;
/// Longest name, in characters.
const LONGEST_NAME: usize = 100;

/// The caller's name and role.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Me {
    /// Name of the caller in the audit log.
    name: String,
    /// `ingest`, `viewer`, `operator` or `admin`.
    #[schema(example = "operator")]
    role: &'static str,
    /// Authentication method: `off` (access control is off), `key`, `session` (a browser that signed in) or `oidc`.
    #[schema(example = "key")]
    auth: &'static str,
}

/// Get the caller's identity.
#[utoipa::path(
    get, path = "/api/v1/me", tag = "access",
    responses((status = 200, description = "The caller", body = Me))
)]
pub(crate) async fn me(actor: Actor) -> Json<Me> {
    Json(Me {
        name: actor.name().to_owned(),
        role: actor.role().as_str(),
        auth: actor.auth_method().as_str(),
    })
}

/// API key without its secret.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Key {
    key_id: Uuid,
    /// Name of the key. It is the actor in the audit log.
    #[schema(example = "alertmanager")]
    name: String,
    #[schema(example = "ingest")]
    role: String,
    /// Prefix of the key.
    #[schema(example = "tarsy_0123456789ab")]
    prefix: String,
    created_at_us: i64,
    created_by: String,
    /// Expiry in Unix microseconds; null if the key does not expire.
    expires_at_us: Option<i64>,
    /// Time of the last use, accurate to half a minute.
    last_used_at_us: Option<i64>,
    revoked_at_us: Option<i64>,
}

impl From<ApiKeyRecord> for Key {
    fn from(record: ApiKeyRecord) -> Self {
        Self {
            key_id: record.key_id,
            name: record.name,
            role: record.role,
            prefix: record.prefix,
            created_at_us: record.created_at_us,
            created_by: record.created_by,
            expires_at_us: record.expires_at_us,
            last_used_at_us: record.last_used_at_us,
            revoked_at_us: record.revoked_at_us,
        }
    }
}

/// Keys.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Keys {
    /// Newest first.
    keys: Vec<Key>,
}

/// List keys, including revoked ones.
#[utoipa::path(
    get, path = "/api/v1/admin/keys", tag = "access", operation_id = "list_keys",
    responses(
        (status = 200, description = "Keys", body = Keys),
    )
)]
pub(crate) async fn list(State(app): State<AppState>) -> Result<Json<Keys>, Problem> {
    let mut conn = app.pool.acquire().await?;
    let records = tarsy_store::api_keys::list_api_keys(&mut conn, LISTED).await?;
    Ok(Json(Keys {
        keys: records.into_iter().map(Key::from).collect(),
    }))
}

/// Key to create.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct KeyWanted {
    /// Name, unique among active keys.
    #[schema(min_length = 1, max_length = 100, example = "alertmanager")]
    name: String,
    /// `ingest`, `viewer`, `operator` or `admin`.
    #[schema(example = "ingest")]
    role: String,
    /// Expiry in Unix microseconds. By default, the key does not expire.
    expires_at_us: Option<i64>,
    /// Reason, stored in the audit log.
    reason: Reason,
}

/// Created key.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct KeyMade {
    #[serde(flatten)]
    shown: Key,
    /// The key. It is shown only once.
    #[schema(example = "tarsy_0123456789ab_..")]
    key: String,
}

/// Create a key.
///
/// Only this response contains the key.
#[utoipa::path(
    post, path = "/api/v1/admin/keys", tag = "access", operation_id = "create_key",
    request_body = KeyWanted,
    responses(
        (status = 201, description = "Created", body = KeyMade),
        (status = 409, description = "An active key has this name, or the key limit is reached"),
        (status = 422, description = "`errors` names each invalid field"),
    )
)]
pub(crate) async fn create(
    State(app): State<AppState>,
    actor: Actor,
    ValidJson(wanted): ValidJson<KeyWanted>,
) -> Result<(StatusCode, Json<KeyMade>), Problem> {
    let role = check(&wanted)?;
    let made = NewKey::generate();
    let mut tx = app.pool.begin().await?;
    if tarsy_store::api_keys::live_api_keys(&mut tx, i64::MAX)
        .await?
        .len()
        >= MOST_KEYS
    {
        return Err(Problem::TooManyKeys(MOST_KEYS));
    }
    let record = tarsy_store::api_keys::insert_api_key(
        &mut tx,
        &NewApiKey {
            key_id: Uuid::now_v7(),
            name: wanted.name.trim(),
            role,
            prefix: &made.prefix,
            hash: &made.hash,
            created_by: actor.name(),
            expires_at_us: wanted.expires_at_us,
        },
    )
    .await?
    .ok_or(Problem::KeyNameTaken)?;
    let details = json!({
        "name": record.name, "role": record.role, "expires_at_us": record.expires_at_us,
    });
    let reason = &wanted.reason;
    note(
        &mut tx,
        &actor,
        OperatorAction::CreateKey,
        record.key_id,
        reason,
        details,
    )
    .await?;
    reached("admin.create_key.before_commit");
    tx.commit().await?;
    reached("admin.create_key.after_commit");
    app.authenticator.refresh().await;
    let answer = KeyMade {
        shown: record.into(),
        key: made.key,
    };
    Ok((StatusCode::CREATED, Json(answer)))
}

fn check(wanted: &KeyWanted) -> Result<Role, Problem> {
    let mut errors = Vec::new();
    let name = wanted.name.trim();
    let length = name.chars().count();
    if !(1..=LONGEST_NAME).contains(&length) || name.chars().any(char::is_control) {
        let detail = format!("must be 1 to {LONGEST_NAME} characters, and no control characters");
        errors.push(FieldError::new("name", detail));
    }
    if wanted.expires_at_us.is_some_and(|at| at <= clock::now_us()) {
        errors.push(FieldError::new("expires_at_us", "must be in the future"));
    }
    let role = wanted.role.parse::<Role>();
    if role.is_err() {
        errors.push(FieldError::new(
            "role",
            "must be ingest, viewer, operator or admin",
        ));
    }
    match role {
        Ok(role) if errors.is_empty() => Ok(role),
        _ => Err(Problem::InvalidRequest(errors)),
    }
}

/// Revoke a key.
///
/// Every process rejects the key within three seconds. A key cannot revoke itself.
#[utoipa::path(
    post, path = "/api/v1/admin/keys/{key_id}/revoke", tag = "access", operation_id = "revoke_key",
    params(("key_id" = Uuid, Path, description = "Id from the list")),
    request_body = ReasonBody,
    responses(
        (status = 200, description = "Revoked, now or earlier", body = Key),
        (status = 404, description = "Key not found"),
        (status = 409, description = "A key cannot revoke itself"),
    )
)]
pub(crate) async fn revoke(
    State(app): State<AppState>,
    actor: Actor,
    Path(key_id): Path<String>,
    ValidJson(why): ValidJson<ReasonBody>,
) -> Result<Json<Key>, Problem> {
    let key_id: Uuid = key_id.parse().map_err(|_| Problem::NotFound)?;
    if actor.key_id() == Some(key_id) {
        return Err(ConflictError::OwnKey.into());
    }
    let mut tx = app.pool.begin().await?;
    let record = tarsy_store::api_keys::revoke_api_key(&mut tx, key_id, actor.name())
        .await?
        .ok_or(Problem::NotFound)?;
    let details = json!({ "name": record.name, "role": record.role });
    note(
        &mut tx,
        &actor,
        OperatorAction::RevokeKey,
        key_id,
        &why.reason,
        details,
    )
    .await?;
    reached("admin.revoke_key.before_commit");
    tx.commit().await?;
    reached("admin.revoke_key.after_commit");
    app.authenticator.refresh().await;
    Ok(Json(record.into()))
}
