//! The floor's API: accepts any JSON as an alert, in group commits.

use anyhow::Result;
use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::post;
use serde_json::value::RawValue;
use sqlx::PgPool;
use tarsy_coalesce::{Coalescer, GroupLimits};
use uuid::Uuid;

use super::connect;

type Intake = Coalescer<(Uuid, Box<RawValue>), (), sqlx::Error>;

pub(super) async fn serve(url: &str, address: &str) -> Result<()> {
    let pool = connect(url, 4).await?;
    let limits = GroupLimits {
        max_batch: 256,
        max_flushes: 2,
        overlap_from: 1,
        ..GroupLimits::default()
    };
    let intake = Coalescer::new(limits, move |alerts| flush(pool.clone(), alerts));
    let router = Router::new()
        .route("/alerts", post(accept))
        .with_state(intake);
    axum::serve(tokio::net::TcpListener::bind(address).await?, router).await?;
    Ok(())
}

async fn accept(State(intake): State<Intake>, body: axum::body::Bytes) -> (StatusCode, String) {
    let Ok(alert) = serde_json::from_slice(&body) else {
        return (StatusCode::BAD_REQUEST, String::new());
    };
    let id = Uuid::now_v7();
    match intake.submit((id, alert)).await {
        Ok(()) => (StatusCode::ACCEPTED, format!(r#"{{"session_id":"{id}"}}"#)),
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()),
    }
}

async fn flush(pool: PgPool, alerts: Vec<(Uuid, Box<RawValue>)>) -> Result<Vec<()>, sqlx::Error> {
    let (ids, bodies): (Vec<_>, Vec<_>) = alerts.iter().map(|(id, body)| (*id, body.get())).unzip();
    super::accept(&pool, &ids, &bodies).await?;
    Ok(alerts.iter().map(|_| ()).collect())
}
