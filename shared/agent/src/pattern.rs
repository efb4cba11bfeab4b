//! Regular expressions that a model writes.

use regex::bytes::{Regex, RegexBuilder};

/// Longest expression, in bytes.
const LONGEST: usize = 500;
/// Most bytes of a compiled expression; the cache of its matcher may have 32 times as many. Together with the bound
/// on a result's length, these bound the time.
const MOST_BYTES: usize = 32 * 1024;

/// Compiles an expression. The error is for the model.
pub(crate) fn compile(expression: &str) -> Result<Regex, String> {
    if expression.len() > LONGEST {
        return Err(format!(
            "the regular expression is longer than {LONGEST} characters"
        ));
    }
    let compiled = RegexBuilder::new(expression)
        // Classes such as `\w` are small only without Unicode.
        .unicode(!expression.is_ascii())
        .size_limit(MOST_BYTES)
        .dfa_size_limit(MOST_BYTES * 32)
        .build();
    compiled.map_err(|error| match error {
        regex::Error::CompiledTooBig(_) => {
            format!("the regular expression `{expression}` is too large; write a simpler one")
        }
        // The last line states the error; the lines before it show the position.
        error => {
            let text = error.to_string();
            let why = text.lines().next_back().unwrap_or_default();
            let why = why.trim_start_matches("error: ");
            format!("`{expression}` is no regular expression: {why}")
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bad_or_large_expression_says_what_is_wrong() {
        for (expression, why) in [
            ("(", "`(` is no regular expression: unclosed group"),
            ("(?=a)", "look-around"),
            ("(\\w{50}){50}", "too large"),
            (&*"a".repeat(501), "longer than 500"),
        ] {
            let error = compile(expression).expect_err("an error");
            assert!(error.contains(why), "{error}");
        }
    }

    #[test]
    fn usual_expressions_are_taken() {
        for (expression, text) in [
            ("(?i)oom.?killed|evict", "reason: OOMKilled"),
            (r"\d{4}-\d\d-\d\dT\d\d:", "2026-11-28T12:00"),
            (r"\bpod/\w[\w.-]{0,62}\b", "on pod/checkout-7d9f"),
            ("größe", "die größe"),
            ("a.c", "a\u{e9}c abc"),
        ] {
            assert!(
                compile(expression).expect("one").is_match(text.as_bytes()),
                "{expression}"
            );
        }
    }
}
