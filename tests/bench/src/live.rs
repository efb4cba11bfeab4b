//! Live: from the commit of an event to the sockets that hear it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use futures::{SinkExt as _, StreamExt as _};
use serde_json::json;
use tarsy_model::SessionId;
use tarsy_queue::Waker;
use tarsy_store::{EVENTS_WAKE, NewEvent};
use tarsy_testing::process::Program;
use tokio::net::TcpStream;
use tokio::sync::Barrier;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;

use crate::report::{Figure, percentile};
use crate::{database, ingest};

/// How much to run.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Events told
    #[arg(long, default_value_t = 1000)]
    events: usize,
    /// Events a second
    #[arg(long, default_value_t = 100)]
    rate: u64,
    /// Sockets that hear each of them
    #[arg(long, default_value_t = 50)]
    sockets: usize,
}

pub(crate) async fn measure(options: &Options) -> Result<Vec<Figure>> {
    let db = database::fresh().await?;
    database::settle(db.pool()).await?;
    let address = ingest::free_address()?;
    let _api = Program::new("ingest-api")
        .env("DATABASE_URL", db.url())
        .env("TARSY_LISTEN", &address)
        .env("OPENAI_API_KEY", "not-used")
        .env("LOG_LEVEL", "warning")
        .start()?;
    ingest::ready(&address).await?;

    let begun = Instant::now();
    let ready = Arc::new(Barrier::new(options.sockets + 1));
    let mut sockets = Vec::new();
    for _ in 0..options.sockets {
        sockets.push(tokio::spawn(hear(
            address.clone(),
            options.events,
            begun,
            Arc::clone(&ready),
        )));
    }
    ready.wait().await;

    let pool = database::pool(db.url(), 2).await?;
    let waker = Waker::new(pool.clone());
    let session_id = Some(SessionId::generate());
    let mut told = Vec::with_capacity(options.events);
    let mut tick =
        tokio::time::interval(Duration::from_secs(1) / u32::try_from(options.rate.max(1))?);
    for n in 0..options.events {
        tick.tick().await;
        let event = NewEvent {
            session_id,
            kind: "session_status_change",
            payload: json!({"n": n}),
        };
        let mut conn = pool.acquire().await?;
        tarsy_store::publish(&mut conn, &[event]).await?;
        told.push(begun.elapsed());
        waker.wake(EVENTS_WAKE);
    }
    let mut millis = Vec::new();
    for socket in sockets {
        let heard = tokio::time::timeout(Duration::from_secs(30), socket)
            .await
            .context("an event was not heard")???;
        millis.extend(
            heard
                .iter()
                .zip(&told)
                .map(|(heard, told)| heard.saturating_sub(*told).as_secs_f64() * 1e3),
        );
    }
    millis.sort_by(f64::total_cmp);
    Ok(vec![
        Figure::new("live_p50", percentile(&millis, 0.50), "ms", None),
        Figure::new("live_p99", percentile(&millis, 0.99), "ms", Some(50.0)),
    ])
}

/// When each event was heard.
async fn hear(
    address: String,
    events: usize,
    begun: Instant,
    ready: Arc<Barrier>,
) -> Result<Vec<Duration>> {
    let stream = TcpStream::connect(&address).await?;
    stream.set_nodelay(true)?;
    let mut request = format!("ws://{address}/ws/dashboard/bench").into_client_request()?;
    request
        .headers_mut()
        .insert("origin", "http://localhost".parse()?);
    let (mut socket, _) = tokio_tungstenite::client_async(request, stream).await?;
    let subscribe = json!({"type": "subscribe", "channel": "dashboard_updates"});
    socket.send(Message::text(subscribe.to_string())).await?;
    let mut heard = Vec::with_capacity(events);
    while heard.len() < events {
        let Some(message) = socket.next().await else {
            bail!("the service closed a socket")
        };
        let Message::Text(text) = message? else {
            continue;
        };
        if text.contains(r#""type":"dashboard_update""#) {
            heard.push(begun.elapsed());
        } else if text.contains(r#""type":"subscription_response""#) {
            ready.wait().await;
        } else if text.contains(r#""type":"missed""#) {
            bail!("a socket was too slow: {text}");
        }
    }
    Ok(heard)
}
