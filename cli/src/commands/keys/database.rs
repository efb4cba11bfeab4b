//! Manages API keys directly in the database.

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};
use tarsy_config::Settings;
use tarsy_ingest_api::NewKey;
use tarsy_model::{OperatorAction, Role};
use tarsy_store::admin::{NewAuditEntry, record_audit};
use tarsy_store::api_keys::{ApiKeyRecord, NewApiKey};

use crate::database;

/// Maximum number of listed keys.
const LISTED: i64 = 2_000;

/// Database access and actor.
pub(super) struct Database {
    pool: sqlx::PgPool,
    actor: String,
}

impl Database {
    pub(super) async fn connect(settings: &Settings, actor: String) -> Result<Self> {
        let pool = tarsy_boot::connect(&settings.database, "tarsy-keys")?;
        let primary = tarsy_boot::primary(&settings.database)?;
        database::check_reachable(&primary, &pool).await?;
        Ok(Self { pool, actor })
    }

    pub(super) async fn create(&self, wanted: &Value) -> Result<Value> {
        let text = |field: &str| {
            wanted
                .get(field)
                .and_then(Value::as_str)
                .unwrap_or_default()
        };
        let (name, role) = (text("name").trim(), text("role").parse::<Role>()?);
        if name.is_empty() || name.chars().count() > 100 || name.chars().any(char::is_control) {
            bail!("the name must have 1 to 100 characters and no control characters");
        }
        let made = NewKey::generate();
        let mut tx = self.pool.begin().await.context(UNREACHABLE)?;
        let new = NewApiKey {
            key_id: uuid::Uuid::now_v7(),
            name,
            role,
            prefix: &made.prefix,
            hash: &made.hash,
            created_by: &self.actor,
            expires_at_us: wanted.get("expires_at_us").and_then(Value::as_i64),
        };
        let kept = tarsy_store::api_keys::insert_api_key(&mut tx, &new).await;
        let Some(record) = kept.context(NOT_READY)? else {
            bail!("an active key is named `{name}`: choose another name, or revoke that key first");
        };
        self.note(&mut tx, OperatorAction::CreateKey, &record, text("reason"))
            .await?;
        tx.commit().await.context(UNREACHABLE)?;
        let mut answer = shown(&record);
        if let Value::Object(members) = &mut answer {
            members.insert("key".to_owned(), made.key.into());
        }
        Ok(answer)
    }

    pub(super) async fn list(&self) -> Result<Value> {
        let mut conn = self.pool.acquire().await.context(UNREACHABLE)?;
        let records = tarsy_store::api_keys::list_api_keys(&mut conn, LISTED)
            .await
            .context(NOT_READY)?;
        let keys: Vec<Value> = records.iter().map(shown).collect();
        Ok(json!({ "keys": keys }))
    }

    pub(super) async fn revoke(&self, id: &str, reason: &str) -> Result<Value> {
        let key_id = id.parse().context("the key has no id")?;
        let mut tx = self.pool.begin().await.context(UNREACHABLE)?;
        let record = tarsy_store::api_keys::revoke_api_key(&mut tx, key_id, &self.actor)
            .await
            .context(NOT_READY)?
            .context("the key no longer exists")?;
        self.note(&mut tx, OperatorAction::RevokeKey, &record, reason)
            .await?;
        tx.commit().await.context(UNREACHABLE)?;
        Ok(shown(&record))
    }

    /// Writes the audit entry, with `database` as its means.
    async fn note(
        &self,
        conn: &mut sqlx::PgConnection,
        action: OperatorAction,
        record: &ApiKeyRecord,
        reason: &str,
    ) -> Result<()> {
        if reason.trim().is_empty() || reason.chars().count() > 500 {
            bail!("the reason must have 1 to 500 characters");
        }
        let entry = NewAuditEntry {
            actor: self.actor.clone(),
            role: Role::Admin.as_str(),
            means: "database",
            key_id: None,
            action: action.as_str(),
            subject_kind: action.subject_kind(),
            subject: record.key_id.to_string(),
            reason: reason.trim().to_owned(),
            details: json!({ "name": record.name, "role": record.role }),
        };
        record_audit(conn, &entry).await.context(NOT_READY)?;
        Ok(())
    }
}

const UNREACHABLE: &str = "the database of DATABASE_URL is unreachable";
const NOT_READY: &str = "failed to read keys: run `tarsy migrate` first";

/// Returns a key in the form of the API.
fn shown(record: &ApiKeyRecord) -> Value {
    json!({
        "key_id": record.key_id, "name": record.name, "role": record.role, "prefix": record.prefix,
        "created_at_us": record.created_at_us, "created_by": record.created_by,
        "expires_at_us": record.expires_at_us, "last_used_at_us": record.last_used_at_us,
        "revoked_at_us": record.revoked_at_us,
    })
}
