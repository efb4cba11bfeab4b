//! `cargo xtask eval`: evaluates a small local model on recorded incidents.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use crate::server::Server;
use crate::tools::{LocalModel, local_model};
use crate::{interrupt, shell, terminal, workspace};

/// Cases of this repository.
const CASES: &str = "shared/eval/cases";
/// Script that serves the model.
const SERVE: &str = "tests/eval/serve_model.py";
/// Timeout for loading the model.
const LOADING: Duration = Duration::from_secs(180);
/// Timeout of a health check.
const HEALTH: Duration = Duration::from_secs(5);
/// Context window in tokens: prompt and answer together.
const CONTEXT: &str = "16384";

/// Evaluate a small local model on recorded incidents; downloads 1.2 GB once.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Cases, or folders of cases [default: those of this repository]
    cases: Vec<PathBuf>,
    /// Maximum number of cases to run, in order of their names
    #[arg(long)]
    limit: Option<usize>,
    /// Strategy of the investigating agent: react or regular
    #[arg(long, default_value = "react")]
    strategy: String,
    /// Folder for sessions and report; an interrupted run resumes from it
    #[arg(long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Program to run the fleet with instead of this `tarsy`, e.g. an older version
    #[arg(long, value_name = "PROGRAM")]
    program: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    shell::run(workspace::cargo().args(["build", "--package", "tarsy-cli"]))?;
    let output = match &arguments.output {
        Some(folder) => std::path::absolute(folder)?,
        None => workspace::target().join("eval"),
    };
    std::fs::create_dir_all(&output)
        .with_context(|| format!("cannot create {}", output.display()))?;
    terminal::heading("Model");
    let server = ModelServer::start(&local_model()?, &output)?;
    let config = output.join("provider.yaml");
    std::fs::write(&config, server.provider())
        .with_context(|| format!("cannot write {}", config.display()))?;

    terminal::heading("Cases");
    let database = Server::lasting(&output.join("postgres"))?;
    let mut run = Command::new(workspace::binary("debug", "tarsy"));
    run.args([
        "eval",
        "run",
        "--parallel",
        "1",
        "--strategy",
        &arguments.strategy,
    ])
    .arg("--output")
    .arg(&output)
    .arg("--config")
    .arg(&config)
    .args(["--database-url", &database.url("postgres")])
    .current_dir(workspace::root());
    if let Some(limit) = arguments.limit {
        run.args(["--limit", &limit.to_string()]);
    }
    if let Some(program) = &arguments.program {
        run.arg("--program").arg(program);
    }
    match arguments.cases.as_slice() {
        [] => run.arg(CASES),
        cases => run.args(cases),
    };
    let status = run.status().context("cannot run tarsy")?;
    Ok(match status.success() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}

/// Model server, stopped when dropped.
struct ModelServer {
    process: Child,
    address: SocketAddr,
}

impl ModelServer {
    fn start(model: &LocalModel, folder: &Path) -> Result<Self> {
        let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = free.local_addr()?;
        drop(free);
        let log = File::create(folder.join("model.log"))?;
        let process = Command::new(&model.python)
            .arg(workspace::root().join(SERVE))
            .arg(&model.weights)
            .args([&address.port().to_string(), CONTEXT])
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            .spawn()
            .context("cannot start the model's server")?;
        let mut server = Self { process, address };
        terminal::info("loading the model");
        let started = Instant::now();
        while !server.is_healthy() {
            if let Some(status) = server.process.try_wait()? {
                bail!(
                    "the model's server has ended ({status}); see {}",
                    folder.join("model.log").display()
                );
            }
            if started.elapsed() > LOADING || interrupt::wait_for(Duration::from_millis(500)) {
                bail!(
                    "the model's server is not ready; see {}",
                    folder.join("model.log").display()
                );
            }
        }
        Ok(server)
    }

    fn is_healthy(&self) -> bool {
        let ask = || -> std::io::Result<String> {
            let mut stream = TcpStream::connect_timeout(&self.address, HEALTH)?;
            stream.set_read_timeout(Some(HEALTH))?;
            stream.write_all(b"GET /health HTTP/1.0\r\n\r\n")?;
            let mut answer = String::new();
            stream.read_to_string(&mut answer)?;
            Ok(answer)
        };
        ask().is_ok_and(|answer| answer.contains("200 OK"))
    }

    /// Returns the configuration with this server as provider.
    fn provider(&self) -> String {
        let address = self.address;
        format!(
            "llm_providers:\n  local:\n    type: openai\n    model: qwen2.5-coder-1.5b-instruct\n    base_url: http://{address}/v1\n    \
             context_window: {CONTEXT}\n    max_tokens: 1024\n    temperature: 0\n    timeout: 10m\n    first_token_timeout: 9m\n\
             default_llm_provider: local\nlimits: {{stage_timeout: 40m, llm_call_timeout: 10m, max_iterations: 12}}\n"
        )
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}
