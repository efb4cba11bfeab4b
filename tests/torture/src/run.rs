//! One run: set up, torment, heal, drain, check.

use std::collections::BTreeMap;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU16, AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use clap::ValueEnum as _;
use rand::rngs::SmallRng;
use rand::{Rng as _, SeedableRng as _};
use sqlx::PgPool;
use tarsy_testing::postgres::{Cluster, Installation};
use tarsy_testing::{TestDb, tools, wait};
use tokio::sync::Mutex;
use url::Url;

use crate::bouncer::{self, Bouncer};
use crate::client::Client;
use crate::fault::Fault;
use crate::fleet::{LEASE, Member, Setting, supervise};
use crate::invariants::{Broken, of, of_rows};
use crate::model::TheModel;
use crate::nemesis::Nemesis;
use crate::report::Report;
use crate::self_check::until_broken;
use crate::small_disk::SmallDisk;
use crate::witnesses::Evidence;
use crate::{Arguments, Protection, evidence, gauges, versions};

/// Longest time in which a healed fleet may end nothing while there is work. Not a limit on all of
/// it: how long ten thousand alerts take depends on what else the machine does.
const STALL: Duration = Duration::from_secs(120);
/// Longest time that it may take to end all work.
const DRAIN: Duration = Duration::from_secs(1_800);
/// The same when a protection is missing: its poison may go on for ever.
const DRAIN_WITHOUT: Duration = Duration::from_secs(15);
/// Pause between two alerts of the steady sender.
const STEADY: Duration = Duration::from_millis(150);
/// Runs from this length on have long bursts.
const LONG: Duration = Duration::from_secs(300);

pub(crate) async fn run(arguments: &Arguments) -> Result<Report> {
    tarsy_telemetry::install_crypto();
    let seed = arguments
        .seed
        .unwrap_or_else(|| rand::rng().random_range(1..1_000_000));
    let seconds = arguments
        .seconds
        .unwrap_or_else(|| arguments.minutes.map_or(75, |minutes| minutes * 60));
    let time = Duration::from_secs(seconds);
    let quiet = |_: &str| {};
    let installation =
        Installation::find_or_install(&tools::workspace().join("target/tools"), &quiet)?;
    let place = tempfile::tempdir_in("/var/tmp")?;
    let fills = time >= LONG || arguments.only == Some(Fault::DiskFull);
    let disk = fills.then(|| SmallDisk::mount(place.path())).flatten();
    let cluster = Cluster::start(&installation, place.path(), &quiet)?;
    let database = Url::parse(&cluster.url("postgres"))?;
    let (pool, url) = match &arguments.other_build {
        Some(folder) => versions::database_of(folder, &database).await?,
        None => {
            let db = TestDb::create_on(&database).await?;
            let (pool, url) = (db.pool().clone(), db.url().to_owned());
            // The database goes with its server.
            std::mem::forget(db);
            (pool, url)
        }
    };
    let began_at = versions::version(&pool).await?;
    evidence::install(&pool).await?;

    let mut work = tempfile::Builder::new().prefix("tarsy-torture").tempdir()?;
    let (folder, logs) = (work.path().to_owned(), work.path().join("logs"));
    std::fs::create_dir_all(&logs)?;
    let model = Arc::new(TheModel::start().await?);
    let port = free_port()?;
    let (members, bouncers) =
        members(arguments, &Url::parse(&url)?, &model, &folder, port, seed).await?;
    let members = Arc::new(members);
    let supervisor = tokio::spawn(supervise(Arc::clone(&members)));
    let client = Client::new(format!("http://127.0.0.1:{port}"))?;
    client.send("Trouble", 1).await;
    let warm = wait::up_to(DRAIN, async || {
        live(&pool).await.is_ok_and(|live| live == 0)
    })
    .await;
    warm.context("the fleet did not even work undisturbed")?;
    let before = gauges::read(&members);

    let nemesis = Arc::new(Nemesis {
        members: Arc::clone(&members),
        cluster: Arc::new(Mutex::new(cluster)),
        disk,
        bouncers,
        pool: pool.clone(),
        url,
        model: Arc::clone(&model),
        client: client.clone(),
        folder: folder.clone(),
        burst: arguments
            .burst
            .unwrap_or(if time >= LONG { 10_000 } else { 1_000 }),
        only: arguments.only,
        upgrades: arguments.other_build.is_some(),
        without: arguments.without,
        power_losses: AtomicUsize::new(0),
        sockets: AtomicUsize::new(0),
        undone: std::sync::Mutex::default(),
    });
    let sender = tokio::spawn(send_steadily(client.clone(), model.admin_url()));
    let enough = async {
        let Some(protection) = arguments.without else {
            return std::future::pending().await;
        };
        let witnesses = Evidence {
            pool: &pool,
            sent: &[],
            folder: &folder,
            logs: &logs,
            power_losses: 0,
            through_bouncer: false,
        };
        until_broken(protection, &pool, &witnesses).await;
    };
    let raging = Instant::now();
    let faults = Arc::clone(&nemesis)
        .rage(SmallRng::seed_from_u64(seed), time, enough)
        .await;
    let rage_seconds = raging.elapsed().as_secs_f64();
    sender.abort();
    nemesis.heal().await?;
    let healed = Instant::now();
    let longest = arguments.without.map_or(DRAIN, |_| DRAIN_WITHOUT);
    drain(&pool, longest).await;
    let drain_seconds = healed.elapsed().as_secs_f64();

    let mut broken = of_rows(&pool).await?;
    let (sent, power_losses) = (client.log(), nemesis.power_losses.load(Ordering::Relaxed));
    let witnesses = Evidence {
        pool: &pool,
        sent: &sent,
        folder: &folder,
        logs: &logs,
        power_losses,
        through_bouncer: faults.contains_key(&Fault::PgBouncer),
    };
    let seen = model.seen(Clone::clone);
    let said = witnesses.hear(&seen).await?;
    broken.extend(said.broken);
    broken.extend(nothing_shown(arguments, said.refused));
    let sockets = nemesis.sockets.load(Ordering::Relaxed);
    let none = faults.contains_key(&Fault::SlowSockets) && sockets == 0;
    broken.extend(of(
        "I10",
        "no slow socket could be opened, so nothing was shown",
        none.then(String::new),
    ));
    let after = gauges::read(&members);
    let leaks = gauges::leaks(&before, &after);
    broken.extend(of("I10", "a process keeps memory or files", leaks));
    supervisor.abort();
    let report = Report {
        seed,
        seconds,
        rage_seconds,
        without: arguments.without.map(Protection::name),
        alerts_sent: sent.len(),
        alerts_accepted: sent.iter().filter(|sent| !sent.accepted.is_empty()).count(),
        sessions: sessions(&pool).await?,
        faults,
        skipped: skipped(&nemesis),
        migrations: [began_at, versions::version(&pool).await?],
        undone: nemesis
            .undone
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone(),
        slow_sockets: sockets,
        forks_refused: members.iter().map(Member::forks_refused).sum(),
        operator_answers: client.acts(),
        process_starts: members
            .iter()
            .map(|member| member.starts.load(Ordering::Relaxed))
            .sum(),
        recoveries: said.recoveries,
        driver_panics: said.driver_panics,
        stale_writes_refused: said.refused,
        repeated_answers: said.repeated_answers,
        most_workers_killed_by_one_poison: said.most_poisoned,
        drain_seconds,
        before,
        after,
        broken,
    };
    if arguments.keep || (arguments.without.is_none() && !report.broken.is_empty()) {
        work.disable_cleanup(true);
        evidence::keep(&pool, &folder).await?;
        eprintln!(
            "logs, ledger, rows and times of faults are in {}",
            folder.display()
        );
    }
    pool.close().await;
    Ok(report)
}

/// Wait until all work has ended, or nothing does any more. What is left is told by the invariants.
async fn drain(pool: &PgPool, longest: Duration) {
    let (mut most, mut progress) = (-1, Instant::now());
    let _ = wait::up_to(longest, async || {
        let ended = "select count(*) from torture_ended";
        let ended: Option<i64> = sqlx::query_scalar(ended).fetch_one(pool).await.ok();
        if let Some(ended) = ended.filter(|ended| *ended > most) {
            (most, progress) = (ended, Instant::now());
        }
        live(pool).await.is_ok_and(|live| live == 0) || progress.elapsed() > STALL
    })
    .await;
}

/// A run in which no stale write was tried has not tested the fence.
fn nothing_shown(arguments: &Arguments, refused: usize) -> Option<Broken> {
    let counts = arguments.without.is_none() && arguments.only.is_none();
    of(
        "I4",
        "no stale write was refused, so nothing was shown",
        (counts && refused == 0).then(String::new),
    )
}

async fn members(
    arguments: &Arguments,
    database: &Url,
    model: &TheModel,
    folder: &Path,
    port: u16,
    seed: u64,
) -> Result<(Vec<Member>, Vec<Bouncer>)> {
    let fixtures: PathBuf = tools::workspace().join("tests/torture/fixtures");
    let mut environment = vec![
        (
            "AGENT_CONFIG_FILE",
            fixtures.join("fleet.yaml").display().to_string(),
        ),
        ("DATABASE_MAX_CONNECTIONS", "8".to_owned()),
        ("TARSY_LISTEN", format!("127.0.0.1:{port}")),
        ("TARSY_LEASE_TTL", format!("{}s", LEASE.as_secs())),
        ("TARSY_DRAIN_GRACE", "2s".to_owned()),
        ("TARSY_TORTURE_FIXTURES", fixtures.display().to_string()),
        ("TARSY_TORTURE_FOLDER", folder.display().to_string()),
        ("TARSY_TORTURE_LLM_KEY", "not-a-secret".to_owned()),
        (
            "TARSY_TORTURE_LLM_URL",
            by_name(Url::parse(&model.url())?)?.into(),
        ),
    ];
    environment.extend(match arguments.without {
        Some(Protection::Fence) => Some(("TARSY_TEST_WITHOUT", "fence".to_owned())),
        Some(Protection::Intent) => Some(("TARSY_TEST_WITHOUT", "intent".to_owned())),
        Some(Protection::CrashCap) => Some(("TARSY_MAX_CRASHES", "100".to_owned())),
        None => None,
    });
    let pools = |pools: &str| {
        vec![
            ("TARSY_STAGE_POOLS", pools.to_owned()),
            ("TARSY_STAGE_CONCURRENCY", "8".to_owned()),
        ]
    };
    let settings = [
        ("ingest-api", 1, vec![]),
        ("chain-worker", 1, vec![]),
        ("chain-worker", 2, vec![]),
        ("stage-worker", 1, pools("default")),
        ("stage-worker", 2, pools("default,reports")),
        ("stage-worker", 3, pools("reports")),
    ];
    let (mut members, mut bouncers) = (Vec::new(), Vec::new());
    let bounces = bouncer::program().is_ok();
    for (place, (binary, number, more)) in settings.into_iter().enumerate() {
        let setting = Setting {
            binary,
            number,
            // The second of each kind, if there are several.
            bounced: bounces && number == 2,
            more,
        };
        let seed = seed.wrapping_add(u64::try_from(place)?);
        let place = (folder, arguments.other_build.as_deref());
        let (member, bouncer) = Member::new(setting, database, &environment, place, seed).await?;
        members.push(member);
        bouncers.extend(bouncer);
    }
    Ok((members, bouncers))
}

/// The same address with a host's name, as fleets are given it: names have to be looked up, also
/// where no thread can be made for it.
pub(crate) fn by_name(mut url: Url) -> Result<Url> {
    url.set_host(Some("localhost"))?;
    Ok(url)
}

async fn send_steadily(client: Client, admin: String) {
    let http = reqwest::Client::new();
    for count in 0_u64.. {
        let client = client.clone();
        tokio::spawn(async move { client.send("Trouble", 1).await });
        if count % 200 == 0 {
            let _ = http.delete(format!("{admin}/__requests")).send().await;
        }
        tokio::time::sleep(STEADY).await;
    }
}

/// Sessions and jobs that are not at their end.
async fn live(pool: &PgPool) -> Result<i64> {
    let query =
        "select (select count(*) from alert_sessions where status in ('pending', 'in_progress'))
                      + (select count(*) from jobs)
                      + (select count(*) from alert_sessions where session_id in (select session_id from torture_retired))";
    Ok(sqlx::query_scalar(query).fetch_one(pool).await?)
}

async fn sessions(pool: &PgPool) -> Result<BTreeMap<String, i64>> {
    let query = "select status::text || coalesce(' (' || nullif(outcome::text, status::text) || ')', ''), count(*)
                 from alert_sessions group by 1";
    let rows: Vec<(String, i64)> = sqlx::query_as(query).fetch_all(pool).await?;
    Ok(rows.into_iter().collect())
}

fn skipped(nemesis: &Nemesis) -> BTreeMap<String, &'static str> {
    let named = Fault::value_variants()
        .iter()
        .filter_map(|fault| Some((format!("{fault:?}"), nemesis.skipped(*fault)?)));
    named.collect()
}

/// A port for a server that starts later. Not one of those that the system gives to whoever asks
/// for any: it could give it away before, or while the server is dead.
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
