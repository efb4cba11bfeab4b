//! Checks of the fleet's surroundings: disks, traces, notification targets.

use std::path::Path;

use futures::future::join_all;
use reqwest::Client;
use rustix::fs::statvfs;
use serde_json::Value;
use tarsy_config::{Config, NotificationFormat};

use super::Check;
use super::upstreams::{PATIENCE, chain};

/// Free space in bytes below which a disk counts as full.
const FULL: u64 = 100 * 1024 * 1024;

/// Checks free space on the disks that this process writes to: temporary files of MCP servers, and the working
/// directory.
pub(crate) fn disks() -> Vec<Check> {
    let temporary = std::env::temp_dir();
    [temporary.as_path(), Path::new(".")]
        .into_iter()
        .map(disk)
        .collect()
}

fn disk(path: &Path) -> Check {
    let shown = path.display();
    match statvfs(path) {
        Ok(stat) => room(
            &shown.to_string(),
            stat.f_bavail.saturating_mul(stat.f_frsize),
        ),
        Err(error) => Check::warning(
            "disk",
            format!("the disk of {shown} can't be read: {error}"),
            "check that the directory is there",
        ),
    }
}

fn room(path: &str, free: u64) -> Check {
    let mebibytes = free / (1024 * 1024);
    if free < FULL {
        return Check::failure(
            "disk",
            format!("{mebibytes} MiB are free for {path}"),
            "free some room; MCP servers fail without temporary files",
        );
    }
    Check::ok("disk", format!("{mebibytes} MiB are free for {path}"))
}

/// Checks that traces can be sent.
pub(crate) async fn traces(endpoint: &str) -> Check {
    reachable("traces", &format!("the collector {endpoint}"), endpoint).await
}

/// Checks that notification targets can be reached, and for a Slack app that its token is accepted. Nothing is posted.
pub(crate) async fn targets(config: &Config) -> Vec<Check> {
    let targets = config.notifications.values();
    let usable = targets.filter(|target| target.is_usable());
    join_all(usable.map(async |target| {
        const AREA: &str = "notifications";
        let name = &target.name;
        let Some(url) = target
            .url
            .as_ref()
            .and_then(|url| reqwest::Url::parse(url.expose()).ok())
        else {
            return Check::failure(
                AREA,
                format!("`{name}` has no valid address"),
                "correct its `url`",
            );
        };
        let token = target
            .slack_app
            .as_ref()
            .and_then(|app| app.bot_token.as_ref());
        if let (NotificationFormat::SlackApp, Some(token)) = (target.format, token) {
            return slack(name, &url, token.expose()).await;
        }
        // Only the origin is requested: the path may be a secret, and requesting it may post something.
        reachable(
            AREA,
            &format!("`{name}`"),
            &url.origin().ascii_serialization(),
        )
        .await
    }))
    .await
}

async fn slack(name: &str, base: &reqwest::Url, token: &str) -> Check {
    const AREA: &str = "notifications";
    let fix = "set the variable of `bot_token_env` to the bot token of the installed app";
    let request = async {
        let url = base.join("auth.test").map_err(|error| error.to_string())?;
        let client = client()?;
        let answer = client.post(url).bearer_auth(token).send().await;
        let answer = answer.map_err(|error| chain(&error.without_url()))?;
        answer
            .json::<Value>()
            .await
            .map_err(|error| chain(&error.without_url()))
    };
    match request.await {
        Ok(answer) if answer["ok"] == true => {
            Check::ok(AREA, format!("`{name}`: Slack accepts the token"))
        }
        Ok(answer) => {
            let error = answer["error"].as_str().unwrap_or("no reason given");
            Check::failure(
                AREA,
                format!("`{name}`: Slack refuses the token: {error}"),
                fix,
            )
        }
        Err(error) => Check::failure(
            AREA,
            format!("`{name}`: Slack is unreachable: {error}"),
            "check DNS, the proxy and egress rules",
        ),
    }
}

/// Checks that a server responds at all.
async fn reachable(area: &'static str, what: &str, url: &str) -> Check {
    match get(url).await {
        Ok(_) => Check::ok(area, format!("{what} is reachable")),
        Err(error) => Check::failure(
            area,
            format!("{what} is unreachable: {error}"),
            "check the address, DNS, certificates, the proxy and egress rules",
        ),
    }
}

pub(super) async fn get(url: &str) -> Result<(reqwest::StatusCode, String), String> {
    let request = async {
        let answer = client()?.get(url).send().await;
        let answer = answer.map_err(|error| chain(&error.without_url()))?;
        let status = answer.status();
        let body = answer
            .text()
            .await
            .map_err(|error| chain(&error.without_url()))?;
        Ok((status, body))
    };
    request.await
}

fn client() -> Result<Client, String> {
    let client = Client::builder().timeout(PATIENCE).build();
    client.map_err(|error| format!("failed to set up TLS: {}", chain(&error)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Verdict;

    #[test]
    fn a_full_disk_is_a_failure() {
        assert_eq!(room("/tmp", FULL - 1).verdict, Verdict::Failure);
        assert_eq!(room("/tmp", FULL).verdict, Verdict::Ok);
        assert_eq!(disk(Path::new("/nowhere")).verdict, Verdict::Warning);
    }
}
