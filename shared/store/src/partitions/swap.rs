//! Replaces a plain table with a partitioned one of the same name. The plain table becomes its first partition.

use sqlx::PgConnection;

use super::ddl::{add_default, add_partition, check_name, run};
use super::{AHEAD, PartitionKey, PartitionableTable};

/// A constraint or index of a table.
struct Part {
    name: String,
    /// Definition, as used in `create index` or after `add constraint`.
    definition: String,
    is_constraint: bool,
    /// Whether a partitioned table can have it. Postgres requires the partition key in every unique constraint or
    /// index.
    can_be_on_parent: bool,
}

/// Makes the table the first partition. A validated check constraint must keep all its rows below `bound`. Takes some
/// milliseconds, during which others wait.
pub(super) async fn swap(
    tx: &mut PgConnection,
    table: PartitionableTable,
    bound: i64,
    width: i64,
) -> Result<(), sqlx::Error> {
    let name = table.name;
    let past = format!("{name}_past");
    lock(tx, name).await?;
    let parts = parts(tx, table).await?;
    let grants = grants(tx, name).await?;
    let next_number = match table.key {
        PartitionKey::Number => Some(drop_identity(tx, table).await?),
        PartitionKey::Time => None,
    };

    run(tx, format!("alter table {name} rename to {past}")).await?;
    for part in &parts {
        let renamed = renamed(&part.name, name, &past);
        run(
            tx,
            match part.is_constraint {
                true => format!(
                    "alter table {past} rename constraint {} to {renamed}",
                    part.name
                ),
                false => format!("alter index {} rename to {renamed}", part.name),
            },
        )
        .await?;
    }
    run(
        tx,
        format!(
            "create table {name} (like {past} including all excluding identity excluding indexes \
                 excluding constraints excluding statistics) partition by range ({})",
            table.column
        ),
    )
    .await?;
    for part in parts.iter().filter(|part| part.can_be_on_parent) {
        run(
            tx,
            match part.is_constraint {
                true => format!(
                    "alter table {name} add constraint {} {}",
                    part.name, part.definition
                ),
                false => part.definition.clone(),
            },
        )
        .await?;
    }
    let to = table.key.literal(bound);
    run(
        tx,
        format!("alter table {name} attach partition {past} for values from (minvalue) to ({to})"),
    )
    .await?;
    let check = check_name(name);
    run(
        tx,
        format!(
            "alter table {past} drop constraint {}",
            renamed(&check, name, &past)
        ),
    )
    .await?;
    if let Some(next) = next_number {
        add_sequence(tx, table, next).await?;
    }
    for grant in &grants {
        run(tx, grant.clone()).await?;
    }
    for number in 0..=AHEAD {
        let from = bound + number * width;
        add_partition(tx, table, &past, from, from + width).await?;
    }
    add_default(tx, table, &past).await
}

/// Locks the table, but first the tables that it references, in the same order as tarsy's other transactions.
async fn lock(tx: &mut PgConnection, name: &str) -> Result<(), sqlx::Error> {
    let referenced: Vec<String> = sqlx::query_scalar(
        "select distinct confrelid::regclass::text from pg_constraint
         where conrelid = $1::text::regclass and contype = 'f' order by 1",
    )
    .bind(name)
    .fetch_all(&mut *tx)
    .await?;
    for referenced in referenced {
        run(
            tx,
            format!("lock table {referenced} in share row exclusive mode"),
        )
        .await?;
    }
    run(tx, format!("lock table {name} in access exclusive mode")).await
}

async fn parts(tx: &mut PgConnection, table: PartitionableTable) -> Result<Vec<Part>, sqlx::Error> {
    let rows: Vec<(String, String, bool, bool)> = sqlx::query_as(
        "select quote_ident(conname), pg_get_constraintdef(c.oid), true,
                conname <> $3 and (contype not in ('p', 'u', 'x') or a.attnum = any(conkey))
         from pg_constraint c
         join pg_attribute a on a.attrelid = c.conrelid and a.attname = $2
         where conrelid = $1::text::regclass and contype <> 'n'
         union all
         select quote_ident(i.relname), pg_get_indexdef(i.oid), false,
                not indisunique or a.attnum = any(indkey)
         from pg_index x
         join pg_class i on i.oid = x.indexrelid
         join pg_attribute a on a.attrelid = x.indrelid and a.attname = $2
         where indrelid = $1::text::regclass
           and not exists (select from pg_constraint c where c.conindid = x.indexrelid and c.conrelid = x.indrelid)",
    )
    .bind(table.name)
    .bind(table.column)
    .bind(check_name(table.name))
    .fetch_all(tx)
    .await?;
    let parts = rows
        .into_iter()
        .map(|(name, definition, is_constraint, can_be_on_parent)| Part {
            name,
            definition,
            is_constraint,
            can_be_on_parent,
        });
    Ok(parts.collect())
}

/// Returns statements that give a table of the same name the same owner and grants.
async fn grants(tx: &mut PgConnection, name: &str) -> Result<Vec<String>, sqlx::Error> {
    sqlx::query_scalar(
        "select format('alter table %I owner to %I', relname, pg_get_userbyid(relowner))
         from pg_class where oid = $1::text::regclass and relowner <> current_user::regrole
         union all
         select format('grant %s on %I to %s%s', privilege_type, relname,
                       case grantee when 0 then 'public' else quote_ident(pg_get_userbyid(grantee)) end,
                       case when is_grantable then ' with grant option' else '' end)
         from pg_class cross join lateral aclexplode(relacl)
         where oid = $1::text::regclass and grantee <> relowner",
    )
    .bind(name)
    .fetch_all(tx)
    .await
}

/// Removes the sequence of the numbers from a table, because a partitioned table can't have an identity column before
/// PostgreSQL 17. Returns the next number.
async fn drop_identity(
    tx: &mut PgConnection,
    table: PartitionableTable,
) -> Result<i64, sqlx::Error> {
    let (name, column) = (table.name, table.column);
    let next = sqlx::query_scalar(
        "select coalesce(pg_sequence_last_value(pg_get_serial_sequence($1, $2)::regclass), 0) + 1",
    )
    .bind(name)
    .bind(column)
    .fetch_one(&mut *tx)
    .await?;
    run(
        tx,
        format!("alter table {name} alter column {column} drop identity"),
    )
    .await?;
    Ok(next)
}

/// Gives the partitioned table a sequence. Every role that may insert may also use it, as with an identity column.
async fn add_sequence(
    tx: &mut PgConnection,
    table: PartitionableTable,
    next: i64,
) -> Result<(), sqlx::Error> {
    let (name, column) = (table.name, table.column);
    let sequence = format!("{name}_{column}_seq");
    run(
        tx,
        format!("create sequence {sequence} as bigint start with {next}"),
    )
    .await?;
    run(
        tx,
        format!("alter sequence {sequence} owned by {name}.{column}"),
    )
    .await?;
    run(
        tx,
        format!("alter table {name} alter column {column} set default nextval('{sequence}')"),
    )
    .await?;
    let users: Vec<String> = sqlx::query_scalar(
        "select distinct format('grant usage, select on sequence %I to %s', $2,
                       case grantee when 0 then 'public' else quote_ident(pg_get_userbyid(grantee)) end)
         from pg_class cross join lateral aclexplode(relacl)
         where oid = $1::text::regclass and privilege_type = 'INSERT' and grantee <> relowner",
    )
    .bind(format!("{name}_past"))
    .bind(&sequence)
    .fetch_all(&mut *tx)
    .await?;
    for grant in users {
        run(tx, grant).await?;
    }
    Ok(())
}

/// Returns the name of a constraint or index of the table once it is a partition. `name` may be quoted.
fn renamed(name: &str, table: &str, partition: &str) -> String {
    let name = name.trim_matches('"');
    let rest = name.strip_prefix(table).unwrap_or(name);
    let rest = rest.strip_prefix('_').unwrap_or(rest);
    format!("\"{partition}_{rest}\"")
}
