//! One-time WebSocket tickets.

use std::time::Duration;

use sqlx::PgConnection;
use uuid::Uuid;

use crate::Error;

/// Holder of a ticket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TicketHolder {
    /// Name of the holder.
    pub user_name: String,
    /// Role of the holder.
    pub role: String,
    /// API key of the request, if any.
    pub key_id: Option<Uuid>,
}

/// Stores a ticket's hash for `ttl`, and deletes expired ones.
pub async fn save_ws_ticket(
    conn: &mut PgConnection,
    hash: &[u8],
    holder: &TicketHolder,
    ttl: Duration,
) -> Result<(), Error> {
    sqlx::query!(
        "with expired as (delete from ws_tickets where expires_at < now())
         insert into ws_tickets (hash, user_name, role, expires_at, key_id)
         values ($1, $2, $3, now() + make_interval(secs => $4), $5)",
        hash,
        holder.user_name,
        holder.role,
        ttl.as_secs_f64(),
        holder.key_id
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Consumes a ticket. Returns `None` if it is unknown, used or expired.
pub async fn use_ws_ticket(
    conn: &mut PgConnection,
    hash: &[u8],
) -> Result<Option<TicketHolder>, Error> {
    let row = sqlx::query!(
        r#"delete from ws_tickets where hash = $1 returning user_name, role, key_id, expires_at > now() as "is_valid!""#,
        hash
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.filter(|row| row.is_valid).map(|row| TicketHolder {
        user_name: row.user_name,
        role: row.role,
        key_id: row.key_id,
    }))
}
