//! `tarsy migrate`: applies migrations, forward only; checks, plans and waits for them.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Result, bail};
use sqlx::PgPool;
use tarsy_config::{Environment, Settings};
use tarsy_postgres::Primary;
use tarsy_store::schema::{Schema, SchemaState};
use tokio::time::Instant;

use crate::database;
use crate::table::Table;

/// Pause between two checks of `--wait`.
const PAUSE: Duration = Duration::from_secs(1);

/// Options of the command.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit codes of --check: 0 up to date, 3 behind, 4 ahead, 5 diverged; 1 is an error."
)]
pub(crate) struct Options {
    /// Change nothing; report whether the database is up to date, behind or ahead
    #[arg(long, group = "mode")]
    check: bool,
    /// Change nothing; list the migrations that would run
    #[arg(long, group = "mode")]
    plan: bool,
    /// Change nothing; wait until another process has migrated the database
    #[arg(long, group = "mode")]
    wait: bool,
    /// Maximum wait time with --wait
    #[arg(long, default_value = "10m", value_parser = humantime::parse_duration, requires = "wait")]
    timeout: Duration,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) async fn run(options: &Options) -> Result<ExitCode> {
    let settings = Settings::read(&Environment::of_process())?;
    let pool = tarsy_boot::connect(&settings.database, "tarsy-migrate")?;
    let primary = tarsy_boot::primary(&settings.database)?;
    if options.wait {
        return wait(&primary, &pool, options).await;
    }
    database::check_reachable(&primary, &pool).await?;
    let mut connection = pool.acquire().await?;
    if options.check || options.plan {
        let schema = Schema::read(&mut connection).await?;
        match options.json {
            true => println!("{}", as_json(&schema)),
            false if options.plan => print_plan(&schema),
            false => println!("{}", sentence(&schema)),
        }
        return Ok(match options.check {
            true => exit_code(schema.state()),
            false => ExitCode::SUCCESS,
        });
    }
    let version = tarsy_store::schema::migrate(&mut connection).await?;
    match options.json {
        true => println!("{}", serde_json::json!({ "version": version })),
        false if version > Schema::of_program() => {
            let schema = Schema::read(&mut connection).await?;
            println!("nothing to do; {}", sentence(&schema));
        }
        false => println!("the database is at version {}", shown(version)),
    }
    Ok(ExitCode::SUCCESS)
}

/// Waits until the database has every migration that this program needs. Restarts of the database are tolerated.
async fn wait(primary: &Primary, pool: &PgPool, options: &Options) -> Result<ExitCode> {
    let deadline = Instant::now() + options.timeout;
    let mut printed = String::new();
    loop {
        let news = match read_schema(primary, pool).await {
            Ok(schema) => match schema.state() {
                SchemaState::UpToDate | SchemaState::Ahead => {
                    match options.json {
                        true => println!("{}", as_json(&schema)),
                        false => println!("{}", sentence(&schema)),
                    }
                    return Ok(ExitCode::SUCCESS);
                }
                SchemaState::Behind => sentence(&schema),
                SchemaState::Diverged => bail!(sentence(&schema)),
            },
            Err(error) => format!("{error:#}"),
        };
        if Instant::now() >= deadline {
            bail!("waited {} s in vain: {news}", options.timeout.as_secs());
        }
        if news != printed {
            eprintln!("waiting: {news}");
            printed = news;
        }
        tokio::time::sleep(PAUSE).await;
    }
}

async fn read_schema(primary: &Primary, pool: &PgPool) -> Result<Schema> {
    database::check_reachable(primary, pool).await?;
    Ok(Schema::read(&mut *pool.acquire().await?).await?)
}

fn print_plan(schema: &Schema) {
    let mut table = Table::new(&["version", "migration", "runs"]);
    for pending in &schema.pending {
        let how = match pending.is_transaction {
            true => "in a transaction",
            false => "outside a transaction",
        };
        table.row(vec![
            pending.version.to_string(),
            pending.description.clone(),
            how.to_owned(),
        ]);
    }
    table.print(&sentence(schema));
}

/// Describes the state and what to do.
fn sentence(schema: &Schema) -> String {
    let (database, program) = (shown(schema.version), shown(Schema::of_program()));
    match schema.state() {
        SchemaState::UpToDate => format!("up to date: the database is at version {database}"),
        SchemaState::Behind => format!(
            "behind: {} migrations are pending (database {database}, program {program}): run `tarsy migrate`",
            schema.pending.len()
        ),
        SchemaState::Ahead => format!(
            "ahead: the database is at version {database}, newer than this program's {program}: processes of this \
             version go on working; only the newer version can migrate"
        ),
        SchemaState::Diverged => format!(
            "diverged: the database has versions {:?} that this program lacks, {:?} with another text, and lacks {} \
             of this program's: check DATABASE_URL and the version of `tarsy`",
            schema.unknown,
            schema.changed,
            schema.pending.len()
        ),
    }
}

fn as_json(schema: &Schema) -> serde_json::Value {
    let pending = schema.pending.iter().map(|one| {
        serde_json::json!({
            "version": one.version, "description": one.description, "is_transaction": one.is_transaction
        })
    });
    serde_json::json!({
        "state": word(schema.state()),
        "database": schema.version,
        "program": Schema::of_program(),
        "pending": pending.collect::<Vec<_>>(),
        "unknown": schema.unknown,
        "changed": schema.changed,
    })
}

fn word(state: SchemaState) -> &'static str {
    match state {
        SchemaState::UpToDate => "up_to_date",
        SchemaState::Behind => "behind",
        SchemaState::Ahead => "ahead",
        SchemaState::Diverged => "diverged",
    }
}

/// The exit code 2 is reserved for wrong arguments.
fn exit_code(state: SchemaState) -> ExitCode {
    ExitCode::from(match state {
        SchemaState::UpToDate => 0,
        SchemaState::Behind => 3,
        SchemaState::Ahead => 4,
        SchemaState::Diverged => 5,
    })
}

fn shown(version: Option<i64>) -> String {
    version.map_or_else(|| "-".to_owned(), |version| version.to_string())
}
