//! Where a load writes to.

/// Collection and load.
pub(super) struct Target {
    pub(super) collection_id: i32,
    pub(super) load_id: i32,
}
