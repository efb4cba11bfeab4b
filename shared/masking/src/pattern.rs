//! The built-in patterns, and groups of them.

use crate::kind::Kind;

/// A built-in pattern: one kind of secret, which can be enabled by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum Pattern {
    KubernetesSecret,
    PrivateKey,
    Certificate,
    Jwt,
    AwsAccessKey,
    AwsSecretKey,
    AwsAccountId,
    GcpKey,
    AzureKey,
    GithubToken,
    GitlabToken,
    SlackToken,
    ChatToken,
    CiToken,
    PackageToken,
    ModelKey,
    PaymentKey,
    InfraToken,
    SaasToken,
    UrlCredentials,
    ConnectionString,
    AuthHeader,
    Cookie,
    PasswordHash,
    Password,
    ApiKey,
    Secret,
    Token,
    Encoded,
    VendorToken,
    HighEntropy,
    Base64Secret,
    Base64Short,
    Email,
    Ipv4,
    Ipv6,
    MacAddress,
    PrivateHostname,
}

use Pattern as P;

/// Every pattern with its name. If two patterns claim the same text, the earlier one takes precedence.
const PATTERNS: &[(Pattern, &str)] = &[
    (P::KubernetesSecret, "kubernetes_secret"),
    (P::PrivateKey, "private_key"),
    (P::Certificate, "certificate"),
    (P::Jwt, "jwt"),
    (P::AwsAccessKey, "aws_access_key"),
    (P::AwsSecretKey, "aws_secret_key"),
    (P::AwsAccountId, "aws_account_id"),
    (P::GcpKey, "gcp_key"),
    (P::AzureKey, "azure_key"),
    (P::GithubToken, "github_token"),
    (P::GitlabToken, "gitlab_token"),
    (P::SlackToken, "slack_token"),
    (P::ChatToken, "chat_token"),
    (P::CiToken, "ci_token"),
    (P::PackageToken, "package_token"),
    (P::ModelKey, "model_key"),
    (P::PaymentKey, "payment_key"),
    (P::InfraToken, "infra_token"),
    (P::SaasToken, "saas_token"),
    (P::UrlCredentials, "url_credentials"),
    (P::ConnectionString, "connection_string"),
    (P::AuthHeader, "auth_header"),
    (P::Cookie, "cookie"),
    (P::PasswordHash, "password_hash"),
    (P::Password, "password"),
    (P::ApiKey, "api_key"),
    (P::Secret, "secret"),
    (P::Token, "token"),
    (P::Encoded, "encoded_secret"),
    (P::VendorToken, "vendor_token"),
    (P::HighEntropy, "high_entropy"),
    (P::Base64Secret, "base64_secret"),
    (P::Base64Short, "base64_short"),
    (P::Email, "email"),
    (P::Ipv4, "ipv4"),
    (P::Ipv6, "ipv6"),
    (P::MacAddress, "mac_address"),
    (P::PrivateHostname, "private_hostname"),
];

/// Additional names of patterns. They are from the first version of `TARSy`, which needed two regular expressions for
/// Secrets.
const ALIASES: &[(&str, Pattern)] = &[
    ("kubernetes_data_section", P::KubernetesSecret),
    ("kubernetes_stringdata_json", P::KubernetesSecret),
    ("certificate_authority_data", P::Certificate),
    ("secret_key", P::Secret),
];

const BASIC: &[Pattern] = &[P::ApiKey, P::Password];
const KUBERNETES: &[Pattern] = &[
    P::KubernetesSecret,
    P::ApiKey,
    P::Password,
    P::Secret,
    P::Token,
    P::Jwt,
    P::PrivateKey,
    P::Certificate,
    P::UrlCredentials,
    P::ConnectionString,
    P::AuthHeader,
    P::Encoded,
];
const CLOUD: &[Pattern] = &[
    P::AwsAccessKey,
    P::AwsSecretKey,
    P::AwsAccountId,
    P::GcpKey,
    P::AzureKey,
    P::InfraToken,
    P::PrivateKey,
    P::Jwt,
    P::ApiKey,
    P::Password,
    P::Secret,
    P::Token,
    P::Encoded,
];
/// Patterns that are in `all` but not in `security` and `secrets`: they match every base64 text, secret or not.
const BASE64_TEXTS: &[Pattern] = &[P::Base64Secret, P::Base64Short];
/// Patterns that are in `security` but not in `secrets`: structures instead of single credentials.
const STRUCTURES: &[Pattern] = &[P::KubernetesSecret, P::Certificate];

/// Names of the built-in groups, smallest first.
pub(crate) const GROUPS: &[&str] = &[
    "basic",
    "secrets",
    "security",
    "kubernetes",
    "cloud",
    "all",
    "network",
];

/// The group that applies if a section names no group, pattern or custom pattern. It contains every kind of secret that
/// this crate knows, without the patterns that mask all base64.
pub const DEFAULT_GROUP: &str = "security";

/// A set of built-in patterns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct PatternSet(u64);

impl PatternSet {
    /// Addresses of machines. They are in no group of secrets.
    pub(crate) const NETWORK: &[Pattern] = &[
        Pattern::Ipv4,
        Pattern::Ipv6,
        Pattern::MacAddress,
        Pattern::PrivateHostname,
    ];

    /// Returns all patterns of secrets.
    fn secrets() -> Self {
        Self::all().minus(Self::NETWORK).minus(&[Pattern::Email])
    }

    /// Whether this set has a pattern in common with `other`.
    pub(crate) const fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub(crate) const fn all() -> Self {
        Self((1 << PATTERNS.len()) - 1)
    }

    pub(crate) fn new(patterns: &[Pattern]) -> Self {
        patterns.iter().fold(Self::default(), |set, p| set.with(*p))
    }

    /// Returns the patterns of a group; `None` if there is no such group.
    pub(crate) fn group(name: &str) -> Option<Self> {
        Some(match name {
            "basic" => Self::new(BASIC),
            "secrets" => Self::secrets().minus(BASE64_TEXTS).minus(STRUCTURES),
            "security" => Self::secrets().minus(BASE64_TEXTS),
            "kubernetes" => Self::new(KUBERNETES),
            "cloud" => Self::new(CLOUD),
            "all" => Self::secrets(),
            "network" => Self::new(Self::NETWORK),
            _ => return None,
        })
    }

    pub(crate) const fn with(self, pattern: Pattern) -> Self {
        Self(self.0 | 1 << pattern as u8)
    }

    pub(crate) const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(crate) fn minus(self, patterns: &[Pattern]) -> Self {
        Self(self.0 & !Self::new(patterns).0)
    }

    pub(crate) const fn has(self, pattern: Pattern) -> bool {
        self.0 & (1 << pattern as u8) != 0
    }

    pub(crate) const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl Pattern {
    pub(crate) const fn name(self) -> &'static str {
        PATTERNS[self as usize].1
    }

    pub(crate) const fn kind(self) -> Kind {
        Kind::built_in(self.name())
    }

    /// Returns the pattern with this name or alias.
    pub(crate) fn named(name: &str) -> Option<Self> {
        PATTERNS
            .iter()
            .find(|(_, n)| *n == name)
            .map(|(p, _)| *p)
            .or_else(|| ALIASES.iter().find(|(n, _)| *n == name).map(|(_, p)| *p))
    }
}

/// Returns the names of all built-in groups, smallest first.
#[must_use]
pub fn group_names() -> Vec<&'static str> {
    GROUPS.to_vec()
}

/// Returns the names of all built-in patterns, aliases last.
#[must_use]
pub fn pattern_names() -> Vec<&'static str> {
    let aliases = ALIASES.iter().map(|(name, _)| *name);
    PATTERNS
        .iter()
        .map(|(_, name)| *name)
        .chain(aliases)
        .collect()
}

/// Returns the replacements of all built-in patterns, in the order of the table.
pub(crate) fn built_in_markers() -> Vec<String> {
    PATTERNS.iter().map(|(p, _)| p.kind().marker()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_order_is_the_enum_order() {
        for (index, (pattern, _)) in PATTERNS.iter().enumerate() {
            assert_eq!(*pattern as usize, index);
        }
    }

    #[test]
    fn every_group_and_name_resolves() {
        for group in group_names() {
            assert!(!PatternSet::group(group).unwrap().is_empty(), "{group}");
        }
        for name in pattern_names() {
            assert!(Pattern::named(name).is_some(), "{name}");
        }
        assert_eq!(PatternSet::group("all"), Some(PatternSet::secrets()));
        assert!(PatternSet::group("nosuch").is_none() && Pattern::named("nosuch").is_none());
    }

    #[test]
    fn groups_grow() {
        let group = |name| PatternSet::group(name).unwrap();
        let (basic, secrets) = (group("basic"), group("secrets"));
        assert_eq!(basic.union(secrets), secrets);
        assert_eq!(secrets.union(group("security")), group("security"));
    }
}
