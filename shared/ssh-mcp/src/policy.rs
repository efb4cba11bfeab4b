//! The checked configuration, which decides which command may run on which host.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use russh::keys::{Algorithm, PrivateKey, PublicKey, decode_secret_key};
use serde_json::{Map, Value};

use crate::allowlist::Allowlist;
use crate::denylist::Denylist;
use crate::error::{Error, Refusal};
use crate::file::{File, Group, Host, Key};
use crate::template::{Part, Template, is_allowed};

/// Longest time limit of a command, in seconds. A call over MCP has 30 s for waiting, connecting and running.
const LONGEST: u64 = 20;
/// Largest output limit that a group may set, in bytes.
const MOST_OUTPUT: usize = 256 * 1024;

/// The commands and hosts that a configuration allows.
#[derive(Debug)]
pub struct Policy {
    pub(crate) templates: BTreeMap<String, Template>,
    pub(crate) targets: BTreeMap<String, Arc<Target>>,
    denylist: Denylist,
    pub(crate) cache: Duration,
}

/// A host, with the settings of its group.
#[derive(Debug)]
pub(crate) struct Target {
    pub(crate) name: String,
    pub(crate) group: String,
    pub(crate) address: String,
    pub(crate) port: u16,
    pub(crate) host_keys: Vec<PublicKey>,
    pub(crate) login: Arc<Login>,
}

/// Settings that all hosts of a group share.
#[derive(Debug)]
pub(crate) struct Login {
    pub(crate) user: String,
    pub(crate) key: Arc<PrivateKey>,
    pub(crate) limit: Duration,
    pub(crate) max_output: usize,
    allowed: Vec<Vec<Part>>,
}

impl Policy {
    /// Reads a configuration file and the keys that it names. `variable` looks up an environment variable.
    ///
    /// # Errors
    ///
    /// The first mistake, with its place.
    pub fn read(path: &Path, variable: impl Fn(&str) -> Option<String>) -> Result<Self, Error> {
        let what = path.display().to_string();
        let text = read(path)?;
        Self::parse(&what, &text, variable)
    }

    /// Same as [`Policy::read`], for a text.
    ///
    /// # Errors
    ///
    /// The first mistake, with its place.
    pub fn parse(
        what: &str,
        text: &str,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, Error> {
        let file: File = serde_saphyr::from_str(text).map_err(|error| {
            let what = what.to_owned();
            match serde_saphyr::from_str::<Allowlist>(text) {
                Ok(list) => Error::Allowlist {
                    what,
                    file: list.translated(),
                },
                Err(_) => Error::Syntax {
                    what,
                    reason: error.to_string(),
                },
            }
        })?;
        let denylist = Denylist::new(file.deny.as_deref())?;
        let mut templates = BTreeMap::new();
        for (name, entry) in file.templates {
            let place = format!("templates.{name}");
            check_name(&place, &name)?;
            let template = Template::new(
                &place,
                entry.description,
                entry.effect,
                &entry.command,
                entry.arguments,
            )?;
            if denylist.denies(&template.literals()) {
                return Err(Error::invalid(place, "the denylist refuses this command"));
            }
            templates.insert(name, template);
        }
        let mut targets = BTreeMap::new();
        for (name, group) in &file.groups {
            for target in group_targets(name, group, &variable)? {
                let place = format!("groups.{name}.hosts.{}", target.name);
                if let Some(other) = targets.insert(target.name.clone(), Arc::new(target)) {
                    let reason = format!("group `{}` has a host of this name, too", other.group);
                    return Err(Error::invalid(place, reason));
                }
            }
        }
        Ok(Self {
            templates,
            targets,
            denylist,
            cache: Duration::from_secs(file.cache_seconds),
        })
    }

    /// Returns the host and the vector to run on it, or the reason why it may not run.
    pub(crate) fn decide(
        &self,
        host: &str,
        command: &str,
        values: &Map<String, Value>,
    ) -> Result<(Arc<Target>, Vec<String>), Refusal> {
        let unknown = |what: &str, name: &str| {
            Refusal::Arguments(format!("there is no {what} `{}`", name.escape_debug()))
        };
        let target = self
            .targets
            .get(host)
            .ok_or_else(|| unknown("host", host))?;
        let template = self
            .templates
            .get(command)
            .ok_or_else(|| unknown("command", command))?;
        let argv = template.argv(values)?;
        if argv.iter().any(|argument| argument.contains('\0')) {
            return Err(Refusal::Arguments("an argument holds a NUL".to_owned()));
        }
        if !is_allowed(&target.login.allowed, &argv) {
            return Err(Refusal::NotAllowed(host.to_owned()));
        }
        if self.denylist.denies(&argv) {
            return Err(Refusal::Denied);
        }
        Ok((Arc::clone(target), argv))
    }

    /// Returns the templates that a host's group accepts, with their names.
    pub(crate) fn commands_of<'a>(
        &'a self,
        target: &'a Target,
    ) -> impl Iterator<Item = (&'a str, &'a Template)> {
        let fits = |template: &Template| target.login.allowed.iter().any(|one| template.fits(one));
        let all = self
            .templates
            .iter()
            .map(|(name, template)| (name.as_str(), template));
        all.filter(move |(_, template)| fits(template))
    }
}

fn group_targets(
    name: &str,
    group: &Group,
    variable: impl Fn(&str) -> Option<String>,
) -> Result<Vec<Target>, Error> {
    let place = format!("groups.{name}");
    let bounded = |member: &str, is_fine: bool, range: String| match is_fine {
        true => Ok(()),
        false => Err(Error::invalid(
            format!("{place}.{member}"),
            format!("from 1 to {range}"),
        )),
    };
    let limit = group.timeout_seconds;
    bounded(
        "timeout_seconds",
        (1..=LONGEST).contains(&limit),
        LONGEST.to_string(),
    )?;
    let output = group.max_output_bytes;
    bounded(
        "max_output_bytes",
        (1..=MOST_OUTPUT).contains(&output),
        MOST_OUTPUT.to_string(),
    )?;
    if group.user.is_empty() || group.hosts.is_empty() {
        return Err(Error::invalid(place, "a group needs a user and hosts"));
    }
    let mut allowed = Vec::new();
    for (index, written) in group.allow.iter().enumerate() {
        let place = format!("{place}.allow[{index}]");
        let parts = written.parts(&place)?;
        for part in &parts {
            if let Part::Slot(kind) = part
                && tarsy_mcp_server::ArgumentType::named(kind).is_none()
            {
                return Err(Error::invalid(
                    place,
                    format!("`{{{kind}}}` is no type: word, path, integer, text"),
                ));
            }
        }
        allowed.push(parts);
    }
    let login = Arc::new(Login {
        user: group.user.clone(),
        key: Arc::new(private_key(&format!("{place}.key"), &group.key, variable)?),
        limit: Duration::from_secs(limit),
        max_output: output,
        allowed,
    });
    let hosts = group.hosts.iter();
    hosts
        .map(|(host, entry)| target(&place, name, group, &login, host, entry))
        .collect()
}

fn target(
    place: &str,
    group_name: &str,
    group: &Group,
    login: &Arc<Login>,
    name: &str,
    host: &Host,
) -> Result<Target, Error> {
    let place = format!("{place}.hosts.{name}");
    check_name(&place, name)?;
    let parsed = host.host_keys.iter().map(|key| {
        let key = PublicKey::from_openssh(key);
        let key =
            key.map_err(|error| Error::invalid(format!("{place}.host_keys"), error.to_string()))?;
        is_supported(&key.algorithm())
            .then_some(key)
            .ok_or_else(|| {
                Error::invalid(
                    format!("{place}.host_keys"),
                    "use the ed25519 or ecdsa key of the host",
                )
            })
    });
    let host_keys: Vec<_> = parsed.collect::<Result<_, _>>()?;
    if host_keys.is_empty() {
        return Err(Error::invalid(
            place,
            "`host_keys` is empty: a host must prove who it is",
        ));
    }
    Ok(Target {
        name: name.to_owned(),
        group: group_name.to_owned(),
        address: host.address.clone().unwrap_or_else(|| name.to_owned()),
        port: host.port.unwrap_or(group.port),
        host_keys,
        login: Arc::clone(login),
    })
}

const fn is_supported(algorithm: &Algorithm) -> bool {
    matches!(algorithm, Algorithm::Ed25519 | Algorithm::Ecdsa { .. })
}

fn private_key(
    place: &str,
    key: &Key,
    variable: impl Fn(&str) -> Option<String>,
) -> Result<PrivateKey, Error> {
    let text = match key {
        Key::Env(name) => {
            let missing = || Error::invalid(place, format!("variable `{name}` is not set"));
            variable(name).ok_or_else(missing)?
        }
        Key::File(path) => read(path)?,
    };
    // The error never quotes the key.
    let key = decode_secret_key(&text, None)
        .map_err(|_| Error::invalid(place, "it is no private key without a passphrase"))?;
    is_supported(&key.algorithm())
        .then_some(key)
        .ok_or_else(|| Error::invalid(place, "use an ed25519 or ecdsa key"))
}

/// Checks a name, because names are shown to models and people, and are values of tool arguments.
fn check_name(place: &str, name: &str) -> Result<(), Error> {
    let is_fine = |c: char| c.is_ascii_alphanumeric() || ".-_:".contains(c);
    match !name.is_empty() && name.len() <= 100 && name.chars().all(is_fine) {
        true => Ok(()),
        false => Err(Error::invalid(
            place,
            "a name has letters, digits and .-_: only",
        )),
    }
}

fn read(path: &Path) -> Result<String, Error> {
    std::fs::read_to_string(path).map_err(|source| Error::File {
        what: path.display().to_string(),
        source,
    })
}
