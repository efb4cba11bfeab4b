//! Errors of fetching a runbook.

use std::time::Duration;

/// Reason why fetching a runbook failed. The messages, including those of their sources, become part of the session's
/// record. So they contain no token, path or query.
#[expect(missing_docs, reason = "the messages name the fields")]
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The URL is not allowed, or the request failed.
    #[error("failed to fetch the runbook")]
    Egress(#[from] tarsy_egress::Error),
    /// The GitHub URL does not name a file.
    #[error(
        "the runbook URL does not name a file; expected https://{0}/<owner>/<repo>/blob/<ref>/<path>"
    )]
    NotAFile(String),
    /// The file does not exist, or the token can't read it.
    #[error("runbook not found (404){}", if *.with_token { "" } else { "; a private repository needs a token and an entry in `runbooks.allowed_repositories`" })]
    NotFound { with_token: bool },
    /// The repository is not allowed, or the URL is not clearly a file of an allowed one.
    #[error("repository not allowed; add it to `runbooks.allowed_repositories`")]
    RepositoryNotAllowed,
    /// The server rejects the credentials.
    #[error("`{host}` denied access to the runbook ({status})")]
    Refused { status: u16, host: String },
    /// Rate-limited. No request is sent until the wait is over.
    #[error("`{host}` rate limit exceeded; retry in {} s", .retry_after.as_secs())]
    RateLimited { host: String, retry_after: Duration },
    /// Any other status.
    #[error("`{host}` returned HTTP {status}")]
    Status { host: String, status: u16 },
    /// The content is not text.
    #[error("the runbook is not text")]
    NotText,
    /// The response is a page that asks for a password.
    #[error(
        "`{0}` answered with a sign-in page; use a URL that needs no browser session, e.g. that of the raw file or of an API"
    )]
    SignInPage(String),
    /// The response is an HTML page.
    #[error(
        "`{0}` answered with an HTML page; link to the raw text of the runbook (GitLab: `/-/raw/`, Gitea: `/raw/branch/`, Bitbucket: `/raw/`)"
    )]
    HtmlPage(String),
    /// The file is a pointer of Git LFS.
    #[error(
        "the runbook is a pointer of Git LFS, not its text; keep it in Git itself (`git lfs untrack`)"
    )]
    LfsPointer,
    /// The file is a symbolic link, of which Git stores only the target.
    #[error(
        "the runbook is a symbolic link in Git, not a text; link to the file that it points to"
    )]
    SymbolicLink,
    /// No response in time, over all candidate URLs together.
    #[error("fetching the runbook timed out after {0:?}")]
    Timeout(Duration),
    /// The name is not that of a file in the runbook directory.
    #[error("invalid `local:` name; expected a name such as `disk-full` or `storage/disk-full.md`")]
    LocalName,
    /// The local file does not exist.
    #[error("local runbook not found")]
    LocalNotFound(#[source] std::io::Error),
    /// The local file is larger than allowed.
    #[error("the local runbook is larger than {0} bytes")]
    LocalTooLarge(usize),
}

impl Error {
    /// Returns the message with the messages of its causes, for the session's record.
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

    /// Whether the error reveals something about the content of a repository, or that the repository is not allowed.
    #[must_use]
    pub const fn is_about_repository(&self) -> bool {
        matches!(
            self,
            Self::NotFound { .. }
                | Self::Refused { .. }
                | Self::RepositoryNotAllowed
                | Self::LfsPointer
                | Self::SymbolicLink
        )
    }

    /// Whether the failure is temporary. In that case an older copy of the runbook is used.
    pub(crate) fn is_temporary(&self) -> bool {
        use tarsy_egress::Error as Egress;
        match self {
            Self::RateLimited { .. } | Self::Timeout(_) | Self::SignInPage(_) => true,
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
