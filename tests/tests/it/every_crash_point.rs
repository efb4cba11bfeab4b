//! Kills a process at every commit point of a chain: nothing is lost or done twice.
//!
//! The points are found in the sources. So a new point is swept without being listed here, and a
//! point that no chain passes fails the test. Each is swept pass by pass (`name:1`, `name:2`, ..), as
//! often as a whole chain was seen to pass it (`passes.rs`). Points of periodic work are swept only at
//! their first pass. Points of operators' actions and of single writes have separate tests
//! (`every_operators_commit`, `every_lone_write`). Points of stages are swept over a chain with a
//! stage of every kind (`kinds.rs`).
//!
//! The points around the commits of interactions cover the calls too. Between the commit of an intent
//! and the call, and between the answer and its commit, a worker does nothing that could be distinguished.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod kinds;
mod passes;
mod tally;

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::process::ExitStatusExt as _;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::StreamExt as _;
use tarsy_testing::fake_llm::{Behaviour, SeenRequest};
use tarsy_testing::process::Process;
use tarsy_testing::wait;
use tarsy_tests::{Alert, CrashPoint, Fleet, Ingest, Role, SOON, Session, crash_points, scene};
use uuid::Uuid;

use self::tally::Tally;

/// Number of points tested concurrently, each with a separate fleet.
const SIDE_BY_SIDE: usize = 5;

/// Prefixes of points of periodic work, passed with or without a chain. One kill is enough.
const PERIODIC: [&str; 2] = ["housekeeping.", "queue.sweep."];

/// Prefixes of points tested elsewhere: operators' transactions, single writes, fleets with two configurations
/// (`drain/rollout.rs`), conditions and sessions that are given up (`graphs.rs`), waits that expire and tool calls that
/// need approval (`waits.rs`), children that are cancelled (`children.rs`), stages that are left to another worker
/// (`unfit_worker.rs`), calls that run as tasks (`long_task.rs`) or are not sent (`unsent_call.rs`), deadlines that are
/// only moved, and Slack (`slack_starts.rs`, `slack_mentions.rs`).
const ELSEWHERE: [&str; 16] = [
    "admin.",
    "lone.",
    "rollout.",
    "chain.settle.",
    "chain.give_up.",
    "chain.expire.",
    "chain.announce.",
    "chain.announce_start.",
    "slack.",
    "stage.wait.",
    "stage.cancel_child.",
    "stage.hand_over.",
    "stage.note_task.",
    "stage.restart_deadline.",
    "stage.withdraw.",
    "stage.delay_deadline.",
];

/// Points at which the killed worker no longer holds its stage: after commits that take the stage from the worker, and
/// within the chain job that it runs then.
const NO_LONGER_HELD: [&str; 5] = [
    "stage.decide",
    "stage.finish.after_commit",
    "stage.snooze.after_commit",
    "stage.wait.after_commit",
    "stage.wait_for_children.after_commit",
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_killed_at_any_point_loses_and_doubles_nothing() {
    let sweeps = crash_points()
        .into_iter()
        .filter(|point| {
            !ELSEWHERE
                .iter()
                .any(|prefix| point.name.starts_with(prefix))
        })
        .flat_map(|CrashPoint { name, roles }| {
            roles.into_iter().map(move |role| (name.clone(), role))
        });
    let sweeps: Vec<_> = sweeps.collect();
    let passes = passes::counted(&sweeps).await;
    let swept: BTreeMap<String, Swept> = futures::stream::iter(sweeps)
        .map(|(name, role)| {
            let most = passes::count(&passes, &name, role);
            async move {
                (
                    format!("{name} in {role:?}"),
                    sweep(&name, role, most).await,
                )
            }
        })
        .buffer_unordered(SIDE_BY_SIDE)
        .collect()
        .await;
    println!("kills by point: {swept:#?}");
    let by_kind = kinds::assert_every_kind_was_hit(&swept);
    println!("kills by kind: {by_kind:?}");
    let missed: Vec<_> = swept
        .iter()
        .filter(|(_, swept)| swept.kills == 0)
        .map(|(point, _)| point)
        .collect();
    // A chain job ends in the transaction of its transition, so the queue has no claim to settle.
    let expected = [
        "queue.settle.after_commit in Chain",
        "queue.settle.before_commit in Chain",
    ];
    assert_eq!(missed, expected, "points that no process was killed at");
}

/// Result of sweeping a point.
#[derive(Debug, Default)]
struct Swept {
    /// Number of kills.
    kills: usize,
    /// Number of stages of each kind in progress at the kills.
    kinds: BTreeMap<kinds::Kind, usize>,
    /// Duration of the sweep.
    took: std::time::Duration,
}

/// Kills a process at each pass of a point in turn.
async fn sweep(name: &str, role: Role, passes: usize) -> Swept {
    let began = std::time::Instant::now();
    let mut swept = Swept::default();
    if passes == 0 {
        return swept;
    }
    let mut sweep = Sweep::new(name, role).await;
    while swept.kills < passes && sweep.pass(swept.kills + 1).await {
        swept.kills += 1;
        for kind in BTreeSet::from_iter(std::mem::take(&mut sweep.hit)) {
            *swept.kinds.entry(kind).or_default() += 1;
        }
    }
    let Sweep {
        fleet,
        ingest,
        chain,
        stage,
        ..
    } = sweep;
    drop((ingest, chain, stage));
    fleet.remove().await;
    swept.took = began.elapsed();
    swept
}

/// Whether the point belongs to periodic work.
fn is_periodic(name: &str) -> bool {
    PERIODIC.iter().any(|prefix| name.starts_with(prefix))
}

/// Returns the type of the alert whose chain passes the point, and how often the alert is posted.
fn course(name: &str, role: Role) -> (&'static str, usize) {
    // The only stage of this chain is snoozed once.
    if ["queue.settle.", "stage.snooze."]
        .iter()
        .any(|of| name.starts_with(of))
    {
        return ("RateLimited", 1);
    }
    if kinds::passes(name, role) {
        return (kinds::ALERT, 1);
    }
    // The closer look happens only for an alert that exists already.
    (
        "CheckoutDown",
        1 + usize::from(name.starts_with("ingest.look_closer.")),
    )
}

/// Creates a fleet whose model rate limits every second request of the hurried agent, and answers the helper only once
/// the lead waits for it ([`kinds::release_helper`]). Otherwise a helper that is faster would leave no wait to kill at.
async fn fleet() -> Fleet {
    let limited = AtomicUsize::new(0);
    let model = move |request: &SeenRequest| {
        let hurried = request.contains("You are in a hurry.");
        match scene::play(request) {
            _ if hurried && limited.fetch_add(1, Ordering::SeqCst).is_multiple_of(2) => {
                Behaviour::rate_limited(2)
            }
            Behaviour::Answer(answer) if request.contains("You are the helper.") => {
                Behaviour::Held(answer)
            }
            played => played,
        }
    };
    Fleet::new(model).await
}

/// A fleet for one point. It runs a chain for each pass.
struct Sweep {
    fleet: Fleet,
    name: String,
    role: Role,
    ingest: Ingest,
    chain: Process,
    stage: Process,
    /// Stages in progress when the process was killed.
    hit: Vec<kinds::Kind>,
}

impl Sweep {
    async fn new(name: &str, role: Role) -> Self {
        let fleet = fleet().await;
        let (chain, stage) = (fleet.chain_worker(), fleet.stage_worker());
        Self {
            ingest: fleet.ingest().await,
            chain,
            stage,
            name: name.to_owned(),
            role,
            fleet,
            hit: Vec::new(),
        }
    }

    /// Replaces the killed process by a fresh one.
    async fn replace(&mut self, armed: Option<usize>) {
        let program = |name| {
            let program = self.fleet.program(name);
            match armed {
                Some(pass) => program.env("TARSY_CRASH_AT", format!("{}:{pass}", self.name)),
                None => program,
            }
        };
        match self.role {
            Role::Ingest => self.ingest = self.fleet.ingest_with(program("ingest-api")).await,
            Role::Chain => self.chain = program("chain-worker").start().unwrap(),
            Role::Stage => self.stage = program("stage-worker").start().unwrap(),
        }
    }

    fn victim(&self) -> &Process {
        match self.role {
            Role::Ingest => &self.ingest.process,
            Role::Chain => &self.chain,
            Role::Stage => &self.stage,
        }
    }

    /// Runs a whole chain; returns whether a process was killed.
    async fn pass(&mut self, pass: usize) -> bool {
        let before = Tally::of_fleet(&self.fleet);
        self.replace(Some(pass)).await;
        let (kind, mut posts) = course(&self.name, self.role);
        let alert = Alert::new(kind);
        let (mut session, mut killed, mut polled) = (None, false, 0);
        if is_periodic(&self.name) {
            wait::until("the victim's end", SOON * 2, async || {
                self.leave_a_ghost().await;
                !self.victim().is_running()
            })
            .await;
        }
        let ended = wait::up_to(SOON, async || {
            if !killed && !self.victim().is_running() {
                killed = true;
                self.hit = kinds::under_way(&self.fleet.rows).await;
                self.replace(None).await;
            }
            if let Some(session) = session
                && kind == kinds::ALERT
            {
                let (rows, url) = (&self.fleet.rows, &self.ingest.url);
                kinds::release_helper(&self.fleet).await;
                kinds::approve(rows, url, session, killed, &mut polled).await;
            }
            if posts > 0
                && let Some(accepted) = self.fleet.try_post(&self.ingest.url, &alert).await
            {
                assert_eq!(*session.get_or_insert(accepted), accepted, "{}", self.name);
                posts -= 1;
            }
            let ended = self.fleet.rows.session(session?).await;
            let is_over = posts == 0 && matches!(&*ended.status, "completed" | "failed");
            is_over.then_some(ended)
        });
        let ended = ended.await;
        if !killed {
            killed = self.dies_at_the_end().await;
        }
        let at = format!("{}:{pass} in {:?}, killed: {killed}", self.name, self.role);
        self.check_session(&at, session, ended).await;
        self.check_world(&at, killed, &before);
        killed
    }

    /// Inserts a dead worker for sweepers to find.
    async fn leave_a_ghost(&self) {
        let ghost = "insert into workers (id, role, host, pid, version, queues, slots, lock_key)
            select gen_random_uuid(), 'ghost', 'nowhere', 1, '0', '{}', 1, 1
            where not exists (select from workers where role = 'ghost')";
        sqlx::query(ghost)
            .execute(self.fleet.rows.pool())
            .await
            .unwrap();
    }

    /// Stops the process and returns whether it died at the point. The last commit of a chain and the point after it
    /// are a moment apart.
    async fn dies_at_the_end(&self) -> bool {
        self.victim().terminate();
        let status = self.victim().ended(SOON).await;
        assert!(
            status.success() || status.signal() == Some(9),
            "{}: {status}",
            self.name
        );
        !status.success()
    }

    /// Whether the killed process may have had a stage besides the one at the point.
    fn had_another(&self) -> bool {
        let at_the_point = usize::from(!NO_LONGER_HELD.contains(&&*self.name));
        self.hit.len() > at_the_point
    }

    async fn check_session(&self, at: &str, id: Option<Uuid>, ended: Option<Session>) {
        let rows = &self.fleet.rows;
        let id = id.unwrap_or_else(|| panic!("{at}: the alert was not accepted"));
        let stages = rows.stages(id).await;
        let Some(ended) = ended else {
            panic!("{at}: not ended: {stages:#?}, jobs {:?}", rows.jobs().await)
        };
        assert_eq!(ended.status, "completed", "{at}: {ended:?} {stages:#?}");
        assert_eq!(
            ended.outcome.as_deref(),
            Some("completed"),
            "{at}: {stages:#?}"
        );
        assert_eq!(
            ended.final_analysis.as_deref(),
            Some(scene::ANALYSIS),
            "{at}"
        );
        // One crash for each stage of the killed worker. In the chain with every kind, two may run concurrently.
        let crashes: Vec<i32> = stages.iter().map(|stage| stage.crash_count).collect();
        let most = 1 + i32::from(self.had_another());
        assert!(
            crashes.iter().all(|crashes| *crashes <= 1) && crashes.iter().sum::<i32>() <= most,
            "{at}: {crashes:?} crashes counted for one kill"
        );
        self.fleet.assert_sound_after(at).await;
    }

    fn check_world(&self, at: &str, killed: bool, before: &Tally) {
        let now = Tally::of_fleet(&self.fleet);
        // The worker may have had another stage in the middle of a call.
        let other_stages = usize::from(killed && self.had_another());
        // A recorded answer is never requested again, an unrecorded one once.
        let again = now.bought_again() - before.bought_again();
        let unrecorded = usize::from(killed && self.name == "record.finish_llm.before_commit");
        assert!(
            (unrecorded..=unrecorded + other_stages).contains(&again),
            "{at}: {again} bought again: {:?}",
            now.answers
        );
        let (questions, status_reads) = match course(&self.name, self.role).0 {
            "CheckoutDown" => (scene::QUESTIONS, 2),
            kinds::ALERT => (scene::QUESTIONS_OF_EVERY_KIND, 1),
            _ => return,
        };
        let asked = now.answers.len() - before.answers.len();
        assert_eq!(asked, questions, "{at}");

        // A call that changes something is made at most once. It is not made at all only if the worker died between
        // recording the call and making it.
        let (reads, restarts) = (now.reads - before.reads, now.restarts - before.restarts);
        let never_sent = killed && self.name == "record.begin_mcp.after_commit";
        assert!(
            restarts == 1 || (restarts == 0 && never_sent),
            "{at}: {restarts} restarts"
        );
        let unrecorded = usize::from(killed && self.name == "record.finish_mcp.before_commit");
        assert!(
            (status_reads..=status_reads + unrecorded.max(other_stages)).contains(&reads),
            "{at}: {reads} reads"
        );
    }
}
