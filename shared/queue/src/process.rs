//! Identity of this process in its Postgres sessions.

use std::sync::OnceLock;

use sqlx::postgres::PgConnectOptions;
use uuid::Uuid;

/// Length to which Postgres truncates names, in bytes.
const LONGEST_NAME: usize = 63;
/// Length of an id as text.
const ID: usize = 36;

/// Returns the id of this process. It is new with every start.
#[must_use]
pub fn process_id() -> Uuid {
    static ID: OnceLock<Uuid> = OnceLock::new();
    *ID.get_or_init(Uuid::now_v7)
}

/// Returns the `application_name` of a session that reaches Postgres directly: role, purpose and process.
///
/// A sweeper considers a process dead only when all sessions with this name are gone. A session through a pooler must
/// not have such a name, because the pooler's own connection would keep it after the process has died.
#[must_use]
pub fn session_name(role: &str, purpose: &str) -> String {
    let room = LONGEST_NAME.saturating_sub(purpose.len() + ID + 2);
    let role = &role[..role.floor_char_boundary(room)];
    format!("{role} {purpose} {}", process_id())
}

/// Returns whether `name` is the name of a session of this process.
#[must_use]
pub fn is_of_this_process(name: &str) -> bool {
    name.ends_with(&process_id().to_string())
}

/// Changes the [`session_name`] in `options` to another purpose, for a second pool of a process, because sessions of
/// each pool are counted by name. Keeps the name if it does not contain this process, as with a pooler.
#[must_use]
pub fn renamed(options: PgConnectOptions, role: &str, purpose: &str) -> PgConnectOptions {
    let name = options.get_application_name();
    match name.is_some_and(is_of_this_process) {
        true => options.application_name(&session_name(role, purpose)),
        false => options,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_name_ends_with_the_whole_id_however_long_the_role_is() {
        let id = process_id().to_string();
        assert_eq!(session_name("rig", "lease"), format!("rig lease {id}"));
        let long = session_name(&"ü".repeat(40), "sweeper");
        assert!(long.len() <= LONGEST_NAME && long.ends_with(&format!(" sweeper {id}")));
    }
}
