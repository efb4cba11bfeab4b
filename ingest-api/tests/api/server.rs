//! Runs the service in this process, on a separate port and database for each test.

use std::net::SocketAddr;

use reqwest::{Client, RequestBuilder, Response, StatusCode};
use serde_json::{Value, json};
use sqlx::PgPool;
use tarsy_config::{Config, Environment, Settings, Source};
use tarsy_ingest_api::{App, Catalog};
use tarsy_postgres::{Primary, Replica};
use tarsy_queue::Waker;
use tarsy_testing::TestDb;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// A running service. Dropping it ends the service.
pub(crate) struct Server {
    pub(crate) client: Client,
    pub(crate) stop: CancellationToken,
    pub(crate) served: JoinHandle<Result<(), tarsy_ingest_api::Error>>,
    db: TestDb,
    pub(crate) address: SocketAddr,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

impl Server {
    /// Starts it with the built-in configuration and a provider.
    pub(crate) async fn start() -> Self {
        Self::with(&[("OPENAI_API_KEY", "not-used")]).await
    }

    /// Starts it with exactly these variables.
    pub(crate) async fn with(variables: &[(&str, &str)]) -> Self {
        Self::built(Source::BuiltIn, variables, None).await
    }

    /// Starts it with a provider and this configuration file.
    pub(crate) async fn configured(yaml: &str) -> Self {
        let source = Source::Text {
            name: "test".to_owned(),
            text: yaml.to_owned(),
        };
        Self::built(source, &[("OPENAI_API_KEY", "not-used")], None).await
    }

    /// Starts it with a provider on this database. History is read from the replica at this URL.
    pub(crate) async fn reading_from(db: TestDb, replica: &str) -> Self {
        let variables = [("OPENAI_API_KEY", "not-used")];
        let pool = db.pool().clone();
        Self::built_on(db, Source::BuiltIn, &variables, pool, Some(replica)).await
    }

    /// Starts it with this configuration and exactly these variables.
    pub(crate) async fn configured_with(source: Source, variables: &[(&str, &str)]) -> Self {
        Self::built(source, variables, None).await
    }

    /// Starts it with a provider, on this pool.
    pub(crate) async fn over(pool: PgPool) -> Self {
        Self::built(
            Source::BuiltIn,
            &[("OPENAI_API_KEY", "not-used")],
            Some(pool),
        )
        .await
    }

    async fn built(source: Source, variables: &[(&str, &str)], pool: Option<PgPool>) -> Self {
        let db = TestDb::new().await;
        let pool = pool.unwrap_or_else(|| db.pool().clone());
        Self::built_on(db, source, variables, pool, None).await
    }

    async fn built_on(
        db: TestDb,
        source: Source,
        variables: &[(&str, &str)],
        pool: PgPool,
        replica: Option<&str>,
    ) -> Self {
        tarsy_telemetry::install_crypto();
        let env = Environment::from_pairs(
            variables
                .iter()
                .copied()
                .chain([("TARSY_LISTEN", "127.0.0.1:0")]),
        );
        let settings = Settings::read(&env).unwrap();
        let config = Config::load(&source, &env).unwrap();
        let primary: Primary = pool.connect_options().as_ref().clone().into();
        let replica = replica.map(|url| Replica::from_url(url, primary.clone()).unwrap());
        let app = App::bind(tarsy_ingest_api::Config {
            ingest: settings.ingest,
            history: settings.history,
            drain_grace: settings.queue.drain_grace,
            catalog: Catalog::from_config(&config).unwrap().fixed(),
            waker: Waker::new(pool.clone()),
            primary,
            replica,
            pool,
        })
        .await
        .unwrap();
        let address = app.address().unwrap();
        let stop = CancellationToken::new();
        let served = tokio::spawn(app.serve(stop.clone(), CancellationToken::new()));
        Self {
            // Without `no_gzip`, the features of other crates in the build would determine whether
            // reqwest decompresses responses.
            client: Client::builder().no_proxy().no_gzip().build().unwrap(),
            stop,
            served,
            db,
            address,
        }
    }

    pub(crate) fn db(&self) -> &PgPool {
        self.db.pool()
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(crate) fn post_raw(&self, path: &str, body: impl Into<reqwest::Body>) -> RequestBuilder {
        self.client
            .post(self.url(path))
            .header("content-type", "application/json")
            .body(body)
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Answer {
        self.post_raw(path, body.to_string())
            .send()
            .await
            .unwrap()
            .into_answer()
            .await
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.client
            .get(self.url(path))
            .send()
            .await
            .unwrap()
            .into_answer()
            .await
    }

    pub(crate) async fn count(&self, table: &str) -> i64 {
        let statement = format!("select count(*) from {table}");
        sqlx::query_scalar(sqlx::AssertSqlSafe(statement))
            .fetch_one(self.db())
            .await
            .unwrap()
    }
}

/// A response that was read completely.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) retry_after: Option<String>,
    pub(crate) content_type: String,
    pub(crate) body: Value,
}

pub(crate) trait IntoAnswer {
    async fn into_answer(self) -> Answer;
}

impl IntoAnswer for Response {
    async fn into_answer(self) -> Answer {
        let header = |name: &str| {
            self.headers()
                .get(name)
                .map(|v| v.to_str().unwrap().to_owned())
        };
        let (status, retry_after) = (self.status(), header("retry-after"));
        let content_type = header("content-type").unwrap_or_default();
        let text = self.text().await.unwrap();
        let body = serde_json::from_str(&text).unwrap_or(Value::String(text));
        Answer {
            status,
            retry_after,
            content_type,
            body,
        }
    }
}

/// Returns a valid alert with this data.
pub(crate) fn alert(data: Value) -> Value {
    json!({ "alert_type": "kubernetes", "runbook": "https://github.com/example/runbooks/blob/main/a.md", "data": data })
}
