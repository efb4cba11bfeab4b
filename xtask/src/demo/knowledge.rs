//! `cargo xtask demo --knowledge`: five questions to the knowledge store. One of them runs a command on a host.

mod model;
mod sshd;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;
use tarsy_testing::fake_llm::{FakeLlm, WireFormat};
use tarsy_testing::process::Program;

use super::fleet::Fleet;
use super::{Arguments, operator, provider, tarsy};
use crate::server::Server;
use crate::{interrupt, shell, terminal, tools, workspace};

/// Configuration of this demo.
const CONFIG: &str = "config/knowledge-demo.yaml";

/// The questions of one conversation, each with the source that its answer must cite.
const QUESTIONS: [(&str, &str); 5] = [
    (
        "What does TC-10042 test, and what is expected?",
        "test_cases",
    ),
    (
        "Which test covers the SMART predictive failure alert?",
        "test_cases",
    ),
    ("How many hosts are broken, by rack?", "sql"),
    ("Which hosts had a reset by the watchdog?", "system_logs"),
    ("Which kernel does lab-01 run at the moment?", "live"),
];

pub(super) fn run(arguments: &Arguments, data: &Path) -> Result<ExitCode> {
    let server = Server::lasting(&data.join("postgres"))?;
    let database = server.url("postgres");
    shell::run(tarsy(&database).arg("migrate")).context("the database could not be migrated")?;

    terminal::heading("Knowledge");
    let reader = reader_url(&database)?;
    let model = model_of_vectors();
    load(&database, &reader, &model, &data.join("collections"))?;

    terminal::heading("Host");
    let (_sshd, hosts) = sshd::start(data)?;
    terminal::info("lab-01 is an SSH server of this machine, with keys made for it");

    terminal::heading("Fleet");
    let runtime = tokio::runtime::Runtime::new()?;
    let llm = runtime.block_on(FakeLlm::start(model::answer))?;
    let provider = provider::choose();
    let name = match &provider {
        provider::Provider::Scripted => "scripted-demo",
        provider::Provider::Real { name, .. } => name,
    };
    terminal::info(&provider.explanation());
    let program = workspace::binary("debug", "tarsy").display().to_string();
    let configure = |process: Program| {
        process
            .env("AGENT_CONFIG_FILE", workspace::root().join(CONFIG))
            .env("DEFAULT_LLM_PROVIDER", name)
            .env("TARSY_DEMO_PROGRAM", &program)
            .env("TARSY_DEMO_READER_URL", &reader)
            .env("TARSY_DEMO_EMBED_PATH", &model)
            .env("TARSY_DEMO_SSH", &hosts)
            .env("TARSY_DEMO_LLM_KEY", "none")
            .env("TARSY_DEMO_LLM_URL", llm.base_url(WireFormat::OpenAi))
    };
    let fleet = Fleet::start_with(&database, &data.join("logs"), arguments.port, configure)?;

    terminal::heading("Questions");
    let outcome = ask_all(&database, &fleet, arguments.once);
    if let Err(error) = &outcome {
        terminal::failure(error);
        fleet.print_logs_of_exited();
    }
    if !arguments.once && !interrupt::is_requested() {
        let url = fleet.url();
        terminal::info(&format!(
            "ask more: TARSY_URL={url} target/debug/tarsy ask --knowledge \"..\"; the fleet stays up, Ctrl-C ends it"
        ));
        interrupt::wait();
    }
    terminal::info("draining the fleet");
    fleet.stop()?;
    server.stop()?;
    Ok(match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    })
}

/// Returns the URL of the same database with the read-only login for SQL questions.
fn reader_url(database: &str) -> Result<String> {
    let (scheme, rest) = database.split_once("://").context("no database URL")?;
    let (_, place) = rest.split_once('@').unwrap_or(("", rest));
    Ok(format!("{scheme}://demo_reader:demo@{place}"))
}

/// Returns the folder of the local embedding model, or an empty path if it can't be fetched.
fn model_of_vectors() -> PathBuf {
    match tools::minilm() {
        Ok(folder) => {
            terminal::info(
                "hybrid search: words, and vectors of all-MiniLM-L6-v2, computed here (the first load takes a minute)",
            );
            folder
        }
        Err(error) => {
            terminal::info(&format!(
                "search by words alone: all-MiniLM-L6-v2 could not be fetched ({error:#})"
            ));
            PathBuf::new()
        }
    }
}

fn load(database: &str, reader: &str, model: &Path, folder: &Path) -> Result<()> {
    let knowledge = |arguments: &[&str]| {
        let mut command = tarsy(database);
        command
            .env("TARSY_KNOWLEDGE_READER_URL", reader)
            .env("TARSY_KNOWLEDGE_EMBED_PATH", model)
            .arg("knowledge")
            .args(arguments);
        shell::run(&mut command)
    };
    let files = folder.display().to_string();
    knowledge(&["enable"])?;
    knowledge(&["demo", &files])?;
    for (file, collection) in [
        ("test_cases.csv", "test_cases"),
        ("system_logs.jsonl", "system_logs"),
    ] {
        let (file, mapping) = (
            format!("{files}/{file}"),
            format!("{files}/{collection}.mapping.yaml"),
        );
        knowledge(&[
            "load",
            &file,
            "--collection",
            collection,
            "--mapping",
            &mapping,
            "--rejects",
            &files,
        ])?;
    }
    Ok(())
}

fn ask_all(database: &str, fleet: &Fleet, approves: bool) -> Result<()> {
    let mut conversation: Option<String> = None;
    for (question, source) in QUESTIONS {
        println!("\n> {question}");
        let answer = ask(database, fleet, question, conversation.as_deref(), approves)?;
        ensure!(
            answer["supported"] == true,
            "no answer that a record supports: {answer}"
        );
        let text = answer["text"]
            .as_str()
            .context("an answer without a text")?;
        println!("{text}");
        let citations = answer["citations"]
            .as_array()
            .context("an answer without citations")?;
        let cites = |citation: &Value| citation["id"] == source || citation["collection"] == source;
        ensure!(
            citations.iter().any(cites),
            "the answer does not cite {source}: {answer}"
        );
        conversation = conversation.or(answer["session_id"].as_str().map(str::to_owned));
    }
    Ok(())
}

/// Asks with `tarsy ask`. If a scripted operator is wanted, it approves requests meanwhile.
fn ask(
    database: &str,
    fleet: &Fleet,
    question: &str,
    conversation: Option<&str>,
    approves: bool,
) -> Result<Value> {
    let client = || -> Command {
        let mut command = tarsy(database);
        command.env("TARSY_URL", fleet.url());
        command
    };
    let mut command = client();
    command.args(["ask", "--knowledge", question, "--json"]);
    if let Some(conversation) = conversation {
        command.args(["--conversation", conversation]);
    }
    // Use a file and not a pipe, because the output is only read after the process has ended.
    let output = tempfile::NamedTempFile::new()?;
    let mut running = command
        .stdin(Stdio::null())
        .stdout(output.reopen()?)
        .spawn()
        .context("cannot run `tarsy ask`")?;
    let status = match approves {
        true => operator::approve_until_ended(&mut running, client)?,
        false => running.wait()?,
    };
    ensure!(!interrupt::is_requested(), "interrupted");
    let printed = fs::read_to_string(output.path())?;
    let answer = printed
        .lines()
        .find_map(|line| serde_json::from_str(line).ok());
    answer.with_context(|| format!("`tarsy ask` gave no answer ({status})"))
}
