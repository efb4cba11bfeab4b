//! Parses URLs that name several hosts.

use std::str::FromStr;

use sqlx::postgres::PgConnectOptions;

use crate::host::Host;

/// The parameter by which libpq chooses among hosts.
const TARGET: &str = "target_session_attrs";
/// Placeholder for a host that a URL does not name.
const PLACEHOLDER: &str = "localhost";

/// Reason why a URL is not a valid host list. Never contains the URL, which may include a password.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The URL does not begin with `postgres://`.
    #[error("it does not begin with `postgres://`")]
    Scheme,
    /// A host before or after a comma is missing.
    #[error("host {0} in the host list is empty")]
    EmptyHost(usize),
    /// sqlx rejects it.
    #[error("invalid host {0}, or invalid text after the host list")]
    Invalid(usize, #[source] sqlx::Error),
    /// The same host and port is listed twice.
    #[error("it names {0} twice")]
    Twice(Host),
    /// `target_session_attrs` has a value that does not select the primary.
    #[error(
        "`target_session_attrs` must be `read-write` or `primary`, or left out: the server that takes writes is looked for"
    )]
    Target,
    /// There are several hosts, but only one is allowed.
    #[error("it names several hosts; name one")]
    OneHost,
    /// There are several hosts, and one is a Unix socket or there is a `host` parameter.
    #[error("a list of hosts can't be mixed with a Unix socket or `?host=`")]
    Socket,
}

/// One database on one or more hosts.
#[derive(Clone, Debug)]
pub struct HostList {
    /// Options to connect to the first host.
    options: PgConnectOptions,
    hosts: Vec<Host>,
}

impl HostList {
    /// Returns the options to connect to the first host.
    #[must_use]
    pub fn options(&self) -> &PgConnectOptions {
        &self.options
    }

    /// Returns the hosts, in the order of the URL.
    #[must_use]
    pub fn hosts(&self) -> &[Host] {
        &self.hosts
    }
}

impl From<PgConnectOptions> for HostList {
    fn from(options: PgConnectOptions) -> Self {
        Self {
            hosts: vec![Host::from_options(&options)],
            options,
        }
    }
}

impl FromStr for HostList {
    type Err = Error;

    fn from_str(url: &str) -> Result<Self, Error> {
        let urls = each_host(url)?;
        let (authority, path) = parts(url)?.1;
        let hosts = authority
            .rsplit_once('@')
            .map_or(authority, |(_, hosts)| hosts);
        let is_named = names_host(hosts)
            || ["host=", "hostaddr="]
                .iter()
                .any(|name| path.contains(name));
        let mut first = None;
        let mut hosts = Vec::new();
        for (place, one) in urls.iter().enumerate() {
            let options = parse(one, is_named).map_err(|error| Error::Invalid(place + 1, error))?;
            let host = Host::from_options(&options);
            if urls.len() > 1 && options.get_socket().is_some() {
                return Err(Error::Socket);
            }
            if hosts.contains(&host) {
                return Err(match one.contains("host=") {
                    true => Error::Socket,
                    false => Error::Twice(host),
                });
            }
            hosts.push(host);
            first.get_or_insert(options);
        }
        let options = first.ok_or(Error::EmptyHost(1))?;
        Ok(Self { options, hosts })
    }
}

/// Splits a URL into one URL for each host.
///
/// # Errors
///
/// [`Error::Scheme`], [`Error::EmptyHost`], [`Error::Target`].
pub fn each_host(url: &str) -> Result<Vec<String>, Error> {
    let (scheme, (authority, path)) = parts(url)?;
    let (user, hosts) = match authority.rsplit_once('@') {
        Some((user, hosts)) => (format!("{user}@"), hosts),
        None => (String::new(), authority),
    };
    let path = without_target(path)?;
    let names: Vec<&str> = hosts.split(',').collect();
    let empty = names.iter().position(|name| name.is_empty());
    if let (true, Some(place)) = (names.len() > 1, empty) {
        return Err(Error::EmptyHost(place + 1));
    }
    let each = names.iter().map(|name| {
        // Without a host, a URL can have neither a user nor a port.
        let placeholder = if names_host(name) { "" } else { PLACEHOLDER };
        format!("{scheme}://{user}{placeholder}{name}{path}")
    });
    Ok(each.collect())
}

/// Splits a URL into scheme, authority, and path with parameters.
fn parts(url: &str) -> Result<(&str, (&str, &str)), Error> {
    let (scheme, rest) = url.split_once("://").ok_or(Error::Scheme)?;
    if !["postgres", "postgresql"].contains(&scheme) {
        return Err(Error::Scheme);
    }
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    Ok((scheme, rest.split_at(end)))
}

/// Returns whether a host and port contain a host.
fn names_host(host: &str) -> bool {
    !host.is_empty() && !host.starts_with(':')
}

/// Parses the URL of one host. `is_named`: the URL contains a host, or a parameter that names one. Otherwise libpq's
/// default host is used.
fn parse(url: &str, is_named: bool) -> Result<PgConnectOptions, sqlx::Error> {
    let options: PgConnectOptions = url.parse()?;
    if !is_named {
        let usual = PgConnectOptions::new_without_pgpass();
        return Ok(options.host(usual.get_host()));
    }
    // The brackets of an IPv6 address belong to the URL, not to the address.
    let host = options.get_host();
    let address = host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'));
    Ok(match address.map(str::to_owned) {
        Some(address) => options.host(&address),
        None => options,
    })
}

/// Returns path and parameters without `target_session_attrs`, about which sqlx would log a warning.
fn without_target(path: &str) -> Result<String, Error> {
    let Some((before, query)) = path.split_once('?') else {
        return Ok(path.to_owned());
    };
    let mut kept = Vec::new();
    for pair in query.split('&') {
        match pair.split_once('=') {
            Some((TARGET, "read-write" | "primary")) => {}
            Some((TARGET, _)) => return Err(Error::Target),
            _ => kept.push(pair),
        }
    }
    Ok(match kept.is_empty() {
        true => before.to_owned(),
        false => format!("{before}?{}", kept.join("&")),
    })
}

#[cfg(test)]
mod tests {
    use sqlx::{Connection as _, PgConnection};
    use tarsy_testing::TestDb;
    use tokio::io::{AsyncRead, AsyncWrite, copy_bidirectional};
    use tokio::net::{TcpListener, TcpStream, UnixListener};

    use super::*;

    fn hosts(url: &str) -> Vec<String> {
        let list: HostList = url.parse().expect("a list");
        list.hosts().iter().map(Host::to_string).collect()
    }

    fn refused(url: &str) -> String {
        url.parse::<HostList>().expect_err("refused").to_string()
    }

    #[test]
    fn each_host_has_its_port_or_the_usual_one() {
        assert_eq!(hosts("postgres://u:p@a/db"), ["a:5432"]);
        assert_eq!(
            hosts("postgres://u:p@a,b:6432,[::1]:7432/db?sslmode=disable"),
            ["a:5432", "b:6432", "[::1]:7432"]
        );
    }

    #[test]
    fn one_host_is_read_as_psql_reads_it() {
        let read = |url: &str| {
            let list: HostList = url.parse().unwrap_or_else(|error| panic!("{url}: {error}"));
            list.options().clone()
        };
        for (url, host, port) in [
            ("postgres://u@[::1]:5433/db", "::1", 5433),
            ("postgres://u:p@[2001:db8::7]/db", "2001:db8::7", 5432),
            ("postgres://u@127.0.0.1/db", "127.0.0.1", 5432),
            (
                "postgres://u@/db?host=db.example&port=6432",
                "db.example",
                6432,
            ),
        ] {
            let options = read(url);
            assert_eq!(
                (options.get_host(), options.get_port()),
                (host, port),
                "{url}"
            );
        }
        for url in [
            "postgres://me:a+b%40@/tarsy?host=/run/pg",
            "postgres://me:a+b%40@:5433/tarsy?host=/run/pg&port=5432",
            "postgres:///tarsy?user=me&host=/run/pg",
            "postgres://me@%2Frun%2Fpg/tarsy",
        ] {
            let options = read(url);
            let socket = options
                .get_socket()
                .map(|socket| socket.display().to_string());
            assert_eq!(socket.as_deref(), Some("/run/pg"), "{url}");
            assert_eq!(options.get_username(), "me", "{url}");
            assert_eq!(options.get_database(), Some("tarsy"), "{url}");
            assert_eq!(options.get_port(), 5432, "{url}");
        }
        assert_eq!(hosts("postgres://u@[::1]:5433/db"), ["[::1]:5433"]);
        // These leave everything to the defaults of libpq.
        for url in [
            "postgres://",
            "postgres:///",
            "postgresql://u@",
            "postgres://u@/db",
            "postgres://:5433",
        ] {
            read(url);
        }
    }

    /// Forwards connections of a listener to the server of the tests.
    async fn pass(mut client: impl AsyncRead + AsyncWrite + Unpin, port: u16) {
        if let Ok(mut server) = TcpStream::connect(("127.0.0.1", port)).await {
            let _ = copy_bidirectional(&mut client, &mut server).await;
        }
    }

    #[tokio::test]
    async fn a_server_is_reached_by_its_ipv6_address_and_by_its_socket() {
        let db = TestDb::new().await;
        let known: HostList = db.url().parse().expect("the URL of a test");
        let (server, port) = (known.hosts()[0].to_string(), known.options().get_port());
        let v6 = TcpListener::bind("[::1]:0").await.expect("a port");
        let address = v6.local_addr().expect("its address");
        let folder = std::env::temp_dir().join(db.name());
        std::fs::create_dir(&folder).expect("a folder");
        let socket = UnixListener::bind(folder.join(".s.PGSQL.5432")).expect("a socket");
        tokio::spawn(async move {
            while let Ok((client, _)) = v6.accept().await {
                tokio::spawn(pass(client, port));
            }
        });
        tokio::spawn(async move {
            while let Ok((client, _)) = socket.accept().await {
                tokio::spawn(pass(client, port));
            }
        });
        for url in [
            db.url().replace(&server, &address.to_string()),
            format!(
                "{}?host={}",
                db.url().replace(&server, ""),
                folder.display()
            ),
        ] {
            let list: HostList = url.parse().expect("a URL");
            let mut conn = PgConnection::connect_with(list.options())
                .await
                .unwrap_or_else(|error| panic!("{url}: {error}"));
            let name: String = sqlx::query_scalar("select current_database()")
                .fetch_one(&mut conn)
                .await
                .expect("an answer");
            assert_eq!(name, db.name());
        }
        std::fs::remove_dir_all(&folder).expect("the folder is gone");
    }

    #[test]
    fn user_database_and_parameters_are_those_of_all_hosts() {
        let url = "postgresql://me:p%40s,s@a:1,b:2/tarsy?target_session_attrs=read-write&application_name=x";
        let list: HostList = url.parse().expect("a list");
        let options = list.hosts()[1].aim(list.options().clone());
        assert_eq!((options.get_host(), options.get_port()), ("b", 2));
        assert_eq!(options.get_username(), "me");
        assert_eq!(options.get_database(), Some("tarsy"));
        assert_eq!(options.get_application_name(), Some("x"));
    }

    #[test]
    fn mistakes_are_named_and_passwords_are_not() {
        for (url, expected) in [
            ("mysql://u:hush@a,b/db", "postgres://"),
            ("postgres://u:hush@a,,b/db", "host 2"),
            ("postgres://u:hush@a,b:port/db", "host 2"),
            ("postgres://u:hush@a:1,b:1,a:1/db", "a:1 twice"),
            (
                "postgres://u:hush@a,b/db?target_session_attrs=any",
                "read-write",
            ),
            ("postgres://u:hush@a,b/db?host=/run/pg", "socket"),
        ] {
            let found = refused(url);
            assert!(
                found.to_lowercase().contains(&expected.to_lowercase()),
                "{url}: {found}"
            );
            assert!(!found.contains("hush"), "{found}");
        }
    }
}
