//! One round over a text: finds the anchors and calls the finder of each.

use crate::bytes;
use crate::context::Context;
use crate::custom::Custom;
use crate::find::anchor::{self, Anchor, Hit};
use crate::find::{
    aligned_columns, bars, call, comma_rows, command, directive, header, inner_marker, jwt, keyed,
    kubernetes, network, pem, percent, printed, repeated, tokens, url, whole_value,
};
use crate::pattern::PatternSet;
use crate::span::{Span, merge};
use crate::view::View;

/// Text at which a matcher panics in tests.
#[cfg(test)]
pub(crate) const DEFECT: &str = "‹defect›";

/// Result of one round.
#[derive(Debug)]
pub(crate) struct Found {
    /// Spans to replace, sorted and disjoint.
    pub(crate) spans: Vec<Span>,
    /// Whether the text has a structure, and each span is exactly one of its values.
    pub(crate) is_whole: bool,
}

/// Returns the spans to replace in `text`.
pub(crate) fn find(text: &str, set: PatternSet, custom: &[Custom]) -> Found {
    #[cfg(test)]
    assert!(!text.contains(DEFECT), "a matcher with a defect");
    let mut context = Context::new(text, set, 0, contains_secret);
    let hits = anchor::hits(text);
    run(&mut context, &hits);
    for (index, pattern) in custom.iter().enumerate() {
        pattern.find(index, text, |start, end, label| {
            context.claim_custom(start, end, label)
        });
    }
    let spans = merge(std::mem::take(&mut context.spans));
    let is_whole = context
        .structure
        .is_some_and(|structure| structure.has_values(&spans));
    Found { spans, is_whole }
}

/// Whether a second search finds something in a piece of a masked text. If the first search replaced whole values of a
/// structure (`is_whole`), the other values were already judged with their names and have not changed. The exception
/// are values that are secret only near the name of a user, because a shorter replacement may have moved them closer to
/// one.
pub(crate) fn finds_more(piece: &str, set: PatternSet, is_whole: bool) -> bool {
    let mut context = Context::new(piece, set, 0, contains_secret);
    context.is_judged = is_whole;
    let hits = anchor::hits(piece);
    run(&mut context, &hits);
    context.is_below_user || !context.spans.is_empty()
}

/// Whether `text`, which was decoded from a larger text, holds a secret.
pub(crate) fn contains_secret(text: &str, set: PatternSet, depth: u8) -> bool {
    let view = View::new(text);
    let mut context = Context::new(view.text(), set, depth, contains_secret);
    let hits = anchor::hits(view.text());
    run(&mut context, &hits);
    !context.spans.is_empty()
}

/// Scans the name around the word at `start..end`, unless names were already scanned beyond it (`names`). Returns the
/// position up to which names are scanned.
fn name(context: &mut Context<'_>, names: usize, start: usize, end: usize) -> usize {
    if start < names {
        context.names.push(end);
        return names;
    }
    let (name_count, claimed) = (context.names.len(), context.spans.len());
    let named = keyed::scan(context, start, end);
    if context.names.len() > name_count && context.spans.len() == claimed {
        comma_rows::scan(context, start);
        aligned_columns::scan(context, start);
        bars::scan(context, start);
        if context.is_session {
            printed::printed(context, start);
        }
    }
    named.max(header::scan_named(context, start, end))
}

fn run(context: &mut Context<'_>, hits: &[Hit]) {
    if context.set.is_empty() {
        return;
    }
    context.is_session =
        context.bytes.starts_with(b"$ ") || memchr::memmem::find(context.bytes, b"\n$ ").is_some();
    for hit in hits {
        if matches!(hit.anchor, Anchor::Marker) {
            context.marker(hit.start);
        }
    }
    // Whether the text may contain a Secret, and whether it may be in JSON.
    let (mut secret, mut quoted) = (false, false);
    // Positions up to which names, PEM blocks, encoded runs, tokens and web keys were scanned. No byte is scanned twice
    // for one of them.
    let (mut names, mut blocks, mut runs, mut formats, mut web_keys) = (0, 0, 0, 0, 0);
    for Hit { anchor, start, end } in hits.iter().copied() {
        if context.is_in_marker(start, end) {
            continue;
        }
        match anchor {
            Anchor::Format(format) => {
                let token = format
                    .end(context.bytes, start)
                    .filter(|_| start >= formats);
                if let Some(end) = token {
                    context.claim(start + format.kept(), end, format.pattern());
                    formats = end;
                } else if let Some((from, to)) = format.word() {
                    // `secret_id` starts like a token `secret_…`.
                    names = name(context, names, start + from, start + to);
                }
                if format.is_aws_key() {
                    context.services.push((start, end));
                    context.words.push(end);
                }
            }
            Anchor::Word => {
                context.words.push(end);
                names = name(context, names, start, end);
            }
            Anchor::ShortWord => {
                if start >= names {
                    names = keyed::scan(context, start, end - 1);
                } else {
                    context.names.push(end - 1);
                }
            }
            Anchor::Service => context.services.push((start, end)),
            Anchor::Pem if start >= blocks => blocks = pem::scan(context, start),
            Anchor::EncodedPem if start >= blocks => blocks = pem::scan_encoded(context, start),
            Anchor::Jwt => jwt::scan(context, start),
            Anchor::Url => url::scan(context, start),
            Anchor::Login => url::scan_login(context, start),
            Anchor::Dsn => url::scan_dsn(context, start, end),
            Anchor::Scheme => header::scan_scheme(context, end),
            Anchor::Command => command::scan(context, start, end),
            Anchor::Directive(place) => {
                directive::scan(context, place, start, end);
                context.names.push(end);
            }
            Anchor::Call => call::scan(context, end),
            Anchor::KeyFile => pem::scan_key_file(context, start, end),
            Anchor::WebKey if start >= web_keys => {
                web_keys = jwt::scan_web_key(context, web_keys, start, end);
            }
            Anchor::Percent if start >= runs => runs = percent::scan(context, start),
            Anchor::InnerMarker => inner_marker::scan(context, start, end),
            Anchor::Kubernetes => {
                if kubernetes::is_kind_of_secret(context.bytes, start) {
                    secret = true;
                    quoted |= bytes::has_at(context.bytes, start, b"secret");
                }
                context.words.push(end);
                let word = start + usize::from(context.bytes.get(start) == Some(&b':')) * 2;
                if word >= names && bytes::has_at(context.bytes, word, b"secret") {
                    names = keyed::scan(context, word, word + "secret".len());
                } else {
                    context.names.push(word + "secret".len());
                }
            }
            Anchor::Marker
            | Anchor::Pem
            | Anchor::EncodedPem
            | Anchor::Percent
            | Anchor::WebKey => {}
        }
    }
    if secret {
        kubernetes::scan(context, quoted);
    }
    if !context.is_judged {
        whole_value::scan(context);
    }
    network::scan(context);
    tokens::scan(context);
    repeated::scan(context);
}
