//! Checks labelled pairs of a claim and a result.

use tarsy_verdict::check_claim;

const PAIRS: &str = include_str!("pairs.txt");

struct Pair {
    subject: &'static str,
    result: &'static str,
    claim: &'static str,
    is_true: bool,
}

fn pairs() -> Vec<Pair> {
    let mut pairs = Vec::new();
    for case in PAIRS.split("\n=== ").skip(1) {
        let (subject, rest) = case.split_once('\n').unwrap();
        let (result, claims) = rest.split_once("\n---\n").unwrap();
        for line in claims.lines().filter(|line| !line.is_empty()) {
            let (mark, claim) = line.split_once(' ').unwrap();
            let is_true = match mark {
                "+" => true,
                "-" => false,
                other => panic!("{subject}: neither + nor -: {other}"),
            };
            pairs.push(Pair {
                subject,
                result,
                claim,
                is_true,
            });
        }
    }
    pairs
}

#[test]
fn false_claims_are_marked_and_true_ones_are_not() {
    let pairs = pairs();
    assert!(pairs.len() >= 200, "{} pairs", pairs.len());
    let (mut truths, mut marked_truths) = (0, Vec::new());
    let (mut lies, mut missed_lies) = (0, Vec::new());
    for pair in &pairs {
        let missing = check_claim(pair.claim, &[pair.result], &[]);
        let is_marked = missing.as_ref().is_some_and(|missing| !missing.is_empty());
        match (pair.is_true, is_marked) {
            (true, true) => {
                marked_truths.push(format!("{}: {} ({missing:?})", pair.subject, pair.claim))
            }
            (false, false) => {
                missed_lies.push(format!("{}: {} ({missing:?})", pair.subject, pair.claim))
            }
            _ => {}
        }
        truths += usize::from(pair.is_true);
        lies += usize::from(!pair.is_true);
    }
    println!(
        "marked: {} of {lies} false claims, {} of {truths} true claims\nnot marked:\n{}\nmarked though true:\n{}",
        lies - missed_lies.len(),
        marked_truths.len(),
        missed_lies.join("\n"),
        marked_truths.join("\n")
    );
    assert!(
        missed_lies.len() * 100 <= lies * 5,
        "false claims that are not marked:\n{}",
        missed_lies.join("\n")
    );
    assert!(
        marked_truths.len() * 100 <= truths * 2,
        "true claims that are marked:\n{}",
        marked_truths.join("\n")
    );
}
