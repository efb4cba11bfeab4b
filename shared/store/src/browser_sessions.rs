//! Browser sessions: cookies that represent an API key or a person. Only hashes are stored.

use std::time::Duration;

use sqlx::PgConnection;
use uuid::Uuid;

use crate::Error;
use crate::late_commits::micros;

/// Owner of a browser session.
#[derive(Clone, Copy, Debug)]
pub enum SessionOwner<'a> {
    /// The holder of this API key. The session ends with the key.
    Key(Uuid),
    /// A person who signed in at the identity provider.
    Person {
        /// Name of the person in the audit log.
        name: &'a str,
        /// Role of the person, as text.
        role: &'a str,
    },
}

/// A new browser session.
#[derive(Clone, Debug)]
pub struct NewBrowserSession<'a> {
    /// Id of the browser session.
    pub browser_session_id: Uuid,
    /// Owner of the session.
    pub owner: SessionOwner<'a>,
    /// SHA-256 of the whole token.
    pub hash: &'a [u8; 32],
    /// Lifetime. The session ends earlier if its key does.
    pub lifetime: Duration,
    /// Maximum number of sessions of this owner. The oldest ones are deleted.
    pub most_of_owner: i64,
}

impl NewBrowserSession<'_> {
    fn lifetime_us(&self) -> i64 {
        micros(self.lifetime)
    }
}

/// A valid browser session with its owner.
#[derive(Clone, Debug)]
pub struct LiveBrowserSession {
    /// Id of the browser session.
    pub browser_session_id: Uuid,
    /// SHA-256 of the whole token.
    pub hash: Vec<u8>,
    /// Time when the session ends, in Unix microseconds.
    pub expires_at_us: i64,
    /// API key of the session; `None` for a person's session.
    pub key_id: Option<Uuid>,
    /// Name of the key or the person.
    pub name: String,
    /// Role of the key or the person, as text.
    pub role: String,
}

/// Stores a session and deletes expired and surplus ones. Returns the time when the session ends, in Unix
/// microseconds; `None` if the key is revoked or expired.
pub async fn insert_browser_session(
    conn: &mut PgConnection,
    session: &NewBrowserSession<'_>,
) -> Result<Option<i64>, Error> {
    match session.owner {
        SessionOwner::Key(key_id) => insert_of_key(conn, session, key_id).await,
        SessionOwner::Person { name, role } => {
            let ends = insert_of_person(conn, session, name, role).await;
            ends.map(Some)
        }
    }
}

async fn insert_of_key(
    conn: &mut PgConnection,
    session: &NewBrowserSession<'_>,
    key_id: Uuid,
) -> Result<Option<i64>, Error> {
    let ends = sqlx::query_scalar!(
        "with deleted as (
             delete from browser_sessions where expires_at_us <= now_us()
                or browser_session_id in (
                    select browser_session_id from browser_sessions where key_id = $1
                    order by created_at_us desc, browser_session_id desc offset $2::bigint - 1)
         )
         insert into browser_sessions (browser_session_id, key_id, hash, expires_at_us)
         select $3, key_id, $4, least(now_us() + $5, expires_at_us) from api_keys
         where key_id = $1 and revoked_at_us is null
             and (expires_at_us is null or expires_at_us > now_us())
         returning expires_at_us",
        key_id,
        session.most_of_owner,
        session.browser_session_id,
        session.hash.as_slice(),
        session.lifetime_us(),
    )
    .fetch_optional(conn)
    .await?;
    Ok(ends)
}

async fn insert_of_person(
    conn: &mut PgConnection,
    session: &NewBrowserSession<'_>,
    name: &str,
    role: &str,
) -> Result<i64, Error> {
    let ends = sqlx::query_scalar!(
        "with deleted as (
             delete from browser_sessions where expires_at_us <= now_us()
                or browser_session_id in (
                    select browser_session_id from browser_sessions where key_id is null and name = $1
                    order by created_at_us desc, browser_session_id desc offset $2::bigint - 1)
         )
         insert into browser_sessions (name, browser_session_id, role, hash, expires_at_us)
         values ($1, $3, $4, $5, now_us() + $6)
         returning expires_at_us",
        name,
        session.most_of_owner,
        session.browser_session_id,
        role,
        session.hash.as_slice(),
        session.lifetime_us(),
    )
    .fetch_one(conn)
    .await?;
    Ok(ends)
}

/// Lists valid sessions, newest first, up to `limit`.
pub async fn live_browser_sessions(
    conn: &mut PgConnection,
    limit: i64,
) -> Result<Vec<LiveBrowserSession>, Error> {
    let sessions = sqlx::query_as!(
        LiveBrowserSession,
        r#"select s.browser_session_id, s.hash, s.expires_at_us, s.key_id,
             coalesce(s.name, k.name) as "name!", coalesce(s.role, k.role) as "role!"
         from browser_sessions s left join api_keys k using (key_id)
         where s.expires_at_us > now_us() and k.revoked_at_us is null
             and (k.expires_at_us is null or k.expires_at_us > now_us())
         order by s.created_at_us desc, s.browser_session_id limit $1"#,
        limit
    )
    .fetch_all(conn)
    .await?;
    Ok(sessions)
}

/// Ends a session. Repeating it changes nothing.
pub async fn delete_browser_session(
    conn: &mut PgConnection,
    browser_session_id: Uuid,
) -> Result<(), Error> {
    sqlx::query!(
        "delete from browser_sessions where browser_session_id = $1",
        browser_session_id
    )
    .execute(conn)
    .await?;
    Ok(())
}
