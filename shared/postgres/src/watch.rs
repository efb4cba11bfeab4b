//! The thread that checks each host.

use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use futures::future::join_all;
use sqlx::postgres::PgConnection;

use crate::primary::Inner;
use crate::standing::{PATIENCE, Standing};

/// Time between two checks of a host.
const INTERVAL: Duration = Duration::from_millis(500);
/// Time between two checks of a host while none accepts writes.
const SEARCHING: Duration = Duration::from_millis(100);

/// Name of this thread's sessions in `pg_stat_activity`.
const NAME: &str = "tarsy primary watch";

/// Starts the thread. It ends when the last handle of the list is dropped.
///
/// The thread has its own runtime, so that a busy main runtime does not delay the detection of a failover.
pub(crate) fn start(inner: &Arc<Inner>) -> std::io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let hosts = inner.list.hosts().len();
    let watched = Arc::downgrade(inner);
    let work = move || {
        let polling = (0..hosts).map(|host| poll_host(&watched, host));
        runtime.block_on(join_all(polling));
    };
    std::thread::Builder::new()
        .name("tarsy-primary".to_owned())
        .spawn(work)
        .map(drop)
}

async fn poll_host(watched: &Weak<Inner>, host: usize) {
    let mut session = None;
    while let Some(inner) = watched.upgrade() {
        ask(&inner, host, &mut session).await;
        let pause = match inner.state().has_primary() {
            true => INTERVAL,
            false => SEARCHING,
        };
        drop(inner);
        tokio::time::sleep(pause).await;
    }
}

async fn ask(inner: &Inner, host: usize, session: &mut Option<PgConnection>) {
    let Some(name) = inner.list.hosts().get(host) else {
        return;
    };
    let options = name
        .aim(inner.list.options().clone())
        .application_name(NAME)
        // The hook of a found primary must not wait for a standby that is gone.
        .options([("synchronous_commit", "off")]);
    let standing = Standing::ask(session, &options).await;
    let (news, lost, adopt) = {
        let mut state = inner.state();
        let had = state.has_primary();
        let news = state.note(host, standing);
        (news, had && !state.has_primary(), state.should_adopt(host))
    };
    if lost {
        let hosts = crate::primary::describe(&inner.standings());
        tracing::warn!(hosts, "no Postgres takes writes; looking for one");
    }
    if !adopt {
        if news {
            inner.notify_pools();
        }
        return;
    }
    if let (Some(hook), Some(conn)) = (inner.hook(), session.as_mut()) {
        match tokio::time::timeout(PATIENCE, hook(conn)).await {
            Ok(Ok(())) => {}
            failed => tracing::debug!(host = %name, ?failed, "the hook of a found primary failed"),
        }
    }
    inner.adopt(host, Instant::now());
}
