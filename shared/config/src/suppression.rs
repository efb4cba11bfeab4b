//! Reads which repeated alerts of a chain are not investigated again.

use std::time::Duration;

use tarsy_model::{Flapping, Suppression};

use crate::fields::Fields;
use crate::schema::scalars::Whole;

/// Values of `flapping.times`.
pub(crate) type Times = Whole<2, 100>;

/// Longest cooldown and longest `within` of flapping.
const LONGEST: Duration = Duration::from_hours(7 * 24);

/// Reads the section `suppress` of a chain.
pub(crate) fn read(fields: &Fields<'_>) -> Option<Suppression> {
    let section = fields.section("suppress")?;
    let bounded = |section: &Fields<'_>, key: &'static str| {
        let time = section.duration(key)?;
        if time > LONGEST {
            section.problem(
                key,
                format!("`{key}` is longer than 7 days"),
                "a suppressed alert is not investigated: use a shorter time",
            );
        }
        Some(time)
    };
    let cooldown = bounded(&section, "cooldown");
    let flapping = section.section("flapping").and_then(|flapping| {
        let times = flapping.integer("times", Times::RANGE);
        let within = bounded(&flapping, "within");
        if !flapping.has("times") || !flapping.has("within") {
            flapping.problem_here(
                "`flapping` needs `times` and `within`".to_owned(),
                "for example `flapping: {times: 5, within: 1h}`",
            );
        }
        flapping.finish();
        Some(Flapping {
            times: times?,
            within: within?,
        })
    });
    if !section.has("cooldown") && !section.has("flapping") {
        section.problem_here(
            "`suppress` has neither `cooldown` nor `flapping`".to_owned(),
            "for example `suppress: {cooldown: 15m}`",
        );
    }
    section.finish();
    Some(Suppression { cooldown, flapping })
}
