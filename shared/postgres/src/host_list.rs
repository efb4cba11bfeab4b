//! URLs that name several hosts.

use std::str::FromStr;

use sqlx::postgres::PgConnectOptions;

use crate::host::Host;

/// The parameter by which libpq chooses among hosts.
const TARGET: &str = "target_session_attrs";

/// Why a URL is no list of hosts. Never shows the URL, which may hold a password.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No `postgres://` before it.
    #[error("it does not begin with `postgres://`")]
    Scheme,
    /// A comma with nothing before or behind it.
    #[error("host {0} of its list is empty")]
    EmptyHost(usize),
    /// sqlx can't use it.
    #[error("host {0} of its list, or what follows the list, is invalid")]
    Invalid(usize, #[source] sqlx::Error),
    /// The same host and port twice.
    #[error("it names {0} twice")]
    Twice(Host),
    /// `target_session_attrs` asks for something else than the primary.
    #[error(
        "`target_session_attrs` must be `read-write` or `primary`, or left out: the server that takes writes is looked for"
    )]
    Target,
    /// Several hosts where one is wanted.
    #[error("it names several hosts; name one")]
    OneHost,
    /// Several hosts, and a Unix socket among them or a `host` parameter.
    #[error("a list of hosts can't be mixed with a Unix socket or `?host=`")]
    Socket,
}

/// One database on one or more hosts.
#[derive(Clone, Debug)]
pub struct HostList {
    /// As of the first host.
    options: PgConnectOptions,
    hosts: Vec<Host>,
}

impl HostList {
    /// How to connect to the first host.
    #[must_use]
    pub fn options(&self) -> &PgConnectOptions {
        &self.options
    }

    /// The hosts, in the order in which they are named.
    #[must_use]
    pub fn hosts(&self) -> &[Host] {
        &self.hosts
    }
}

impl From<PgConnectOptions> for HostList {
    fn from(options: PgConnectOptions) -> Self {
        Self {
            hosts: vec![Host::of(&options)],
            options,
        }
    }
}

impl FromStr for HostList {
    type Err = Error;

    fn from_str(url: &str) -> Result<Self, Error> {
        let urls = each_host(url)?;
        let mut first = None;
        let mut hosts = Vec::new();
        for (place, one) in urls.iter().enumerate() {
            let options: PgConnectOptions = one
                .parse()
                .map_err(|error| Error::Invalid(place + 1, error))?;
            let host = Host::of(&options);
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

/// The URL of each host that a URL names.
///
/// # Errors
///
/// [`Error::Scheme`], [`Error::EmptyHost`], [`Error::Target`].
pub fn each_host(url: &str) -> Result<Vec<String>, Error> {
    let (scheme, rest) = url.split_once("://").ok_or(Error::Scheme)?;
    if !["postgres", "postgresql"].contains(&scheme) {
        return Err(Error::Scheme);
    }
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
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
    let each = names.iter();
    Ok(each
        .map(|name| format!("{scheme}://{user}{name}{path}"))
        .collect())
}

/// Path and parameters, but for the target, which sqlx would warn of.
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
        for (url, said) in [
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
                found.to_lowercase().contains(&said.to_lowercase()),
                "{url}: {found}"
            );
            assert!(!found.contains("hush"), "{found}");
        }
    }
}
