//! Built-in prices of well-known models.

use std::sync::LazyLock;

use tarsy_model::ProviderKind;

use crate::Price;
use crate::provider::kind_of;

const DATA: &str = include_str!("data/prices.txt");

static CATALOGUE: LazyLock<Vec<CataloguePrice>> =
    LazyLock::new(|| DATA.lines().scan(None, read_line).flatten().collect());

/// A price of the catalogue.
#[derive(Clone, Debug, PartialEq)]
pub struct CataloguePrice {
    /// Vendor of the model.
    pub kind: ProviderKind,
    /// Model name as the vendor writes it.
    pub model: &'static str,
    /// Price of its tokens.
    pub price: Price,
    /// Longest prompt for which the price applies, in tokens; `None`: any.
    pub up_to_input_tokens: Option<i64>,
    /// Date on which the price was read, e.g. `2026-10-24`.
    pub as_of: &'static str,
    /// The vendor's page with the price.
    pub source: &'static str,
}

/// Returns the price of a model by its exact name. If there is none, it removes a reasoning effort and the date of a
/// snapshot from the name.
#[must_use]
pub fn catalogue_price(kind: ProviderKind, model: &str) -> Option<&'static CataloguePrice> {
    let of = |name: &str| {
        CATALOGUE
            .iter()
            .find(|entry| entry.kind == kind && entry.model == name)
    };
    of(model).or_else(|| of(without_date(without_effort(model))))
}

/// Returns every price of the catalogue.
#[must_use]
pub fn price_catalogue() -> &'static [CataloguePrice] {
    &CATALOGUE
}

fn without_effort(model: &str) -> &str {
    ["-low", "-medium", "-high"]
        .iter()
        .find_map(|effort| model.strip_suffix(effort))
        .unwrap_or(model)
}

/// Removes the date of a snapshot: `claude-haiku-4-5-20251001` becomes `claude-haiku-4-5`, and `gpt-4.1-2025-04-14`
/// becomes `gpt-4.1`.
fn without_date(model: &str) -> &str {
    let is_date = |part: &str| {
        let digits = part.bytes().filter(u8::is_ascii_digit).count();
        digits == 8 && part.bytes().all(|b| b.is_ascii_digit() || b == b'-')
    };
    [9, 11]
        .iter()
        .filter_map(|length| model.split_at_checked(model.len().checked_sub(*length)?))
        .find(|(_, date)| date.strip_prefix('-').is_some_and(is_date))
        .map_or(model, |(name, _)| name)
}

/// The provider of the lines that follow, with the date and the source of their prices.
type Heading = (ProviderKind, &'static str, &'static str);

fn read_line(heading: &mut Option<Heading>, line: &'static str) -> Option<Option<CataloguePrice>> {
    let words: Vec<&'static str> = line.split_whitespace().collect();
    Some(match words[..] {
        ["provider", kind, as_of, source] => {
            *heading = kind_of(kind).map(|kind| (kind, as_of, source));
            None
        }
        [model, input, output, cached, written, longest] if !line.starts_with('#') => heading
            .and_then(|(kind, as_of, source)| {
                let input_per_million: f64 = input.parse().ok()?;
                Some(CataloguePrice {
                    kind,
                    model,
                    price: Price {
                        input_per_million,
                        output_per_million: output.parse().ok()?,
                        cached_input_per_million: cached.parse().unwrap_or(input_per_million),
                        cache_write_per_million: written.parse().unwrap_or(input_per_million),
                    },
                    up_to_input_tokens: longest.parse().ok(),
                    as_of,
                    source,
                })
            }),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_catalogue_is_read() {
        let lines = DATA.lines().filter(|line| {
            !line.is_empty() && !line.starts_with('#') && !line.starts_with("provider")
        });
        assert_eq!(price_catalogue().len(), lines.count());
        for entry in price_catalogue() {
            let Price {
                input_per_million: input,
                output_per_million: output,
                cached_input_per_million: cached,
                ..
            } = entry.price;
            assert!(
                0.0 < input && input < output && cached <= input,
                "{entry:?}"
            );
            assert!(entry.source.starts_with("https://"), "{entry:?}");
            assert_eq!(entry.as_of.len(), "2026-10-24".len(), "{entry:?}");
        }
    }

    #[test]
    fn efforts_and_snapshots_have_the_price_of_their_model() {
        let model = |kind, name: &str| catalogue_price(kind, name).map(|entry| entry.model);
        let anthropic = |name| model(ProviderKind::Anthropic, name);
        assert_eq!(
            anthropic("claude-haiku-4-5-20251001"),
            Some("claude-haiku-4-5")
        );
        assert_eq!(anthropic("claude-opus-5-5-high"), Some("claude-opus-5-5"));
        let openai = |name| model(ProviderKind::OpenAi, name);
        assert_eq!(openai("gpt-4.1-2025-04-14"), Some("gpt-4.1"));
        assert_eq!(openai("gpt-4.1-mini"), Some("gpt-4.1-mini"));
        for unknown in [
            "gpt-4.1-unknown",
            "gpt-4.1-12345678901",
            "",
            "claude-opus-5-5",
        ] {
            assert_eq!(openai(unknown), None, "{unknown}");
        }
    }
}
