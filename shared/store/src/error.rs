//! Store errors.

/// Error of a statement.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The database refused, or could not be reached.
    #[error("database statement failed")]
    Database(#[from] sqlx::Error),
    /// The write named a claim that is no longer held; nothing was changed.
    #[error("the claim on this stage was lost; nothing was written")]
    ClaimLost,
    /// A row holds JSON that this version does not understand.
    #[error("failed to read a row of session data")]
    Decode(#[from] serde_json::Error),
}

impl Error {
    /// Whether the same call may succeed a moment later.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Database(error) if tarsy_postgres::is_transient(error))
    }

    /// Whether Postgres refused a value for what it is: no try of any worker stores it.
    #[must_use]
    pub fn is_content(&self) -> bool {
        matches!(self, Self::Database(error) if is_content(error))
    }

    /// Whether Postgres refused a text for a character that it can't store: U+0000.
    #[must_use]
    pub fn is_bad_text(&self) -> bool {
        let Self::Database(error) = self else {
            return false;
        };
        let code = error.as_database_error().and_then(|error| error.code());
        code.is_some_and(|code| code == "22021") // character_not_in_repertoire
    }

    /// Whether a stored row is what can't be read: no try reads it.
    #[must_use]
    pub fn is_unreadable(&self) -> bool {
        matches!(
            self,
            Self::Decode(_)
                | Self::Database(sqlx::Error::ColumnDecode { .. } | sqlx::Error::Decode(_))
        )
    }
}

/// Whether Postgres refused a value, as no text of its encoding (class 22) or as too large (class 54): the fault of one
/// row, not of the group that it came in.
#[must_use]
pub fn is_content(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(|error| error.code());
    code.is_some_and(|code| code.starts_with("22") || code.starts_with("54"))
}

/// Whether a statement was ended because its time was up.
pub(crate) fn is_out_of_time(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(|error| error.code());
    code.is_some_and(|code| code == "57014")
}
