//! Changes of texts that must not change a verdict.

use proptest::prelude::*;
use tarsy_model::InteractionId;
use tarsy_verdict::{Case, Check, Evidence, check_claim, judge};

fn check(answer: &str, results: &[String]) -> Check {
    let evidence: Vec<Evidence<'_>> = results
        .iter()
        .map(|text| Evidence {
            id: InteractionId::generate(),
            arguments: "{}".into(),
            text: text.into(),
        })
        .collect();
    judge(&Case {
        answer,
        claims: None,
        evidence: &evidence,
        known: &[],
        tools_offered: true,
        answer_cut: false,
    })
}

fn name() -> impl Strategy<Value = String> {
    "[a-z]{4,9}-[a-z]{4,9}-[0-9]{1,3}"
}

/// Text that masking and logs insert. It contains no numbers and none of the names that are looked up.
fn noise() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "[MASKED_TOKEN]",
        "***",
        "password: [MASKED_PASSWORD]",
        "INFO  nothing to see",
        "",
        "\t\t",
        "{\"a\": null}",
        "…",
    ])
    .prop_map(str::to_owned)
}

proptest! {
    #[test]
    fn any_answer_and_result_is_checked_without_a_panic(
        answer in "(\\PC|\\s|[`\"#:.,0-9-]){0,300}", result in "(\\PC|\\s|[`\"\\\\:.,0-9-]){0,300}"
    ) {
        let check = check(&answer, &[result]);
        prop_assert!(check.found <= check.checked);
    }

    #[test]
    fn the_order_of_results_and_noise_between_them_change_nothing(
        names in prop::collection::vec(name(), 1..6), invented in prop::collection::vec("[a-z]{5}_[a-z]{12}", 0..3),
        noise in prop::collection::vec(noise(), 8), order in any::<prop::sample::Index>(),
    ) {
        let said: Vec<String> = names.iter().chain(&invented).map(|name| format!("`{name}`")).collect();
        let answer = format!("## Root cause\n\nIt is {}.", said.join(", "));
        let results: Vec<String> = names.iter().map(|name| format!("pod {name} is not ready")).collect();
        let one = check(&answer, &results);
        let mut mixed: Vec<String> = results.iter().zip(noise.iter().cycle()).map(|(text, noise)| format!("{noise}\n{text}\n{noise}")).collect();
        let middle = order.index(mixed.len());
        mixed.rotate_left(middle);
        mixed.extend(noise);
        let other = check(&answer, &mixed);
        prop_assert_eq!((one.verdict, one.not_found, one.unknown_names), (other.verdict, other.not_found, other.unknown_names));
    }

    #[test]
    fn the_unit_of_a_result_changes_nothing(mebi in 1u64..4000) {
        let claim = format!("It uses {mebi} MiB.");
        let bytes = mebi * 1024 * 1024;
        for result in [format!("memory: {mebi}Mi"), format!("\"bytes\": {bytes}"), format!("{} KiB", mebi * 1024), format!("used_mb={mebi}")] {
            prop_assert_eq!(check_claim(&claim, &[&result], &[]), Some(vec![]), "{}", result);
        }
        // A number that is half as large again must not match.
        let other = format!("\"bytes\": {}", bytes + bytes / 2 + 600_000);
        prop_assert!(check_claim(&claim, &[&other], &[]).is_some_and(|missing| !missing.is_empty()));
    }

    #[test]
    fn the_unit_and_the_separators_of_a_time_change_nothing(seconds in 100u64..86_000) {
        let claims = [format!("It took {seconds} s."), format!("It took {}ms.", seconds * 1000)];
        let results = [format!("took {seconds}s"), format!("duration_ms: {}", seconds * 1000), format!("{}h{}m{}s", seconds / 3600, seconds / 60 % 60, seconds % 60)];
        for claim in &claims {
            for result in &results {
                prop_assert_eq!(check_claim(claim, &[result], &[]), Some(vec![]), "{} {}", claim, result);
            }
        }
    }

    #[test]
    fn the_zone_of_a_time_changes_nothing(minute in 0u32..1440, zone in 0u32..12) {
        let clock = |minute: u32| format!("{:02}:{:02}", minute / 60 % 24, minute % 60);
        let claim = format!("It began at {} UTC.", clock(minute));
        let result = format!("2026-11-28T{}:07+{zone:02}:00 began", clock(minute + zone * 60));
        prop_assert_eq!(check_claim(&claim, &[&result], &[]), Some(vec![]));
        let other = format!("2026-11-28T{}:07Z began", clock(minute + 90));
        prop_assert!(check_claim(&claim, &[&other], &[]).is_some_and(|missing| !missing.is_empty()));
    }
}
