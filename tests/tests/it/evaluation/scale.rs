//! `tarsy eval run` with many cases. The same seed gives the same report, even if workers are killed again and again.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tarsy_eval::{Case, lint};
use tarsy_testing::fake_llm::{Behaviour, FakeAnswer, FakeLlm, SeenRequest};
use tarsy_testing::process::{Process, Program, binary};
use tarsy_testing::wait;
use tarsy_tests::SOON;

use super::{Evaluation, cases, expert, generated, right_of};

const SEED: u64 = 41;
/// Maximum duration of 200 scripted cases on two cores.
const MOST: Duration = Duration::from_secs(180);

/// When workers are killed. `next` waits for the next kill; `false`: the run has ended.
enum Kills {
    /// After this many further model calls.
    Questions(usize),
    /// After this time.
    Every(Duration),
}

impl Kills {
    async fn next(&self, llm: &FakeLlm, run: &Process) -> bool {
        let asked = llm.count();
        let started = Instant::now();
        let is_due = async || {
            !run.is_running()
                || match self {
                    Self::Questions(number) => llm.count() - asked >= *number,
                    Self::Every(time) => started.elapsed() >= *time,
                }
        };
        wait::until("the next kill, or the end", SOON, is_due).await;
        run.is_running()
    }
}

/// Starts an expert with a delay, so that kills hit running stages.
async fn slow_expert(cases: Vec<Case>, delay_ms: u64) -> FakeLlm {
    let answer = move |request: &SeenRequest| match expert(&cases, request) {
        Behaviour::Answer(answer) => Behaviour::Answer(FakeAnswer { delay_ms, ..answer }),
        other => other,
    };
    FakeLlm::start(answer).await.unwrap()
}

/// Returns the repository's cases and generated ones, `number` in total, with their folders.
fn folders(folder: &Path, number: usize) -> (Vec<PathBuf>, Vec<Case>) {
    let own = Case::read_all(&[cases()]).unwrap().len();
    let made = folder.join("generated");
    generated::write(&made, SEED, number.saturating_sub(own));
    let mut folders = vec![made];
    if number > own {
        folders.push(cases());
    } else {
        generated::write(&folders[0], SEED, number);
    }
    let all = Case::read_all(&folders).unwrap();
    assert_eq!(all.len(), number);
    (folders, all.into_iter().map(|(_, case)| case).collect())
}

/// A worker of a fleet that can be killed and started again.
struct Worker {
    program: Program,
    process: Process,
}

impl Worker {
    fn start(name: &str, evaluation: &Evaluation, config: &Path) -> Self {
        let program = evaluation.environment(Program::new(name));
        let program = program
            .env("DATABASE_URL", evaluation.db.url())
            .env("AGENT_CONFIG_FILE", config)
            .env("TARSY_OPS_LISTEN", "127.0.0.1:0")
            .env("TARSY_STAGE_CONCURRENCY", "4");
        let process = program.start().unwrap();
        Self { program, process }
    }

    fn kill(&mut self) {
        self.process.kill();
        self.process = self.program.start().unwrap();
    }
}

/// Runs the cases with a separate chain worker and two stage workers, one of which is killed repeatedly. Returns the
/// report and the number of kills.
async fn run_with_kills(
    folders: &[PathBuf],
    llm: &FakeLlm,
    output: &Path,
    kills: &Kills,
) -> (String, usize) {
    let evaluation = Evaluation::new(llm, output, "").await;
    // The run starts only the API. `tarsy up` would work too, but hide that no other worker runs the stages.
    let api = output.with_extension("sh");
    fs::write(
        &api,
        format!("#!/bin/sh\nexec {}\n", binary("ingest-api").display()),
    )
    .unwrap();
    fs::set_permissions(&api, fs::Permissions::from_mode(0o755)).unwrap();
    let run = evaluation.program(folders, 8).arg("--program").arg(&api);
    let run = run.start().unwrap();
    let config = output.join("agents.yaml");
    wait::until("the configuration", SOON, async || config.exists()).await;
    let names = ["stage-worker", "chain-worker", "stage-worker"];
    let mut workers = names.map(|name| Worker::start(name, &evaluation, &config));
    let mut killed = 0;
    while kills.next(llm, &run).await {
        workers[killed % 3].kill();
        killed += 1;
    }
    let status = run.ended(SOON).await;
    assert!(status.success(), "{status}");
    (
        fs::read_to_string(output.join("report.md")).unwrap(),
        killed,
    )
}

#[test]
fn a_seed_gives_the_same_cases_and_they_measure_something() {
    let folder = tempfile::tempdir().unwrap();
    let [first, again, other] = ["first", "again", "other"].map(|name| folder.path().join(name));
    generated::write(&first, SEED, 153);
    generated::write(&again, SEED, 153);
    generated::write(&other, SEED + 1, 153);
    let read = |folder: &Path| -> Vec<Case> {
        let cases = Case::read_all(&[folder.to_owned()]).unwrap();
        cases.into_iter().map(|(_, case)| case).collect()
    };
    assert_eq!(read(&first), read(&again));
    assert_ne!(read(&first)[0].alert, read(&other)[0].alert);
    let findings: Vec<_> = read(&first).iter().flat_map(lint).collect();
    assert!(findings.is_empty(), "{findings:#?}");
    let healthy = read(&first)
        .iter()
        .filter(|case| case.truth.healthy)
        .count();
    assert!((10..40).contains(&healthy), "{healthy}");
}

/// Runs `number` cases twice: undisturbed with `tarsy up`, and with workers that are killed.
#[expect(clippy::print_stdout, reason = "the figures are the point")]
async fn the_report_is_the_same(number: usize, delay_ms: u64, kills: Kills, least_kills: usize) {
    let folder = tempfile::tempdir().unwrap();
    let (folders, all) = folders(folder.path(), number);
    let llm = slow_expert(all, delay_ms).await;
    let calm = folder.path().join("calm");
    let started = Instant::now();
    let run = Evaluation::new(&llm, &calm, "").await;
    let status = run.program(&folders, 8).start().unwrap().ended(MOST).await;
    let took = started.elapsed();
    assert!(status.success(), "{status}");
    let report = fs::read_to_string(calm.join("report.md")).unwrap();
    assert!(report.contains(&right_of(number)), "{report}");

    let started = Instant::now();
    let (again, killed) =
        run_with_kills(&folders, &llm, &folder.path().join("killed"), &kills).await;
    println!(
        "{number} cases: {took:.1?} in peace; {:.1?} with {killed} kills",
        started.elapsed()
    );
    assert!(killed >= least_kills, "{killed} kills");
    assert_eq!(again, report);
}

#[tokio::test(flavor = "multi_thread")]
async fn forty_cases_have_the_same_report_when_workers_are_killed() {
    the_report_is_the_same(40, 20, Kills::Questions(20), 3).await;
}

/// `cargo xtask test --only rust` skips it. docs/EVALUATION.md has the command.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes minutes: 200 cases, twice"]
async fn two_hundred_cases_have_the_same_report_when_workers_are_killed_every_ten_seconds() {
    the_report_is_the_same(200, 300, Kills::Every(Duration::from_secs(10)), 2).await;
}
