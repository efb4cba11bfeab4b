//! `tarsy eval run` on the cases of this repository, with a scripted model that acts like an expert.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod budget;
mod diagnose;
mod generated;
mod judge;
mod scale;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tarsy_eval::Case;
use tarsy_testing::fake_llm::{Behaviour, FakeLlm, SeenRequest, WireFormat};
use tarsy_testing::process::{Process, Program};
use tarsy_testing::{TestDb, wait};
use tarsy_tests::{Fleet, SOON, scene};

fn cases() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/eval/cases")
}

/// Whether a question is about this case, because it contains all texts of the alert.
fn is_about(request: &SeenRequest, case: &Case) -> bool {
    let texts = case.alert.as_object().unwrap().values();
    texts
        .into_iter()
        .all(|text| request.contains(text.as_str().unwrap()))
}

/// The expert makes the calls of the case's path, then states the facts.
fn expert(cases: &[Case], request: &SeenRequest) -> Behaviour {
    // A service's name may begin with the name of another case's service, so take the longest match.
    let about = cases.iter().filter(|case| is_about(request, case));
    let case = about
        .max_by_key(|case| case.alert.to_string().len())
        .unwrap();
    assert!(
        !request.contains(&case.id),
        "the id of {} may give its cause away",
        case.id
    );
    let path = &case.truth.path;
    let text = match path.get(request.assistant_turns()) {
        Some(tool) => {
            let record = case
                .records
                .iter()
                .find(|record| record.tool == *tool)
                .unwrap();
            let arguments = serde_json::to_string(&record.args).unwrap();
            format!("Thought: next\nAction: {tool}\nAction Input: {arguments}")
        }
        None if case.truth.healthy => {
            "Thought: done\nFinal Answer: Nothing is wrong: the service is healthy.".to_owned()
        }
        None => {
            let facts: Vec<&str> = case
                .truth
                .facts
                .iter()
                .map(|fact| fact.0[0].as_str())
                .collect();
            format!("Thought: done\nFinal Answer: {}", facts.join(". "))
        }
    };
    Behaviour::text(text)
}

async fn model() -> FakeLlm {
    let cases = Case::read_all(&[cases()]).unwrap();
    let cases: Arc<[Case]> = cases.into_iter().map(|(_, case)| case).collect();
    FakeLlm::start(move |request: &SeenRequest| expert(&cases, request))
        .await
        .unwrap()
}

/// Environment of an evaluation: a database, and a configuration with a scripted model.
struct Evaluation {
    db: TestDb,
    config: PathBuf,
    output: PathBuf,
}

impl Evaluation {
    /// Creates the environment. `keys` is added to the configuration.
    async fn new(llm: &FakeLlm, output: &Path, keys: &str) -> Self {
        let config = output.with_extension("yaml");
        let url = llm.base_url(WireFormat::OpenAi);
        let provider = format!(
            "llm_providers: {{fake: {{type: openai, model: fake-1, api_key_env: TARSY_TEST_LLM_KEY, base_url: \"{url}\"}}}}\ndefault_llm_provider: fake\n{keys}"
        );
        fs::write(&config, provider).unwrap();
        Self {
            db: TestDb::new().await,
            config,
            output: output.to_owned(),
        }
    }

    /// Sets the variables that its processes share.
    fn environment(&self, program: Program) -> Program {
        program
            .env("TARSY_TEST_LLM_KEY", "not-a-secret")
            .env("DATABASE_MAX_CONNECTIONS", "5")
            .env("TARSY_LEASE_TTL", "2s")
    }

    /// Returns the program that evaluates these cases, not started yet.
    fn program(&self, cases: &[PathBuf], parallel: u32) -> Program {
        let program = self
            .environment(Program::new("tarsy"))
            .env("TARSY_EVAL_DATABASE_URL", self.db.url())
            // Settings of the caller's own fleet, which an evaluation must not use.
            .env("HISTORY_DATABASE_URL", "postgres://localhost:1/production")
            .env("DATABASE_DIRECT_URL", "postgres://localhost:1/production")
            .env("TARSY_AUTH", "on")
            .env("TARSY_STAGE_POOLS", "gpu")
            .arg("eval")
            .arg("run");
        let program = cases.iter().fold(program, Program::arg);
        program
            .arg("--output")
            .arg(&self.output)
            .arg("--config")
            .arg(&self.config)
            .arg("--parallel")
            .arg(parallel.to_string())
    }
}

impl Evaluation {
    /// Returns the program that asks the model, as a judge, about the answers of a run.
    fn judge(&self, cases: &Path) -> Program {
        let program = self.environment(Program::new("tarsy"));
        let program = ["eval", "judge"].iter().fold(program, Program::arg);
        let program = program.arg(&self.output).arg(cases);
        program
            .arg("--config")
            .arg(&self.config)
            .arg("--provider")
            .arg("fake")
    }
}

/// A running evaluation.
pub(crate) struct Run {
    pub(crate) process: Process,
    _evaluation: Evaluation,
}

async fn start(llm: &FakeLlm, output: &Path) -> Run {
    start_on(&cases(), "", llm, output).await
}

/// Starts the evaluation of these cases. `keys` is added to the configuration.
pub(crate) async fn start_on(cases: &Path, keys: &str, llm: &FakeLlm, output: &Path) -> Run {
    let evaluation = Evaluation::new(llm, output, keys).await;
    Run {
        process: evaluation.program(&[cases.to_owned()], 8).start().unwrap(),
        _evaluation: evaluation,
    }
}

/// Start of the line in a report if all cases of a run are right.
fn right_of(number: usize) -> String {
    format!("| cases right | {number} of {number} ")
}

/// Returns the process id of the fleet that a run has started. The kernel lists a child under the thread that started
/// it.
fn fleet_of(run: u32) -> Option<u32> {
    let threads = fs::read_dir(format!("/proc/{run}/task")).ok()?;
    threads.flatten().find_map(|thread| {
        let children = fs::read_to_string(thread.path().join("children")).ok()?;
        children.split_whitespace().next()?.parse().ok()
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn an_expert_is_right_in_all_cases_also_when_its_fleet_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let llm = model().await;
    let (calm, killed) = (folder.path().join("calm"), folder.path().join("killed"));

    let run = start(&llm, &calm).await;
    let status = run.process.ended(SOON * 4).await;
    assert!(status.success(), "{status}");
    let report = fs::read_to_string(calm.join("report.md")).unwrap();
    assert!(report.contains(&right_of(47)), "{report}");
    assert!(
        report.contains("| false alarms on healthy cases | 0 of 10 |"),
        "{report}"
    );

    let asked = llm.count();
    let run = start(&llm, &killed).await;
    for number in 1..=3 {
        wait::until("the fleet to ask the model", SOON, async || {
            llm.count() > asked + 30 * number
        })
        .await;
        let fleet = fleet_of(run.process.id()).unwrap();
        let killing = std::process::Command::new("kill")
            .args(["-9", &fleet.to_string()])
            .status();
        assert!(killing.unwrap().success(), "kill {number}");
        wait::until("another fleet", SOON, async || {
            fleet_of(run.process.id()).is_some_and(|next| next != fleet)
                || !run.process.is_running()
        })
        .await;
    }
    let status = run.process.ended(SOON * 4).await;
    assert!(status.success(), "{status}");
    let again = fs::read_to_string(killed.join("report.md")).unwrap();
    assert_eq!(again, report);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_with_cases_is_also_printed_as_json() {
    let folder = tempfile::tempdir().unwrap();
    let case = serde_json::json!({"id": "empty", "alert": {}, "records": [], "truth": {}});
    fs::write(folder.path().join("empty.json"), case.to_string()).unwrap();
    let lint = Program::new("tarsy")
        .arg("eval")
        .arg("lint")
        .arg(folder.path())
        .arg("--json")
        .start()
        .unwrap();
    let line = lint.printed("[", SOON).await;
    let found: Vec<serde_json::Value> = serde_json::from_str(&line).unwrap();
    assert_eq!(found[0]["case"], "empty", "{line}");
    assert!(!lint.ended(SOON).await.success());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_of_a_fleet_is_left_alone() {
    let fleet = Fleet::new(scene::play).await;
    let ingest = fleet.ingest().await;
    let session = fleet.submit(&ingest, "CheckoutDown").await;
    let folder = tempfile::tempdir().unwrap();
    let refused = Program::new("tarsy")
        .env("TARSY_EVAL_DATABASE_URL", fleet.database_url())
        .env("GEMINI_API_KEY", "not-a-secret")
        .arg("eval")
        .arg("run")
        .arg(cases())
        .arg("--output")
        .arg(folder.path().join("run"))
        .start()
        .unwrap();
    refused.printed("has sessions of a fleet", SOON).await;
    assert!(!refused.ended(SOON).await.success());
    assert!(fleet_of(refused.id()).is_none(), "no fleet was started");
    assert_eq!(
        fleet.rows.stages(session).await.len(),
        0,
        "no worker took its job"
    );
}
