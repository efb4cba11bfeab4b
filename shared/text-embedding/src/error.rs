//! Errors of reading a model.

use std::path::PathBuf;

/// Reason why a folder can't be used as a model.
#[expect(missing_docs, reason = "the messages name the fields")]
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file is missing or unreadable.
    #[error("failed to read {}", path.display())]
    Read {
        path: PathBuf,
        source: std::io::Error,
    },
    /// A file does not have the format that its name implies.
    #[error("{} is invalid: {reason}", path.display())]
    Invalid { path: PathBuf, reason: String },
    /// The model has a property that this program does not support.
    #[error("{}: {what} is `{found}`; supported: {supported}", path.display())]
    Unsupported {
        path: PathBuf,
        what: &'static str,
        found: String,
        supported: &'static str,
    },
    /// The weights lack a tensor.
    #[error("{} has no tensor `{name}`", path.display())]
    NoTensor { path: PathBuf, name: String },
    /// A tensor has a type other than single-precision numbers.
    #[error("tensor `{name}` of {} has type {found}; only F32 is supported", path.display())]
    Dtype {
        path: PathBuf,
        name: String,
        found: String,
    },
    /// A tensor has a shape other than the configured one.
    #[error("tensor `{name}` of {} has shape {found:?}, the configuration says {expected:?}", path.display())]
    Shape {
        path: PathBuf,
        name: String,
        found: Vec<usize>,
        /// The shape that the configuration requires.
        expected: Vec<usize>,
    },
}

impl Error {
    pub(crate) fn read(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::Read { path, source }
    }

    pub(crate) fn invalid(path: impl Into<PathBuf>, reason: impl Into<String>) -> Self {
        Self::Invalid {
            path: path.into(),
            reason: reason.into(),
        }
    }
}

/// Result of reading a model.
pub type Result<T, E = Error> = std::result::Result<T, E>;
