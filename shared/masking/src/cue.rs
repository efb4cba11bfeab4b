//! The one pass over the text: every place where a secret may be is at or near one of these cues.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use crate::directive::{self, Place};
use crate::formats::{self, Format};
use crate::vendors;

/// Why a place is worth a look.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Cue {
    /// The prefix of a token format.
    Format(Format),
    /// Part of a name that may hold a secret: `pass`, `key`, `token`.
    Word,
    /// `pw` with what may follow a name: too short to stand alone.
    ShortWord,
    /// A vendor's name.
    Vendor,
    /// A replacement of an earlier masking.
    Marker,
    /// `-----BEGIN`.
    Pem,
    /// The start of a PEM block in base64.
    EncodedPem,
    /// The start of a JSON object in base64: a JWT header.
    Jwt,
    /// `://`.
    Url,
    /// `@tcp(`, `@unix(` of Go's `MySQL` driver, `jdbc:oracle:thin:`.
    Dsn,
    /// `bearer ` or `basic `.
    Scheme,
    /// A command line that takes credentials as flags.
    Command,
    /// A directive, a command or a line that a secret follows.
    Directive(Place),
    /// A call whose last literal is a password: `HTTPBasicAuth("user", "`.
    Call,
    /// The header of a key file without PEM's dashes.
    KeyFile,
    /// `"kty"` of a JSON web key.
    WebKey,
    /// `Secret` where a kind may stand.
    Kubernetes,
    /// A percent-encoded `=`, `:` or quote.
    Percent,
    /// The inside of a token without a prefix: Azure client secrets, Telegram bots, Terraform.
    Infix,
}

/// A cue and where it is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hit {
    pub(crate) cue: Cue,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

const FIXED: &[(Cue, &[&str])] = &[
    (
        Cue::Word,
        &[
            "pass",
            "pwd",
            "psw",
            "secret",
            "token",
            "key",
            "credential",
            "creds",
            "auth",
            "cookie",
            "contrase",
            "senha",
            "psk",
            "_pat",
            "licen",
            "priv_",
            "private_",
            "dsn",
            "connection",
            "connstr",
            "account",
            "mnemonic",
            "otp",
            "jwt",
            "salt",
            "signature",
            "sharedaccess",
            "kennwort",
            "motdepasse",
        ],
    ),
    (
        Cue::ShortWord,
        &[
            "pat:", "pat=", "pw:", "pw=", "pw ", "pw\"", "pw'", "pw)", "pw(", "pw>", "pw\\",
        ],
    ),
    (Cue::Marker, &["[masked_"]),
    (Cue::Pem, &["-----begin"]),
    (Cue::EncodedPem, &["ls0tls1crudjti"]),
    (Cue::Jwt, &["eyj", "zxlk"]),
    (Cue::Url, &["://"]),
    (Cue::Dsn, &["@tcp(", "@unix(", "jdbc:oracle:thin:"]),
    (Cue::Scheme, &["bearer ", "basic ", "geniekey ", "ssws "]),
    (
        Cue::Command,
        &[
            " -u ",
            " -u",
            "--user ",
            "--user=",
            "sshpass ",
            "psexec",
            "mysql ",
            "mysqldump ",
            "ipmitool ",
            "openssl enc ",
            "sqlcmd ",
            "beeline ",
            "mongo --",
            "mongodump ",
            "mongorestore ",
            "zip ",
            "7z a ",
            "7z x ",
            "docker login ",
            "redis-cli ",
            "identified by ",
            "identified with ",
            "--proxy-user ",
            "mongosh ",
            "ldapsearch ",
            "ldapadd ",
            "ldapmodify ",
            "az login ",
            "smbclient ",
            "snmp-server community ",
            "enable secret ",
            "enable password ",
        ],
    ),
    (
        Cue::Call,
        &[
            "networkcredential(",
            "directoryentry(",
            "httpbasicauth(",
            "basicauth(",
            "auth=(",
            "mysqli_connect(",
            "mysql_connect(",
            "new pdo(",
            "new mysqli(",
            "drivermanager.getconnection(",
            "pymysql.connect(",
            "mysqldb.connect(",
            ".login(\"",
            ".login('",
            "basic_auth(",
            "passwordauthentication(",
            "usernamepasswordcredential(",
            "securestring \"",
            "securestring '",
        ],
    ),
    (Cue::KeyFile, &["---- begin ssh2 ", "private-lines: "]),
    (Cue::WebKey, &["\"kty\""]),
    (
        Cue::Kubernetes,
        &[
            "secret\"",
            "secret'",
            "secret\\",
            "secretlist\"",
            "kind: secretlist",
            ": secret",
        ],
    ),
    (Cue::Percent, &["%3a", "%3d", "%22"]),
    (
        Cue::Infix,
        &[
            "q~",
            ":aa",
            ".atlasv1.",
            "sig=",
            "nral",
            "!aq",
            "msh",
            ".acc-",
            ".acc_",
            "_mmk",
        ],
    ),
];

/// The automaton and what each of its patterns stands for.
struct Cues {
    automaton: AhoCorasick,
    meaning: Vec<Cue>,
}

static CUES: LazyLock<Option<Cues>> = LazyLock::new(|| {
    let mut entries: Vec<(&str, Cue)> = Vec::new();
    entries.extend(formats::all().map(|format| (format.prefix, Cue::Format(format))));
    for (cue, texts) in FIXED {
        entries.extend(texts.iter().map(|text| (*text, *cue)));
    }
    for (place, texts) in directive::PLACES {
        entries.extend(texts.iter().map(|text| (*text, Cue::Directive(*place))));
    }
    entries.extend(vendors::names().map(|name| (name, Cue::Vendor)));
    let automaton = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::LeftmostLongest)
        .kind(Some(AhoCorasickKind::DFA))
        .build(entries.iter().map(|(text, _)| text))
        .ok()?;
    Some(Cues {
        automaton,
        meaning: entries.into_iter().map(|(_, cue)| cue).collect(),
    })
});

/// All cues of a text in order, without overlaps.
///
/// # Panics
/// When the automaton could not be built; the caller withholds the text then.
pub(crate) fn hits(text: &str) -> impl Iterator<Item = Hit> + '_ {
    let cues = CUES.as_ref();
    assert!(cues.is_some(), "the automaton of cues was not built");
    cues.into_iter().flat_map(move |cues| {
        cues.automaton.find_iter(text).filter_map(|found| {
            let cue = *cues.meaning.get(found.pattern().as_usize())?;
            Some(Hit {
                cue,
                start: found.start(),
                end: found.end(),
            })
        })
    })
}

/// How many matches the bare automaton finds: the ceiling of any speed figure, for the benchmark.
#[doc(hidden)]
#[must_use]
pub fn prefilter_ceiling(text: &str) -> usize {
    hits(text).count()
}
