//! Counts how often a chain passes each point. Runs a chain of each course once, with processes that record the points
//! they pass.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use futures::future::join_all;
use tarsy_testing::process::Process;
use tarsy_testing::wait;
use tarsy_tests::{Alert, Role, SOON};

use super::{course, fleet, is_periodic, kinds};

/// Passes by course, process and point.
pub(super) type Passes = BTreeMap<((&'static str, usize), Role, String), usize>;

/// Counts the passes of each point in its chain.
pub(super) async fn counted(sweeps: &[(String, Role)]) -> Passes {
    let courses: BTreeSet<_> = sweeps
        .iter()
        .map(|(name, role)| course(name, *role))
        .collect();
    let runs = join_all(courses.into_iter().map(run)).await;
    runs.into_iter().flatten().collect()
}

/// Returns the passes of a point by processes of this role.
pub(super) fn count(passes: &Passes, name: &str, role: Role) -> usize {
    if is_periodic(name) {
        return 1;
    }
    let key = (course(name, role), role, name.to_owned());
    passes.get(&key).copied().unwrap_or_default()
}

/// Runs a chain of one course to its end, then ends all processes.
async fn run(course: (&'static str, usize)) -> Passes {
    let (kind, mut posts) = course;
    let fleet = fleet().await;
    let folder = tempfile::tempdir().unwrap();
    let logs = [
        (Role::Ingest, "ingest-api"),
        (Role::Chain, "chain-worker"),
        (Role::Stage, "stage-worker"),
    ];
    let logging = |name: &str| {
        let log = folder.path().join(name);
        fleet
            .program(name)
            .env("TARSY_CRASH_LOG", log.display().to_string())
    };
    let ingest = fleet.ingest_with(logging("ingest-api")).await;
    let workers = ["chain-worker", "stage-worker"].map(|name| logging(name).start().unwrap());
    let alert = Alert::new(kind);
    let (mut session, mut polled) = (None, 0);
    wait::until("the chain's end", SOON, async || {
        if posts > 0
            && let Some(accepted) = fleet.try_post(&ingest.url, &alert).await
        {
            session = Some(accepted);
            posts -= 1;
        }
        let Some(session) = session else { return false };
        if kind == kinds::ALERT {
            kinds::release_helper(&fleet).await;
            kinds::approve(&fleet.rows, &ingest.url, session, false, &mut polled).await;
        }
        posts == 0 && fleet.rows.session(session).await.status == "completed"
    })
    .await;
    for process in workers.iter().chain([&ingest.process]) {
        end(process).await;
    }
    let mut passes = Passes::new();
    for (role, name) in logs {
        let log = fs::read_to_string(folder.path().join(name)).unwrap();
        for point in log.lines() {
            *passes.entry((course, role, point.to_owned())).or_default() += 1;
        }
    }
    drop((workers, ingest));
    fleet.remove().await;
    passes
}

/// Ends a process. Its last points are after the chain's last commit.
async fn end(process: &Process) {
    process.terminate();
    let status = process.ended(SOON).await;
    assert!(status.success(), "{status}");
}
