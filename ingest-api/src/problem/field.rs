//! What is wrong with one field.

use serde::Serialize;

/// One field that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct FieldError {
    /// The field, e.g. `severity` or `data.labels.hosts[3]`.
    #[schema(example = "data.labels.hosts[3]")]
    pub field: String,
    /// What is wrong with it.
    pub detail: String,
}

impl FieldError {
    /// An error of a field.
    pub fn new(field: impl Into<String>, detail: impl Into<String>) -> Self {
        Self {
            field: field.into(),
            detail: detail.into(),
        }
    }
}
