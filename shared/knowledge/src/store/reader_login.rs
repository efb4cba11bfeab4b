//! The login for SQL queries.
//!
//! It is a separate role. A session could not just switch to it, because `set_config('role', ..)` in a SELECT would
//! switch back.

use sqlx::{AssertSqlSafe, PgConnection};

use crate::error::{Error, Result};

/// Name and password of the login.
#[derive(Clone)]
pub struct ReaderLogin {
    /// Name of the role: lower-case letters, digits and `_`.
    pub name: String,
    /// Its password.
    pub password: String,
}

impl std::fmt::Debug for ReaderLogin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = f.debug_struct("ReaderLogin");
        shown.field("name", &self.name).finish_non_exhaustive()
    }
}

/// Creates the login or sets its password, and grants it read access to all present and future collection views. It
/// revokes the right to temporary tables in this database from PUBLIC, because otherwise the login would have it
/// through PUBLIC.
///
/// # Errors
///
/// [`Error::Invalid`] for a name that needs quotes or a role with other rights, or [`Error::Database`] without the
/// right to create roles.
pub async fn grant_reader(connection: &mut PgConnection, login: &ReaderLogin) -> Result<()> {
    let name = &login.name;
    if !crate::mapping::is_name(name) {
        return Err(Error::invalid(
            "the reader's name",
            "it must have lower-case letters, digits and `_`",
        ));
    }
    let found: Option<(bool, bool)> = sqlx::query_as(
        "select rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls,
                exists (select 1 from pg_auth_members m where m.member = r.oid)
                    or exists (select 1 from pg_class c where c.relowner = r.oid)
           from pg_roles r where rolname = $1",
    )
    .bind(name)
    .fetch_optional(&mut *connection)
    .await?;
    if let Some((true, _) | (_, true)) = found {
        let reason =
            format!("`{name}` may do more than read: choose a role that nothing else uses");
        return Err(Error::invalid("the reader", reason));
    }
    let password: String = sqlx::query_scalar("select quote_literal($1)")
        .bind(&login.password)
        .fetch_one(&mut *connection)
        .await?;
    let make = match found {
        None => "create",
        Some(_) => "alter",
    };
    for statement in [
        format!(
            "{make} role {name} login noinherit nosuperuser connection limit 8 password {password}"
        ),
        format!("alter role {name} set default_transaction_read_only = on"),
        format!("alter role {name} set search_path = ''"),
        format!("alter role {name} set statement_timeout = '5s'"),
        format!("alter role {name} set lock_timeout = '1s'"),
        format!("alter role {name} set idle_in_transaction_session_timeout = '10s'"),
        format!("grant usage on schema knowledge_views to {name}"),
        format!("grant select on all tables in schema knowledge_views to {name}"),
        format!(
            "alter default privileges in schema knowledge_views grant select on tables to {name}"
        ),
    ] {
        sqlx::raw_sql(AssertSqlSafe(statement))
            .execute(&mut *connection)
            .await?;
    }
    limit_temporary(connection, name).await
}

/// Prohibits temporary tables and large temporary files, as far as this user may. The former requires the owner of the
/// database, the latter a superuser. Every role has the right to temporary tables through PUBLIC. So it is revoked from
/// all roles to which it is not granted by name.
async fn limit_temporary(connection: &mut PgConnection, name: &str) -> Result<()> {
    let (database, is_owner, is_superuser): (String, bool, bool) = sqlx::query_as(
        "select quote_ident(d.datname), pg_has_role(d.datdba, 'usage'), r.rolsuper
           from pg_database d, pg_roles r where d.datname = current_database() and r.rolname = current_user",
    )
    .fetch_one(&mut *connection)
    .await?;
    let temporary = format!("revoke temporary on database {database} from public, {name}");
    let files = format!("alter role {name} set temp_file_limit = '256MB'");
    let allowed = [is_owner.then_some(temporary), is_superuser.then_some(files)];
    for statement in allowed.into_iter().flatten() {
        sqlx::raw_sql(AssertSqlSafe(statement))
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}
