//! Splits a long text into pages.
//!
//! A page is a slice of the recorded text. The same text and page size give the same pages on every worker, also after
//! a crash.

/// One page of a recorded answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page<'a> {
    /// The page's part of the text.
    pub text: &'a str,
    /// Number of the page; starts at 1.
    pub number: usize,
    /// Number of pages.
    pub of: usize,
}

/// Returns page `number` (from 1) of a text in pages of at most `page_bytes`. `None` if there is no such page.
///
/// A page ends at a line end if its second half has one, otherwise at a character boundary. All pages together give the
/// text. An empty text has one empty page.
#[must_use]
pub fn page(text: &str, number: usize, page_bytes: usize) -> Option<Page<'_>> {
    let ends = ends(text, page_bytes.max(64));
    let index = number.checked_sub(1)?;
    let end = *ends.get(index)?;
    let start = if index == 0 { 0 } else { ends[index - 1] };
    Some(Page {
        text: &text[start..end],
        number,
        of: ends.len(),
    })
}

fn ends(text: &str, page_bytes: usize) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut start = 0;
    while text.len() - start > page_bytes {
        let limit = text.floor_char_boundary(start + page_bytes);
        let lines_from = text.floor_char_boundary(start + page_bytes / 2);
        let end = text[lines_from..limit]
            .rfind('\n')
            .map_or(limit, |at| lines_from + at + 1);
        ends.push(end);
        start = end;
    }
    if start < text.len() || ends.is_empty() {
        ends.push(text.len());
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_short_text_is_its_only_page() {
        assert_eq!(
            page("abc", 1, 100),
            Some(Page {
                text: "abc",
                number: 1,
                of: 1
            })
        );
        assert_eq!(page("", 1, 100).map(|p| p.of), Some(1));
        assert_eq!(page("abc", 2, 100), None);
        assert_eq!(page("abc", 0, 100), None);
    }

    #[test]
    fn pages_break_at_lines_where_they_can() {
        let text = "0123456789\n".repeat(20);
        assert!(page(&text, 1, 100).is_some_and(|p| p.text.ends_with('\n')));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn all_pages_together_are_the_text(text in "[a\\n\u{20ac}\u{1f600}]{0,600}", size in 0usize..200) {
            let of = page(&text, 1, size).map_or(0, |p| p.of);
            let joined: String = (1..=of).filter_map(|n| page(&text, n, size)).map(|p| p.text).collect();
            prop_assert_eq!(joined, text);
        }
    }
}
