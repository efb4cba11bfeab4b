//! Processes of a run, with their arguments and environment.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU16, Ordering};

use anyhow::{Result, bail};
use tarsy_testing::tools;
use url::Url;

use crate::fleet::{Hosts, Member, Setting};
use crate::model::TheModel;
use crate::pgbouncer::{self, Bouncer};
use crate::runbooks::Library;
use crate::{Arguments, Protection, watchdog};

/// Connections of the pool that is used up: the minimum of a service.
pub(crate) const FEW: usize = 2;
/// Connections of every other pool.
const ENOUGH: usize = 8;

/// Default of `TARSY_SCHEDULE_TIMEOUT`, in seconds.
const SCHEDULING: u64 = 900;

/// Starts all processes, each with its proxy, and the `PgBouncer`s.
pub(crate) async fn members(
    arguments: &Arguments,
    hosts: &Hosts,
    (model, runbooks): (&TheModel, &Library),
    folder: &Path,
    port: u16,
    seed: u64,
) -> Result<(Vec<Member>, Vec<Bouncer>)> {
    let fixtures: PathBuf = tools::workspace().join("tests/torture/fixtures");
    let mut environment = vec![
        ("TARSY_LISTEN", format!("127.0.0.1:{port}")),
        (
            "TARSY_LEASE_TTL",
            format!("{}s", arguments.lease().as_secs()),
        ),
        ("TARSY_DRAIN_GRACE", "2s".to_owned()),
        ("TARSY_CONFIG_POLL", "1s".to_owned()),
        // A stage whose agent was removed waits until the end of the run, when the agent comes back.
        (
            "TARSY_SCHEDULE_TIMEOUT",
            format!("{}s", SCHEDULING + arguments.seconds()),
        ),
        ("TARSY_TORTURE_FIXTURES", fixtures.display().to_string()),
        (watchdog::FOLDER, folder.display().to_string()),
        // Allows the watchdog to read environments and the faults to read `/proc`, also without root.
        ("TARSY_CORE_DUMPS", "on".to_owned()),
        ("TARSY_TORTURE_RUNBOOKS", runbooks.port().to_string()),
        ("TARSY_TORTURE_LLM_KEY", "not-a-secret".to_owned()),
        (
            "TARSY_TORTURE_LLM_URL",
            by_name(Url::parse(&model.url())?)?.into(),
        ),
    ];
    if arguments.without == Some(Protection::CrashCap) {
        environment.push(("TARSY_MAX_CRASHES", "100".to_owned()));
    }
    let pools = |pools: &str| {
        vec![
            ("TARSY_STAGE_POOLS", pools.to_owned()),
            ("TARSY_STAGE_CONCURRENCY", "8".to_owned()),
        ]
    };
    // More than the number of tasks that may wait for a connection before another one is opened.
    let many = vec![("TARSY_CHAIN_CONCURRENCY", "64".to_owned())];
    let settings = [
        ("ingest-api", 1, ENOUGH, vec![]),
        ("chain-worker", 1, FEW, many),
        ("chain-worker", 2, ENOUGH, vec![]),
        ("stage-worker", 1, ENOUGH, pools("default")),
        ("stage-worker", 2, ENOUGH, pools("default,reports")),
        ("stage-worker", 3, ENOUGH, pools("reports")),
    ];
    let (mut members, mut bouncers) = (Vec::new(), Vec::new());
    let bounces = hosts.second.is_none() && pgbouncer::program().is_ok();
    for (place, (binary, number, connections, more)) in settings.into_iter().enumerate() {
        let setting = Setting {
            binary,
            number,
            // The second process of each kind, if there are several.
            bounced: bounces && number == 2,
            connections,
            more,
        };
        let seed = seed.wrapping_add(u64::try_from(place)?);
        let place = (folder, arguments.other_build.as_deref());
        let (member, bouncer) = Member::new(setting, hosts, &environment, place, seed).await?;
        members.push(member);
        bouncers.extend(bouncer);
    }
    Ok((members, bouncers))
}

/// Replaces the address by a host name, as in real deployments. Names must then be resolved even if no thread can be
/// created.
pub(crate) fn by_name(mut url: Url) -> Result<Url> {
    url.set_host(Some("localhost"))?;
    Ok(url)
}

/// Returns a port for a server that starts later. It is outside of the ephemeral range, because an ephemeral port could
/// be taken before the start or while the server is down.
pub(crate) fn free_port() -> Result<u16> {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let first = 20_000 + u16::try_from(std::process::id() % 500)? * 20;
    for _ in 0..1_000 {
        let port = first + NEXT.fetch_add(1, Ordering::Relaxed);
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return Ok(port);
        }
    }
    bail!("no free port")
}
