//! The cues that a secret follows, and how.

/// How a secret follows its cue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// The next word, where the cue starts its line.
    Directive,
    /// The next word.
    Word,
    /// The last word of the line.
    LastWord,
    /// The second word.
    Second,
    /// What is echoed into the command.
    Echoed,
    /// The word that the cue starts: a hash of a password.
    Hash,
    /// The hashes of a line of Windows' password file that the cue ends.
    WindowsHashes,
    /// The long word behind a number and a colon.
    Share,
    /// The first line below that is no more than one word.
    Below,
    /// The rows below the rule under `Key  Value`.
    Table,
    /// The last field of `host:port:database:user:password`.
    PasswordFile,
}

/// The cues, in lower case.
pub(crate) const PLACES: &[(Place, &[&str])] = &[
    (
        Place::Directive,
        &[
            "masterauth ",
            "bindpw ",
            "rootpw ",
            "olcrootpw: ",
            "bindpasswd ",
        ],
    ),
    (
        Place::Word,
        &[
            ": psk \"",
            "{plain}",
            "{cleartext}",
            "{clear}",
            " on >",
            "operator unseal ",
            "auth default ",
            " password 0 ",
            " password 7 ",
            " secret 0 ",
            " secret 5 ",
            " secret 8 ",
            " secret 9 ",
        ],
    ),
    (
        Place::LastWord,
        &[
            "rabbitmqctl add_user ",
            "rabbitmqctl change_password ",
            "> auth ",
            "sentinel auth-pass ",
        ],
    ),
    (Place::Second, &["net user ", "/user:"]),
    (
        Place::Echoed,
        &[
            "| sudo -s",
            "| chpasswd",
            "| docker login",
            "| passwd --stdin",
            "| helm registry login",
        ],
    ),
    (
        Place::Hash,
        &[
            "$krb5tgs$",
            "$krb5asrep$",
            "$krb5pa$",
            "pbkdf2_sha256$",
            "pbkdf2_sha512$",
            "pbkdf2_sha1$",
            "pbkdf2:sha256:",
            "scrypt:32768:",
            "$s$d",
            "$s$e",
            "$dcc2$",
        ],
    ),
    (Place::WindowsHashes, &[":::"]),
    (
        Place::Share,
        &[
            "unseal key ",
            "recovery key ",
            "unseal key:",
            "recovery key:",
        ],
    ),
    (
        Place::Below,
        &[
            "initialadminpassword",
            "initial-password",
            "initial-admin-secret",
            "following password to proceed",
            "server/node-token",
            "server/token",
            "get-login-password",
            "print-access-token",
            "print-identity-token",
            "kubectl create token ",
            "base64 -d",
            "base64 --decode",
        ],
    ),
    (Place::Table, &["---  "]),
    (Place::PasswordFile, &[":5432:"]),
];
