//! Notification targets with the clients that reach them.

use std::collections::HashMap;
use std::sync::Arc;

use tarsy_egress::{Access, Client};

use super::Target;
use super::target::PATIENCE;

/// Maximum size of a target's response, in bytes. Its content is ignored.
const LARGEST: usize = 64 * 1024;
/// Maximum size of an incident's notes, in bytes.
const LARGEST_NOTES: usize = 8 * 1024 * 1024;

/// Notification targets, each with its client. Cheap to clone.
#[derive(Clone, Default)]
pub struct Recipients {
    targets: Arc<[Target]>,
    clients: Arc<HashMap<String, Client>>,
}

impl Recipients {
    /// Creates the clients of the targets. The process must have installed its TLS provider.
    #[must_use]
    pub fn new(targets: Vec<Target>) -> Self {
        let mut clients = HashMap::new();
        for target in &targets {
            tarsy_metrics::deliveries::serve(&target.name);
            let access = Access {
                private: target.private,
                http: target.http,
            };
            let largest = match target.write_back {
                Some(_) => LARGEST_NOTES,
                None => LARGEST,
            };
            match Client::to_host_of(&target.url, access, PATIENCE, largest) {
                Ok(client) => {
                    clients.insert(target.name.clone(), client);
                }
                Err(error) => tracing::error!(
                    ?error,
                    target = target.name,
                    "failed to set up the client of a notification target"
                ),
            }
        }
        Self {
            targets: targets.into(),
            clients: Arc::new(clients),
        }
    }

    /// Returns whether there are no targets.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }

    pub(crate) fn targets(&self) -> &[Target] {
        &self.targets
    }

    /// Returns a target and its client by name.
    pub(crate) fn get(&self, name: &str) -> Option<(&Target, &Client)> {
        let target = self.targets.iter().find(|target| target.name == name)?;
        Some((target, self.clients.get(name)?))
    }
}
