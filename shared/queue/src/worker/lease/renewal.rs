//! Renews the leases and the heartbeat of a worker.

use std::time::Instant;

use sqlx::postgres::PgListener;

use crate::sweep::take_back;
use crate::worker::shared::Shared;
use crate::worker::stop::StopCause;
use crate::{process_id, registry};

/// Inserts or updates this worker's row.
pub(super) async fn register(
    shared: &Shared,
    listener: &mut PgListener,
) -> Result<(), sqlx::Error> {
    let (owner, lock_key) = (shared.owner, shared.lock_key());
    registry::register(listener, owner, lock_key, &shared.settings).await
}

/// Renews the leases of all claims. Stops work on claims that are lost or whose subject was cancelled.
pub(super) async fn renew_claims(
    shared: &Shared,
    listener: &mut PgListener,
) -> Result<(), sqlx::Error> {
    if shared.is_stale() {
        // The process was frozen or cut off for too long. Stop the work before asking Postgres.
        shared.in_flight.stop_all(StopCause::ClaimLost);
    }
    // A worker that can't write its results must not keep its claims.
    let (ids, epochs) = match shared.is_cut_off() {
        true => Default::default(),
        false => shared.in_flight.claims(),
    };
    if ids.is_empty() {
        return Ok(());
    }
    let sent = Instant::now();
    let (owner, ttl) = (shared.owner, shared.settings.lease.expiry());
    for claim in registry::renew(&mut *listener, owner, &ids, &epochs, ttl).await? {
        if !claim.held {
            shared
                .in_flight
                .stop(claim.id, claim.epoch, StopCause::ClaimLost);
        } else if claim.cancel_requested {
            shared
                .in_flight
                .stop(claim.id, claim.epoch, StopCause::Requested);
        }
    }
    shared.lease.renewed(sent);
    Ok(())
}

/// Renews the leases and sends a heartbeat.
pub(super) async fn renew(shared: &Shared, listener: &mut PgListener) -> Result<(), sqlx::Error> {
    let sent = Instant::now();
    renew_claims(shared, listener).await?;
    let draining = shared.drain.is_cancelled();
    let trouble = shared.health.trouble();
    tarsy_metrics::jobs::in_trouble(&shared.settings.role, trouble.is_some());
    let standing =
        registry::beat(&mut *listener, shared.owner, draining, trouble.as_deref()).await?;
    match &standing {
        Some(standing) if standing.drain_requested && !draining => drain(shared),
        Some(_) => {}
        None => register(shared, listener).await?,
    }
    if standing.is_none_or(|standing| standing.was_lost) {
        let jobs = take_back(listener, process_id()).await?;
        tracing::info!(
            jobs,
            "this process was taken for dead or frozen; its jobs' crashes are taken back"
        );
    }
    shared.lease.renewed(sent);
    Ok(())
}

/// Starts the drain that an operator requested.
pub(super) fn drain(shared: &Shared) {
    tracing::info!("an operator asked this worker to drain");
    shared.drain.cancel();
}
