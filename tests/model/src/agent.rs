//! The agent. Its next step depends only on its records.

use tarsy_model::StageStatus;

use crate::calls::Call;
use crate::fleet::Point;
use crate::tables::Record;

/// Returns where a run with these records continues.
pub(crate) fn resume(records: &[Record], script: &[Call]) -> Point {
    let open = records.iter().position(|record| record.answer.is_none());
    match open {
        // A repeatable call is made again. A call that may not be repeated is reported as unknown.
        Some(sequence) if records[sequence].call == Call::Effect => Point::Answered {
            sequence,
            unknown: true,
        },
        Some(sequence) => Point::Calling { sequence },
        None if records.len() < script.len() => Point::Running {
            sequence: records.len(),
        },
        None => Point::Ending(StageStatus::Completed),
    }
}

/// Returns where a run continues after a call was recorded.
pub(crate) fn after(sequence: usize, script: &[Call]) -> Point {
    if sequence + 1 < script.len() {
        Point::Running {
            sequence: sequence + 1,
        }
    } else {
        Point::Ending(StageStatus::Completed)
    }
}
