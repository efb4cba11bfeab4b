//! `tarsy keys`: API keys, over the API or directly in the database.

mod database;

use std::process::ExitCode;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};
use tarsy_config::{Environment, Settings};
use tarsy_model::Role;

use self::database::Database;
use crate::client::Client;
use crate::output::{bold, dim, harmless, shortened, text, time};
use crate::server::Server;

/// Create, list or revoke keys.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    #[command(subcommand)]
    action: Action,
    /// Print JSON
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Create a key and print it once
    Create {
        /// Name of the key; the actor in the audit log
        name: String,
        /// Role: ingest (post alerts), viewer (read), operator (act) or admin
        #[arg(long)]
        role: Role,
        /// Lifetime, e.g. `90d` [default: until revoked]
        #[arg(long, value_parser = humantime::parse_duration)]
        expires_in: Option<Duration>,
        /// Reason, stored in the audit log
        #[arg(long)]
        reason: String,
    },
    /// List keys, including revoked ones
    List,
    /// Revoke a key; every process refuses it within three seconds
    Revoke {
        /// Id, prefix or name
        #[arg(value_name = "KEY")]
        which: String,
        /// Reason, stored in the audit log
        #[arg(long)]
        reason: String,
    },
}

enum Keys {
    Api(Client),
    /// Directly in the database.
    Database(Database),
}

/// Uses the API if a key is given, or else the database if `DATABASE_URL` is set.
async fn keys(server: &Server) -> Result<Keys> {
    if server.key().is_none() {
        let environment = Environment::of_process();
        let settings = Settings::read(&environment)?;
        if settings.database.url.is_some() {
            let user = environment.value("USER").unwrap_or("an unknown user");
            let actor = format!("{user} (tarsy keys)");
            let database = Database::connect(&settings, actor).await?;
            return Ok(Keys::Database(database));
        }
    }
    Ok(Keys::Api(Client::new(server)?))
}

pub(crate) async fn run(server: &Server, options: &Options) -> Result<ExitCode> {
    let keys = keys(server).await?;
    match &options.action {
        Action::Create {
            name,
            role,
            expires_in,
            reason,
        } => {
            let expires_at_us = expires_in.map(from_now).transpose()?;
            let wanted = json!({
                "name": name, "role": role, "expires_at_us": expires_at_us, "reason": reason,
            });
            let made = keys.create(&wanted).await?;
            print_made(&made, options.json);
        }
        Action::List => {
            let listed = keys.list().await?;
            if options.json {
                println!("{listed}");
            } else {
                show(&listed);
            }
        }
        Action::Revoke { which, reason } => {
            let id = id_of(&keys.list().await?, which)?;
            let revoked = keys.revoke(&id, reason).await?;
            if options.json {
                println!("{revoked}");
            } else {
                println!("{} is revoked", harmless(text(&revoked, "name")));
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

impl Keys {
    async fn create(&self, wanted: &Value) -> Result<Value> {
        match self {
            Self::Api(client) => client.post("/api/v1/admin/keys", wanted.to_string()).await,
            Self::Database(database) => database.create(wanted).await,
        }
    }

    async fn list(&self) -> Result<Value> {
        match self {
            Self::Api(client) => client.get("/api/v1/admin/keys").await,
            Self::Database(database) => database.list().await,
        }
    }

    async fn revoke(&self, id: &str, reason: &str) -> Result<Value> {
        match self {
            Self::Api(client) => {
                let path = format!("/api/v1/admin/keys/{id}/revoke");
                client
                    .post(&path, json!({ "reason": reason }).to_string())
                    .await
            }
            Self::Database(database) => database.revoke(id, reason).await,
        }
    }
}

/// Prints only the key to standard output, so that it can be piped.
fn print_made(made: &Value, as_json: bool) {
    if as_json {
        println!("{made}");
        return;
    }
    eprintln!(
        "{} for {} with the role {}; it is shown only once:",
        bold("A key"),
        harmless(text(made, "name")),
        text(made, "role")
    );
    println!("{}", text(made, "key"));
}

fn show(listed: &Value) {
    let keys = listed.get("keys").and_then(Value::as_array);
    if keys.is_none_or(Vec::is_empty) {
        println!("no keys; create one with `tarsy keys create <name> --role <role>`");
        return;
    }
    let heading = format!(
        "{:<18}  {:<24}  {:<8}  {:<20}  {:<20}",
        "prefix", "name", "role", "last used", "state"
    );
    println!("{}", dim(&heading));
    for key in keys.into_iter().flatten() {
        println!(
            "{:<18}  {:<24}  {:<8}  {:<20}  {:<20}",
            text(key, "prefix"),
            harmless(&shortened(text(key, "name"), 24)),
            text(key, "role"),
            time(key, "last_used_at_us").unwrap_or_else(|| "never".to_owned()),
            state(key),
        );
    }
}

fn state(key: &Value) -> String {
    if let Some(at) = time(key, "revoked_at_us") {
        return format!("revoked {at}");
    }
    match key.get("expires_at_us").and_then(Value::as_i64) {
        None => "live".to_owned(),
        Some(at_us) if at_us <= now_us() => "ended".to_owned(),
        Some(_) => format!(
            "active until {}",
            time(key, "expires_at_us").unwrap_or_default()
        ),
    }
}

/// Finds a key by id, prefix or name. Only keys that are not revoked are found by name.
fn id_of(listed: &Value, wanted: &str) -> Result<String> {
    let keys = listed.get("keys").and_then(Value::as_array);
    let is_meant = |key: &&Value| {
        let is_live = key.get("revoked_at_us").is_none_or(Value::is_null);
        text(key, "key_id") == wanted
            || text(key, "prefix") == wanted
            || (is_live && text(key, "name") == wanted)
    };
    let meant: Vec<&Value> = keys.into_iter().flatten().filter(is_meant).collect();
    match meant[..] {
        [key] => Ok(text(key, "key_id").to_owned()),
        [] => bail!("no active key `{wanted}`; see `tarsy keys list`"),
        _ => bail!("`{wanted}` matches more than one key: use the id"),
    }
}

fn now_us() -> i64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
}

fn from_now(length: Duration) -> Result<i64> {
    let length = i64::try_from(length.as_micros()).ok();
    let at = length.and_then(|length| now_us().checked_add(length));
    at.context("`--expires-in` is too long")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_meant_by_id_prefix_or_live_name() {
        let listed = json!({"keys": [
            {"key_id": "1", "prefix": "tarsy_a", "name": "pager", "revoked_at_us": null},
            {"key_id": "2", "prefix": "tarsy_b", "name": "pager", "revoked_at_us": 7},
        ]});
        for (wanted, id) in [("1", "1"), ("2", "2"), ("tarsy_b", "2"), ("pager", "1")] {
            assert_eq!(id_of(&listed, wanted).unwrap(), id);
        }
        assert!(id_of(&listed, "tarsy_c").is_err());
    }
}
