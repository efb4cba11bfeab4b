//! Every commit point of a chain: the process that passes it is killed there, and nothing is lost
//! or done twice.
//!
//! The points are found in the sources, so a new one is swept without being listed here, and one
//! that no chain passes fails the test. Each is swept pass by pass (`name:1`, `name:2`, ..) until
//! a whole chain no longer gets there. The points around the commits of interactions are those
//! around the calls too: between the commit of an intent and the call, and between the answer and
//! its commit, a worker does nothing that could be told apart.

use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt as _;
use std::sync::atomic::{AtomicBool, Ordering};

use futures::StreamExt as _;
use tarsy_testing::fake_llm::{Behaviour, SeenRequest};
use tarsy_testing::process::{Process, Program};
use tarsy_testing::wait;
use tarsy_tests::{Alert, CrashPoint, Fleet, Ingest, Role, SOON, crash_points, scene};
use uuid::Uuid;

/// Points swept at the same time, each with a fleet of its own.
const SIDE_BY_SIDE: usize = 5;

/// More passes than any point has in one chain.
const MANY: usize = 40;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_killed_at_any_point_loses_and_doubles_nothing() {
    let sweeps = crash_points().into_iter().flat_map(|CrashPoint { name, roles }| {
        roles.into_iter().map(move |role| (name.clone(), role))
    });
    let swept: BTreeMap<String, usize> = futures::stream::iter(sweeps)
        .map(|(name, role)| async move { (format!("{name} in {role:?}"), sweep(&name, role).await) })
        .buffer_unordered(SIDE_BY_SIDE)
        .collect()
        .await;
    println!("kills by point: {swept:#?}");
    let missed: Vec<_> = swept.iter().filter(|(_, kills)| **kills == 0).map(|(point, _)| point).collect();
    // A chain job ends in the transaction of its transition: nothing is left for the queue to settle.
    let expected = ["queue.settle.after_commit in Chain", "queue.settle.before_commit in Chain"];
    assert_eq!(missed, expected, "points that no process was killed at");
}

/// Kill at each pass of a point in turn; how often there was something to kill.
async fn sweep(name: &str, role: Role) -> usize {
    for pass in 1..MANY {
        let case = Case::new(name, role, pass).await;
        let killed = case.investigate().await;
        case.check(killed).await;
        if !killed {
            return pass - 1;
        }
    }
    panic!("{name} has more than {MANY} passes");
}

/// One fleet, one chain, one kill.
struct Case {
    fleet: Fleet,
    name: String,
    role: Role,
    pass: usize,
}

/// Its processes; the one that is armed is replaced when it has died.
struct Crew {
    ingest: Ingest,
    chain: Process,
    stage: Process,
}

impl Case {
    async fn new(name: &str, role: Role, pass: usize) -> Self {
        let limited_once = AtomicBool::new(false);
        let model = move |request: &SeenRequest| match request.contains("You are in a hurry.") {
            true if !limited_once.swap(true, Ordering::SeqCst) => Behaviour::rate_limited(2),
            _ => scene::play(request),
        };
        Self { fleet: Fleet::new(model).await, name: name.to_owned(), role, pass }
    }

    /// The alert whose chain passes the point.
    fn alert(&self) -> Alert {
        Alert::new(match self.name.starts_with("queue.settle.") {
            // Its only stage is snoozed once.
            true => "RateLimited",
            false => "CheckoutDown",
        })
    }

    /// Run a whole chain; whether a process was killed by it.
    async fn investigate(&self) -> bool {
        let mut crew = Crew {
            chain: self.program("chain-worker", Role::Chain).start().unwrap(),
            stage: self.program("stage-worker", Role::Stage).start().unwrap(),
            ingest: self.fleet.ingest_with(self.program("ingest-api", Role::Ingest)).await,
        };
        let mut killed = false;
        let session = self.post(&mut crew, &mut killed).await;
        let ended = wait::up_to(SOON, async || {
            if !killed && self.died(&crew) {
                killed = true;
                match self.role {
                    Role::Ingest => crew.ingest = self.fleet.ingest().await,
                    Role::Chain => crew.chain = self.fleet.chain_worker(),
                    Role::Stage => crew.stage = self.fleet.stage_worker(),
                }
            }
            let session = self.fleet.rows.session(session).await;
            matches!(&*session.status, "completed" | "failed").then_some(session)
        });
        let ended = ended.await;
        let stages = self.fleet.rows.stages(session).await;
        let Some(ended) = ended else { panic!("{self}: not ended, {stages:#?} {:?}", self.fleet.rows.jobs().await) };
        assert_eq!(ended.status, "completed", "{self}: {ended:?} {stages:#?}");
        assert_eq!(ended.outcome.as_deref(), Some("completed"), "{self}: {stages:#?}");
        assert_eq!(ended.final_analysis.as_deref(), Some(scene::ANALYSIS), "{self}");
        killed || self.dies_at_the_end(&crew).await
    }

    /// Post until it is accepted; an `ingest-api` that died is started again.
    async fn post(&self, crew: &mut Crew, killed: &mut bool) -> Uuid {
        let alert = self.alert();
        wait::until("the alert to be accepted", SOON, async || {
            if self.role == Role::Ingest && self.died(crew) {
                *killed = true;
                crew.ingest = self.fleet.ingest().await;
            }
            self.fleet.try_post(&crew.ingest.url, &alert).await
        })
        .await
    }

    fn armed<'c>(&self, crew: &'c Crew) -> &'c Process {
        match self.role {
            Role::Ingest => &crew.ingest.process,
            Role::Chain => &crew.chain,
            Role::Stage => &crew.stage,
        }
    }

    fn died(&self, crew: &Crew) -> bool {
        !self.armed(crew).is_running()
    }

    /// The last commit of a chain and the point behind it are a moment apart: ask the process to
    /// end, and see how it does.
    async fn dies_at_the_end(&self, crew: &Crew) -> bool {
        let armed = self.armed(crew);
        armed.terminate();
        let status = armed.ended(SOON).await;
        assert!(status.success() || status.signal() == Some(9), "{self}: {status}");
        !status.success()
    }

    fn program(&self, name: &str, role: Role) -> Program {
        let program = self.fleet.program(name);
        match role == self.role {
            true => program.env("TARSY_CRASH_AT", format!("{}:{}", self.name, self.pass)),
            false => program,
        }
    }

    async fn check(&self, killed: bool) {
        self.fleet.assert_sound_after(&self.to_string()).await;
        let lost = self.fleet.rows.count("select sum(crash_count) from stage_executions").await;
        assert!(lost <= 1, "{self}: {lost} crashes counted for one kill");

        // An answer that was recorded is never asked for again; one that was not, once.
        let answers = answers(&self.fleet);
        let bought_again: usize = answers.values().map(|times| times - 1).sum();
        let unrecorded = killed && self.name == "record.finish_llm.before_commit";
        assert_eq!(bought_again, usize::from(unrecorded), "{self}: {answers:?}");
        if self.alert().alert_type != "CheckoutDown" {
            return;
        }
        assert_eq!(answers.len(), scene::QUESTIONS, "{self}: {answers:?}");

        // What changes the world is done at most once; not at all only if the worker died between
        // writing the call down and making it.
        let (reads, restarts) = (self.fleet.ledger.calls("read_status"), self.fleet.ledger.calls("restart_service"));
        let never_sent = killed && self.name == "record.begin_mcp.after_commit";
        assert!(restarts == 1 || (restarts == 0 && never_sent), "{self}: {restarts} restarts");
        let unrecorded = killed && self.name == "record.finish_mcp.before_commit";
        assert!(reads == 2 || (reads == 3 && unrecorded), "{self}: {reads} reads");
    }
}

/// How often the model answered each conversation.
fn answers(fleet: &Fleet) -> BTreeMap<String, usize> {
    let mut times = BTreeMap::new();
    for request in fleet.llm.requests().into_iter().filter(|request| request.answered) {
        *times.entry(request.fingerprint).or_insert(0) += 1;
    }
    times
}

impl std::fmt::Display for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{} in {:?}", self.name, self.pass, self.role)
    }
}
