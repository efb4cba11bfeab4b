//! Checks the state of a server.

use std::fmt;
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{ConnectOptions as _, Executor as _, Row as _};

/// Maximum wait for a connection or an answer. A host that does not respond in this time counts as away.
pub(crate) const PATIENCE: Duration = Duration::from_secs(2);

/// Query whether a server accepts writes. After a promotion a server may refuse writes for a while, although it is no
/// longer in recovery.
///
/// The timeline rises with each promotion, so it distinguishes a former primary that came back from its successor.
const QUESTION: &str = "select current_setting('transaction_read_only') as read_only,
    pg_is_in_recovery()::text as in_recovery,
    case when not pg_is_in_recovery() then pg_walfile_name(pg_current_wal_lsn()) end as segment";

/// State of a host with respect to writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It was not checked yet.
    Unknown,
    /// It can't be reached or refuses connections, for this reason.
    Away(String),
    /// It follows another server.
    Standby,
    /// Not a standby, but read-only.
    ReadOnly,
    /// It accepts writes.
    Primary {
        /// Timeline, which rises with each promotion.
        timeline: u32,
    },
}

impl Standing {
    /// Queries the server over `session`. Opens the session if there is none, and drops it if the query fails.
    pub(crate) async fn ask(
        session: &mut Option<PgConnection>,
        options: &PgConnectOptions,
    ) -> Self {
        let asking = async {
            let mut conn = match session.take() {
                Some(conn) => conn,
                None => options.connect().await?,
            };
            let row = conn.fetch_one(QUESTION).await?;
            let text = |name| row.try_get::<Option<String>, _>(name);
            let standing = read(
                text("read_only")?.as_deref(),
                text("in_recovery")?.as_deref(),
                text("segment")?.as_deref(),
            );
            Ok::<_, sqlx::Error>((conn, standing))
        };
        match tokio::time::timeout(PATIENCE, asking).await {
            Ok(Ok((conn, standing))) => {
                *session = Some(conn);
                standing
            }
            Ok(Err(error)) => Self::Away(reason(&error)),
            Err(_) => Self::Away(format!("no answer within {} s", PATIENCE.as_secs())),
        }
    }

    pub(crate) const fn timeline(&self) -> Option<u32> {
        match self {
            Self::Primary { timeline } => Some(*timeline),
            _ => None,
        }
    }
}

/// Interprets the answer to [`QUESTION`].
fn read(read_only: Option<&str>, in_recovery: Option<&str>, segment: Option<&str>) -> Standing {
    let timeline = segment
        .and_then(|name| name.get(..8))
        .and_then(|number| u32::from_str_radix(number, 16).ok());
    match (in_recovery, read_only) {
        (Some("false"), Some("off")) => Standing::Primary {
            timeline: timeline.unwrap_or(0),
        },
        (Some("false"), _) => Standing::ReadOnly,
        _ => Standing::Standby,
    }
}

pub(crate) fn reason(error: &sqlx::Error) -> String {
    match error {
        sqlx::Error::Io(error) => error.to_string(),
        sqlx::Error::Database(error) => error.message().to_owned(),
        other => other.to_string(),
    }
}

impl fmt::Display for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => f.write_str("not asked yet"),
            Self::Away(reason) => f.write_str(reason),
            Self::Standby => f.write_str("is a standby"),
            Self::ReadOnly => f.write_str("is no standby, but refuses writes"),
            Self::Primary { timeline } => write!(f, "takes writes (timeline {timeline})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_server_that_takes_writes_is_a_primary() {
        let segment = Some("0000001A000000010000002B");
        let primary = Standing::Primary { timeline: 26 };
        assert_eq!(read(Some("off"), Some("false"), segment), primary);
        assert_eq!(read(Some("on"), Some("false"), segment), Standing::ReadOnly);
        assert_eq!(read(Some("on"), Some("true"), None), Standing::Standby);
        assert_eq!(read(None, None, None), Standing::Standby);
    }
}
