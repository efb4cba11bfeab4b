//! Removes a passage that an answer repeats at its end. Small models may repeat one until their token limit.

/// Shortest passage that counts, in bytes. A shorter one may be part of a list or a drawing.
const LEAST_PASSAGE: usize = 20;
/// Least number of times that a passage must occur.
const LEAST_TIMES: usize = 3;
/// Note about the repetition. It has no number that a check of the answer could take for a finding.
const REPEATED: &str = "[the model repeated this passage]";
/// Bytes of an answer's end that are examined.
const MAX_EXAMINED: usize = 16 * 1024;

/// Returns the text with its repeated end written once, and a note about the repetition.
pub(crate) fn without_repeated_end(text: &str) -> String {
    let trimmed = text.trim_end();
    let Some((passage, start)) = repeated_end(trimmed) else {
        return text.to_owned();
    };
    let text = trimmed;
    let mut keep = start + passage;
    while !text.is_char_boundary(keep) {
        keep += 1;
    }
    // The passage may begin within a sentence.
    let ends = ['.', '!', '?', '\n'];
    if !text[..keep].trim_end().ends_with(ends) {
        keep += text[keep..].find(ends).map_or(0, |end| end + 1);
    }
    format!("{}\n\n{REPEATED}", text[..keep].trim_end())
}

/// Returns the length of the passage that a text repeats at its end, and where the repetitions begin.
///
/// The end has the period `p` as far as the reversed text equals itself shifted by `p`. A rejected period holds for
/// less than three passages. Few rejected periods need a long comparison, because two periods that hold far have a
/// shorter one in common.
fn repeated_end(text: &str) -> Option<(usize, usize)> {
    let text = text.as_bytes();
    let reversed: Vec<u8> = text.iter().rev().take(MAX_EXAMINED).copied().collect();
    // A line of a table or a rule has no letters.
    let is_letter = |byte: &u8| byte.is_ascii_alphabetic() || !byte.is_ascii();
    let least = LEAST_PASSAGE.max(reversed.iter().position(is_letter)? + 1);
    let is_repeated = |passage: &usize| {
        let pairs = reversed.iter().zip(reversed.iter().skip(*passage));
        pairs.take_while(|(one, other)| one == other).count() + passage >= passage * LEAST_TIMES
    };
    let passage = (least..=reversed.len() / LEAST_TIMES).find(is_repeated)?;
    let mut start = text.len() - passage * LEAST_TIMES;
    while start > 0 && text[start - 1] == text[start - 1 + passage] {
        start -= 1;
    }
    Some((passage, start))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_end_is_written_once() {
        let passage = "The pod is in the CrashLoopBackOff state. ";
        let text = format!("It waits. {}The pod is in", passage.repeat(23));
        let once = without_repeated_end(&text);
        assert!(once.len() < 150, "{once}");
        assert!(once.starts_with("It waits. The pod is in the CrashLoopBackOff state."));
        assert!(once.ends_with(REPEATED), "{once}");
        // Longer than the part that is examined, with white space after it.
        let long = format!("It waits. {}\n\n", passage.repeat(1_000));
        assert_eq!(
            without_repeated_end(&long),
            format!("It waits. {}\n\n{REPEATED}", passage.trim_end())
        );
    }

    #[test]
    fn other_texts_stay() {
        for text in [
            "",
            "The quota.",
            "| a | b |\n|---|---|\n|---|---|\n------------------------------------------------------------------------------",
            "pod-1 is down. pod-2 is down. pod-3 is down. pod-4 is down. pod-5 is down.",
            "It is the quota of the namespace. It is the quota of the namespace.",
        ] {
            assert_eq!(without_repeated_end(text), text);
        }
    }

    proptest! {
        #[test]
        fn any_passage_is_found(before in "\\PC{0,40}", passage in "\\PC{20,60}", times in 3_usize..9) {
            let text = format!("{before}{}", passage.repeat(times));
            prop_assume!(text == text.trim_end());
            prop_assert!(repeated_end(&text).is_some());
            let once = without_repeated_end(&text);
            prop_assert!(once.len() <= before.len() + 2 * passage.len() + 80, "{}", once);
        }
    }
}
