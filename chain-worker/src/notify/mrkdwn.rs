//! Slack's own markup (mrkdwn) from Markdown. <https://docs.slack.dev/messaging/formatting-message-text>

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// Renders Markdown as mrkdwn. The text's own control characters are escaped, so that it can't mention a channel.
pub(super) fn mrkdwn(markdown: &str) -> String {
    let options = Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TABLES;
    let mut writer = Writer::default();
    for event in Parser::new_ext(markdown, options) {
        writer.event(event);
    }
    writer.out.trim_end().to_owned()
}

/// Escapes Slack's control characters.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[derive(Default)]
struct Writer {
    out: String,
    /// Next number of each open list; `None`: bullets.
    lists: Vec<Option<u64>>,
    /// Whether text is inside a code block, where marks mean nothing.
    is_code: bool,
    quotes: usize,
}

impl Writer {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => {
                let indent = format!("\n{}", "> ".repeat(self.quotes));
                self.out.push_str(&escaped(&text).replace('\n', &indent));
            }
            Event::Code(text) => {
                self.out.push('`');
                self.out.push_str(&escaped(&text));
                self.out.push('`');
            }
            Event::SoftBreak | Event::HardBreak => self.line(),
            Event::Rule => self.block("———"),
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Heading { .. } => self.block("*"),
            Tag::Paragraph if self.lists.is_empty() => self.block(""),
            Tag::BlockQuote(_) => {
                self.block("");
                self.quotes += 1;
                self.out.push_str("> ");
            }
            Tag::CodeBlock(_) => {
                self.block("```\n");
                self.is_code = true;
            }
            Tag::List(first) => {
                if self.lists.is_empty() {
                    self.block("");
                }
                self.lists.push(first);
            }
            Tag::Item => self.item(),
            Tag::Strong => self.mark('*'),
            Tag::Emphasis => self.mark('_'),
            Tag::Strikethrough => self.mark('~'),
            Tag::Link { dest_url, .. } => {
                self.out.push('<');
                self.out.push_str(&escaped(&dest_url).replace('|', "%7C"));
                self.out.push('|');
            }
            Tag::TableHead | Tag::TableRow => self.line(),
            Tag::Table(_) => self.block(""),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) => self.mark('*'),
            TagEnd::BlockQuote(_) => self.quotes = self.quotes.saturating_sub(1),
            TagEnd::CodeBlock => {
                self.is_code = false;
                self.out.push_str("```");
            }
            TagEnd::List(_) => {
                self.lists.pop();
            }
            TagEnd::Strong => self.mark('*'),
            TagEnd::Emphasis => self.mark('_'),
            TagEnd::Strikethrough => self.mark('~'),
            TagEnd::Link => self.out.push('>'),
            TagEnd::TableCell => self.out.push_str("  "),
            _ => {}
        }
    }

    fn mark(&mut self, mark: char) {
        if !self.is_code {
            self.out.push(mark);
        }
    }

    fn item(&mut self) {
        self.line();
        let depth = self.lists.len().saturating_sub(1);
        self.out.push_str(&"    ".repeat(depth));
        match self.lists.last_mut() {
            Some(Some(number)) => {
                self.out.push_str(&format!("{number}. "));
                *number += 1;
            }
            _ => self.out.push_str("• "),
        }
    }

    /// Begins a line, unless one has just begun.
    fn line(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with('\n') {
            self.out.push('\n');
            self.out.push_str(&"> ".repeat(self.quotes));
        }
    }

    /// Begins a block after an empty line.
    fn block(&mut self, start: &str) {
        if !self.out.is_empty() && !self.out.ends_with("> ") {
            self.line();
            self.out.push('\n');
        }
        self.out.push_str(start);
    }
}

#[cfg(test)]
mod tests {
    use super::mrkdwn;

    #[test]
    fn an_analysis_reads_as_slack_shows_it() {
        let markdown = "# Root cause\n\nThe **kubelet** ran out of _disk_ (`/var`), see [runbook](https://x.example/a?b=1&c=2).\n\n\
            1. free space\n2. restart\n\n- one\n  - two\n\n> quoted\n\n```sh\nkubectl get po -A | grep *x*\n```\n\nEnd.";
        insta::assert_snapshot!(mrkdwn(markdown), @r"
        *Root cause*

        The *kubelet* ran out of _disk_ (`/var`), see <https://x.example/a?b=1&amp;c=2|runbook>.

        1. free space
        2. restart

        • one
            • two

        > quoted

        ```
        kubectl get po -A | grep *x*
        ```

        End.
        ");
    }

    #[test]
    fn a_text_can_not_mention_a_channel() {
        let said = mrkdwn("<!channel> <@U1> & [x](https://e.example/|<!here>)");
        assert!(!said.contains("<!") && !said.contains("<@"), "{said}");
    }
}
