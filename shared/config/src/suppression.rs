//! Reads which repeated alerts of a chain are not investigated again.

use std::time::Duration;

use tarsy_model::{Flapping, Suppression};

use crate::fields::{Field, FieldValue, Fields, Length, Required, Whole, section};

section! {
    /// Repeated alerts that are suppressed. A session that failed or was cancelled suppresses none.
    struct SuppressFields("Suppress") {
        /// How long alerts are suppressed after the end of a session. At most 7 days.
        cooldown: Length,
        /// Suppress an alert for longer while it is flapping.
        flapping: FlappingFields,
    }
}

section! {
    /// Condition under which an alert counts as flapping.
    struct FlappingFields("Flapping") {
        /// Number of occurrences that count as flapping, including suppressed ones (2 to 100).
        times: Required<Whole<2, 100, u16>>,
        /// Time within which these occurrences happen. At most 7 days.
        within: Required<Length>,
    }
}

/// Longest cooldown and longest `within` of flapping.
const LONGEST: Duration = Duration::from_hours(7 * 24);

/// Reads the section `suppress` of a chain.
pub(crate) fn read(fields: &Fields<'_>, field: Field<SuppressFields>) -> Option<Suppression> {
    let keys = SuppressFields::FIELDS;
    let section = fields.get(field)?;
    let cooldown = bounded(&section, keys.cooldown);
    let flapping = section.get(keys.flapping).and_then(|flapping| {
        let keys = FlappingFields::FIELDS;
        let times = flapping.get(keys.times);
        let within = bounded(&flapping, keys.within);
        if !flapping.has(keys.times) || !flapping.has(keys.within) {
            flapping.problem_here(
                "`flapping` needs `times` and `within`".to_owned(),
                "for example `flapping: {times: 5, within: 1h}`",
            );
        }
        Some(Flapping {
            times: times?,
            within: within?,
        })
    });
    if !section.has(keys.cooldown) && !section.has(keys.flapping) {
        section.problem_here(
            "`suppress` has neither `cooldown` nor `flapping`".to_owned(),
            "for example `suppress: {cooldown: 15m}`",
        );
    }
    Some(Suppression { cooldown, flapping })
}

/// Reads a time of at most a week.
fn bounded<T>(section: &Fields<'_>, field: Field<T>) -> Option<Duration>
where
    T: for<'a> FieldValue<Read<'a> = Duration>,
{
    let time = section.get(field)?;
    if time > LONGEST {
        section.problem(
            field,
            format!("`{field}` is longer than 7 days"),
            "a suppressed alert is not investigated: use a shorter time",
        );
    }
    Some(time)
}
