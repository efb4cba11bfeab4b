//! Texts that operators read and type. The secret must go, and the text next to it must stay.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::super::corpus::Random;
use tarsy_masking::Masker;

fn masker() -> Masker {
    Masker::group("security").unwrap()
}

/// Masks each text with `%` replaced by a random value of the form `shape`. Only the random part may change.
fn assert_only_secret_masked(shape: &str, texts: &[&str]) {
    let (masker, mut random) = (masker(), Random::new(41));
    for text in texts {
        for _ in 0..20 {
            let secret = random.parts(shape);
            let (head, tail) = text.split_once('%').unwrap();
            let tail = tail.replace('%', &secret);
            let masked = masker
                .mask(&format!("{head}{secret}{tail}"))
                .text
                .into_owned();
            assert!(!masked.contains(&secret), "missed in `{masked}`");
            // The mark at the start of a hash is replaced together with it.
            let head = head
                .trim_end_matches("$P$")
                .trim_end_matches(['"', '\'', '*']);
            assert!(masked.starts_with(head), "touched before: `{masked}`");
            let tail = tail.rsplit(secret.as_str()).next().unwrap_or_default();
            let tail = tail.trim_start_matches(['"', '\'']);
            assert!(masked.ends_with(tail), "touched behind: `{masked}`");
        }
    }
}

fn stays(texts: &[&str]) {
    let masker = masker();
    for text in texts {
        assert_eq!(masker.mask(text).text, *text);
    }
}

#[test]
fn the_user_of_a_login_stays() {
    assert_only_secret_masked(
        "#a14",
        &[
            "postgres://shop:%@db-1:5432/shop?sslmode=require",
            "https://x-access-token:%@git.example/team/app.git",
            "amqps://team%2Fapp:%@rabbit-1,rabbit-2:5671/"
                .replace("%2F", "-")
                .as_str(),
            "redis://:%@cache:6379/0",
            "report:%@tcp(db-3.example:3306)/dwh?parseTime=true",
            "DB_DSN=report:%@tcp(db-3.example:3306)/dwh?parseTime=true\nPORT=80\n",
            "Environment=\"DB_DSN=report:%@tcp(db-3.example:3306)/dwh\"",
            "jdbc:oracle:thin:scott/%@db:1521:orcl",
            "curl -u oncall-bot:% https://ci.example/api/json",
            "etcdctl --user root:% endpoint status -w table",
            "broker=svc-orders:%@kafka-1.prod:9092",
        ],
    );
    // A key in the user's position is not a user.
    let key = Random::new(43).text("h40");
    let masked = masker()
        .mask(&format!("https://{key}:x-oauth-basic@github.com/o/r.git"))
        .text
        .into_owned();
    assert!(
        !masked.contains(&key) && masked.ends_with("@github.com/o/r.git"),
        "{masked}"
    );
}

#[test]
fn names_and_attributes_of_cookies_stay() {
    assert_only_secret_masked(
        "#a32",
        &[
            "Set-Cookie: JSESSIONID=%; Path=/; Secure; HttpOnly",
            "> Cookie: grafana_session=%; grafana_session_expiry=1738809312\n>",
            "Cookie: lang=en; sid=%; theme=dark",
            "{\"headers\": {\"Cookie\": \"sid=%; lang=en\", \"Accept\": \"*/*\"}}",
            "headers:\n  Cookie: sid=%; lang=en\n  Accept: text/html\n",
        ],
    );
}

#[test]
fn the_host_of_a_webhook_stays() {
    assert_only_secret_masked("#a30", &["url: https://hooks.slack.com/services/%\n"]);
    assert_only_secret_masked(
        "#h32",
        &["POST https://events.pagerduty.com/integration/%/enqueue"],
    );
}

#[test]
fn users_of_login_modules_are_masked() {
    assert_only_secret_masked(
        "#a12",
        &[
            "KafkaServer {\n  o.a.k.PlainLoginModule required\n  username=\"admin\"\n  user_alice=\"%\";\n};",
            "sasl.jaas.config=o.a.k.PlainLoginModule required username=\"admin\" user_bob=\"%\";",
            "Server { o.a.z.DigestLoginModule required user_super='%'; };",
        ],
    );
    stays(&[
        "audit user_name=\"Alice Example42\" user_id=\"a12b34\"",
        "the LoginModule was refused; user_alice=\"left4work\"",
    ]);
}

#[test]
fn logins_after_flags_are_masked() {
    assert_only_secret_masked(
        "#a12",
        &[
            "celery flower --basic-auth=admin:% --port=5555",
            "run --http-auth ops:% --verbose",
            "FLOWER_BASIC_AUTH=admin:%\nPORT=5555\n",
        ],
    );
    stays(&[
        "proxy --basic-auth=file:/etc/proxy/users",
        "run --basic-auth --port=5555",
        "use --basic-auth to protect it",
    ]);
}

#[test]
fn files_of_passwords_are_masked_by_rows() {
    assert_only_secret_masked(
        "#a12",
        &[
            "$ cat /etc/cassandra/jmxremote.password\nmonitorRole %\n",
            "$ cat conf/users.passwd\n# role and password\nreader %\n$ ls\nconf\n",
        ],
    );
    stays(&[
        "$ cat /etc/passwd\nroot:x:0:0:root:/root:/bin/bash\nbin:x:1:1::/bin:/bin/sh\n",
        "$ cat password_policy.txt\nlength twelve2\nage ninety90\n",
        "$ cat /etc/pam.d/common-password\npassword requisite pam_pwquality.so retry=3\n",
    ]);
}

#[test]
fn blocks_of_tokens_are_masked() {
    let uuid = "593be113-06e9-4622-ad28-0054a593410f";
    let masker = masker();
    for text in [
        "acl {\n  enabled = true\n  tokens {\n    agent = \"%\"\n  }\n}\n",
        "{\"acl\": {\"tokens\": {\"agent\": \"%\", \"enabled\": true}}}",
    ] {
        let masked = masker.mask(&text.replace('%', uuid)).text.into_owned();
        assert!(
            !masked.contains(uuid) && masked.contains("enabled"),
            "{masked}"
        );
    }
    for text in [
        "policies {\n  agent = \"%\"\n}\n",
        "tokens {\n  accessor_id = \"%\"\n}\n",
        "{\"tokens\": {\"id\": \"%\", \"used\": 12}}",
    ] {
        let text = text.replace('%', uuid);
        assert_eq!(masker.mask(&text).text, text);
    }
}

#[test]
fn hashes_of_mysql_and_wordpress_are_masked() {
    assert_only_secret_masked("#H40", &["| root | localhost | *%"]);
    assert_only_secret_masked(
        "#H40",
        &["| user | authentication_string |\n| root | *% |\n"],
    );
    assert_only_secret_masked("#a31", &["(1,'admin','$P$%','admin')"]);
    stays(&[
        "C0FFEE00C0FFEE00C0FFEE00C0FFEE00C0FFEE00 *file.iso",
        "a*94BDCEBE19083CE2A1F959FD02F964C7AF4CFC29",
        "*94bdcebe19083ce2a1f959fd02f964c7af4cfc29",
        "price: $P$1",
    ]);
}

#[test]
fn what_a_secret_is_set_to_is_masked() {
    assert_only_secret_masked(
        "#a8|#d3|#a5",
        &[
            "If the Erlang cookie differs, set it to `%` and restart.",
            "Password of the user was reset.\nNew value: %\n",
            "Das Passwort für den Admin ist jetzt %, bitte ändern.",
            "The admin password is currently %, rotate it.",
        ],
    );
    stays(&[
        "If the token expires too soon, set it to `86400s`.",
        "The cookie's SameSite is wrong, set it to `Strict`.",
        "The secret's class: change it to `vault-backend-2`.",
        "password policy changed. New value: 12characters-minimum\n",
        "Secret rotation: set it to ROTATE_EVERY_30_DAYS.",
        "memory limit raised.\nNew value: q8Zx2LmP0aRt7VbN\n",
    ]);
}

#[test]
fn passwords_in_the_middle_of_a_sentence_are_masked() {
    for secret in ["hunter2xyz99", "k4tze88maus", "sommer2024"] {
        assert_only_secret_masked(
            secret,
            &[
                "The password is: % at home",
                "The password is % at home",
                "Use it: the password was % until today, then it changed.",
                "my passphrase is % (do not share)",
                "the db_password is % and the host is db-1",
                "{\"note\":\"The password is: % at home\"}",
            ],
        );
    }
    for secret in ["hunter2", "welcome1", "Summer24"] {
        assert_only_secret_masked(
            secret,
            &[
                "The password is: % at home",
                "The password is: % and the user is bob",
                "{\"note\":\"the db_password is: % until May\"}",
            ],
        );
    }
    assert_only_secret_masked(
        "abc123def456",
        &["the token is: % at home", "The secret is: % at home"],
    );
    stays(&[
        "the password is: sha512crypt hashed at rest",
        "the token is: expired since 2024-01-01",
        "The secret is: db-pass-v2 of vault",
        "the password is wrong for user bob",
        "The password is required at login",
        "the password is not set for db-1",
        "the password is expired since 2024-01-01 and must change",
        "the password is too short: 8 characters at least",
        "the password is: required at login",
        "the password is sha512crypt hashed at rest",
        "the password is base64encoded in the secret",
        "the password is 12characters long",
        "the password is utf8mb4 encoded by mysql",
        "the password is stored in db-pass-v2 of vault",
        "the password was changed 14 days ago by alice42x",
        "the password is in vault2024 under kv",
        "password is never logged at debug2",
        "the token is expired2024 by policy",
    ]);
}

#[test]
fn routing_keys_are_masked_where_they_are_credentials() {
    assert_only_secret_masked(
        "#h32",
        &[
            "{\"routing_key\":\"%\",\"event_action\":\"trigger\"}",
            "PD_ROUTING_KEY=%\nPORT=80\n",
        ],
    );
    stays(&[
        "{\"exchange\":\"shop\",\"routing_key\":\"orders.created.eu-1\"}",
        "routing_key: payments_retry_2\nqueue: payments\n",
        "basic.publish routing_key=amq.topic.sensor-17",
    ]);
}

#[test]
fn a_reply_at_the_end_of_a_text_is_masked() {
    assert_only_secret_masked(
        "#a9",
        &["> CONFIG GET masterauth\n1) \"masterauth\"\n2) \"%\""],
    );
}

#[test]
fn prose_ids_and_programs_stay() {
    stays(&[
        "WARNING! Using --password via the CLI is insecure. Use --password-stdin.",
        "1. Generate a password: `openssl rand -base64 24`",
        "{\"kid\":\"2EfeT2KI69JVGP69oy8mTZpE_BWbvprdl6-kJdDyet-\",\"alg\":\"RS256\"}",
        "Key               Value\n---               -----\ntoken_accessor    Rok5lN9YjEqEgaeQlXcDLTNN\n",
        "Key         Value\n---         -----\nusername    v-token-readonly-qqb20h0uxu1uj7z49l2s-1738790021\n",
        "{\"pass\": \"Elementet har ikke et 'tabindex' større end nul\", \"fail\": \"nej\"}",
        "{\"pass\": \"页面至少有一个一级标题元素\", \"fail\": \"没有\"}",
        "   --> tests/ui/late-compile-pass.rs:36:66",
        "fn derive(&self, password: impl AsRef<[u8]>) -> Key;",
        "macro_rules! kat { ($pwd: expr, $salt: expr) => {} }",
        "function createCipher(kind: string, password: BinaryLike, options: Options): Cipher;",
        "let secret = rand::random::<[u8; 32]>();",
        "const token = tokens[i].value;",
        "let password = [0x01; 32];",
        "scrypt('password', 'salt', 64, done);",
        "type ColonToken = ColonToken$1;",
        "does <strong>not</strong> pass ownership of the socket",
        "have anything to pass to Term::Rendezvous.",
        "bin:*:2:2:bin:/bin:/usr/sbin/nologin",
        "impl Drop for Ed25519PrivateKey {",
        "from https://github.com/rust-lang/rust/blob/ab32548539ec38a939c1b58599249f3b54130026/LICENSE-MIT",
        "cuda-math-api/group.html#group__CUDA__MATH____HALF2__COMPARISON_1g59fc7fc7975d8127b202444a05e57e3d",
    ]);
}

#[test]
fn a_value_is_masked_that_stands_apart_from_its_name() {
    assert_only_secret_masked(
        "Zr8-|#a6|-Fox",
        &["Your new password:\n\n%\n\nPlease change it soon.\n"],
    );
    assert_only_secret_masked(
        "brown |#a6| owls",
        &[
            "HTTP_User     mailer\nHTTP_Passwd   %\n",
            "host mail.example.com\nuser mailer\npassword %\n",
        ],
    );
    stays(&["Your new password:\n\nfollows in a second letter.\n"]);
}

#[test]
fn hashes_of_kerberos_and_django_are_masked_whole() {
    assert_only_secret_masked(
        "pbkdf2_sha256$260000$|#a12|$|#a43",
        &["the row of admin has % in it"],
    );
    assert_only_secret_masked("$krb5asrep$23$ops@CORP:|#h32|$|#h64", &["% was written"]);
    stays(&["hashes begin with pbkdf2_sha256$ and $krb5asrep$23$ here"]);
}

#[test]
fn credentials_after_a_scheme_are_masked_without_a_header() {
    assert_only_secret_masked("#h24", &["the probe sent bearer % and got 403"]);
    assert_only_secret_masked("dXNlcjpLYWZmZWU5", &["tried basic % on the proxy"]);
    stays(&["basic authentication", "bearer of bad news"]);
}
