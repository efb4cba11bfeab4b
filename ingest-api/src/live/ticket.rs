//! Tickets: short-lived, single-use tokens that identify the caller who requested them.

use std::time::Duration;

use rand::RngCore as _;
use sha2::{Digest as _, Sha256};
use sqlx::PgPool;
use tarsy_failpoint::reached;
use tarsy_store::ws_tickets::TicketHolder;

/// Lifetime of a ticket.
pub(crate) const LIFETIME: Duration = Duration::from_secs(30);

/// Issues a ticket. Only its hash is stored.
pub(crate) async fn issue(
    pool: &PgPool,
    holder: &TicketHolder,
) -> Result<String, tarsy_store::Error> {
    let mut bytes = [0; 32];
    rand::rng().fill_bytes(&mut bytes);
    let ticket = hex(&bytes);
    let mut conn = pool.acquire().await?;
    reached("lone.save_ws_ticket.before_commit");
    tarsy_store::ws_tickets::save_ws_ticket(&mut conn, &hash(&ticket), holder, LIFETIME).await?;
    reached("lone.save_ws_ticket.after_commit");
    Ok(ticket)
}

/// Uses a ticket up. Returns its holder, or `None` if the ticket is not valid.
pub(crate) async fn redeem(
    pool: &PgPool,
    ticket: &str,
) -> Result<Option<TicketHolder>, tarsy_store::Error> {
    // A text that does not have the format of a ticket needs no query.
    if ticket.len() != 64 || !ticket.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Ok(None);
    }
    let mut conn = pool.acquire().await?;
    reached("lone.use_ws_ticket.before_commit");
    let holder = tarsy_store::ws_tickets::use_ws_ticket(&mut conn, &hash(ticket)).await?;
    reached("lone.use_ws_ticket.after_commit");
    Ok(holder)
}

fn hash(ticket: &str) -> [u8; 32] {
    Sha256::digest(ticket.as_bytes()).into()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
