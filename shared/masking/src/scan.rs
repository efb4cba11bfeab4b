//! One round over a text: the cues, and the matcher each of them calls.

use crate::context::Context;
use crate::cue::{self, Cue, Hit};
use crate::custom::Custom;
use crate::pattern::PatternSet;
use crate::span::{Span, merge};
use crate::{
    bytes, call, command, directive, header, infix, jwt, keyed, kubernetes, network, pem, percent,
    repeated, structure, tokens, url,
};

/// What a matcher of the tests panics at.
#[cfg(test)]
pub(crate) const DEFECT: &str = "‹defect›";

/// Everything in `text` that is to be replaced: sorted, disjoint.
pub(crate) fn find(text: &str, set: PatternSet, custom: &[Custom]) -> Vec<Span> {
    #[cfg(test)]
    assert!(!text.contains(DEFECT), "a matcher with a defect");
    let mut context = Context::new(text, set, 0);
    let hits: Vec<Hit> = cue::hits(text).collect();
    run(&mut context, &hits);
    for (index, pattern) in custom.iter().enumerate() {
        pattern.find(index, text, |start, end, label| {
            context.claim_custom(start, end, label)
        });
    }
    merge(context.spans)
}

/// Whether `text`, decoded from a larger one, holds a secret.
pub(crate) fn holds_secret(text: &str, set: PatternSet, depth: u8) -> bool {
    let mut context = Context::new(text, set, depth);
    let hits: Vec<Hit> = cue::hits(text).collect();
    run(&mut context, &hits);
    !context.spans.is_empty()
}

fn run(context: &mut Context<'_>, hits: &[Hit]) {
    if context.set.is_empty() {
        return;
    }
    for hit in hits {
        if matches!(hit.cue, Cue::Marker) {
            context.marker(*hit);
        }
    }
    let mut kubernetes = false;
    // Up to where names, PEM blocks and encoded runs have been looked at: no byte is looked at twice for
    // one of them.
    let (mut names, mut blocks, mut runs, mut formats, mut web_keys) = (0, 0, 0, 0, 0);
    for Hit { cue, start, end } in hits.iter().copied() {
        if context.is_in_marker(start, end) {
            continue;
        }
        match cue {
            Cue::Format(format) => {
                if start >= formats
                    && let Some(end) = format.end(context.bytes, start)
                {
                    context.claim(start, end, format.pattern());
                    formats = end;
                }
                if format.is_aws_key() {
                    context.vendors.push((start, end));
                    context.words.push(end);
                }
            }
            Cue::Word => {
                context.words.push(end);
                context.names.push(end);
                if start >= names {
                    names = keyed::scan(context, start, end);
                    names = names.max(header::scan_named(context, start, end));
                }
            }
            Cue::ShortWord => {
                context.names.push(end - 1);
                if start >= names {
                    names = keyed::scan(context, start, end - 1);
                }
            }
            Cue::Vendor => context.vendors.push((start, end)),
            Cue::Pem if start >= blocks => blocks = pem::scan(context, start),
            Cue::EncodedPem if start >= blocks => blocks = pem::scan_encoded(context, start),
            Cue::Jwt => jwt::scan(context, start),
            Cue::Url => url::scan(context, start),
            Cue::Dsn => url::scan_dsn(context, start, end),
            Cue::Scheme => header::scan_scheme(context, end),
            Cue::Command => command::scan(context, start, end),
            Cue::Directive(place) => {
                directive::scan(context, place, start, end);
                context.names.push(end);
            }
            Cue::Call => call::scan(context, end),
            Cue::KeyFile => pem::scan_key_file(context, start, end),
            Cue::WebKey if start >= web_keys => {
                web_keys = jwt::scan_web_key(context, web_keys, start, end);
            }
            Cue::Percent if start >= runs => runs = percent::scan(context, start),
            Cue::Infix => infix::scan(context, start, end),
            Cue::Kubernetes => {
                kubernetes = true;
                context.words.push(end);
                let word = start + usize::from(context.bytes.get(start) == Some(&b':')) * 2;
                context.names.push(word + "secret".len());
                if word >= names && bytes::has_at(context.bytes, word, b"secret") {
                    names = keyed::scan(context, word, word + "secret".len());
                }
            }
            Cue::Marker | Cue::Pem | Cue::EncodedPem | Cue::Percent | Cue::WebKey => {}
        }
    }
    if kubernetes {
        kubernetes::scan(context);
    }
    structure::scan(context);
    network::scan(context);
    tokens::scan(context);
    repeated::scan(context);
}
