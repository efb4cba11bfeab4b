//! Tokens that carry their own prefix: the prefix, what may follow, and how much of it.
//!
//! The lengths are lower bounds somewhat below what the issuer documents, so that shortened and future tokens
//! are masked too; a longer run is masked whole.

use crate::bytes::{
    self, ALNUM, BASE32, BASE36, BASE64, COLON, Class, DASH, DIGIT, DOT, DOTTED, EQUALS, HEX,
    PERCENT, PLUS, SLASH, TOKEN68, UNDERSCORE, UPPER, URLSAFE,
};
use crate::pattern::Pattern as P;

/// One kind of prefixed token.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Format {
    pub(crate) prefix: &'static str,
    pub(crate) pattern: P,
    class: Class,
    least: usize,
    /// The most bytes behind the prefix; a longer run is no such token.
    most: usize,
}

/// The longest token that is looked at, in bytes.
const LONG: usize = 1024;

const fn f(prefix: &'static str, pattern: P, class: Class, least: usize) -> Format {
    Format {
        prefix,
        pattern,
        class,
        least,
        most: LONG,
    }
}

const fn exact(prefix: &'static str, pattern: P, class: Class, length: usize) -> Format {
    Format {
        prefix,
        pattern,
        class,
        least: length,
        most: length,
    }
}

/// What paths of webhook URLs are made of.
const PATH: Class = URLSAFE | SLASH | DOT | PERCENT | EQUALS;

/// Every format; prefixes are unique and matched in this case.
pub(crate) const FORMATS: &[Format] = &[
    // Amazon: access key ids of users, roles and sessions; service keys.
    exact("AKIA", P::AwsAccessKey, BASE32, 16),
    exact("ASIA", P::AwsAccessKey, BASE32, 16),
    exact("ABIA", P::AwsAccessKey, BASE32, 16),
    exact("ACCA", P::AwsAccessKey, BASE32, 16),
    exact("AGPA", P::AwsAccessKey, BASE32, 16),
    exact("AIDA", P::AwsAccessKey, BASE32, 16),
    exact("AROA", P::AwsAccessKey, BASE32, 16),
    exact("AIPA", P::AwsAccessKey, BASE32, 16),
    exact("ANPA", P::AwsAccessKey, BASE32, 16),
    exact("ANVA", P::AwsAccessKey, BASE32, 16),
    exact("A3T", P::AwsAccessKey, BASE32, 17),
    f("ABSK", P::AwsSecretKey, BASE64, 60),
    f("bedrock-api-key-", P::AwsSecretKey, BASE64, 20),
    f("amzn.mws.", P::AwsSecretKey, HEX | DASH, 30),
    f("FwoGZXIvYXdzE", P::AwsSecretKey, BASE64, 50),
    f("IQoJb3JpZ2lu", P::AwsSecretKey, BASE64, 50),
    // Google.
    f("AIza", P::GcpKey, URLSAFE, 30),
    f("ya29.", P::GcpKey, DOTTED, 20),
    f("GOCSPX-", P::GcpKey, URLSAFE, 20),
    f("1//0", P::GcpKey, URLSAFE, 30),
    // Other clouds.
    f("LTAI", P::InfraToken, ALNUM, 16),
    f("AKID", P::InfraToken, ALNUM, 28),
    f("ALTAK", P::InfraToken, ALNUM, 18),
    f("AQVN", P::InfraToken, URLSAFE, 30),
    f("dop_v1_", P::InfraToken, HEX, 40),
    f("doo_v1_", P::InfraToken, HEX, 40),
    f("dor_v1_", P::InfraToken, HEX, 40),
    f("HRKU-", P::InfraToken, URLSAFE, 20),
    f("fo1_", P::InfraToken, URLSAFE, 30),
    f("fm1a_", P::InfraToken, BASE64 | UNDERSCORE | DASH, 40),
    f("fm1r_", P::InfraToken, BASE64 | UNDERSCORE | DASH, 40),
    f("fm2_", P::InfraToken, BASE64 | UNDERSCORE | DASH, 40),
    f("rnd_", P::InfraToken, ALNUM, 24),
    f("nfp_", P::InfraToken, ALNUM, 30),
    f("vcp_", P::InfraToken, ALNUM, 24),
    f("sbp_", P::InfraToken, HEX, 32),
    f("sb_secret_", P::InfraToken, URLSAFE, 20),
    f("pscale_tkn_", P::InfraToken, DOTTED, 24),
    f("pscale_pw_", P::InfraToken, DOTTED, 24),
    f("pscale_oauth_", P::InfraToken, DOTTED, 24),
    f("v1.0-", P::InfraToken, HEX | DASH, 100),
    f("SCW", P::InfraToken, BASE32, 17),
    f("YCAJ", P::InfraToken, URLSAFE, 20),
    // Operations: vaults, observability, delivery.
    f("hvs.", P::InfraToken, URLSAFE, 20),
    f("hvb.", P::InfraToken, URLSAFE, 20),
    f("hvr.", P::InfraToken, URLSAFE, 20),
    f("dp.pt.", P::InfraToken, ALNUM, 20),
    f("dp.st.", P::InfraToken, DOTTED, 20),
    f("dp.ct.", P::InfraToken, ALNUM, 20),
    f("dp.sa.", P::InfraToken, ALNUM, 20),
    f("dp.scim.", P::InfraToken, ALNUM, 20),
    f("dp.audit.", P::InfraToken, ALNUM, 20),
    f("pul-", P::InfraToken, HEX, 30),
    f("glc_", P::InfraToken, BASE64, 24),
    f("glsa_", P::InfraToken, ALNUM | UNDERSCORE, 30),
    f("dapi", P::InfraToken, HEX | DASH, 32),
    f("dkea", P::InfraToken, HEX | DASH, 32),
    f("dt0c01.", P::InfraToken, DOTTED, 40),
    f("dt0s01.", P::InfraToken, DOTTED, 40),
    f("NRAK-", P::InfraToken, BASE32, 20),
    f("NRII-", P::InfraToken, URLSAFE, 20),
    f("NRRA-", P::InfraToken, HEX, 30),
    f("NRSP-", P::InfraToken, ALNUM | DASH, 20),
    f("NRJS-", P::InfraToken, HEX, 16),
    f("sntrys_", P::InfraToken, BASE64 | UNDERSCORE, 40),
    f("sntryu_", P::InfraToken, HEX, 40),
    f("tskey-", P::InfraToken, URLSAFE, 16),
    f("AGE-SECRET-KEY-1", P::PrivateKey, BASE32, 40),
    f("ops_eyJ", P::InfraToken, BASE64 | UNDERSCORE | DASH, 40),
    f("A3-", P::InfraToken, BASE32 | DASH, 30),
    f("API-", P::InfraToken, BASE32, 20),
    f("PMAK-", P::SaasToken, HEX | DASH, 40),
    f("hlb_", P::InfraToken, ALNUM, 24),
    f("pnu_", P::InfraToken, ALNUM, 30),
    f("pnb_", P::InfraToken, ALNUM, 30),
    f("rootly_", P::InfraToken, HEX, 40),
    f("u+", P::InfraToken, ALNUM | DASH, 36),
    f("KEY0", P::SaasToken, ALNUM | UNDERSCORE, 40),
    f("cfut_", P::InfraToken, URLSAFE, 30),
    f("cfat_", P::InfraToken, URLSAFE, 30),
    f("cfk_", P::InfraToken, URLSAFE, 30),
    f("dnkey-", P::InfraToken, URLSAFE, 40),
    // Code hosting.
    f("ghp_", P::GithubToken, ALNUM, 20),
    f("gho_", P::GithubToken, ALNUM, 20),
    f("ghu_", P::GithubToken, ALNUM, 20),
    f("ghs_", P::GithubToken, TOKEN68, 20),
    f("ghr_", P::GithubToken, ALNUM, 20),
    f("github_pat_", P::GithubToken, ALNUM | UNDERSCORE, 20),
    f("glpat-", P::GitlabToken, DOTTED, 16),
    f("gldt-", P::GitlabToken, DOTTED, 16),
    f("glrt-", P::GitlabToken, DOTTED, 16),
    f("glrtr-", P::GitlabToken, DOTTED, 16),
    f("glcbt-", P::GitlabToken, DOTTED, 16),
    f("glptt-", P::GitlabToken, DOTTED, 16),
    f("glft-", P::GitlabToken, DOTTED, 16),
    f("glsoat-", P::GitlabToken, DOTTED, 16),
    f("glimt-", P::GitlabToken, DOTTED, 16),
    f("glagent-", P::GitlabToken, DOTTED, 16),
    f("gloas-", P::GitlabToken, DOTTED, 16),
    f("glffct-", P::GitlabToken, DOTTED, 16),
    f("glwt-", P::GitlabToken, DOTTED, 16),
    f("GR1348941", P::GitlabToken, URLSAFE, 16),
    f("ATBB", P::SaasToken, ALNUM | EQUALS | UNDERSCORE, 24),
    f("ATCTT3", P::SaasToken, URLSAFE | EQUALS, 40),
    f("ATATT3", P::SaasToken, URLSAFE | EQUALS, 40),
    f("ATTA", P::SaasToken, ALNUM, 60),
    f("sgp_", P::SaasToken, ALNUM | UNDERSCORE, 32),
    f("slk_", P::SaasToken, HEX, 40),
    f("sqp_", P::CiToken, HEX, 32),
    f("squ_", P::CiToken, HEX, 32),
    f("sqa_", P::CiToken, HEX, 32),
    f("CCIPAT_", P::CiToken, ALNUM | UNDERSCORE, 32),
    f("CCIPRJ_", P::CiToken, ALNUM | UNDERSCORE, 32),
    f("bkua_", P::CiToken, ALNUM, 30),
    // Chat.
    f("xoxb-", P::SlackToken, URLSAFE, 8),
    f("xoxp-", P::SlackToken, URLSAFE, 8),
    f("xoxa-", P::SlackToken, URLSAFE, 8),
    f("xoxo-", P::SlackToken, URLSAFE, 8),
    f("xoxr-", P::SlackToken, URLSAFE, 8),
    f("xoxs-", P::SlackToken, URLSAFE, 8),
    f("xoxc-", P::SlackToken, URLSAFE, 8),
    f("xoxd-", P::SlackToken, TOKEN68 | PERCENT, 8),
    f("xoxe-", P::SlackToken, URLSAFE, 8),
    f("xoxe.xoxp-", P::SlackToken, URLSAFE, 8),
    f("xoxe.xoxb-", P::SlackToken, URLSAFE, 8),
    f("xapp-", P::SlackToken, URLSAFE, 16),
    f(
        "hooks.slack.com/services/",
        P::SlackToken,
        URLSAFE | SLASH,
        16,
    ),
    f(
        "hooks.slack.com/workflows/",
        P::SlackToken,
        URLSAFE | SLASH,
        16,
    ),
    f(
        "hooks.slack.com/triggers/",
        P::SlackToken,
        URLSAFE | SLASH,
        16,
    ),
    f(
        "discord.com/api/webhooks/",
        P::ChatToken,
        URLSAFE | SLASH,
        24,
    ),
    f(
        "discordapp.com/api/webhooks/",
        P::ChatToken,
        URLSAFE | SLASH,
        24,
    ),
    f(
        "webhook.office.com/webhookb2/",
        P::ChatToken,
        PATH | bytes::AT,
        24,
    ),
    f(
        "hooks.zapier.com/hooks/catch/",
        P::ChatToken,
        URLSAFE | SLASH,
        8,
    ),
    f(
        "chat.googleapis.com/v1/spaces/",
        P::ChatToken,
        PATH | bytes::QUERY,
        40,
    ),
    // Packages.
    f("npm_", P::PackageToken, ALNUM, 24),
    f("pypi-", P::PackageToken, URLSAFE, 24),
    f("rubygems_", P::PackageToken, HEX, 32),
    f("dckr_pat_", P::PackageToken, URLSAFE, 16),
    f("dckr_oat_", P::PackageToken, URLSAFE, 16),
    f("CLOJARS_", P::PackageToken, ALNUM, 40),
    f("cio", P::PackageToken, ALNUM, 32),
    f("oy2", P::PackageToken, BASE36, 40),
    f("AKC", P::PackageToken, ALNUM, 10),
    f("cmVmdGtu", P::PackageToken, ALNUM, 40),
    // Model providers.
    f("sk-", P::ModelKey, URLSAFE, 20),
    f("sess-", P::ModelKey, ALNUM, 32),
    f("hf_", P::ModelKey, ALNUM, 24),
    f("api_org_", P::ModelKey, ALNUM, 24),
    f("gsk_", P::ModelKey, ALNUM, 32),
    f("xai-", P::ModelKey, ALNUM, 40),
    f("r8_", P::ModelKey, ALNUM, 30),
    f("pplx-", P::ModelKey, ALNUM, 32),
    f("nvapi-", P::ModelKey, URLSAFE, 32),
    f("pcsk_", P::ModelKey, ALNUM | UNDERSCORE, 32),
    f("lsv2_", P::ModelKey, ALNUM | UNDERSCORE, 32),
    f("pk-lf-", P::ModelKey, HEX | DASH, 30),
    f("csk-", P::ModelKey, ALNUM, 32),
    f("tgp_v1_", P::ModelKey, URLSAFE, 30),
    // Payment and shops.
    f("sk_live_", P::PaymentKey, ALNUM | UNDERSCORE, 10),
    f("sk_test_", P::PaymentKey, ALNUM | UNDERSCORE, 10),
    f("sk_prod_", P::PaymentKey, ALNUM | UNDERSCORE, 10),
    f("rk_live_", P::PaymentKey, ALNUM | UNDERSCORE, 10),
    f("rk_test_", P::PaymentKey, ALNUM | UNDERSCORE, 10),
    f("rk_prod_", P::PaymentKey, ALNUM | UNDERSCORE, 10),
    f("pk_live_", P::PaymentKey, ALNUM | UNDERSCORE, 20),
    f("pk_test_", P::PaymentKey, ALNUM | UNDERSCORE, 20),
    f("whsec_", P::PaymentKey, BASE64, 20),
    f("sq0atp-", P::PaymentKey, URLSAFE, 20),
    f("sq0csp-", P::PaymentKey, URLSAFE, 30),
    f("sq0idp-", P::PaymentKey, URLSAFE, 20),
    f("EAAA", P::PaymentKey, URLSAFE | PLUS | EQUALS, 50),
    f("EAA", P::SaasToken, ALNUM, 70),
    f(
        "access_token$production$",
        P::PaymentKey,
        ALNUM | bytes::DOLLAR,
        30,
    ),
    f(
        "access_token$sandbox$",
        P::PaymentKey,
        ALNUM | bytes::DOLLAR,
        30,
    ),
    f("rzp_live_", P::PaymentKey, ALNUM, 10),
    f("rzp_test_", P::PaymentKey, ALNUM, 10),
    f("FLWSECK_TEST-", P::PaymentKey, ALNUM | DASH, 12),
    f("FLWSECK-", P::PaymentKey, ALNUM | DASH, 12),
    f("FLWPUBK_TEST-", P::PaymentKey, ALNUM | DASH, 12),
    f("access-sandbox-", P::PaymentKey, HEX | DASH, 30),
    f("access-production-", P::PaymentKey, HEX | DASH, 30),
    f("access-development-", P::PaymentKey, HEX | DASH, 30),
    f("shippo_live_", P::PaymentKey, HEX, 32),
    f("shippo_test_", P::PaymentKey, HEX, 32),
    f("EZAK", P::PaymentKey, ALNUM, 50),
    f("EZTK", P::PaymentKey, ALNUM, 50),
    f("duffel_live_", P::PaymentKey, URLSAFE | EQUALS, 40),
    f("duffel_test_", P::PaymentKey, URLSAFE | EQUALS, 40),
    f("live_", P::PaymentKey, ALNUM, 30),
    f("test_", P::PaymentKey, ALNUM, 30),
    f("shpat_", P::SaasToken, ALNUM, 24),
    f("shpca_", P::SaasToken, ALNUM, 24),
    f("shppa_", P::SaasToken, ALNUM, 24),
    f("shpss_", P::SaasToken, ALNUM, 24),
    // Other services.
    f("SG.", P::SaasToken, DOTTED, 30),
    f("xkeysib-", P::SaasToken, ALNUM | DASH, 40),
    f("xsmtpsib-", P::SaasToken, ALNUM | DASH, 40),
    f("key-", P::SaasToken, HEX, 32),
    f("lin_api_", P::SaasToken, ALNUM, 30),
    f("lin_oauth_", P::SaasToken, ALNUM, 30),
    f("figd_", P::SaasToken, URLSAFE, 24),
    f("figo_", P::SaasToken, URLSAFE, 24),
    f("figu_", P::SaasToken, URLSAFE, 24),
    f("figoh_", P::SaasToken, URLSAFE, 24),
    f("figor_", P::SaasToken, URLSAFE, 24),
    f("ntn_", P::SaasToken, ALNUM, 30),
    f("secret_", P::SaasToken, ALNUM, 40),
    f("CFPAT-", P::SaasToken, URLSAFE, 30),
    f("sl.", P::SaasToken, URLSAFE, 100),
    f("rdme_", P::SaasToken, BASE36, 40),
    f("tfp_", P::SaasToken, DOTTED | EQUALS, 40),
    f("fio-u-", P::SaasToken, URLSAFE | EQUALS, 40),
    f("ion_", P::SaasToken, ALNUM, 36),
    f("p8e-", P::SaasToken, ALNUM, 28),
    f("s-s4t2ud-", P::SaasToken, HEX, 40),
    f("u-s4t2ud-", P::SaasToken, HEX, 40),
    f("ico-", P::SaasToken, ALNUM, 28),
    f("phx_", P::SaasToken, ALNUM, 24),
    f("phc_", P::SaasToken, ALNUM, 24),
    f("dG9rO", P::SaasToken, BASE64, 40),
    f("AAAAAAAAAAAAAAAAAAAAA", P::SaasToken, ALNUM | PERCENT, 50),
    f("pat-na1-", P::SaasToken, HEX | DASH, 30),
    f("pat-eu1-", P::SaasToken, HEX | DASH, 30),
    f("tk-us-", P::SaasToken, URLSAFE, 30),
    f("patk", P::SaasToken, DOTTED, 60),
    f("pk.eyJ", P::SaasToken, DOTTED, 40),
    f("sk.eyJ", P::SaasToken, DOTTED, 40),
    f("v2.local.", P::Token, URLSAFE, 40),
    // Password hashes of shadow files and databases.
    f("$2a$", P::PasswordHash, CRYPT, 50),
    f("$2b$", P::PasswordHash, CRYPT, 50),
    f("$2y$", P::PasswordHash, CRYPT, 50),
    f("$1$", P::PasswordHash, CRYPT, 24),
    f("$5$", P::PasswordHash, CRYPT, 40),
    f("$6$", P::PasswordHash, CRYPT, 60),
    f("$y$", P::PasswordHash, CRYPT, 40),
    f("$apr1$", P::PasswordHash, CRYPT, 24),
    f("$argon2", P::PasswordHash, CRYPT, 40),
    f("SCRAM-SHA-256$", P::PasswordHash, CRYPT, 40),
];

const CRYPT: Class =
    ALNUM | DOT | SLASH | PLUS | EQUALS | bytes::DOLLAR | DASH | COLON | bytes::COMMA;

impl Format {
    /// The end of the token whose prefix is at `start`; `None` when it is not one.
    pub(crate) fn end(&self, text: &[u8], start: usize) -> Option<usize> {
        let body = start + self.prefix.len();
        if text.get(start..body) != Some(self.prefix.as_bytes()) || glued(text, start, self.prefix)
        {
            return None;
        }
        let mut end = bytes::run(text, body, self.class, LONG);
        while end > body
            && matches!(
                bytes::before(text, end),
                b'.' | b':' | b',' | b'-' | b'/' | b'$'
            )
        {
            end -= 1;
        }
        let found = text.get(body..end)?;
        let fits = (self.least..=self.most).contains(&found.len());
        (fits && self.plausible(found)).then_some(end)
    }

    /// Whether this is an AWS key id, next to which the secret key tends to be.
    pub(crate) fn is_aws_key(&self) -> bool {
        self.pattern == P::AwsAccessKey
    }

    fn plausible(&self, body: &[u8]) -> bool {
        if is_filler(body) {
            return false;
        }
        match self.pattern {
            P::AwsAccessKey => !body.ends_with(b"EXAMPLE"),
            P::SlackToken | P::ChatToken | P::PasswordHash => true,
            _ if self.prefix.len() >= 5 && self.least < 20 => true,
            // Short prefixes also start words: the rest must not be one.
            _ => {
                bytes::any(body, DIGIT)
                    || bytes::any(body, UPPER) && body.iter().any(u8::is_ascii_lowercase)
            }
        }
    }
}

/// Whether the token continues a longer word; a URL's host or a marker of punctuation does not count.
fn glued(text: &[u8], start: usize, prefix: &str) -> bool {
    let left = bytes::before(text, start);
    let first = prefix.as_bytes().first().copied().unwrap_or(0);
    if !bytes::is(first, ALNUM) || prefix.contains('/') {
        return false;
    }
    // `%20ghp_…` and `\nghp_…` are tokens behind an escape.
    let earlier = |n: usize| start.checked_sub(n).map_or(0, |i| bytes::at(text, i));
    let escaped = (earlier(2) == b'\\' && matches!(left, b'n' | b't' | b'r')) || earlier(3) == b'%';
    let joined = if prefix.len() >= 4 {
        ALNUM
    } else {
        ALNUM | UNDERSCORE | DASH | DOT
    };
    bytes::is(left, joined) && !escaped
}

/// `XXXX…`, `0000…`, `****`: what stands for a token in documentation.
pub(crate) fn is_filler(body: &[u8]) -> bool {
    let body = body.get(..256).unwrap_or(body);
    let body = body
        .split(|b| matches!(b, b'-' | b'_' | b'.' | b'/'))
        .max_by_key(|part| part.len())
        .unwrap_or_default();
    body.first().is_some_and(|first| {
        matches!(first, b'x' | b'X' | b'.' | b'0' | b'*')
            && body.iter().all(|b| b.eq_ignore_ascii_case(first))
    })
}
