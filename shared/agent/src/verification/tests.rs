use super::*;

fn call(result: &str, success: bool) -> CitableCall {
    CitableCall {
        id: InteractionId::generate(),
        call: "read of ledger".to_owned(),
        result: result.to_owned(),
        success,
    }
}

fn verification(claims: &[&str]) -> Verification {
    let claims = claims.iter().map(|text| VerifiedClaim {
        text: (*text).to_owned(),
        calls: Vec::new(),
    });
    Verification {
        of: "analysis".to_owned(),
        claims: claims.collect(),
    }
}

fn findings(output: &Value) -> Vec<&str> {
    let checks = output["data"]["checks"].as_array().expect("checks");
    checks
        .iter()
        .map(|one| one["finding"].as_str().expect("a word"))
        .collect()
}

#[test]
fn a_finding_counts_only_with_an_excerpt_that_is_in_a_result() {
    let two = verification(&["It is down.", "It is full.", "It is slow.", "It is old."]);
    let calls = [call("status:\n  503 down", true), call("disk 12%", false)];
    let check = |claim: &str, finding: &str, excerpt: &str| json!({"claim": claim, "finding": finding, "excerpt": excerpt});
    let answer = json!({"checks": [
        check("k1", "holds", "`status: 503`"), check("k2", "refuted", "disk 12%"), check("k3", "refuted", "5"),
        check("k4", "holds", "503"), check("k4", "refuted", "503 down"),
    ]});
    let read = two.read(Ok(answer), 0, &calls).expect("an output");
    assert_eq!(
        findings(&read),
        ["holds", "cannot_tell", "cannot_tell", "refuted"]
    );
    let data = &read["data"];
    assert_eq!(
        (
            &data["of"],
            &data["holds"],
            &data["refuted"],
            &data["cannot_tell"]
        ),
        (&json!("analysis"), &json!(1), &json!(1), &json!(2))
    );
    let why = data["checks"][1]["why"].as_str().expect("a reason");
    assert!(why.contains("no result contains its excerpt"), "{why}");
    let shown = report(data, "So it is.");
    assert!(
        shown.starts_with("1 of 4 claims refuted.\n\n- **holds**: It is down. (`status: 503`)"),
        "{shown}"
    );
    assert!(shown.ends_with("\n\nSo it is."), "{shown}");
}

#[test]
fn what_does_not_match_is_sent_back_once_and_then_cannot_be_told() {
    let two = verification(&["It is down.", "It is full."]);
    let calls = [call("503 down", true)];
    let half = || Ok(json!({"checks": [{"claim": "k1", "finding": "refuted", "excerpt": "503"}]}));
    assert_eq!(
        two.read(half(), 0, &calls),
        Err("`checks` has no finding for k2".to_owned())
    );
    let read = two.read(half(), 1, &calls).expect("an output");
    assert_eq!(findings(&read), ["refuted", "cannot_tell"]);
    let broken = || Err("the reply holds no JSON value".to_owned());
    assert!(two.read(broken(), 0, &calls).is_err());
    let read = two.read(broken(), 1, &calls).expect("an output");
    assert_eq!(findings(&read), ["cannot_tell"; 2]);
    assert_eq!(
        read["data"]["checks"][0]["why"],
        "the reply holds no JSON value"
    );
    assert_eq!(
        findings(&two.unanswered("it was killed")),
        ["cannot_tell"; 2]
    );
}

#[test]
fn claims_are_those_of_the_output_or_the_sentences_of_the_root_cause() {
    let id = InteractionId::generate();
    let output = json!({"result": "## Root cause\n\nThe disk is full. It fills since noon.", "claims": [
        {"text": "It is full.", "calls": [{"interaction_id": id, "call": "df"}]}, {"calls": []}]});
    let of_claims = Verification::from_output("a", &output).expect("claims");
    let expected = VerifiedClaim {
        text: "It is full.".into(),
        calls: vec![id],
    };
    assert_eq!(of_claims.claims, [expected]);
    let cited = CitableCall {
        id,
        ..call("100%", true)
    };
    assert_eq!(
        of_claims.cited(vec![call("x", true), cited.clone()]),
        std::slice::from_ref(&cited)
    );

    let plain = json!({"result": output["result"]});
    let of_text = Verification::from_output("a", &plain).expect("sentences");
    let texts: Vec<&str> = of_text
        .claims
        .iter()
        .map(|claim| claim.text.as_str())
        .collect();
    assert_eq!(texts, ["The disk is full.", "It fills since noon."]);
    assert_eq!(of_text.cited(vec![cited.clone()]), [cited]);
    assert_eq!(
        Verification::from_output("a", &json!({"result": " "})),
        None
    );
}
