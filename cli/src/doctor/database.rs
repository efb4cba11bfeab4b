//! Checks of the Postgres server.

use std::time::{SystemTime, UNIX_EPOCH};

use tarsy_postgres::{Host, Standing};
use tarsy_store::diagnosis::ServerFacts;

use super::Check;

const AREA: &str = "database";
/// Oldest supported version of the server.
const OLDEST: i32 = 150_000;
/// Duration in seconds after which an open transaction is a problem, because it keeps dead rows of the queue.
const LONG_TRANSACTION_SECONDS: f64 = 300.0;
/// Clock difference in seconds beyond which times from different sources are misleading. Leases use only the server's
/// clock.
const CLOCK_SECONDS: f64 = 5.0;

/// Checks the server's facts. `wanted` is the number of connections that the live workers may open.
pub(crate) fn checks(facts: &ServerFacts, wanted: i64) -> Vec<Check> {
    let mut checks = vec![if facts.version_number >= OLDEST {
        Check::ok(AREA, format!("PostgreSQL {}", facts.version))
    } else {
        Check::failure(
            AREA,
            format!("PostgreSQL {} is too old", facts.version),
            "use PostgreSQL 15 or later",
        )
    }];
    if facts.encoding != "UTF8" {
        checks.push(Check::failure(
            AREA,
            format!(
                "the database's encoding is {}: most alerts can't be stored",
                facts.encoding
            ),
            "create it anew: create database .. encoding 'UTF8' template template0",
        ));
    }
    if !facts.is_writable {
        checks.push(Check::failure(
            AREA,
            "the server is read-only (a standby, or default_transaction_read_only)",
            "point DATABASE_URL at the primary, or name all hosts in it (@a:5432,b:5432/)",
        ));
    }
    durability(facts, &mut checks);
    replication(facts, &mut checks);
    if !facts.autovacuum {
        checks.push(Check::failure(
            AREA,
            "autovacuum is off: dead rows of the queue slow every claim",
            "set autovacuum = on",
        ));
    }
    if facts.oldest_transaction_seconds > LONG_TRANSACTION_SECONDS {
        checks.push(Check::warning(
            AREA,
            format!("a transaction has been open for {:.0} s: dead rows can't be removed", facts.oldest_transaction_seconds),
            "find it in pg_stat_activity (order by xact_start); set idle_in_transaction_session_timeout",
        ));
    }
    if facts.transaction_ids_used > 0.5 {
        checks.push(Check::warning(
            AREA,
            format!("{:.0} % of the transaction ids are used since the last freeze", facts.transaction_ids_used * 100.0),
            "find out why autovacuum can't freeze: a prepared transaction, a replication slot or a long transaction",
        ));
    }
    checks.push(connections(facts, wanted));
    checks.push(clock(facts.clock));
    checks
}

/// Checks a list of hosts. Returns nothing for a single host.
pub(crate) fn hosts(standings: &[(Host, Standing)]) -> Vec<Check> {
    if standings.len() < 2 {
        return Vec::new();
    }
    let described = |(host, standing): &(Host, Standing)| format!("{host} {}", phrase(standing));
    let finding = standings
        .iter()
        .map(described)
        .collect::<Vec<_>>()
        .join(", ");
    let takes_writes =
        |(_, standing): &&(Host, Standing)| matches!(standing, Standing::Primary { .. });
    let check = if standings.iter().filter(takes_writes).count() > 1 {
        Check::failure(
            AREA,
            finding,
            "two servers take writes: stop the one on the lower timeline and make it a standby (pg_rewind, or a new base backup)",
        )
    } else if standings
        .iter()
        .all(|(_, standing)| matches!(standing, Standing::Primary { .. } | Standing::Standby))
    {
        Check::ok(AREA, finding)
    } else {
        Check::warning(
            AREA,
            finding,
            "bring the missing host back as a standby, or take it out of DATABASE_URL",
        )
    };
    vec![check]
}

fn phrase(standing: &Standing) -> String {
    match standing {
        Standing::Away(reason) => format!("is away ({reason})"),
        other => other.to_string(),
    }
}

fn durability(facts: &ServerFacts, checks: &mut Vec<Check>) {
    for (name, is_on, loss) in [
        (
            "fsync",
            facts.fsync,
            "a crash of the machine destroys the database",
        ),
        (
            "full_page_writes",
            facts.full_page_writes,
            "a crash of the machine can tear pages",
        ),
    ] {
        if !is_on {
            checks.push(Check::failure(
                AREA,
                format!("{name} is off: {loss}"),
                format!("set {name} = on"),
            ));
        }
    }
    match facts.synchronous_commit.as_str() {
        "off" => checks.push(Check::failure(
            AREA,
            "synchronous_commit is off: accepted alerts are lost if the server crashes",
            "set it to `on` for the server, the database and our role (alter role .. set ..)",
        )),
        word => checks.push(Check::ok(
            AREA,
            format!("commits are durable (fsync on, synchronous_commit {word})"),
        )),
    }
}

fn replication(facts: &ServerFacts, checks: &mut Vec<Check>) {
    if facts.waiting_for_standby > 0 {
        checks.push(Check::failure(
            AREA,
            format!("{} sessions wait for a synchronous standby to confirm", facts.waiting_for_standby),
            "bring the standby back; use two with synchronous_standby_names = 'ANY 1 (b, c)'. Never cancel such a session: its commit would look confirmed",
        ));
    }
    match (facts.synchronous_standby_names.is_empty(), facts.standbys) {
        (true, 0) => checks.push(Check::warning(
            AREA,
            "no standby: the loss of this machine loses the history",
            "add a streaming standby, or continuous archiving (docs/FAILOVER.md, docs/BACKUP.md)",
        )),
        (true, _) => checks.push(Check::warning(
            AREA,
            "standbys are asynchronous: a failover can lose alerts that were accepted last",
            "set synchronous_standby_names, with two standbys",
        )),
        (false, 0) => checks.push(Check::failure(
            AREA,
            format!(
                "no standby is connected, and commits wait for one: synchronous_standby_names = '{}'",
                facts.synchronous_standby_names
            ),
            "bring the standby back; use two with synchronous_standby_names = 'ANY 1 (b, c)'",
        )),
        (false, standbys) => checks.push(Check::ok(
            AREA,
            format!(
                "{standbys} standbys, synchronous: {}",
                facts.synchronous_standby_names
            ),
        )),
    }
}

fn connections(facts: &ServerFacts, wanted: i64) -> Check {
    let most = i64::from(facts.max_connections);
    let finding = format!(
        "{} of {most} connections in use; the live processes may open {wanted}",
        facts.connections
    );
    if facts.connections * 10 > most * 9 || wanted > most {
        Check::warning(
            AREA,
            finding,
            "raise max_connections, lower DATABASE_MAX_CONNECTIONS, or put PgBouncer between (docs/DEPLOY.md)",
        )
    } else {
        Check::ok(AREA, finding)
    }
}

fn clock(server: f64) -> Check {
    let here = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0.0, |time| time.as_secs_f64());
    let apart = (here - server).abs();
    if apart > CLOCK_SECONDS {
        Check::warning(
            "clock",
            format!("this machine's clock is {apart:.0} s off the database's"),
            "synchronise both by NTP",
        )
    } else {
        Check::ok("clock", "this machine and the database agree")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Verdict;

    fn good_facts() -> ServerFacts {
        ServerFacts {
            version: "17.2".to_owned(),
            version_number: 170_002,
            encoding: "UTF8".to_owned(),
            is_writable: true,
            fsync: true,
            full_page_writes: true,
            autovacuum: true,
            synchronous_commit: "on".to_owned(),
            synchronous_standby_names: "ANY 1 (b, c)".to_owned(),
            standbys: 2,
            waiting_for_standby: 0,
            max_connections: 200,
            connections: 20,
            oldest_transaction_seconds: 1.0,
            transaction_ids_used: 0.1,
            clock: SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .unwrap()
                .as_secs_f64(),
        }
    }

    fn bad(facts: &ServerFacts) -> Vec<String> {
        checks(facts, 100)
            .into_iter()
            .filter(|check| check.verdict != Verdict::Ok)
            .map(|check| check.finding)
            .collect()
    }

    #[test]
    fn a_sound_server_has_no_finding() {
        assert_eq!(bad(&good_facts()), Vec::<String>::new());
    }

    #[test]
    fn hosts_are_well_when_one_takes_writes_and_the_others_follow() {
        let list: tarsy_postgres::HostList = "postgres://u@a,b/d".parse().unwrap();
        let verdict = |one: Standing, other: Standing| {
            let hosts = list.hosts().iter().cloned();
            let standings: Vec<_> = hosts.zip([one, other]).collect();
            let checks = super::hosts(&standings);
            (checks[0].verdict, checks[0].finding.clone())
        };
        let primary = |timeline| Standing::Primary { timeline };
        let away = || Standing::Away("connection refused".to_owned());
        assert_eq!(verdict(primary(1), Standing::Standby).0, Verdict::Ok);
        assert_eq!(verdict(primary(1), primary(2)).0, Verdict::Failure);
        let (verdict, finding) = verdict(away(), primary(2));
        assert_eq!(verdict, Verdict::Warning);
        assert_eq!(
            finding,
            "a:5432 is away (connection refused), b:5432 takes writes (timeline 2)"
        );
        assert!(super::hosts(&[]).is_empty());
    }

    #[test]
    fn each_setting_that_can_lose_something_is_named() {
        type Break = fn(&mut ServerFacts);
        let breaks: [(Break, &str); 12] = [
            (
                |f| f.encoding = "SQL_ASCII".to_owned(),
                "encoding is SQL_ASCII",
            ),
            (|f| f.fsync = false, "fsync is off"),
            (|f| f.full_page_writes = false, "full_page_writes is off"),
            (|f| f.autovacuum = false, "autovacuum is off"),
            (
                |f| f.synchronous_commit = "off".to_owned(),
                "synchronous_commit is off",
            ),
            (|f| f.is_writable = false, "read-only"),
            (|f| f.version_number = 140_010, "too old"),
            (|f| f.waiting_for_standby = 3, "3 sessions wait"),
            (|f| f.synchronous_standby_names.clear(), "asynchronous"),
            (|f| f.standbys = 0, "commits wait for one"),
            (
                |f| f.oldest_transaction_seconds = 3_600.0,
                "open for 3600 s",
            ),
            (|f| f.clock -= 60.0, "60 s off"),
        ];
        for (break_it, expected) in breaks {
            let mut facts = good_facts();
            break_it(&mut facts);
            let found = bad(&facts);
            assert!(
                found.len() == 1 && found[0].contains(expected),
                "{expected}: {found:?}"
            );
        }
    }
}
