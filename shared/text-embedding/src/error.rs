//! Errors of reading a model.

use std::path::PathBuf;

/// Why a folder can't be used as a model.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file is missing or unreadable.
    #[error("failed to read {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Cause.
        source: std::io::Error,
    },
    /// A file is not what its name says.
    #[error("{} is invalid: {reason}", path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// A model that this program can't compute.
    #[error("{}: {what} is `{found}`; supported: {supported}", path.display())]
    Unsupported {
        /// The file that says so.
        path: PathBuf,
        /// Name of the setting.
        what: &'static str,
        /// Its value.
        found: String,
        /// Values that are supported.
        supported: &'static str,
    },
    /// The weights lack a tensor.
    #[error("{} has no tensor `{name}`", path.display())]
    NoTensor {
        /// The file of weights.
        path: PathBuf,
        /// The tensor.
        name: String,
    },
    /// A tensor has another type than single-precision numbers.
    #[error("tensor `{name}` of {} has type {found}; only F32 is supported", path.display())]
    Dtype {
        /// The file of weights.
        path: PathBuf,
        /// The tensor.
        name: String,
        /// Its type.
        found: String,
    },
    /// A tensor has another shape than the configuration says.
    #[error("tensor `{name}` of {} has shape {found:?}, the configuration says {expected:?}", path.display())]
    Shape {
        /// The file of weights.
        path: PathBuf,
        /// The tensor.
        name: String,
        /// Its shape.
        found: Vec<usize>,
        /// The shape of a model with this configuration.
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
