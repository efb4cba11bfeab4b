//! Latency from the commit of an event to the sockets that receive it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use futures::{SinkExt as _, StreamExt as _};
use serde_json::json;
use tarsy_model::SessionId;
use tarsy_queue::Waker;
use tarsy_store::events::NewEvent;
use tarsy_testing::process::Program;
use tokio::net::{TcpSocket, TcpStream};
use tokio::sync::Barrier;
use tokio::task::JoinSet;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;

use crate::report::{Figure, percentile};
use crate::{database, ingest};

/// Options.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Number of events
    #[arg(long, default_value_t = 1000)]
    events: usize,
    /// Number of events per second
    #[arg(long, default_value_t = 100)]
    rate: u64,
    /// Number of open sockets
    #[arg(long, default_value_t = 500)]
    sockets: usize,
    /// Number of these sockets that are slow: they read ten messages per second through a small buffer
    #[arg(long, default_value_t = 200)]
    slow: usize,
}

pub(crate) async fn measure(options: &Options) -> Result<Vec<Figure>> {
    let db = database::fresh().await?;
    database::vacuum_and_checkpoint(db.pool()).await?;
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
    let slow = options.slow.min(options.sockets);
    let mut slow_sockets = JoinSet::new();
    for _ in 0..slow {
        slow_sockets.spawn(dawdle(address.clone(), Arc::clone(&ready)));
    }
    for _ in slow..options.sockets {
        sockets.push(tokio::spawn(receive(
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
    let mut sent = Vec::with_capacity(options.events);
    let mut tick =
        tokio::time::interval(Duration::from_secs(1) / u32::try_from(options.rate.max(1))?);
    for n in 0..options.events {
        tick.tick().await;
        let event = NewEvent {
            session_id,
            kind: "session_status_change",
            payload: json!({"n": n, "status": "in_progress", "analysis": "x".repeat(1000)}),
        };
        let mut conn = pool.acquire().await?;
        tarsy_store::events::publish(&mut conn, &[event]).await?;
        sent.push(begun.elapsed());
        waker.wake_watchers();
    }
    let mut millis = Vec::new();
    for socket in sockets {
        let received = tokio::time::timeout(Duration::from_secs(30), socket)
            .await
            .context("an event was not heard")???;
        millis.extend(
            received
                .iter()
                .zip(&sent)
                .map(|(received, sent)| received.saturating_sub(*sent).as_secs_f64() * 1e3),
        );
    }
    millis.sort_by(f64::total_cmp);
    // A slow reader gets a gap message or all events; it is not disconnected.
    if let Some(ended) = slow_sockets.try_join_next() {
        ended??;
        bail!("a slow socket was closed");
    }
    Ok(vec![
        Figure::new("live_sockets", options.sockets as f64, "sockets", None),
        Figure::new("live_slow_sockets", slow as f64, "sockets", None),
        Figure::new("live_p50", percentile(&millis, 0.50), "ms", None),
        Figure::new("live_p99", percentile(&millis, 0.99), "ms", Some(50.0)),
    ])
}

/// Opens a subscribed socket with a receive buffer of this size.
async fn subscribe(address: &str, buffer: Option<u32>) -> Result<WebSocketStream<TcpStream>> {
    let socket = TcpSocket::new_v4()?;
    if let Some(bytes) = buffer {
        socket.set_recv_buffer_size(bytes)?;
    }
    let stream = socket.connect(address.parse()?).await?;
    stream.set_nodelay(true)?;
    let mut request = format!("ws://{address}/ws/dashboard/bench").into_client_request()?;
    request
        .headers_mut()
        .insert("origin", "http://localhost".parse()?);
    let (mut socket, _) = tokio_tungstenite::client_async(request, stream).await?;
    let subscribe = json!({"type": "subscribe", "channel": "dashboard_updates"});
    socket.send(Message::text(subscribe.to_string())).await?;
    Ok(socket)
}

/// Reads ten messages per second, forever.
async fn dawdle(address: String, ready: Arc<Barrier>) -> Result<()> {
    let mut socket = subscribe(&address, Some(4096)).await?;
    let mut ready = Some(ready);
    while let Some(message) = socket.next().await {
        let text = message?.into_text()?;
        if text.contains(r#""type":"subscription_response""#)
            && let Some(ready) = ready.take()
        {
            ready.wait().await;
        }
        if ready.is_none() {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }
    Ok(())
}

/// Records when each event arrives.
async fn receive(
    address: String,
    events: usize,
    begun: Instant,
    ready: Arc<Barrier>,
) -> Result<Vec<Duration>> {
    let mut socket = subscribe(&address, None).await?;
    let mut received = Vec::with_capacity(events);
    while received.len() < events {
        let Some(message) = socket.next().await else {
            bail!("the service closed a socket")
        };
        let Message::Text(text) = message? else {
            continue;
        };
        if text.contains(r#""type":"dashboard_update""#) {
            received.push(begun.elapsed());
        } else if text.contains(r#""type":"subscription_response""#) {
            ready.wait().await;
        } else if text.contains(r#""type":"missed""#) {
            bail!("a socket was too slow: {text}");
        }
    }
    Ok(received)
}
