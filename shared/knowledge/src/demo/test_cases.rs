//! Generates 2,000 test cases: each scenario on each model, five times with small differences.

use std::fmt::Write as _;

use super::random::Random;
use super::{MODELS, Scenario};

/// Number of test cases for each scenario and model.
const VARIANTS: usize = 5;

/// Mapping of the file.
pub(super) const MAPPING: &str = "key: case_id
title: title
fields:
- {name: case_id, column: Test Case ID, identifier: true, required: true}
- {name: title, column: Title}
- {name: model, column: Model, filter: true}
- {name: bios, column: BIOS Version, filter: true}
- {name: component, column: Component, filter: true}
- {name: repeat_count, column: Repeat, type: integer, search: false}
- {name: steps, column: Test Steps}
- {name: expected, column: Expected Result}
- {name: notes, column: 'Notes#1'}
";

/// Returns the identifier of a test case.
pub(super) fn id(scenario: usize, model: usize, variant: usize) -> String {
    format!(
        "TC-{:05}",
        10_000 + (scenario * MODELS.len() + model) * VARIANTS + variant
    )
}

/// Returns the identifiers of all test cases of a scenario on a model.
pub(super) fn ids(scenario: usize, model: usize) -> Vec<String> {
    (0..VARIANTS)
        .map(|variant| id(scenario, model, variant))
        .collect()
}

/// Serializes the test cases as CSV with multi-line cells, empty rows, a repeated column name and a broken row.
pub(super) fn csv(scenarios: &[Scenario]) -> String {
    let mut random = Random(1);
    let mut text = "Test Case ID,Title,Model,BIOS Version,Component,Repeat,Test Steps,Expected Result,Notes,Notes\n".to_owned();
    for (number, scenario) in scenarios.iter().enumerate() {
        for (model, name) in MODELS.iter().enumerate() {
            for variant in 0..VARIANTS {
                row(
                    &mut text,
                    &mut random,
                    scenario,
                    (number, model, variant),
                    name,
                );
            }
        }
        text.push_str(",,,,,,,,,\n");
    }
    text.push_str("TC-99999,a row that was cut off\n");
    text
}

fn row(
    text: &mut String,
    random: &mut Random,
    scenario: &Scenario,
    place: (usize, usize, usize),
    model: &str,
) {
    let (number, of_model, variant) = place;
    let repeat = [1, 3, 5, 10, 25][variant];
    let state = [
        "after a cold start",
        "after a warm reset",
        "while idle",
        "under load",
        "after a firmware update",
    ][variant];
    let bios = format!(
        "{}.{}.{}",
        1 + of_model % 3,
        random.below(20),
        random.below(10)
    );
    let mut steps = format!("Precondition: {model} {state}, BIOS {bios}");
    for (index, step) in scenario.steps.iter().enumerate() {
        let _ = write!(steps, "\n{}. {step}", index + 1);
    }
    let _ = write!(steps, "\nRepeat {repeat} times");
    let note = random.pick(&[
        "",
        "",
        "see the laboratory's hand book",
        "needs two people",
        "automated",
        "flaky before rev. B",
    ]);
    let _ = writeln!(
        text,
        "{},{} ({state}),{model},{bios},{},{repeat},\"{steps}\",\"{}\",{note},",
        id(number, of_model, variant),
        scenario.title,
        scenario.component,
        scenario.expected,
    );
}
