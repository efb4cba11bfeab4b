//! Checks the API against its OpenAPI document: Schemathesis generates valid and invalid requests and checks every
//! response.

use std::net::{Ipv4Addr, TcpListener};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use tarsy_testing::process::{Process, Program};
use tarsy_testing::{TestDb, wait};

use crate::server::Server;
use crate::{shell, terminal, tools, workspace};

/// Time limit for requests, in seconds. The coverage phase, which tests every boundary of every parameter, takes a part
/// of it. Random requests take the rest.
const BUDGET: &str = "60";
/// Seed of the generated requests, so that each run sends the same ones.
const SEED: &str = "20261121";
/// Timeout for the service's start.
const START: Duration = Duration::from_secs(30);

/// Settings file: enabled checks, and the reasons for disabled ones.
const SETTINGS: &str = "tests/contract/schemathesis.toml";

/// Starts the service with access control on a separate database, and checks every operation.
pub(crate) fn check(server: &Server) -> Result<()> {
    let schemathesis = tools::schemathesis()?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let database = TestDb::create_on(&server.url("postgres").parse()?).await?;
        let key = key(database.url())?;
        keep_rejected_alert(&database).await?;
        let port = free_port()?;
        let api = api(database.url(), port)?;
        let url = format!("http://127.0.0.1:{port}");
        let answers = async || {
            tokio::net::TcpStream::connect(("127.0.0.1", port))
                .await
                .is_ok()
        };
        wait::up_to(START, answers)
            .await
            .with_context(|| format!("the service does not answer:\n{}", api.log()))?;
        let mut run = Command::new(schemathesis);
        run.current_dir(workspace::target())
            .arg("--config-file")
            .arg(workspace::root().join(SETTINGS))
            .args(["run", &format!("{url}/openapi.json"), "--url", &url])
            .args(["--phases", "examples,coverage,fuzzing,stateful"])
            .args(["--max-time", BUDGET, "--seed", SEED])
            .args(["--continue-on-failure", "--no-color"])
            .args(["--header", &format!("Authorization: Bearer {key}")]);
        shell::run(&mut run)
            .context("the API does not match its OpenAPI document; a `curl` command for each failure is above")?;
        ensure!(api.is_running(), "the service has ended:\n{}", api.log());
        database.remove().await?;
        Ok(())
    })
}

/// Inserts a rejected alert that can be submitted, under the id in the settings file. The id is so large that no newer
/// one displaces it.
async fn keep_rejected_alert(database: &TestDb) -> Result<()> {
    let body =
        r#"{"alert_type": "kubernetes", "runbook": "local:contract", "data": {"pod": "cart"}}"#;
    sqlx::query(
        "insert into rejected_alerts
             (rejection_id, source, is_proven, path, code, status, detail, alerts, content_type, headers, body, body_bytes,
              is_whole)
         values ('ffffffff-ffff-7fff-bfff-ffffffffffff', 'alerts', true, '/alerts', 'no_llm_provider', 503, 'no provider',
                 '[]', 'application/json', '{}', $1, length($1), true)",
    )
    .bind(body)
    .execute(database.pool())
    .await
    .context("cannot keep a rejected alert")?;
    Ok(())
}

/// Creates an administrator's API key in the database.
fn key(database: &str) -> Result<String> {
    let made = Command::new(workspace::binary("debug", "tarsy"))
        .args(["keys", "create", "schemathesis", "--role", "admin"])
        .args(["--reason", "a check of the API"])
        .env("DATABASE_URL", database)
        .env_remove("TARSY_API_KEY")
        .output()
        .context("cannot run `tarsy keys create`")?;
    ensure!(
        made.status.success(),
        "`tarsy keys create` failed: {}",
        String::from_utf8_lossy(&made.stderr)
    );
    Ok(String::from_utf8(made.stdout)?.trim().to_owned())
}

fn api(database: &str, port: u16) -> Result<Process> {
    let listen = format!("127.0.0.1:{port}");
    terminal::info(&format!("ingest-api with access control at {listen}"));
    Ok(
        Program::at("ingest-api", workspace::binary("debug", "ingest-api"))
            .env("DATABASE_URL", database)
            .env("TARSY_LISTEN", listen)
            .env("TARSY_AUTH", "on")
            .env("TARSY_RATE_LIMIT", "0")
            .env("OPENAI_API_KEY", "not-used")
            .current_dir(workspace::root())
            .start()?,
    )
}

fn free_port() -> Result<u16> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    Ok(listener.local_addr()?.port())
}
