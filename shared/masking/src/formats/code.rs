//! Code hosting, chat and packages.

use super::{Family, PATH, of};
use crate::bytes::{
    ALNUM, AT, BASE36, BASE64, DOTTED, EQUALS, HEX, PERCENT, QUERY, SLASH, TOKEN68, UNDERSCORE,
    URLSAFE,
};
use crate::pattern::Pattern as P;

pub(super) const FAMILIES: &[Family] = &[
    // Code hosting.
    of(P::GithubToken, ALNUM, 20, &["ghp_", "gho_", "ghu_", "ghr_"]),
    of(P::GithubToken, TOKEN68, 20, &["ghs_"]),
    of(P::GithubToken, ALNUM | UNDERSCORE, 20, &["github_pat_"]),
    of(
        P::GitlabToken,
        DOTTED,
        16,
        &[
            "glpat-", "gldt-", "glrt-", "glrtr-", "glcbt-", "glptt-", "glft-", "glsoat-", "glimt-",
            "glagent-", "gloas-", "glffct-", "glwt-",
        ],
    ),
    of(P::GitlabToken, URLSAFE, 16, &["GR1348941"]),
    of(P::SaasToken, ALNUM | EQUALS | UNDERSCORE, 24, &["ATBB"]),
    of(P::SaasToken, URLSAFE | EQUALS, 40, &["ATCTT3", "ATATT3"]),
    of(P::SaasToken, ALNUM, 60, &["ATTA"]),
    of(P::SaasToken, ALNUM | UNDERSCORE, 32, &["sgp_"]),
    of(P::SaasToken, HEX, 40, &["slk_"]),
    of(P::CiToken, HEX, 32, &["sqp_", "squ_", "sqa_"]),
    of(P::CiToken, ALNUM | UNDERSCORE, 32, &["CCIPAT_", "CCIPRJ_"]),
    of(P::CiToken, ALNUM, 30, &["bkua_"]),
    of(
        P::CiToken,
        URLSAFE,
        48,
        &[
            "bkaa_", "bkaj_", "bkar_", "bkct_", "bkpt_", "bkpat_", "bkps_",
        ],
    ),
    of(P::GitlabToken, ALNUM, 30, &["_gitlab_session="]),
    of(P::SaasToken, BASE64, 32, &["BBDC-"]),
    of(P::PackageToken, ALNUM, 36, &["csa_"]),
    // Chat.
    of(
        P::SlackToken,
        URLSAFE,
        8,
        &[
            "xoxb-",
            "xoxp-",
            "xoxa-",
            "xoxo-",
            "xoxr-",
            "xoxs-",
            "xoxc-",
            "xoxe-",
            "xoxe.xoxp-",
            "xoxe.xoxb-",
        ],
    ),
    of(P::SlackToken, TOKEN68 | PERCENT, 8, &["xoxd-"]),
    of(P::SlackToken, URLSAFE, 16, &["xapp-"]),
    of(
        P::SlackToken,
        URLSAFE | SLASH,
        16,
        &[
            "hooks.slack.com/services/",
            "hooks.slack.com/workflows/",
            "hooks.slack.com/triggers/",
        ],
    ),
    of(
        P::ChatToken,
        URLSAFE | SLASH,
        24,
        &["discord.com/api/webhooks/", "discordapp.com/api/webhooks/"],
    ),
    of(
        P::ChatToken,
        PATH | AT,
        24,
        &[
            "webhook.office.com/webhookb2/",
            "webhook.office.com/webhook/",
            "outlook.office.com/webhook/",
            "outlook.office365.com/webhook/",
        ],
    ),
    of(
        P::ChatToken,
        URLSAFE | SLASH,
        8,
        &["hooks.zapier.com/hooks/catch/"],
    ),
    of(
        P::ChatToken,
        PATH | QUERY,
        40,
        &["chat.googleapis.com/v1/spaces/"],
    ),
    // Packages.
    of(P::PackageToken, ALNUM, 24, &["npm_"]),
    of(P::PackageToken, URLSAFE, 24, &["pypi-"]),
    of(P::PackageToken, HEX, 32, &["rubygems_"]),
    of(P::PackageToken, URLSAFE, 16, &["dckr_pat_", "dckr_oat_"]),
    of(P::PackageToken, ALNUM, 40, &["CLOJARS_", "cmVmdGtu"]),
    of(P::PackageToken, ALNUM, 32, &["cio"]),
    of(P::PackageToken, BASE36, 40, &["oy2"]),
    of(P::PackageToken, ALNUM, 10, &["AKC"]),
];
