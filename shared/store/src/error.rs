//! Store errors.

/// Error of a statement.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The database refused the statement or could not be reached.
    #[error("database statement failed")]
    Database(#[from] sqlx::Error),
    /// The claim named in the write is no longer held. Nothing was changed.
    #[error("the claim on this stage was lost; nothing was written")]
    ClaimLost,
    /// A row holds JSON that this version can't read.
    #[error("failed to read a row of session data")]
    Decode(#[from] serde_json::Error),
}

impl Error {
    /// Returns whether the same call may succeed a moment later.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Database(error) if tarsy_postgres::is_transient(error))
    }

    /// Returns whether Postgres refused a value because of its content. No retry by any worker can store it.
    #[must_use]
    pub fn is_content(&self) -> bool {
        matches!(self, Self::Database(error) if is_content(error))
    }

    /// Returns whether Postgres refused a text because it contains U+0000, which it can't store.
    #[must_use]
    pub fn is_bad_text(&self) -> bool {
        let Self::Database(error) = self else {
            return false;
        };
        let code = error.as_database_error().and_then(|error| error.code());
        code.is_some_and(|code| code == "22021") // character_not_in_repertoire
    }

    /// Returns whether a stored row can't be read. No retry can read it.
    #[must_use]
    pub fn is_unreadable(&self) -> bool {
        matches!(
            self,
            Self::Decode(_)
                | Self::Database(sqlx::Error::ColumnDecode { .. } | sqlx::Error::Decode(_))
        )
    }
}

/// Returns whether Postgres refused a value, because its encoding is invalid (class 22) or because it is too large
/// (class 54). One row causes such an error, not the whole batch.
#[must_use]
pub fn is_content(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(|error| error.code());
    code.is_some_and(|code| code.starts_with("22") || code.starts_with("54"))
}

/// Returns whether a statement was cancelled because its time limit was reached.
pub(crate) fn is_out_of_time(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(|error| error.code());
    code.is_some_and(|code| code == "57014")
}
