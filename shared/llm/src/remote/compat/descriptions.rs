//! Shortens descriptions of functions for vendors that limit their length.

use std::borrow::Cow;

use crate::ProviderKind;

/// Longest description of a function that OpenAI accepts, in characters. It refuses a request with a longer one.
/// <https://platform.openai.com/docs/api-reference/chat/create#chat-create-tools>
const LONGEST: usize = 1_024;
/// End of a description that was cut.
const MARK: &str = " …";

/// Returns the description, cut if it is longer than the vendor accepts.
pub(in crate::remote) fn short_enough(kind: ProviderKind, description: &str) -> Cow<'_, str> {
    let is_bounded = matches!(
        kind,
        ProviderKind::OpenAi | ProviderKind::OpenAiResponses | ProviderKind::Xai
    );
    if !is_bounded || description.chars().count() <= LONGEST {
        return Cow::Borrowed(description);
    }
    let room = LONGEST - MARK.chars().count();
    let head: String = description.chars().take(room).collect();
    Cow::Owned(head + MARK)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_is_cut_for_those_who_refuse_long_ones() {
        let long = "ä".repeat(1_025);
        assert_eq!(
            short_enough(ProviderKind::OpenAi, &long).chars().count(),
            LONGEST
        );
        assert_eq!(short_enough(ProviderKind::Anthropic, &long), long);
        assert_eq!(short_enough(ProviderKind::OpenAi, &long[2..]), long[2..]);
    }
}
