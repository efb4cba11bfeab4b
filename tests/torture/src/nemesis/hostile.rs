//! Hostile clients and tool servers: documents, incomplete requests, endless answers.

use std::time::Duration;

use anyhow::{Context as _, Result};
use rustix::process::{Pid, Resource, Rlimit, prlimit};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep};
use uuid::Uuid;

use super::Nemesis;
use super::strike::Order;
use crate::fleet::Member;
use crate::resource_usage;

/// Concurrent incomplete requests: more than a process with [`FILES`] can hold.
const HALF_REQUESTS: usize = 1_100;
/// Open file limit of a process, as on most systems.
const FILES: u64 = 1_024;
/// A request whose headers never end.
const HALF: &[u8] =
    b"POST /alerts HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\nx-slow: ";
/// Memory limit of a stage worker while a tool server sends without end, in KiB.
const MEMORY: u64 = 400 * 1024;
/// Timeout until a call is aborted.
const TALKING: Duration = Duration::from_secs(12);
/// Live sessions whose documents are replaced per fault.
const SPOILED: i64 = 2;

/// Documents that are hard to parse; `KEY` is replaced by the incident.
const DOCUMENTS: [&str; 10] = [
    r#"{"incident":"KEY","n":1e309}"#,
    r#"{"incident":"KEY","n":-1e400}"#,
    r#"{"incident":"KEY","n":1e-400}"#,
    r#"{"incident":"KEY","n":123456789012345678901234567890}"#,
    r#"{"incident":"KEY","n":DIGITS}"#,
    r#"{"incident":"KEY","text":"\u0000"}"#,
    r#"{"incident":"KEY","text":"\ud800"}"#,
    r#"{"incident":"KEY","deep":DEEP}"#,
    r#"{"incident":"KEY","same":1,"same":2}"#,
    r#"{"incident":"KEY","n":-0.0,"m":18446744073709551616}"#,
];

/// Values that rows of older versions may hold: numbers beyond `f64`, and deep nesting.
const ROWS: [&str; 2] = [
    r#"jsonb_build_object('incident', alert_data -> 'incident', 'n', '1e400'::jsonb)"#,
    r#"jsonb_build_object('incident', alert_data -> 'incident', 'deep', (repeat('[', 300) || repeat(']', 300))::jsonb)"#,
];

impl Nemesis {
    /// Posts each document, and replaces those of some live sessions; returns how many were answered or replaced.
    pub(super) async fn post_poison(&self, dice: u64) -> Result<usize> {
        let mut answered = 0;
        for document in DOCUMENTS {
            let key = format!("incident-{}", &Uuid::new_v4().simple().to_string()[..12]);
            let document = document
                .replace("KEY", &key)
                .replace("DIGITS", &"9".repeat(309))
                .replace("DEEP", &format!("{}{}", "[".repeat(200), "]".repeat(200)));
            let body =
                format!(r#"{{"alert_type":"Brief","severity":"critical","data":{document}}}"#);
            answered += usize::from(self.client.post_document(&key, body).await);
        }
        let row = ROWS[usize::try_from(dice % 2).unwrap_or(0)];
        let spoil = format!(
            "update alert_sessions set alert_data = {row} where session_id in (
                select session_id from alert_sessions where status in ('pending', 'in_progress')
                order by md5(session_id::text || $1) limit $2 for update skip locked)"
        );
        let spoil = sqlx::query(sqlx::AssertSqlSafe(spoil));
        let spoil = spoil.bind(dice.to_string()).bind(SPOILED);
        let spoiled = spoil.execute(&self.pool).await?.rows_affected();
        Ok(answered + usize::try_from(spoiled)?)
    }

    /// Holds incomplete requests open; returns how many. The API must answer other requests meanwhile.
    pub(super) async fn hold_requests_open(&self, time: Duration) -> Result<usize> {
        let api = self
            .members
            .iter()
            .find(|member| member.name.starts_with("ingest-api"));
        let api = api.context("there is no API")?;
        let Some(process) = api.id() else {
            return Ok(0);
        };
        let limit = Rlimit {
            current: Some(FILES),
            maximum: Some(FILES),
        };
        let pid = Pid::from_raw(i32::try_from(process)?);
        prlimit(pid, Resource::Nofile, limit).context("cannot limit the API's files")?;
        let address = self.client.address()?;
        let mut held = Vec::new();
        for _ in 0..HALF_REQUESTS {
            let Ok(mut socket) = TcpStream::connect(&address).await else {
                break;
            };
            if socket.write_all(HALF).await.is_ok() {
                held.push(socket);
            }
        }
        let (until, mut answers) = (Instant::now() + time, 0);
        while Instant::now() < until {
            answers += usize::from(self.client.is_alive().await);
            sleep(Duration::from_millis(250)).await;
        }
        // Another fault may have ended the process meanwhile.
        if answers == 0 && api.id() == Some(process) {
            let held = held.len();
            self.saw(
                ("I0", "the API answers nobody beside half requests"),
                format!("{held} half requests"),
            );
        }
        Ok(held.len())
    }

    /// Makes a tool server send notifications or content blocks endlessly; returns whether a call was affected. The
    /// worker must abort the call before it runs out of memory.
    pub(super) async fn talk_without_end(&self, dice: u64) -> Result<usize> {
        let order = [Order::Chatter, Order::Blocks][usize::try_from(dice % 2).unwrap_or(0)];
        let (talks, until) = (self.order(order, TALKING), Instant::now() + TALKING);
        let watches = async {
            while Instant::now() < until {
                self.members
                    .iter()
                    .filter_map(above_memory_limit)
                    .for_each(|above_memory_limit| {
                        self.saw(
                            ("I0", "a worker lets a tool server fill the machine"),
                            above_memory_limit,
                        );
                    });
                sleep(Duration::from_millis(100)).await;
            }
        };
        let (hit, ()) = tokio::join!(talks, watches);
        hit
    }
}

/// Describes a stage worker above its memory limit.
fn above_memory_limit(member: &Member) -> Option<String> {
    let rss = resource_usage::gauge(member.id()?)?.rss_kib;
    let is_heavy = member.name.starts_with("stage-worker") && rss > MEMORY;
    is_heavy.then(|| format!("{}: {} MiB", member.name, rss / 1024))
}
