//! Samples that are generated at run time. The files contain only templates, so no scanner mistakes them for real
//! credentials.

pub(crate) mod text;

const ALPHABETS: &[(char, &str)] = &[
    (
        'a',
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
    ),
    ('h', "0123456789abcdef"),
    ('H', "0123456789ABCDEF"),
    ('d', "0123456789"),
    ('u', "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"),
    ('n', "abcdefghijklmnopqrstuvwxyz0123456789"),
    ('B', "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"),
    ('l', "abcdefghijklmnopqrstuvwxyz"),
    (
        'b',
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
    ),
    (
        'w',
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-",
    ),
];

/// A small generator with a fixed seed, so that the samples are the same in every run.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % limit
    }

    /// Generates a random text: `a36` means 36 characters of alphabet `a`.
    pub fn text(&mut self, spec: &str) -> String {
        let (class, length) = spec.split_at(1);
        let class = class.chars().next().unwrap();
        let alphabet = ALPHABETS
            .iter()
            .find(|(c, _)| *c == class)
            .unwrap()
            .1
            .as_bytes();
        let length: usize = length.parse().unwrap();
        (0..length)
            .map(|_| char::from(alphabet[self.below(alphabet.len())]))
            .collect()
    }

    /// Generates a text from parts: in `ghp_|#a36`, `|` separates the parts, and a part with `#` is random.
    pub fn parts(&mut self, parts: &str) -> String {
        parts
            .split('|')
            .map(|part| {
                part.strip_prefix('#')
                    .filter(|s| is_spec(s))
                    .map_or_else(|| part.to_owned(), |s| self.text(s))
            })
            .collect()
    }
}

/// A text and the secrets in it.
#[derive(Debug, Clone)]
pub struct Sample {
    pub text: String,
    pub secrets: Vec<String>,
}

/// Reads a template. `positives.txt` describes the format.
pub fn sample(template: &str, random: &mut Random) -> Sample {
    let (mut text, mut secrets) = (String::new(), Vec::new());
    let mut rest = template;
    while let Some((before, opened)) = rest.split_once('⟦') {
        let (inside, after) = opened.split_once('⟧').unwrap();
        let secret = unescape(&random.parts(inside));
        text.push_str(&unescape(before));
        text.push_str(&secret);
        secrets.push(secret);
        rest = after;
    }
    text.push_str(&unescape(rest));
    Sample { text, secrets }
}

fn is_spec(spec: &str) -> bool {
    let digits = spec.get(1..).unwrap_or_default();
    !digits.is_empty()
        && digits.bytes().all(|b| b.is_ascii_digit())
        && ALPHABETS.iter().any(|(c, _)| spec.starts_with(*c))
}

fn unescape(text: &str) -> String {
    text.replace("\\\\n", "\u{1}")
        .replace("\\r", "\r")
        .replace("\\n", "\n")
        .replace('\u{1}', "\\n")
}

fn lines(file: &'static str) -> impl Iterator<Item = &'static str> {
    file.lines()
        .filter(|line| !line.is_empty() && !line.starts_with("# ") && !line.starts_with("## "))
}

pub fn positives() -> Vec<Sample> {
    let mut random = Random::new(7);
    lines(include_str!("positives.txt"))
        .map(|line| sample(line, &mut random))
        .collect()
}

/// Returns credentials in the forms in which people, tools and languages leave them, and texts that only look like
/// credentials.
pub fn wild() -> (Vec<Sample>, Vec<String>) {
    let mut random = Random::new(23);
    let positives = lines(include_str!("wild_positives.txt"))
        .map(|line| sample(line, &mut random))
        .collect();
    let negatives = lines(include_str!("wild_negatives.txt"))
        .map(unescape)
        .collect();
    (positives, negatives)
}

/// Returns output of an SRE's tools, with and without secrets.
pub fn sre() -> (Vec<Sample>, Vec<String>) {
    let mut random = Random::new(41);
    let mut all =
        |file| -> Vec<Sample> { lines(file).map(|line| sample(line, &mut random)).collect() };
    let positives = all(include_str!("sre_positives.txt"));
    let negatives = all(include_str!("sre_negatives.txt"));
    (positives, negatives.into_iter().map(|s| s.text).collect())
}

pub fn negatives() -> Vec<String> {
    lines(include_str!("negatives.txt")).map(unescape).collect()
}

/// Returns samples of vendors without a token format: the form of their tokens, and how people write them.
pub fn vendor_samples() -> Vec<Sample> {
    const VENDORS: &[(&str, &str)] = &[
        ("abuseipdb", "n80"),
        ("airbrake", "n32"),
        ("algolia", "n32"),
        ("amplitude", "h32"),
        ("apify", "a43"),
        ("appcues", "a36"),
        ("assemblyai", "h32"),
        ("billomat", "n32"),
        ("browserstack", "a20"),
        ("bugsnag", "h32"),
        ("buildkite", "h40"),
        ("calendarific", "n40"),
        ("circleci", "h40"),
        ("clearbit", "a35"),
        ("cloudflare", "w40"),
        ("coinapi", "u36"),
        ("currencylayer", "n32"),
        ("datadog", "h32"),
        ("deepgram", "n40"),
        ("delighted", "a32"),
        ("detectify", "n32"),
        ("elasticemail", "u96"),
        ("etherscan", "u34"),
        ("fastly", "w32"),
        ("finnhub", "n20"),
        ("geoapify", "n32"),
        ("gitter", "w40"),
        ("hunter.io", "n40"),
        ("infura", "n32"),
        ("ipinfo", "h14"),
        ("ipstack", "h32"),
        ("jumpcloud", "a40"),
        ("klaviyo", "h34"),
        ("launchdarkly", "h40"),
        ("lokalise", "n40"),
        ("mailjet", "n32"),
        ("mapquest", "a32"),
        ("maxmind", "a16"),
        ("mixpanel", "a32"),
        ("moralis", "a64"),
        ("netlify", "w43"),
        ("newsapi", "n32"),
        ("okta", "w42"),
        ("opsgenie", "h32"),
        ("pagerduty", "a20"),
        ("percy", "n64"),
        ("pipedrive", "n40"),
        ("plivo", "a40"),
        ("pushbullet", "a34"),
        ("rebrandly", "n32"),
        ("rollbar", "n32"),
        ("saucelabs", "n32"),
        ("scrapingbee", "u80"),
        ("securitytrails", "a32"),
        ("sendbird", "h40"),
        ("sentry", "h64"),
        ("shodan", "a32"),
        ("smartsheet", "a37"),
        ("snyk", "h32"),
        ("sparkpost", "n40"),
        ("spoonacular", "n32"),
        ("statuscake", "a20"),
        ("sumologic", "a64"),
        ("tatum", "a32"),
        ("todoist", "n40"),
        ("travisci", "a22"),
        ("twitch", "n30"),
        ("unsplash", "w43"),
        ("uptimerobot", "n32"),
        ("virustotal", "n64"),
        ("weatherstack", "n32"),
        ("webflow", "a64"),
        ("wrike", "w160"),
        ("zapier", "a32"),
        ("zendesk", "a40"),
        ("zenserp", "n32"),
        ("zerobounce", "n32"),
        ("zipcodebase", "n32"),
    ];
    const FORMS: &[&str] = &[
        "{v} token = '⟦#{s}⟧'",
        "{v}_api_key: ⟦#{s}⟧",
        "You can find a {v} secret ⟦#{s}⟧ within",
        "{v} ⟦#{s}⟧",
        "curl https://api.{v}.com -H 'X-Key: ⟦#{s}⟧'",
        "{\"{v}\": {\"accessToken\": \"⟦#{s}⟧\"}}",
        "{v}:\n  key: \"⟦#{s}⟧\"",
    ];
    let mut random = Random::new(11);
    let mut samples = Vec::new();
    for (index, (vendor, shape)) in VENDORS.iter().enumerate() {
        for form in [
            FORMS[index % FORMS.len()],
            FORMS[(index + 2) % FORMS.len()],
            FORMS[(index + 5) % FORMS.len()],
        ] {
            samples.push(sample(
                &form.replace("{v}", vendor).replace("{s}", shape),
                &mut random,
            ));
        }
    }
    samples
}

/// Whether no useful part of the secret is left: neither all of it nor either half.
pub fn is_gone(secret: &str, masked: &str) -> bool {
    let half = secret
        .char_indices()
        .nth(secret.chars().count() / 2)
        .map_or(0, |(i, _)| i);
    let (first, second) = secret.split_at(half);
    !masked.contains(secret)
        && (secret.len() < 12 || (!masked.contains(first) && !masked.contains(second)))
}
