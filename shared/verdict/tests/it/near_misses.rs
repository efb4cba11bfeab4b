//! Root causes with a word of the check's lists in another meaning, and guesses in words that are easy to miss.

use tarsy_model::{InteractionId, SessionVerdict as V};
use tarsy_verdict::{Case, Evidence, judge};

/// What the only tool call returned.
const RESULT: &str = "pods checkout-api, orders-db: OOMKilled; node worker-3; secret db-password; column orders.total; x509
repository does not exist or may require authorization, it could be private
Suspect orders-db has failed, no acks received
the cause is unknown, connection refused";

/// The author is sure. One of the words stands in a quotation, in another meaning, or in a sentence about the future.
const SURE: &[&str] = &[
    "`checkout-api` can't pull its image: \"repository does not exist or may require authorization, it could be private\".",
    "`orders-db` left the cluster. Its log has `Suspect orders-db has failed, no acks received`.",
    "SQL Server marked the database of `orders-db` as suspect.",
    "No connection to `orders-db` could be established.",
    "The node `worker-3` stopped before `orders-db` could be moved.",
    "`checkout-api` is likely to fail again.",
    "`checkout-api` was OOMKilled, which is likely to recur.",
    "`checkout-api` waits for `orders-db` as the runbook suggests.",
    "The fault of `orders-db` appears to clients as a refused connection.",
    "`checkout-api` is not allowed to assume the role of `orders-db`.",
    "The root cause is that the secret `db-password` was not found.",
    "The root cause is an unknown column `orders.total`.",
    "The root cause is a missing secret: `db-password` not found.",
    "The root cause was a typo, so `db-password` could not be found.",
    "Unknown column `orders.total` in the query of `checkout-api`.",
    "Unknown authority: `checkout-api` rejects the `x509` certificate.",
    "`checkout-api` fails with \"the cause is unknown\" because `orders-db` was OOMKilled.",
    "The restart was not due to an error; `checkout-api` was OOMKilled.",
    "This is not a false alarm: `checkout-api` was OOMKilled.",
    "The alert is not a false positive. `checkout-api` was OOMKilled.",
    "The probe of `checkout-api` is not working as expected.",
    "`orders-db` stopped operating normally when it was OOMKilled.",
    "The pods of `worker-3` are operating normally. `checkout-api` was OOMKilled.",
    "Nothing is wrong with `worker-3`; `checkout-api` was OOMKilled.",
    "There is no problem with `worker-3`; `orders-db` refused connections.",
    "No problem was found with `worker-3`. `orders-db` logs `connection refused`.",
];

/// The author guesses.
const GUESSES: &[&str] = &[
    "`checkout-api` is likely to have been OOMKilled.",
    "The restart is likely to be caused by `orders-db`.",
    "`checkout-api` was apparently OOMKilled.",
    "Maybe `orders-db` was OOMKilled.",
    "The probable cause is `orders-db`.",
    "A possible cause is `orders-db`.",
    "It is possible that `orders-db` was OOMKilled.",
    "`checkout-api` restarts, suggesting that it was OOMKilled.",
    "The pods seem to be OOMKilled.",
    "`orders-db` appeared to run out of memory.",
    "I think `orders-db` was OOMKilled.",
    "I believe that `checkout-api` was OOMKilled.",
    "`checkout-api` might not reach `orders-db`.",
    "A restart of `orders-db` could explain the errors.",
    "I assume that `orders-db` was OOMKilled.",
    "There are no logs, so it could be `orders-db`.",
];

const INCONCLUSIVE: &[&str] = &[
    "The root cause of the restart of `checkout-api` was not found.",
    "The root cause is an unknown error in `checkout-api`.",
    "Unknown. `checkout-api` has no logs.",
    "Unknown, because the logs of `checkout-api` are gone.",
    "The root cause is still unclear: `checkout-api` was OOMKilled.",
];

const NO_FAULT: &[&str] = &[
    "No issues were found in `checkout-api`. All probes completed successfully.",
    "No problem was found with `orders-db`. It is fully operational.",
    "`checkout-api` is working as expected.",
    "The alert was a false positive: `orders-db` was being moved.",
];

fn verdict(cause: &str) -> V {
    let evidence = [Evidence {
        id: InteractionId::generate(),
        arguments: "{}".into(),
        text: RESULT.into(),
    }];
    let answer = format!("## Root cause\n\n{cause}");
    judge(&Case {
        answer: &answer,
        claims: None,
        evidence: &evidence,
        known: &[],
        tools_offered: true,
        answer_cut: false,
    })
    .verdict
}

#[test]
fn near_misses_are_told_apart() {
    let cases = [
        (V::Supported, SURE),
        (V::PartlySupported, GUESSES),
        (V::Inconclusive, INCONCLUSIVE),
        (V::NoFault, NO_FAULT),
    ];
    let causes = cases
        .iter()
        .flat_map(|(expected, causes)| causes.iter().map(move |cause| (*expected, *cause)));
    let wrong: Vec<String> = causes
        .filter(|(expected, cause)| verdict(cause) != *expected)
        .map(|(expected, cause)| format!("{expected:?}, not {:?}: {cause}", verdict(cause)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
