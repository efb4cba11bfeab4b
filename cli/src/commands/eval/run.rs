//! `tarsy eval run`: runs cases in a separate fleet.

use std::collections::BTreeMap;
use std::fs;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use clap::builder::PossibleValuesParser;
use serde_json::{Value, json};
use sqlx::{Connection as _, PgConnection};
use tarsy_config::Variables;
use tarsy_eval::{Case, DiagnosisServer, ReplayServer, Settings};
use tarsy_mcp_server::{HttpOptions, ToolServer, serve_http};
use tokio::net::TcpListener;

use super::budget::Budget;
use super::configuration::{Entry, alert_type};
use super::fleet::Fleet;
use crate::client::{Client, Refused};
use crate::configuration::Configuration;
use crate::output::text;
use crate::server::Server;

/// Poll interval of the sessions.
const POLL_PAUSE: Duration = Duration::from_millis(500);
/// Polls without a response of the fleet after which this is printed.
const NOTICE_AFTER: u32 = 20;
/// Polls without a response of the fleet after which the run gives up, because the fleet does not start.
const MAX_SILENT_POLLS: u32 = 240;

/// Cases, and options of the run.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Cases, or folders of cases
    #[arg(required = true)]
    cases: Vec<PathBuf>,
    /// Folder for sessions and report; an interrupted run resumes from it
    #[arg(long, short)]
    output: PathBuf,
    /// Postgres database for evaluations only; never use the database of a fleet
    #[arg(long, env = "TARSY_EVAL_DATABASE_URL", hide_env_values = true)]
    database_url: String,
    #[command(flatten)]
    configuration: Configuration,
    /// Provider [default: the configuration's default]
    #[arg(long)]
    provider: Option<String>,
    /// Program that runs the fleet, e.g. another version [default: this one]
    #[arg(long)]
    program: Option<PathBuf>,
    /// Strategy of the investigating agent
    #[arg(long, default_value = "react", value_parser = PossibleValuesParser::new(["react", "regular"]))]
    strategy: String,
    /// Start each session with a diagnosis by the Kubernetes rules, as the built-in chain does; to see its effect,
    /// compare with a run without it
    #[arg(long)]
    diagnose: bool,
    /// Maximum number of concurrent sessions
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=200))]
    parallel: u32,
    /// Maximum number of cases to run, in order of their names
    #[arg(long)]
    limit: Option<usize>,
    /// Estimated cost after which no more cases start; running sessions finish
    #[arg(long, value_name = "USD", value_parser = super::budget::dollars)]
    budget: Option<f64>,
    /// Random seed for the report's confidence intervals
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

pub(super) async fn run(options: &Options, as_json: bool) -> Result<ExitCode> {
    let mut cases = super::read_cases(&options.cases)?;
    cases.truncate(options.limit.unwrap_or(usize::MAX));
    if cases.is_empty() {
        bail!("there are no cases in {}", options.cases[0].display());
    }
    let config = options.configuration.load(Variables::Optional)?;
    let provider = match &options.provider {
        Some(name) => config.provider(name),
        None => config.default_provider(),
    };
    let Some(provider) = provider else {
        bail!(
            "the configuration has no such provider; `tarsy upstreams` and `check-config` name those that it has"
        );
    };
    if options.budget.is_some() && config.price_of(provider).is_none() {
        bail!(
            "--budget needs a price: the model `{}` has none; set `prices` in the configuration",
            provider.model
        );
    }
    let own = options.configuration.text()?;
    let settings = Settings {
        configuration: Some(match own {
            Some(_) => config.hash.chars().take(12).collect(),
            None => "built-in".to_owned(),
        }),
        provider: provider.name.clone(),
        model: provider.model.clone(),
        strategy: options.strategy.clone(),
        diagnose: options.diagnose,
        seed: options.seed,
    };
    refuse_foreign(&options.database_url).await?;
    let folder = &options.output;
    let sessions = folder.join("sessions");
    fs::create_dir_all(&sessions).with_context(|| super::failed("create", &sessions))?;
    super::settings::keep(folder, &settings)?;
    let id = run_id(folder)?;

    let mut entries = Vec::new();
    for case in &cases {
        let url = serve(ReplayServer::new(case.clone())).await?;
        entries.push(Entry {
            case,
            url,
            diagnosis_url: match options.diagnose {
                true => Some(serve(DiagnosisServer::new(case)).await?),
                false => None,
            },
        });
    }
    let text =
        super::configuration::write(own.as_deref(), &provider.name, &options.strategy, &entries)?;
    let file = folder.join("agents.yaml");
    super::write(&file, &text)?;
    // The fleet resolves paths of the configuration, and its working directory is this one.
    let file = file
        .canonicalize()
        .with_context(|| super::failed("read", &file))?;
    let program = match &options.program {
        Some(program) => program.clone(),
        None => std::env::current_exe().context("failed to find this program")?,
    };
    let fleet = Fleet::start(
        program,
        &options.database_url,
        &file,
        folder,
        options.parallel,
    )?;
    let has_no_session = |case: &&Case| !super::session_file(folder, &case.id).exists();
    let mut run = Run {
        client: Client::new(&Server::local(&fleet.url))?,
        folder,
        id,
        waiting: cases.iter().filter(has_no_session).collect(),
        running: BTreeMap::new(),
        budget: Budget::new(options.budget, options.parallel, folder, &cases)?,
    };
    let done = run.drive(&fleet, cases.len()).await;
    let budget = run.budget;
    drop(fleet);
    done?;
    let (ran, left) = super::by_session(folder, cases);
    let notice = budget.exhausted_notice(ran.len(), left.len());
    let code = super::finish(folder, settings, ran, as_json)?;
    match notice {
        Some(notice) => bail!(notice),
        None => Ok(code),
    }
}

/// Refuses a database that a fleet uses, because that fleet has other agents and would take the evaluation's jobs.
async fn refuse_foreign(url: &str) -> Result<()> {
    let mut connection = PgConnection::connect(url)
        .await
        .context("the database of --database-url can't be reached")?;
    let is_migrated: bool = sqlx::query_scalar("select to_regclass('alert_sessions') is not null")
        .fetch_one(&mut connection)
        .await?;
    if !is_migrated {
        return Ok(());
    }
    let foreign = "select exists (select from alert_sessions where alert_type not like 'eval/%')";
    let is_foreign: bool = sqlx::query_scalar(foreign)
        .fetch_one(&mut connection)
        .await?;
    if is_foreign {
        bail!(
            "the database of --database-url has sessions of a fleet; an evaluation needs one of its own: `createdb tarsy_eval`"
        );
    }
    Ok(())
}

/// Returns the id of the run. Its alerts are sent under this id, so that a resumed run finds its sessions.
fn run_id(folder: &Path) -> Result<String> {
    let file = folder.join("run-id");
    if let Ok(id) = fs::read_to_string(&file) {
        return Ok(id);
    }
    let id = uuid::Uuid::now_v7().to_string();
    super::write(&file, &id)?;
    Ok(id)
}

/// Serves the tools of a case on a separate port.
async fn serve<S: ToolServer>(server: S) -> Result<String> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let address = listener.local_addr()?;
    tokio::spawn(async move {
        let served = serve_http(
            server,
            listener,
            HttpOptions::default(),
            std::future::pending(),
        );
        if let Err(error) = served.await {
            tracing::warn!(%error, "a tool server of the evaluation has ended");
        }
    });
    Ok(format!("http://{address}/mcp"))
}

/// A run: its cases, and what becomes of them.
struct Run<'c> {
    client: Client,
    folder: &'c Path,
    id: String,
    waiting: Vec<&'c Case>,
    /// Ids of sessions, by case.
    running: BTreeMap<&'c str, String>,
    budget: Budget,
}

impl Run<'_> {
    /// Submits the cases that have no session yet, and writes each session when it has ended.
    async fn drive(&mut self, fleet: &Fleet, cases: usize) -> Result<()> {
        let (mut silent, mut reported) = (0, 0);
        while !self.waiting.is_empty() || !self.running.is_empty() {
            tokio::time::sleep(POLL_PAUSE).await;
            silent = match self.submit_and_collect().await {
                Ok(()) => 0,
                // Only an unreachable or busy API is temporary. Other problems are permanent.
                Err(error) => match error.downcast_ref::<Refused>() {
                    Some(refused) if !refused.status.is_server_error() => return Err(error),
                    _ if silent >= MAX_SILENT_POLLS => {
                        let log = fleet.log.display();
                        return Err(error.context(format!("the fleet does not answer; see {log}")));
                    }
                    _ => {
                        if silent == NOTICE_AFTER {
                            let log = fleet.log.display();
                            eprintln!("the fleet does not answer yet; its log is {log}");
                        }
                        silent + 1
                    }
                },
            };
            let ended = cases - self.waiting.len() - self.running.len();
            if ended > reported {
                eprintln!("{ended} of {cases} sessions have ended");
                reported = ended;
            }
        }
        Ok(())
    }

    /// Submits waiting cases while the budget lasts, and stores sessions that have ended.
    async fn submit_and_collect(&mut self) -> Result<()> {
        if self.budget.is_reached() {
            self.waiting.clear();
        }
        while let Some(case) = self.waiting.last().copied()
            && self.budget.has_room(self.running.len())
        {
            let mut alert = json!({"alert_type": alert_type(case), "data": case.alert});
            if let Some(severity) = &case.severity {
                alert["severity"] = json!(severity);
            }
            let key = format!("{}/{}", self.id, case.id);
            let accepted = self
                .client
                .post_once("/alerts", alert.to_string(), &key)
                .await?;
            self.running
                .insert(&case.id, text(&accepted, "session_id").to_owned());
            self.waiting.pop();
        }
        for (case, id) in self.running.clone() {
            let path = format!("/api/v1/history/sessions/{id}");
            let session: Value = self.client.get_with(&path, &[("messages", "none")]).await?;
            self.budget.note(case, &session);
            if session["completed_at_us"].is_null() {
                continue;
            }
            let path = format!("{path}/export");
            let export = self.client.file(&path, &[("format", "json")]).await?;
            super::write(&super::session_file(self.folder, case), &export)?;
            self.running.remove(case);
        }
        Ok(())
    }
}
