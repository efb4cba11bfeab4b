//! Why a runbook could not be had.

use std::time::Duration;

/// Why a runbook could not be had. The messages, sources included, go into the session's
/// record: none holds a token, a path or a query.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The URL may not be asked, or nobody answered.
    #[error("runbook not fetched")]
    Egress(#[from] tarsy_egress::Error),
    /// A GitHub URL that leads to no file.
    #[error("the runbook URL names no file: expected https://{0}/<owner>/<repo>/blob/<ref>/<path>")]
    NotAFile(String),
    /// Nothing there, or nothing that the token may see.
    #[error("no runbook there (404){}", if *.with_token { "" } else { "; if the repository is private, a token is needed, and `runbooks.allowed_repositories` has to name it" })]
    NotFound {
        /// Whether a token was sent.
        with_token: bool,
    },
    /// A repository that may not be asked, or what is not clearly a file of one that may.
    #[error("`runbooks.allowed_repositories` does not name this repository")]
    RepositoryNotAllowed,
    /// The server wants other credentials.
    #[error("access to the runbook was refused ({status}) by `{host}`")]
    Refused {
        /// 401 or 403.
        status: u16,
        /// Who refused.
        host: String,
    },
    /// Asked too often; nobody is asked again before the time is up.
    #[error("`{host}` limits requests; it may be asked again in {} s", .retry_after.as_secs())]
    RateLimited {
        /// Who limits.
        host: String,
        /// How long to wait.
        retry_after: Duration,
    },
    /// The server answered with something else.
    #[error("`{host}` answered {status}")]
    Status {
        /// Who answered.
        host: String,
        /// What.
        status: u16,
    },
    /// Not a text that can be shown and stored.
    #[error("the runbook is not a text")]
    NotText,
    /// No answer in time, all candidates included.
    #[error("no runbook within {0:?}")]
    Timeout(Duration),
    /// Not the name of a file below the runbook folder.
    #[error("`local:` takes a name such as `disk-full` or `storage/disk-full.md`")]
    LocalName,
    /// No such local file.
    #[error("no local runbook of that name")]
    LocalNotFound(#[source] std::io::Error),
    /// The local file is larger than allowed.
    #[error("the local runbook is larger than {0} bytes")]
    LocalTooLarge(usize),
}

impl Error {
    /// The message with the messages of its causes: what the session's record keeps.
    #[must_use]
    pub fn full_message(&self) -> String {
        let mut message = self.to_string();
        let mut cause = std::error::Error::source(self);
        while let Some(inner) = cause {
            message.push_str(": ");
            message.push_str(&inner.to_string());
            cause = inner.source();
        }
        message
    }

    /// Whether it tells what is in a repository, or that it may not be asked.
    #[must_use]
    pub const fn tells_of_a_repository(&self) -> bool {
        matches!(
            self,
            Self::NotFound { .. } | Self::Refused { .. } | Self::RepositoryNotAllowed
        )
    }

    /// Whether an older copy of the runbook is better than none: the server could not
    /// answer, rather than would not.
    pub(crate) fn is_passing(&self) -> bool {
        use tarsy_egress::Error as Egress;
        match self {
            Self::RateLimited { .. } | Self::Timeout(_) => true,
            Self::Status { status, .. } => *status >= 500,
            Self::Egress(egress) => {
                matches!(
                    egress,
                    Egress::Timeout(_) | Egress::Unreachable { .. } | Egress::Lookup { .. }
                )
            }
            _ => false,
        }
    }
}
