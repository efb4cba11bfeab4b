//! Separates reasoning from an answer's text if its marks are incomplete. `<think>` is missing if the chat template put
//! it into the prompt; `</think>` is missing if the answer was cut.

/// Marks of reasoning in texts, by model: `DeepSeek` and Qwen; Magistral; Seed-OSS.
const MARKS: [(&str, &str); 3] = [
    ("<think>", "</think>"),
    ("[THINK]", "[/THINK]"),
    ("<seed:think>", "</seed:think>"),
];

/// Splits a text into reasoning and answer. Everything before the last end mark is reasoning. So is everything after a
/// begin mark that has no end mark.
pub(in crate::remote) fn split_reasoning(text: &str) -> (Option<String>, String) {
    for (begin, end) in MARKS {
        let (mut reasoning, mut answer) = match text.rfind(end) {
            Some(at) => (text[..at].to_owned(), &text[at + end.len()..]),
            None => (String::new(), text),
        };
        if let Some(at) = answer.find(begin) {
            reasoning.push_str(&answer[at + begin.len()..]);
            answer = &answer[..at];
        }
        if reasoning.is_empty() && answer.len() == text.len() {
            continue;
        }
        let reasoning = reasoning.replace(begin, "").replace(end, "");
        let reasoning = Some(reasoning.trim().to_owned()).filter(|text| !text.is_empty());
        return (reasoning, answer.trim().to_owned());
    }
    (None, text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::split_reasoning;

    #[test]
    fn reasoning_is_divided_from_the_answer() {
        for (text, reasoning, answer) in [
            (
                "I look first.\n</think>\nIt is full.",
                Some("I look first."),
                "It is full.",
            ),
            ("<think>a</think>b", Some("a"), "b"),
            ("<think>a</think> x </think>b", Some("a x"), "b"),
            (
                "Before. <think>cut in the mid",
                Some("cut in the mid"),
                "Before.",
            ),
            ("[THINK]a[/THINK]b", Some("a"), "b"),
            ("</think>", None, ""),
            ("no marks", None, "no marks"),
            (" blanks stay ", None, " blanks stay "),
        ] {
            let (found, left) = split_reasoning(text);
            let found = found.map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "));
            assert_eq!(
                (found.as_deref(), left.as_str()),
                (reasoning, answer),
                "{text}"
            );
        }
    }
}
