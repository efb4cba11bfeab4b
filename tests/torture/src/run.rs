//! A run: set up, inject faults, heal, drain, check.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use clap::ValueEnum as _;
use rand::rngs::SmallRng;
use rand::{Rng as _, SeedableRng as _};
use sqlx::PgPool;
use tarsy_testing::postgres::{Cluster, Installation};
use tarsy_testing::{TestDb, tools};
use tokio::sync::Mutex;
use url::Url;

use crate::client::{Client, Sent};
use crate::coverage::{Faults, not_reached};
use crate::cross_checks::Evidence;
use crate::drain::drain;
use crate::end_to_end_alert::{self, Proof};
use crate::fault::Fault;
use crate::fleet::{Hosts, Member, supervise};
use crate::invariants::{broken_by, of_rows};
use crate::model::TheModel;
use crate::nemesis::{Nemesis, Standby};
use crate::partitioning::Partitioner;
use crate::people::{all_parked, decide_steadily, end_parked, park};
use crate::processes::{free_port, members};
use crate::report::Report;
use crate::rerun_command::again;
use crate::runbooks::Library;
use crate::self_check::until_broken;
use crate::small_disk::SmallDisk;
use crate::{Arguments, Protection, names, resource_usage, triggers, versions, watchdog};

/// Timeout of the drain.
const DRAIN: Duration = Duration::from_secs(1_800);
/// Timeout of the drain in a run without a protection, because its poison may never end.
const DRAIN_WITHOUT: Duration = Duration::from_secs(15);
/// Pause between two alerts of the steady sender.
const STEADY: Duration = Duration::from_millis(150);
/// Minimum length of a run with long bursts.
const LONG: Duration = Duration::from_secs(300);

/// Runs from a seed, which is printed first, so that a failed run can be repeated.
pub(crate) async fn run(arguments: &Arguments) -> Result<Report> {
    let seed = arguments
        .seed
        .unwrap_or_else(|| rand::rng().random_range(1..1_000_000));
    let seconds = arguments.seconds();
    eprintln!("seed {seed}");
    let mut work = tempfile::Builder::new().prefix("tarsy-torture").tempdir()?;
    let ran = torment(arguments, (seed, seconds), work.path()).await;
    if ran
        .as_ref()
        .map_or(true, |report| is_kept(arguments, report))
    {
        work.disable_cleanup(true);
        let folder = work.path().display();
        eprintln!("logs, ledger, rows and times of faults are in {folder}");
    }
    if ran.is_err() {
        eprintln!("again: {}", again(arguments, seed, seconds));
    }
    ran
}

/// Whether to keep the run's files.
fn is_kept(arguments: &Arguments, report: &Report) -> bool {
    arguments.keep || (arguments.without.is_none() && !report.broken.is_empty())
}

async fn torment(
    arguments: &Arguments,
    (seed, seconds): (u64, u64),
    work: &Path,
) -> Result<Report> {
    tarsy_telemetry::install_crypto();
    let time = Duration::from_secs(seconds);
    let quiet = |_: &str| {};
    let installation =
        Installation::find_or_install(&tools::workspace().join("target/tools"), &quiet)?;
    let place = tempfile::tempdir_in("/var/tmp")?;
    let _watchdog = watchdog::start(work, place.path())?;
    let fills = time >= LONG || arguments.only.contains(&Fault::DiskFull);
    let disk = fills.then(|| SmallDisk::mount(place.path())).flatten();
    let cluster = Cluster::start(&installation, place.path(), &quiet)?;
    let database = Url::parse(&cluster.url("postgres"))?;
    let (pool, url) = match &arguments.other_build {
        Some(folder) => versions::database_of(folder, &database).await?,
        None => {
            let db = TestDb::create_on(&database).await?;
            let (pool, url) = (db.pool().clone(), db.url().to_owned());
            // The database is deleted with its server.
            std::mem::forget(db);
            (pool, url)
        }
    };
    let began_at = versions::version(&pool).await?;
    triggers::install(&pool).await?;
    if let Some(protection) = arguments.without {
        protection.remove(&pool).await?;
    }

    let (folder, logs) = (work.to_owned(), work.join("logs"));
    std::fs::create_dir_all(&logs)?;
    if arguments.quirks {
        std::fs::write(folder.join("quirks"), seed.to_string())?;
    }
    let model = Arc::new(TheModel::start(arguments.quirks.then_some(seed)).await?);
    let runbooks = Arc::new(Library::open().await?);
    let port = free_port()?;
    let standby = match arguments.only.contains(&Fault::Failover) {
        true => {
            let folder = place.path().join("standby");
            Some(Standby::start(&installation, &cluster, &folder, &pool).await?)
        }
        false => None,
    };
    let hosts = Hosts {
        first: Url::parse(&url)?,
        second: standby.as_ref().map(Standby::port),
        primary: Arc::default(),
    };
    let outside = (&*model, &*runbooks);
    let (members, bouncers) = members(arguments, &hosts, outside, &folder, port, seed).await?;
    let members = Arc::new(members);
    let supervisor = tokio::spawn(supervise(Arc::clone(&members)));
    let client = Client::new(format!("http://127.0.0.1:{port}"), runbooks.url())?;
    let works = end_to_end_alert::works(&client, &pool, &folder).await;
    works.context("the fleet did not even work undisturbed")?;
    end_to_end_alert::all_are_there(&pool).await?;
    end_to_end_alert::all_pass_on(&bouncers, &url).await?;
    let (proofs, completed) = (
        client.log().len(),
        end_to_end_alert::completed(&pool).await?,
    );
    let before = resource_usage::read(&members);
    let bounced: Vec<String> = members
        .iter()
        .filter(|member| member.bounced)
        .map(|member| member.name.clone())
        .collect();

    let nemesis = Arc::new(Nemesis {
        members: Arc::clone(&members),
        cluster: Arc::new(Mutex::new(cluster)),
        standby,
        disk,
        bouncers,
        pool: pool.clone(),
        url,
        model: Arc::clone(&model),
        runbooks,
        client: client.clone(),
        folder: folder.clone(),
        burst: arguments
            .burst
            .unwrap_or(if time >= LONG { 10_000 } else { 1_000 }),
        only: arguments.only.clone(),
        rollout: Mutex::default(),
        primary: Arc::clone(&hosts.primary),
        upgrades: arguments.other_build.is_some(),
        lease: arguments.lease(),
        outage: Mutex::default(),
        is_long: time >= LONG,
        without: arguments.without,
        power_losses: AtomicUsize::new(0),
        sockets: AtomicUsize::new(0),
        undone: std::sync::Mutex::default(),
        seen: std::sync::Mutex::default(),
    });
    let sender = tokio::spawn(send_steadily(client.clone(), model.admin_url()));
    let deciders = tokio::spawn(decide_steadily(client.clone(), pool.clone()));
    let parked = arguments.parked.unwrap_or(match time >= LONG {
        true => 10_000,
        false => 200,
    });
    let parking = tokio::spawn(park(client.clone(), parked));
    let partitioning = arguments.partitions(seed).then(|| {
        let partitioner = Partitioner::new(&pool, hosts.url(), &folder, seed);
        tokio::spawn(partitioner.partition())
    });
    let enough = async {
        let Some(protection) = arguments.without else {
            return std::future::pending().await;
        };
        let witnesses = Evidence {
            pool: &pool,
            sent: &[],
            decisions: &[],
            folder: &folder,
            logs: &logs,
            power_losses: 0,
            bounced: &bounced,
        };
        tokio::select! {
            () = until_broken(protection, &pool, &witnesses) => {}
            () = protection.provoke(&pool) => {}
        }
    };
    let raging = Instant::now();
    let faults = Arc::clone(&nemesis)
        .rage(SmallRng::seed_from_u64(seed), time, enough)
        .await;
    let rage_seconds = raging.elapsed().as_secs_f64();
    sender.abort();
    nemesis.heal().await?;
    let healed = Instant::now();
    parking.await?;
    if arguments.without.is_none() {
        all_parked(&pool).await;
    }
    let ended_parked = end_parked(&pool).await?;
    let mut partitioned = match partitioning {
        Some(partitioning) => Some(partitioning.await??),
        None => None,
    };
    let longest = arguments.without.map_or(DRAIN, |_| DRAIN_WITHOUT);
    drain(&pool, longest).await;
    let drain_seconds = healed.elapsed().as_secs_f64();
    let proof = match arguments.without {
        Some(_) => None,
        None => {
            let completed = end_to_end_alert::completed(&pool).await? - completed;
            let works = match end_to_end_alert::works(&client, &pool, &folder).await {
                Ok(()) => end_to_end_alert::all_pass_on(&nemesis.bouncers, &nemesis.url).await,
                stuck => stuck,
            };
            let accepted = |sent: &&Sent| !sent.accepted.is_empty();
            Some(Proof {
                accepted: client.log().iter().skip(proofs).filter(accepted).count(),
                completed,
                works,
            })
        }
    };

    let mut broken = of_rows(&pool).await?;
    broken.extend(names::broken(&pool, arguments).await?);
    if let Some(partitioned) = &mut partitioned {
        partitioned.count(&pool).await?;
        broken.extend(partitioned.broken(&pool).await?);
    }
    let rollout = nemesis.rollout.lock().await.clone();
    if arguments.without.is_none() {
        let text = rollout.last_text()?;
        broken
            .extend(names::outdated(&pool, &client, &text, arguments.other_build.is_some()).await);
    }
    broken.extend(proof.into_iter().flat_map(Proof::broken));
    let (sent, decisions) = (client.log(), client.decisions());
    let power_losses = nemesis.power_losses.load(Ordering::Relaxed);
    let witnesses = Evidence {
        pool: &pool,
        sent: &sent,
        decisions: &decisions,
        folder: &folder,
        logs: &logs,
        power_losses,
        bounced: &bounced,
    };
    let seen = model.seen(Clone::clone);
    let testimony = witnesses.cross_check(&seen).await?;
    broken.extend(testimony.broken);
    if let Some(times) = faults
        .get(&Fault::Poison)
        .filter(|_| testimony.most_poisoned == 0)
    {
        nemesis.was_in_vain(Fault::Poison, *times, "no worker died of it");
    }
    let undone = nemesis.undone();
    let shown = Faults {
        done: &faults,
        undone: &undone,
        refused: testimony.refused,
        recoveries: testimony.recoveries,
        repeated_answers: testimony.repeated_answers,
        unknown_outcomes: testimony.unknown_outcomes,
        skipped: Fault::value_variants()
            .iter()
            .filter_map(|fault| Some((*fault, nemesis.skipped(*fault)?)))
            .collect(),
    };
    broken.extend(shown.not_shown(arguments));
    broken.extend(shown.wrongly_taken(arguments));
    broken.extend(shown.costs_of_outages(arguments));
    broken.extend(nemesis.seen());
    let after = resource_usage::read(&members);
    let leaks = resource_usage::leaks(&before, &after);
    broken.extend(broken_by("I10", "a process keeps memory or files", leaks));
    supervisor.abort();
    deciders.abort();
    let report = Report {
        seed,
        again: again(arguments, seed, seconds),
        seconds,
        rage_seconds,
        without: arguments.without.map(Protection::name),
        alerts_sent: sent.len(),
        alerts_accepted: sent.iter().filter(|sent| !sent.accepted.is_empty()).count(),
        sessions: sessions(&pool).await?,
        waits: waits(&pool).await?,
        parked: ended_parked,
        not_reached: match arguments.only.is_empty() && arguments.without.is_none() {
            true => not_reached(&faults, |fault| nemesis.skipped(fault).is_some()),
            false => Vec::new(),
        },
        faults,
        skipped: skipped(&nemesis),
        migrations: [began_at, versions::version(&pool).await?],
        undone,
        slow_sockets: nemesis.sockets.load(Ordering::Relaxed),
        forks_refused: members.iter().map(Member::forks_refused).sum(),
        operator_answers: client.acts(),
        process_starts: members
            .iter()
            .map(|member| member.starts.load(Ordering::Relaxed))
            .sum(),
        recoveries: testimony.recoveries,
        driver_panics: testimony.driver_panics,
        stale_writes_refused: testimony.refused,
        outcomes_dropped: testimony.dropped,
        repeated_answers: testimony.repeated_answers,
        most_workers_killed_by_one_poison: testimony.most_poisoned,
        drain_seconds,
        rollout,
        partitioned,
        before,
        after,
        broken,
    };
    if is_kept(arguments, &report) {
        triggers::keep(&pool, &folder).await?;
    }
    pool.close().await;
    Ok(report)
}

async fn send_steadily(client: Client, admin: String) {
    let http = reqwest::Client::new();
    for count in 0_u64.. {
        let client = client.clone();
        let alert_type = match count % 12 {
            1 | 7 => "Graph",
            4 => "Race",
            9 | 10 => "Asked",
            _ => "Trouble",
        };
        tokio::spawn(async move { client.send(alert_type, 1).await });
        if count % 200 == 0 {
            let _ = http.delete(format!("{admin}/__requests")).send().await;
        }
        tokio::time::sleep(STEADY).await;
    }
}

async fn sessions(pool: &PgPool) -> Result<BTreeMap<String, i64>> {
    let query = "select status::text || coalesce(' (' || nullif(outcome::text, status::text) || ')', ''), count(*)
                 from alert_sessions group by 1";
    let rows: Vec<(String, i64)> = sqlx::query_as(query).fetch_all(pool).await?;
    Ok(rows.into_iter().collect())
}

async fn waits(pool: &PgPool) -> Result<BTreeMap<String, i64>> {
    let query = "select concat_ws(' ', sort, coalesce(decision::text, 'open')), count(*) from waits group by 1";
    let rows: Vec<(String, i64)> = sqlx::query_as(query).fetch_all(pool).await?;
    Ok(rows.into_iter().collect())
}

fn skipped(nemesis: &Nemesis) -> BTreeMap<String, &'static str> {
    let named = Fault::value_variants()
        .iter()
        .filter_map(|fault| Some((format!("{fault:?}"), nemesis.skipped(*fault)?)));
    let builds = (!nemesis.upgrades).then(|| {
        let kind = format!("{:?} between two builds", Fault::RollingUpgrade);
        (
            kind,
            "no --other-build: the same build is started again while tables change",
        )
    });
    named.chain(builds).collect()
}
