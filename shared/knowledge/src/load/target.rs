//! Target of a load.

/// Collection and load ids.
pub(super) struct Target {
    pub(super) collection_id: i32,
    pub(super) load_id: i32,
}
