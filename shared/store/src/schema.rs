//! Compares the schema of a database with the migrations of this program.

use sqlx::PgConnection;
use sqlx::migrate::{MigrateError, Migration};

use crate::{Error, MIGRATOR};

/// State of a database's schema, compared with this program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchemaState {
    /// All migrations of this program are applied, and no others.
    UpToDate,
    /// Some migrations of this program are not applied yet.
    Behind,
    /// A newer version migrated the database. Migrations only add to the schema, so this program can use it.
    Ahead,
    /// Migrations are missing on both sides, or an applied one was changed. The database belongs to another line of
    /// development.
    Diverged,
}

/// A migration of this program that is not applied to a database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingMigration {
    /// Version number, derived from the time when it was written.
    pub version: i64,
    /// Description, from the file name.
    pub description: String,
    /// Whether it runs in one transaction. Others build indexes concurrently.
    pub is_transaction: bool,
}

/// Schema of a database, as recorded by its migrations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schema {
    /// Version of the newest applied migration; `None` for an empty database.
    pub version: Option<i64>,
    /// Migrations that `tarsy migrate` would run, in this order.
    pub pending: Vec<PendingMigration>,
    /// Applied migrations that this program does not know.
    pub unknown: Vec<i64>,
    /// Applied migrations whose text differs from this program's.
    pub changed: Vec<i64>,
}

/// Reason why a database was not migrated.
#[expect(missing_docs, reason = "the messages name the fields")]
#[derive(Debug, thiserror::Error)]
pub enum MigrationError {
    /// The database's migrations are not those of this program.
    #[error(
        "the database was migrated by another build: it has versions {unknown:?} that this program lacks, \
         {changed:?} with another text, and lacks {pending} of this program's. Check DATABASE_URL and the version"
    )]
    Diverged {
        unknown: Vec<i64>,
        changed: Vec<i64>,
        pending: usize,
    },
    /// The database's encoding can't store all texts.
    #[error(
        "the database's encoding is {0}, and most texts can't be stored in it: create another one with \
         `create database .. encoding 'UTF8' template template0`"
    )]
    NotUtf8(String),
    /// The schema version can't be read.
    #[error("failed to read the schema version")]
    Read(#[from] Error),
    /// A migration failed. Earlier ones stay applied.
    #[error("failed to migrate the database")]
    Failed(#[source] MigrateError),
}

impl Schema {
    /// Reads which migrations are applied to a database. Changes nothing.
    pub async fn read(conn: &mut PgConnection) -> Result<Self, Error> {
        let is_migrated: bool =
            sqlx::query_scalar("select to_regclass('_sqlx_migrations') is not null")
                .fetch_one(&mut *conn)
                .await?;
        let applied: Vec<(i64, Vec<u8>)> = if is_migrated {
            sqlx::query_as(
                "select version, checksum from _sqlx_migrations where success order by version",
            )
            .fetch_all(conn)
            .await?
        } else {
            Vec::new()
        };
        Ok(Self::compare(MIGRATOR.iter(), &applied))
    }

    /// Compares the migrations of this program with the applied ones, which must be sorted.
    fn compare<'a>(known: impl Iterator<Item = &'a Migration>, applied: &[(i64, Vec<u8>)]) -> Self {
        let mut schema = Self {
            version: applied.last().map(|(version, _)| *version),
            unknown: applied.iter().map(|(version, _)| *version).collect(),
            ..Self::default()
        };
        for migration in known {
            match applied.binary_search_by_key(&migration.version, |(version, _)| *version) {
                Ok(found) => {
                    schema.unknown.retain(|one| *one != migration.version);
                    if applied
                        .get(found)
                        .is_some_and(|(_, sum)| **sum != *migration.checksum)
                    {
                        schema.changed.push(migration.version);
                    }
                }
                Err(_) => schema.pending.push(PendingMigration {
                    version: migration.version,
                    description: migration.description.clone().into_owned(),
                    is_transaction: !migration.no_tx,
                }),
            }
        }
        schema
    }

    /// Returns the state of the schema, compared with this program.
    #[must_use]
    pub fn state(&self) -> SchemaState {
        match (self.pending.is_empty(), self.unknown.is_empty()) {
            _ if !self.changed.is_empty() => SchemaState::Diverged,
            (true, true) => SchemaState::UpToDate,
            (false, true) => SchemaState::Behind,
            (true, false) => SchemaState::Ahead,
            (false, false) => SchemaState::Diverged,
        }
    }

    /// Returns the version of this program's newest migration.
    #[must_use]
    pub fn of_program() -> Option<i64> {
        MIGRATOR.iter().map(|migration| migration.version).max()
    }
}

/// Migrates a database at least to the version of this program, and returns the resulting version.
///
/// Only one process migrates at a time; others wait. A database of a newer version is not changed. Migrations only add
/// to the schema, so this program can use it, and a release can be rolled back. A database with an encoding other than
/// UTF-8 is refused before anything is changed.
///
/// # Errors
///
/// [`MigrationError`].
pub async fn migrate(conn: &mut PgConnection) -> Result<Option<i64>, MigrationError> {
    let encoding: String = sqlx::query_scalar("select current_setting('server_encoding')")
        .fetch_one(&mut *conn)
        .await
        .map_err(Error::from)?;
    if encoding != "UTF8" {
        return Err(MigrationError::NotUtf8(encoding));
    }
    let schema = Schema::read(conn).await?;
    match schema.state() {
        SchemaState::UpToDate | SchemaState::Behind => {}
        SchemaState::Ahead => return Ok(schema.version),
        SchemaState::Diverged => {
            return Err(MigrationError::Diverged {
                unknown: schema.unknown,
                changed: schema.changed,
                pending: schema.pending.len(),
            });
        }
    }
    MIGRATOR.run(conn).await.map_err(MigrationError::Failed)?;
    Ok(Schema::of_program())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the applied migrations of a database that has run the first `count` ones of this program.
    fn applied(count: usize) -> Vec<(i64, Vec<u8>)> {
        let seen = MIGRATOR.iter().take(count);
        seen.map(|migration| (migration.version, migration.checksum.to_vec()))
            .collect()
    }

    fn state(applied: &[(i64, Vec<u8>)]) -> SchemaState {
        Schema::compare(MIGRATOR.iter(), applied).state()
    }

    #[test]
    fn each_state_is_recognised() {
        let all = MIGRATOR.iter().count();
        let newer = (i64::MAX, vec![1]);
        assert_eq!(state(&[]), SchemaState::Behind);
        assert_eq!(state(&applied(all - 1)), SchemaState::Behind);
        assert_eq!(state(&applied(all)), SchemaState::UpToDate);

        let mut ahead = applied(all);
        ahead.push(newer.clone());
        assert_eq!(state(&ahead), SchemaState::Ahead);

        let mut fork = applied(all - 1);
        fork.push(newer);
        assert_eq!(state(&fork), SchemaState::Diverged);

        let mut changed = applied(all);
        if let Some((_, checksum)) = changed.first_mut() {
            checksum.clear();
        }
        assert_eq!(state(&changed), SchemaState::Diverged);
    }

    #[test]
    fn the_plan_is_what_is_missing_in_order() {
        let all = MIGRATOR.iter().count();
        let schema = Schema::compare(MIGRATOR.iter(), &applied(all - 2));
        let versions: Vec<i64> = schema.pending.iter().map(|one| one.version).collect();
        let last: Vec<i64> = MIGRATOR.iter().skip(all - 2).map(|m| m.version).collect();
        assert_eq!(versions, last);
    }
}
