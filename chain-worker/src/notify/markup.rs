//! Renders Markdown written by a model in the markup of a target: Slack's markup (mrkdwn), or safe Markdown.
//! <https://docs.slack.dev/messaging/formatting-message-text>
//!
//! The text may come from an alert or a tool, so it is never passed on unchanged. Text is escaped, a link shows its
//! address, an image becomes a link, and HTML becomes text.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use url::Url;

/// Renders Markdown as mrkdwn. The text's own control characters are escaped, so that it can't mention a channel.
pub(super) fn mrkdwn(markdown: &str) -> String {
    render(markdown, Dialect::Slack)
}

/// Renders Markdown as Markdown in which links show their address and nothing is loaded: no images, no HTML.
pub(super) fn plain_markdown(markdown: &str) -> String {
    render(markdown, Dialect::Markdown)
}

/// Escapes Slack's control characters.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// Escapes characters that have a meaning in Markdown.
pub(super) fn markdown_escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if r"\`*_[]<>!|~$#&{}".contains(c) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

fn render(markdown: &str, dialect: Dialect) -> String {
    let options = Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TABLES;
    let mut writer = Writer::new(dialect);
    for event in Parser::new_ext(markdown, options) {
        writer.event(event);
    }
    writer.out.trim_end().to_owned()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dialect {
    Slack,
    Markdown,
}

impl Dialect {
    fn text(self, text: &str) -> String {
        match self {
            Self::Slack => escaped(text),
            Self::Markdown => markdown_escaped(text),
        }
    }

    /// Formats code within a line.
    fn code(self, text: &str) -> String {
        match self {
            Self::Slack => format!("`{}`", escaped(text)),
            Self::Markdown => {
                let fence = fence(text, 1);
                format!("{fence} {text} {fence}")
            }
        }
    }

    /// Formats a block of code, without its last line break.
    fn block(self, text: &str) -> String {
        match self {
            Self::Slack => format!("```\n{}```", escaped(text)),
            Self::Markdown => {
                let fence = fence(text, 3);
                format!("{fence}\n{text}{fence}")
            }
        }
    }

    /// Formats a link that shows its address. Returns `None` if people can't follow it.
    fn link(self, address: &str) -> Option<String> {
        let url = Url::parse(address).ok()?;
        matches!(url.scheme(), "http" | "https" | "mailto").then_some(())?;
        // The parser's form of the address has no blanks and no brackets.
        let url = url.as_str().replace('|', "%7C");
        let url = url.replace('<', "%3C").replace('>', "%3E");
        Some(match self {
            Self::Slack => format!("<{}>", escaped(&url)),
            Self::Markdown => format!("<{url}>"),
        })
    }

    const fn strong(self) -> &'static str {
        match self {
            Self::Slack => "*",
            Self::Markdown => "**",
        }
    }

    const fn struck(self) -> &'static str {
        match self {
            Self::Slack => "~",
            Self::Markdown => "~~",
        }
    }

    const fn bullet(self) -> &'static str {
        match self {
            Self::Slack => "• ",
            Self::Markdown => "- ",
        }
    }

    const fn rule(self) -> &'static str {
        match self {
            Self::Slack => "———",
            Self::Markdown => "---",
        }
    }
}

/// Returns more backquotes than any run in the text, and at least `least`.
fn fence(text: &str, least: usize) -> String {
    let runs = text.split(|c| c != '`').map(str::len);
    "`".repeat(runs.max().unwrap_or(0).saturating_add(1).max(least))
}

struct Writer {
    out: String,
    dialect: Dialect,
    /// Next number of each open list; `None`: bullets.
    lists: Vec<Option<u64>>,
    /// Text of the open code block.
    code: Option<String>,
    /// Addresses of the open links and images, and the start positions of their texts.
    links: Vec<(String, usize)>,
    quotes: usize,
}

impl Writer {
    const fn new(dialect: Dialect) -> Self {
        Self {
            out: String::new(),
            dialect,
            lists: Vec::new(),
            code: None,
            links: Vec::new(),
            quotes: 0,
        }
    }

    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => match &mut self.code
            {
                Some(code) => code.push_str(&text),
                None => {
                    let text = self.dialect.text(&text);
                    self.lines(&text);
                }
            },
            Event::Code(text) => self.out.push_str(&self.dialect.code(&text)),
            Event::SoftBreak | Event::HardBreak => self.line(),
            Event::Rule => self.block(self.dialect.rule()),
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Heading { .. } => self.block(self.dialect.strong()),
            Tag::Paragraph if self.lists.is_empty() => self.block(""),
            Tag::BlockQuote(_) => {
                self.block("");
                self.quotes += 1;
                self.out.push_str("> ");
            }
            Tag::CodeBlock(_) => {
                self.block("");
                self.code = Some(String::new());
            }
            Tag::List(first) => {
                if self.lists.is_empty() {
                    self.block("");
                }
                self.lists.push(first);
            }
            Tag::Item => self.item(),
            Tag::Strong => self.out.push_str(self.dialect.strong()),
            Tag::Emphasis => self.out.push('_'),
            Tag::Strikethrough => self.out.push_str(self.dialect.struck()),
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                self.links.push((dest_url.into_string(), self.out.len()));
            }
            Tag::TableHead | Tag::TableRow => self.line(),
            Tag::Table(_) => self.block(""),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) | TagEnd::Strong => self.out.push_str(self.dialect.strong()),
            TagEnd::BlockQuote(_) => self.quotes = self.quotes.saturating_sub(1),
            TagEnd::CodeBlock => {
                let code = self.code.take().unwrap_or_default();
                let block = self.dialect.block(&code);
                self.lines(&block);
            }
            TagEnd::List(_) => {
                self.lists.pop();
            }
            TagEnd::Emphasis => self.out.push('_'),
            TagEnd::Strikethrough => self.out.push_str(self.dialect.struck()),
            TagEnd::Link | TagEnd::Image => self.link(),
            TagEnd::TableCell => self.out.push_str("  "),
            _ => {}
        }
    }

    /// Writes the address after the text of a link, or instead of the text if they are equal.
    fn link(&mut self) {
        let Some((address, start)) = self.links.pop() else {
            return;
        };
        let shown = self.out.get(start..).unwrap_or_default();
        let is_address = shown == self.dialect.text(&address);
        let link = self.dialect.link(&address);
        if is_address && link.is_some() {
            self.out.truncate(start);
        }
        match link {
            Some(link) if self.out.len() == start => self.out.push_str(&link),
            Some(link) => self.out.push_str(&format!(" ({link})")),
            None if is_address => {}
            None => {
                let address = self.dialect.text(&address);
                self.out.push_str(&format!(" ({address})"));
            }
        }
    }

    /// Writes text that may have several lines, each within the open quotes.
    fn lines(&mut self, text: &str) {
        let indent = format!("\n{}", "> ".repeat(self.quotes));
        self.out.push_str(&text.replace('\n', &indent));
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
            _ => self.out.push_str(self.dialect.bullet()),
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
mod tests;
