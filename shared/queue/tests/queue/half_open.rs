//! Tests half-open connections: the worker has given one up, but for Postgres it still exists.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tarsy_queue::Outcome;
use tarsy_testing::{TestDb, wait};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use url::Url;

use crate::rig::{LIMIT, Rig, job, put, until_deleted};

/// A proxy whose connections can be left hanging. Then nothing passes any more, and neither side notices an end.
struct Proxy {
    url: String,
    /// Number of the last connection that is silent, as are all before it.
    silent: Arc<AtomicUsize>,
    count: Arc<AtomicUsize>,
}

impl Proxy {
    async fn before(db: &TestDb) -> Self {
        let mut url = Url::parse(db.url()).unwrap();
        let target = (url.host_str().unwrap().to_owned(), url.port().unwrap());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        url.set_port(Some(listener.local_addr().unwrap().port()))
            .unwrap();
        let (silent, count) = (Arc::<AtomicUsize>::default(), Arc::<AtomicUsize>::default());
        let (hushed, counted) = (Arc::clone(&silent), Arc::clone(&count));
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let number = counted.fetch_add(1, Ordering::SeqCst) + 1;
                let server = TcpStream::connect((target.0.as_str(), target.1)).await;
                let (from, to) = (client.into_split(), server.unwrap().into_split());
                tokio::spawn(pass(from.0, to.1, number, Arc::clone(&hushed)));
                tokio::spawn(pass(to.0, from.1, number, Arc::clone(&hushed)));
            }
        });
        let url = url.into();
        Self { url, silent, count }
    }

    /// Leaves all present connections hanging. Later ones work.
    fn silence(&self) {
        self.silent
            .store(self.count.load(Ordering::SeqCst), Ordering::SeqCst);
    }
}

async fn pass(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    number: usize,
    silent: Arc<AtomicUsize>,
) {
    let mut buffer = vec![0; 16 * 1024];
    loop {
        let read = from.read(&mut buffer).await;
        if number <= silent.load(Ordering::SeqCst) {
            // The data is not passed on, and the connection isn't closed.
            return std::future::pending().await;
        }
        match read {
            Ok(count @ 1..) if to.write_all(&buffer[..count]).await.is_ok() => {}
            _ => return,
        }
    }
}

/// Returns the number of sessions whose name is like `name`.
async fn sessions(db: &TestDb, name: &str) -> i64 {
    sqlx::query_scalar(
        "select count(*) from pg_stat_activity where datname = current_database() and application_name like $1",
    )
    .bind(name)
    .fetch_one(db.pool())
    .await
    .unwrap()
}

#[tokio::test]
async fn a_worker_does_not_wait_for_the_lock_of_its_own_half_open_session() {
    let db = TestDb::new().await;
    let proxy = Proxy::before(&db).await;
    let ttl = Duration::from_millis(1500);
    let mut rig = Rig::through(&db, &proxy.url, |b| b.lease_ttl(ttl));
    put(db.pool(), job()).await;
    rig.next().await.end(Outcome::Done);

    proxy.silence();
    let id = put(db.pool(), job()).await;
    // Claims give up a connection that is silent for five seconds.
    let again = rig.within(LIMIT * 3).await;
    assert_eq!(again.job.claim().job_id, id);
    assert_eq!(again.job.stop().cause(), None);
    again.end(Outcome::Done);
    until_deleted(db.pool(), id).await;
    wait::until("the end of the old session", LIMIT, async || {
        sessions(&db, "rig lease%").await == 1
    })
    .await;
    rig.stopped().await;
}
