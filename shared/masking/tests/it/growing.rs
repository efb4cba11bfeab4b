//! A growing text never shows a secret, no matter where the secret is at the moment.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use tarsy_masking::Masker;

use crate::corpus::{Sample, is_gone, positives, sre, vendor_samples, wild};

/// Shortest piece of a secret that counts as shown, in bytes.
const PIECE: usize = 5;

/// Returns the part of a secret that is in `shown` but not in the text around it.
fn leaked<'s>(secret: &'s str, shown: &str, around: &str) -> Option<&'s str> {
    let most = secret.len();
    (PIECE.min(most)..=most)
        .filter(|len| secret.is_char_boundary(*len))
        .map(|len| &secret[..len])
        .find(|piece| shown.contains(piece) && !around.contains(piece))
}

fn shows_no_secret(name: &str, samples: &[Sample]) {
    let masker = Masker::group("security").unwrap();
    let mut leaks = Vec::new();
    for sample in samples {
        let text = format!(
            "I looked at the pods, and this is what one of them printed\n\n{}\n\nThe next paragraph says what follows from it, and is long enough to be shown.",
            sample.text
        );
        let whole = masker.mask(&text).text;
        let secrets = sample
            .secrets
            .iter()
            .filter(|secret| is_gone(secret, &whole));
        let secrets: Vec<&String> = secrets.collect();
        let ends = (0..=text.len()).filter(|end| text.is_char_boundary(*end));
        'growing: for end in ends {
            let shown = masker.mask_growing(&text[..end]);
            for secret in &secrets {
                if let Some(piece) = leaked(secret, &shown, &whole) {
                    leaks.push(format!("{piece:?} of {secret:?} in {shown:?}"));
                    break 'growing;
                }
            }
        }
    }
    assert!(
        leaks.is_empty(),
        "{name}: {} of {}:\n{}",
        leaks.len(),
        samples.len(),
        leaks.join("\n")
    );
}

#[test]
fn written_samples() {
    shows_no_secret("written", &positives());
}

#[test]
fn wild_samples() {
    shows_no_secret("wild", &wild().0);
}

#[test]
fn samples_of_operations() {
    shows_no_secret("operations", &sre().0);
}

#[test]
fn vendor_samples_in_prose() {
    let in_prose = vendor_samples().into_iter().map(|sample| Sample {
        text: format!(
            "In the log stands {} and nothing else of note",
            sample.text.trim()
        ),
        ..sample
    });
    shows_no_secret("vendors", &in_prose.collect::<Vec<_>>());
}

#[test]
fn prose_is_shown_while_it_is_written_and_ends_with_a_whole_word() {
    let masker = Masker::group("security").unwrap();
    let text = "The cause is this: the namespace is stuck because a finalizer of its only volume claim is never removed, so I look at the events of the claim and then at its controller. ".repeat(3);
    let (mut before, mut steps) = (String::new(), 0);
    for (end, _) in text.char_indices() {
        let shown = masker.mask_growing(&text[..end]);
        assert!(shown.starts_with(&before), "{shown:?} after {before:?}");
        assert!(text.starts_with(&shown) && (shown.is_empty() || shown.ends_with(' ')));
        steps += usize::from(shown != before);
        before = shown;
    }
    assert!(steps > 40, "{steps} steps");
}

#[test]
fn a_thought_stays_when_its_action_begins() {
    let masker = Masker::group("security").unwrap();
    let thought = "Thought: The pod restarts all the time and I want to know what it says before it ends each time, so its log comes next.\n";
    let mut before = String::new();
    let text = format!("{thought}Action: cluster.pods_log\nAction Input: {{\"name\": \"cart\"}}\n");
    for (end, _) in text.char_indices() {
        let shown = masker.mask_growing(&text[..end]);
        assert!(shown.len() >= before.len(), "{shown:?} after {before:?}");
        before = shown;
    }
    assert!(before.len() > 60, "{before:?}");
}

#[test]
fn code_is_shown_once_it_has_ended() {
    let masker = Masker::group("security").unwrap();
    let open = "It prints this.\n\n```\ndata:\n  token: c2VjcmV0LXRva2Vu\n";
    assert_eq!(masker.mask_growing(open), "It prints this.\n\n");
    let closed = format!("{open}```\n\nThat is the end of it.\n\n");
    let shown = masker.mask_growing(&closed);
    assert!(
        shown.contains("[MASKED_") && shown.contains("the end"),
        "{shown}"
    );
}

#[test]
fn odd_text_is_no_trouble() {
    let masker = Masker::group("all").unwrap();
    for text in [
        "",
        "\n",
        "```",
        "ä",
        "🙂🙂",
        "{",
        "a=",
        "\u{0}",
        "~~~\n~~~\n\n",
        &"ä ".repeat(100),
    ] {
        let shown = masker.mask_growing(text);
        assert!(text.starts_with(&shown), "{text:?}: {shown:?}");
    }
}

#[test]
fn a_secret_in_prose_is_shown_masked_while_the_rest_is_written() {
    let masker = Masker::group("security").unwrap();
    let secret = ["ghp_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    let prose = "The volume claim of the service is kept by a finalizer whose controller was removed last week, so nothing takes it away. ";
    let text = format!(
        "Final Answer: {prose}In the log of the pod stands the token {secret} as well, which somebody should change at once. {prose}"
    );
    let shown = masker.mask_growing(&text);
    assert!(shown.contains("[MASKED_GITHUB_TOKEN] as well"), "{shown}");
}
