//! The runbook of a session: fetched once per chain, before its first stage.

use sqlx::PgPool;
use tarsy_model::SessionId;

use crate::Error;

/// Fetches runbooks and settles them on their sessions. Cheap to clone.
#[derive(Clone)]
pub struct Runbooks {
    pool: PgPool,
}

impl Runbooks {
    /// Fetches nothing: every runbook is recorded as not to be had. For benchmarks.
    #[must_use]
    pub fn none(pool: PgPool) -> Self {
        Self { pool }
    }

    /// Fetch a session's runbook and record its text, or why it could not be had.
    ///
    /// # Errors
    ///
    /// [`Error`] when the answer could not be recorded; fetching again later is harmless.
    pub async fn settle(
        &self,
        session: SessionId,
        url: &str,
    ) -> Result<Result<(), String>, Error> {
        let fetched: Result<String, String> = Err(format!("runbooks are not fetched here: {url}"));
        let mut conn = self.pool.acquire().await?;
        tarsy_store::set_runbook(&mut conn, session, fetched.as_deref().map_err(String::as_str))
            .await?;
        Ok(fetched.map(drop))
    }
}
