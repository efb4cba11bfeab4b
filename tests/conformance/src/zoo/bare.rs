//! The control: the fewest messages that list a server's tools, with nothing read into them.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{ChildStdin, ChildStdout, Command};

/// The names of a server's tools.
pub(crate) async fn list(
    run: &[String],
    env: &BTreeMap<String, String>,
    folder: &Path,
    limit: Duration,
) -> Result<Vec<String>> {
    let (command, args) = run.split_first().context("`run` is empty")?;
    let mut child = Command::new(command)
        .args(args)
        .envs(env)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .with_context(|| format!("cannot start {command}"))?;
    let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
        bail!("a pipe to the child is missing")
    };
    let mut wire = Wire {
        stdin,
        lines: BufReader::new(stdout).lines(),
    };
    let names = tokio::time::timeout(limit, wire.names()).await;
    names.context("no list in time")?
}

struct Wire {
    stdin: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Wire {
    async fn names(&mut self) -> Result<Vec<String>> {
        let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bare", "version": "1"}});
        self.ask(0, "initialize", hello).await?;
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
            .await?;
        let (mut names, mut cursor) = (Vec::new(), Value::Null);
        for id in 1.. {
            let params = match &cursor {
                Value::Null => json!({}),
                cursor => json!({"cursor": cursor}),
            };
            let page = self.ask(id, "tools/list", params).await?;
            let tools = page["tools"].as_array().context("no list of tools")?;
            names.extend(
                tools
                    .iter()
                    .filter_map(|tool| Some(tool["name"].as_str()?.to_owned())),
            );
            if page["nextCursor"].is_null() || page["nextCursor"] == cursor {
                break;
            }
            cursor = page["nextCursor"].clone();
        }
        Ok(names)
    }

    async fn ask(&mut self, id: u64, method: &str, params: Value) -> Result<Value> {
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.send(&request).await?;
        loop {
            let line = self.lines.next_line().await?;
            let line = line.with_context(|| format!("it ended before it answered {method}"))?;
            let Ok(answer) = serde_json::from_str::<Value>(&line) else {
                continue;
            };
            if answer["id"] == json!(id) && answer.get("method").is_none() {
                return match answer.get("result") {
                    Some(result) => Ok(result.clone()),
                    None => bail!("{method}: {}", answer["error"]),
                };
            }
        }
    }

    async fn send(&mut self, message: &Value) -> Result<()> {
        self.stdin
            .write_all(format!("{message}\n").as_bytes())
            .await?;
        Ok(self.stdin.flush().await?)
    }
}
