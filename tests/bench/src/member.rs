//! A process of the measured fleet: the real services with an agent that does nothing.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use async_trait::async_trait;
use serde_json::json;
use tarsy_chain_worker::{ChainService, ChainSetup};
use tarsy_config::{
    AgentPlan, Config, Environment, Secret, Settings, Source, SpendingLimits, StagePlans,
};
use tarsy_model::Pool;
use tarsy_queue::{Advertised, Connections, StopSignal, Sweeper, Waker};
use tarsy_stage_worker::{StageEnd, StageRunner, StageService, StageSetup};
use tarsy_store::interactions::StageFence;
use tarsy_store::stages::BegunStage;
use tokio_util::sync::CancellationToken;

/// Options.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// URL of the database
    #[arg(long)]
    url: String,
    /// Run chain jobs
    #[arg(long)]
    chain: bool,
    /// Run stage jobs
    #[arg(long)]
    stage: bool,
    /// Maximum number of concurrent jobs
    #[arg(long, default_value_t = 50)]
    slots: usize,
    /// Maximum number of database connections
    #[arg(long, default_value_t = 8)]
    connections: u32,
    /// Duration of a stage, in milliseconds
    #[arg(long, default_value_t = 0)]
    stage_ms: u64,
}

/// A fake agent: needs round `0` and returns one kilobyte.
struct Idle(Duration);

#[async_trait]
impl StageRunner for Idle {
    async fn run(&self, _: &BegunStage, _: StageFence, stop: &StopSignal) -> StageEnd {
        if !self.0.is_zero() {
            tokio::select! {
                () = tokio::time::sleep(self.0) => {}
                _ = stop.stopped() => return StageEnd::Stopped,
            }
        }
        StageEnd::Completed {
            output: json!({"result": "x".repeat(1000)}),
        }
    }
}

pub(crate) async fn run(options: &Options) -> Result<()> {
    let environment = Environment::of_process();
    let Settings {
        queue,
        mut database,
        ..
    } = Settings::read(&environment)?;
    // Connections are opened in the same way as in the services.
    database.url = Some(Secret::new(options.url.clone()));
    database.max_connections = options.connections;
    let pool = tarsy_boot::connect(&database, "bench")?;
    let connections = Connections::shared(pool.clone());
    let waker = Waker::new(connections.clone());
    let (stop, hurry) = (CancellationToken::new(), CancellationToken::new());
    let config = Config::load(&Source::BuiltIn, &environment)?;
    // As in every process of the fleet.
    let sweeper = Sweeper::new(&options.url)?;
    let sweeping = stop.clone();
    tokio::spawn(async move { sweeper.run(&sweeping).await });
    let chain = async {
        if !options.chain {
            return Ok(());
        }
        let service = ChainService {
            connections: connections.clone(),
            direct_url: options.url.clone(),
            slots: options.slots,
            queue: queue.clone(),
            setup: ChainSetup {
                plans: StagePlans::default(),
                ..ChainSetup::new(&config, &pool, true)?
            }
            .fixed(),
            advertised: Advertised::default().fixed(),
            public_url: None,
            waker: waker.clone(),
        };
        service
            .run(stop.clone(), hurry.clone())
            .await
            .map_err(anyhow::Error::from)
    };
    let stage = async {
        if !options.stage {
            return Ok(());
        }
        let service = StageService {
            connections: connections.clone(),
            direct_url: options.url.clone(),
            pools: vec![Pool::default()],
            advertised: Advertised::default().fixed(),
            slots: options.slots,
            queue: queue.clone(),
            setup: StageSetup {
                plans: StagePlans {
                    agents: [("idle".to_owned(), AgentPlan::default())].into(),
                    ..StagePlans::default()
                },
                spending: SpendingLimits::default(),
                runner: Arc::new(Idle(Duration::from_millis(options.stage_ms))),
                advertised: Advertised::default(),
            }
            .fixed(),
            waker: waker.clone(),
        };
        service
            .run(stop.clone(), hurry.clone())
            .await
            .map_err(anyhow::Error::from)
    };
    tokio::try_join!(chain, stage)?;
    Ok(())
}
