//! `tarsy knowledge`: loads files of records and searches them.

mod embed;
mod evaluate;
mod load;
mod models;
mod search;
mod show;

use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use clap::Subcommand;
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;
use tarsy_knowledge::Searcher;
use tarsy_knowledge::store::{self, ReaderLogin};
use tarsy_postgres::Primary;
use url::Url;

pub(crate) use models::ModelOptions;

use crate::configuration;
use crate::confirmation::Confirmation;
use crate::database;

/// What to do with the knowledge store.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    #[command(subcommand)]
    action: Action,
    #[command(flatten)]
    store: StoreOptions,
    #[command(flatten)]
    models: ModelOptions,
}

/// Where the store is.
#[derive(Debug, clap::Args)]
pub(crate) struct StoreOptions {
    /// Database of the knowledge store [default: `$DATABASE_URL`]. Use a separate database if SQL questions are allowed
    #[arg(
        long,
        global = true,
        env = "TARSY_KNOWLEDGE_URL",
        hide_env_values = true,
        value_name = "URL"
    )]
    knowledge_url: Option<String>,
    /// URL of the same database with the read-only login for SQL questions
    #[arg(
        long,
        global = true,
        env = "TARSY_KNOWLEDGE_READER_URL",
        hide_env_values = true,
        value_name = "URL"
    )]
    reader_url: Option<String>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Create the tables of the store; with --reader-url also its read-only login
    Enable,
    /// Load CSV, TSV or JSON lines into a collection; resumes an interrupted load
    Load(load::Options),
    /// Compute missing vectors; resumes an interrupted run
    Embed(embed::Options),
    /// Show collections: fields, filters, sizes, loads
    Show(show::Options),
    /// Search by identifiers first, then by words, vectors and reranking as configured
    Search(search::Options),
    /// Delete a collection and all its records
    Drop {
        /// Collection
        collection: String,
        #[command(flatten)]
        confirmation: Confirmation,
    },
    /// Write a demo collection of test cases and hosts, with mappings and questions
    Demo {
        /// Output folder; created if it does not exist
        folder: std::path::PathBuf,
    },
    /// Ask questions with known answers; print recall@10 and nDCG@10 of each search method
    Evaluate(evaluate::Options),
}

pub(crate) async fn run(options: &Options) -> Result<ExitCode> {
    let (store, models) = (&options.store, &options.models);
    match &options.action {
        Action::Enable => enable(store).await,
        Action::Load(options) => {
            let embedder = models.embedder()?;
            load::run(&store.connect(2).await?, embedder, options).await
        }
        Action::Embed(options) => {
            let embedder = models.embedder()?;
            embed::run(&store.connect(2).await?, embedder, options).await
        }
        Action::Show(options) => show::run(&store.connect(2).await?, options).await,
        Action::Search(options) => search::run(&store.searcher(models).await?, options).await,
        Action::Drop {
            collection,
            confirmation,
        } => {
            if !confirmation.confirm(&format!("permanently delete collection `{collection}`"))? {
                bail!("aborted");
            }
            let pool = store.connect(2).await?;
            let records = store::drop_collection(&mut *pool.acquire().await?, collection).await?;
            println!("deleted `{collection}` with {records} records");
            Ok(ExitCode::SUCCESS)
        }
        Action::Demo { folder } => {
            for file in tarsy_knowledge::demo::write(folder)? {
                println!("{}", file.display());
            }
            Ok(ExitCode::SUCCESS)
        }
        Action::Evaluate(options) => evaluate::run(&store.searcher(models).await?, options).await,
    }
}

async fn enable(options: &StoreOptions) -> Result<ExitCode> {
    let pool = options.connect(2).await?;
    let mut connection = pool.acquire().await?;
    let version = store::enable(&mut connection).await?;
    println!("the knowledge store is at version {version}");
    if let Some(login) = options.reader()? {
        store::grant_reader(&mut connection, &login).await?;
        println!("`{}` can read collections", login.name);
    }
    Ok(ExitCode::SUCCESS)
}

impl StoreOptions {
    /// Connects a pool of at most `connections` connections to the store, and checks that it works.
    pub(crate) async fn connect(&self, connections: u32) -> Result<PgPool> {
        let url = match &self.knowledge_url {
            Some(url) => url.clone(),
            None => {
                let url = configuration::settings()?.database.url;
                let url = url.context("no database: set TARSY_KNOWLEDGE_URL or DATABASE_URL")?;
                url.expose().to_owned()
            }
        };
        let (primary, pool) = pool(&url, "TARSY_KNOWLEDGE_URL", connections)?;
        database::check_reachable(&primary, &pool).await?;
        Ok(pool)
    }

    /// Creates a searcher over the store, with the configured models.
    async fn searcher(&self, models: &ModelOptions) -> Result<Searcher> {
        let models = models.models()?;
        Ok(Searcher::new(self.connect(2).await?).with_models(models))
    }

    /// Creates a pool with the login of SQL questions; `None`: no login is configured.
    pub(crate) fn connect_reader(&self) -> Result<Option<PgPool>> {
        let url = self.reader_url.as_deref();
        let pool = url.map(|url| pool(url, "TARSY_KNOWLEDGE_READER_URL", 4));
        Ok(pool.transpose()?.map(|(_, pool)| pool))
    }

    fn reader(&self) -> Result<Option<ReaderLogin>> {
        let Some(url) = &self.reader_url else {
            return Ok(None);
        };
        let login = login(url).context("TARSY_KNOWLEDGE_READER_URL is no URL of a database")?;
        let Some(login) = login else {
            bail!("TARSY_KNOWLEDGE_READER_URL needs a user and a password");
        };
        Ok(Some(login))
    }
}

/// Returns name and password in a database URL, decoded as connections do; `None` if one is missing.
fn login(url: &str) -> Result<Option<ReaderLogin>> {
    // All hosts of a list share them.
    let url = tarsy_postgres::each_host(url)?.swap_remove(0);
    let url: Url = url.parse()?;
    let decoded = |part: &str| -> Result<String> {
        let part = percent_encoding::percent_decode_str(part).decode_utf8();
        Ok(part
            .context("its user or password is not UTF-8")?
            .into_owned())
    };
    let name = decoded(url.username())?;
    let password = decoded(url.password().unwrap_or_default())?;
    let is_complete = !name.is_empty() && !password.is_empty();
    Ok(is_complete.then_some(ReaderLogin { name, password }))
}

fn pool(url: &str, variable: &str, connections: u32) -> Result<(Primary, PgPool)> {
    let primary =
        Primary::from_url(url).with_context(|| format!("{variable} is no URL of a database"))?;
    let options = primary.options().application_name("tarsy-knowledge");
    let pool = PgPoolOptions::new()
        .max_connections(connections)
        .min_connections(0);
    let pool = tarsy_queue::wary_pool(&primary, pool, options);
    Ok((primary, pool))
}

#[cfg(test)]
mod tests {
    use super::login;

    #[test]
    fn a_login_is_read_as_connections_read_it() {
        let url = "postgres://reader:p%40ss%2Fw%25rd%20%C3%A9@host/db";
        let read = login(url).expect("a URL").expect("a login");
        assert_eq!((&*read.name, &*read.password), ("reader", "p@ss/w%rd é"));
        for incomplete in ["postgres://reader@host/db", "postgres://:secret@host/db"] {
            assert!(login(incomplete).expect("a URL").is_none());
        }
        login("postgres://reader:%ff@host/db").expect_err("no text");
    }
}
