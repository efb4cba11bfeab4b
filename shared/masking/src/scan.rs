//! One round over a text: the anchors, and the finder each of them calls.

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

/// What a matcher of the tests panics at.
#[cfg(test)]
pub(crate) const DEFECT: &str = "‹defect›";

/// What one round found.
#[derive(Debug)]
pub(crate) struct Found {
    /// Everything to replace: sorted, disjoint.
    pub(crate) spans: Vec<Span>,
    /// Whether the text has a structure, and each span is the whole of one of its values.
    pub(crate) is_whole: bool,
}

/// What to replace in `text`.
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

/// Whether a second look at a piece of a masked text finds something. Where the first replaced whole values of a
/// structure, its other values were judged with their names, and are what they were; but for those that are
/// secret near the name of a user, which a shorter replacement may have brought near.
pub(crate) fn finds_more(piece: &str, set: PatternSet, is_whole: bool) -> bool {
    let mut context = Context::new(piece, set, 0, contains_secret);
    context.is_judged = is_whole;
    let hits = anchor::hits(piece);
    run(&mut context, &hits);
    context.is_below_user || !context.spans.is_empty()
}

/// Whether `text`, decoded from a larger one, holds a secret.
pub(crate) fn contains_secret(text: &str, set: PatternSet, depth: u8) -> bool {
    let view = View::new(text);
    let mut context = Context::new(view.text(), set, depth, contains_secret);
    let hits = anchor::hits(view.text());
    run(&mut context, &hits);
    !context.spans.is_empty()
}

/// Looks at the name around the telling word at `start..end`, unless the names up to `names` have it; returns up to where
/// names have been looked at.
fn name(context: &mut Context<'_>, names: usize, start: usize, end: usize) -> usize {
    if start < names {
        context.names.push(end);
        return names;
    }
    let (told, claimed) = (context.names.len(), context.spans.len());
    let named = keyed::scan(context, start, end);
    if context.names.len() > told && context.spans.len() == claimed {
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
    // Whether a Secret may be in the text, and whether in JSON.
    let (mut secret, mut quoted) = (false, false);
    // Up to where names, PEM blocks and encoded runs have been looked at: no byte is looked at twice for
    // one of them.
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
                    // `secret_id` starts as a token `secret_…` does.
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
