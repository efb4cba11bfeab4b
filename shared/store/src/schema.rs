//! Whether the database has the tables that this version needs.

use std::collections::BTreeSet;

use sqlx::PgConnection;

use crate::MIGRATOR;

/// SQLSTATE of a table that is not there.
const UNDEFINED_TABLE: &str = "42P01";

/// The schema of a database, beside what this version needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchemaState {
    /// No migration has run.
    Unmigrated,
    /// Migrations of this version are missing.
    Behind {
        /// The latest that has run.
        applied: i64,
        /// The latest of this version.
        needed: i64,
    },
    /// As this version needs it.
    Current,
    /// A later version has migrated it. Migrations only add: this version goes on.
    Newer {
        /// The latest that has run.
        applied: i64,
        /// The latest of this version.
        needed: i64,
    },
}

impl SchemaState {
    /// Whether this version can work with it.
    #[must_use]
    pub fn is_usable(&self) -> bool {
        matches!(self, Self::Current | Self::Newer { .. })
    }

    /// As probes and tools name it.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Unmigrated => "unmigrated",
            Self::Behind { .. } => "behind",
            Self::Current => "current",
            Self::Newer { .. } => "newer",
        }
    }

    /// What to do, if anything is to be done.
    #[must_use]
    pub fn advice(&self) -> Option<String> {
        match self {
            Self::Current => None,
            Self::Unmigrated => {
                Some("the database has no tables of tarsy: run `tarsy migrate`".to_owned())
            }
            Self::Behind { applied, needed } => Some(format!(
                "the schema is at {applied}, this version needs {needed}: run `tarsy migrate` of this version"
            )),
            Self::Newer { applied, needed } => Some(format!(
                "`tarsy migrate` of a later version has run ({applied}; this version needs {needed}): \
                 this one goes on; finish the rollout of the later one"
            )),
        }
    }

    fn of(applied: &BTreeSet<i64>, needed: &BTreeSet<i64>) -> Self {
        let (Some(&last), Some(&latest)) = (applied.last(), needed.last()) else {
            return Self::Unmigrated;
        };
        if !needed.is_subset(applied) {
            Self::Behind {
                applied: last,
                needed: latest,
            }
        } else if last > latest {
            Self::Newer {
                applied: last,
                needed: latest,
            }
        } else {
            Self::Current
        }
    }
}

/// Reads which migrations have run.
///
/// # Errors
///
/// The database's.
pub async fn schema_state(conn: &mut PgConnection) -> sqlx::Result<SchemaState> {
    // Not checked at compile time: the table is sqlx's own.
    let applied =
        sqlx::query_scalar::<_, i64>("select version from _sqlx_migrations where success")
            .fetch_all(conn)
            .await;
    let applied = match applied {
        Ok(applied) => applied.into_iter().collect(),
        Err(sqlx::Error::Database(error)) if error.code().as_deref() == Some(UNDEFINED_TABLE) => {
            return Ok(SchemaState::Unmigrated);
        }
        Err(error) => return Err(error),
    };
    let needed = MIGRATOR.iter().map(|migration| migration.version).collect();
    Ok(SchemaState::of(&applied, &needed))
}

#[cfg(test)]
mod tests {
    use super::SchemaState;

    #[test]
    fn a_gap_is_behind_and_more_is_newer() {
        let state = |applied: &[i64]| {
            let applied = applied.iter().copied().collect();
            SchemaState::of(&applied, &[1, 2, 3].into())
        };
        assert_eq!(state(&[]), SchemaState::Unmigrated);
        assert_eq!(state(&[1, 2]).word(), "behind");
        assert_eq!(state(&[1, 3]).word(), "behind");
        assert_eq!(state(&[1, 2, 3]), SchemaState::Current);
        assert_eq!(state(&[1, 2, 3, 4]).word(), "newer");
        assert_eq!(state(&[1, 3, 4]).word(), "behind");
    }
}
