//! Builds a stage worker from the configuration.

use std::path::PathBuf;
use std::sync::Arc;

use tarsy_boot::Process;
use tarsy_config::Config;
use tarsy_masking::{Masker, Problem};
use tarsy_queue::{Advertised, Connections, Waker};
use tokio::sync::watch;

use crate::agents::AgentRunner;
use crate::answers::Answers;
use crate::configuration::Configurations;
use crate::records::Records;
use crate::service::StageService;
use crate::setup::StageSetup;

/// Reason why a stage worker can't be built from a valid configuration.
#[expect(missing_docs, reason = "the messages name the fields")]
#[derive(Debug, thiserror::Error)]
pub enum AssembleError {
    /// No database is configured.
    #[error(transparent)]
    Boot(#[from] tarsy_boot::Error),
    /// A provider cannot work as configured.
    #[error(transparent)]
    Provider(#[from] tarsy_llm::InvalidSettings),
    /// A provider's certificate file can't be read.
    #[error("failed to read the certificate file {} of provider `{provider}`", path.display())]
    CaFile {
        provider: String,
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    /// An MCP server cannot work as configured.
    #[error(transparent)]
    Server(#[from] tarsy_mcp::Error),
    /// A masking section cannot work as configured.
    #[error("invalid masking settings of `{of}`: {reasons}")]
    Masking { of: String, reasons: String },
}

impl AssembleError {
    pub(crate) fn masking(of: &str, problems: &[Problem]) -> Self {
        let reasons: Vec<&str> = problems.iter().map(|p| p.message.as_str()).collect();
        Self::Masking {
            of: of.to_owned(),
            reasons: reasons.join("; "),
        }
    }
}

/// Builds the stage worker of a process. It follows reloads of the configuration.
///
/// # Errors
///
/// [`AssembleError`].
pub fn service(process: &mut Process, waker: Waker) -> Result<StageService, AssembleError> {
    tarsy_mcp::adopt_orphans();
    let connections = process.connections.clone();
    let records = Records::new(&connections, &waker);
    let shared_waker = waker.clone();
    let streams = process.settings.stage_worker.stream_answers;
    let answers = streams.then(|| Answers::start(&connections, &waker));
    let prepare = move |config: &Arc<Config>| {
        setup(
            config,
            &records,
            &connections,
            &shared_waker,
            answers.as_ref(),
        )
    };
    let first = prepare(&process.config)?;
    let (advertised, advertisements) = watch::channel(first.advertised.clone());
    let (setups, current) = watch::channel(Arc::new(first));
    process.on_reload(move |config| {
        let setup = prepare(config)?;
        let (advertised, setups) = (advertised.clone(), setups.clone());
        Ok(Box::new(move || {
            // Replace the setup before advertising it, so that claimed jobs can run.
            let offered = setup.advertised.clone();
            setups.send_replace(Arc::new(setup));
            advertised.send_replace(offered);
        }))
    });
    Ok(StageService {
        connections: process.connections.clone(),
        direct_url: process.direct_url()?,
        pools: process.settings.stage_worker.pools.clone(),
        advertised: advertisements,
        slots: process.settings.stage_worker.concurrency,
        queue: process.settings.queue.clone(),
        setup: current,
        waker,
    })
}

/// Builds the setup of this worker from a configuration.
fn setup(
    config: &Arc<Config>,
    records: &Records,
    connections: &Connections,
    waker: &Waker,
    answers: Option<&Answers>,
) -> Result<StageSetup, AssembleError> {
    let alert_masker = Masker::new(&config.alert_masking)
        .map_err(|problems| AssembleError::masking("alerts", &problems))?;
    let runner = AgentRunner {
        config: Arc::clone(config),
        providers: crate::providers::providers(config)?,
        servers: crate::servers::servers(config)?,
        alert_masker: Arc::new(alert_masker),
        guardrails: tarsy_config::Guardrails::from_config(config),
        configurations: Configurations::default(),
        records: records.clone(),
        connections: connections.clone(),
        waker: waker.clone(),
        answers: answers.cloned(),
    };
    Ok(StageSetup {
        plans: config.stage_plans(),
        spending: config.spending.clone(),
        runner: Arc::new(runner),
        advertised: Advertised {
            offers: Some(config.offers()),
            config_hash: Some(config.hash.clone()),
        },
    })
}
