//! The apalis backend: streams the jobs that the claim loop hands over.

use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use apalis_core::backend::finalize::Ephemeral;
use apalis_core::backend::{Backend, BackendConfig};
use apalis_core::task::Task;
use apalis_core::task::builder::TaskBuilder;
use apalis_core::task::task_id::TaskId;
use apalis_core::worker::context::WorkerContext;
use tokio::sync::mpsc;
use tower::layer::util::Identity;
use uuid::Uuid;

use crate::worker::claim_loop::Delivery;

/// Streams claimed jobs to apalis.
///
/// Errors of Postgres stay in the claim loop. This side never yields an error. It ends only when the claim loop has
/// stopped and has handed over all its jobs.
#[derive(Clone)]
pub(crate) struct JobBackend {
    jobs: Arc<Mutex<mpsc::UnboundedReceiver<Delivery>>>,
}

impl JobBackend {
    pub(crate) fn new(jobs: mpsc::UnboundedReceiver<Delivery>) -> Self {
        Self {
            jobs: Arc::new(Mutex::new(jobs)),
        }
    }
}

impl Backend for JobBackend {
    type Task = Task<Delivery>;
    type Error = Infallible;

    fn poll_ready(
        &mut self,
        _cx: &mut Context<'_>,
        _worker: &WorkerContext,
    ) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn poll_next(
        &mut self,
        cx: &mut Context<'_>,
        _worker: &WorkerContext,
    ) -> Poll<Option<Result<Task<Delivery>, Infallible>>> {
        let mut jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        jobs.poll_recv(cx).map(|next| {
            next.map(|delivery| {
                let id = TaskId::from_uuid(delivery.claimed.claim.job_id);
                Ok(TaskBuilder::new(delivery).task_id(id).build())
            })
        })
    }

    fn poll_close(
        &mut self,
        _cx: &mut Context<'_>,
        worker: &WorkerContext,
    ) -> Poll<Result<(), Infallible>> {
        // The stream has ended and no job is in flight. apalis does not stop until it is told to.
        if let Err(error) = worker.stop() {
            tracing::debug!(?error, "apalis worker was stopped already");
        }
        Poll::Ready(Ok(()))
    }
}

impl BackendConfig for JobBackend {
    type Args = Delivery;
    type Id = Uuid;
    type Kind = Ephemeral;
    type Config = ();
    type Layer = Identity;

    fn config(&self) -> &() {
        &()
    }

    fn middleware(&mut self, _worker: &mut WorkerContext) -> Identity {
        Identity::new()
    }
}
