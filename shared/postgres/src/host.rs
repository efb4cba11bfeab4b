//! One host of a list.

use std::fmt;

use sqlx::postgres::PgConnectOptions;

/// Address of a server. Two hosts are equal if they are written in the same way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Host {
    name: String,
    port: u16,
}

impl Host {
    pub(crate) fn from_options(options: &PgConnectOptions) -> Self {
        Self {
            name: options.get_host().to_owned(),
            port: options.get_port(),
        }
    }

    /// Returns the options with the address of this host.
    pub(crate) fn aim(&self, options: PgConnectOptions) -> PgConnectOptions {
        options.host(&self.name).port(self.port)
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name.contains(':') {
            true => write!(f, "[{}]:{}", self.name, self.port),
            false => write!(f, "{}:{}", self.name, self.port),
        }
    }
}
