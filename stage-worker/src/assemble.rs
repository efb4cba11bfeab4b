//! Builds a stage worker from the configuration.

use std::path::PathBuf;
use std::sync::Arc;

use tarsy_boot::Process;
use tarsy_masking::{Masker, Problem};
use tarsy_queue::Waker;

use crate::agents::AgentRunner;
use crate::configuration::Configurations;
use crate::records::Records;
use crate::service::StageService;

/// Why a configuration that reads well still gives no stage worker.
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
        /// Name of the provider.
        provider: String,
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// An MCP server cannot work as configured.
    #[error(transparent)]
    Server(#[from] tarsy_mcp::Error),
    /// A masking section cannot work as configured.
    #[error("invalid masking settings of `{of}`: {reasons}")]
    Masking {
        /// Server id, or `alerts`.
        of: String,
        /// All reasons.
        reasons: String,
    },
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

/// The stage worker that a process's configuration describes.
///
/// # Errors
///
/// [`AssembleError`].
pub fn service(process: &Process, waker: Waker) -> Result<StageService, AssembleError> {
    let alert_masker = Masker::new(&process.config.alert_masking)
        .map_err(|problems| AssembleError::masking("alerts", &problems))?;
    let runner = AgentRunner {
        config: Arc::clone(&process.config),
        providers: crate::providers::providers(&process.config)?,
        servers: crate::servers::servers(&process.config)?,
        alert_masker,
        configurations: Configurations::default(),
        records: Records::new(&process.connections, &waker),
        connections: process.connections.clone(),
        waker: waker.clone(),
    };
    Ok(StageService {
        connections: process.connections.clone(),
        direct_url: process.direct_url()?,
        pools: process.settings.stage_worker.pools.clone(),
        offers: Some(process.config.offers()),
        slots: process.settings.stage_worker.concurrency,
        queue: process.settings.queue.clone(),
        plans: process.config.stage_plans(),
        runner: Arc::new(runner),
        waker,
    })
}
