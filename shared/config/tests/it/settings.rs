//! Settings from the environment.

use std::time::Duration;

use tarsy_config::{Environment, Secret, Settings};

fn read(env: &[(&str, &str)]) -> Result<Settings, tarsy_config::Problems> {
    Settings::read(&Environment::from_pairs(env.iter().copied()))
}

#[test]
fn an_empty_environment_gives_the_documented_defaults() {
    let settings = read(&[("LOG_LEVEL", " ")]).unwrap();
    assert_eq!(settings.ingest.listen.to_string(), "127.0.0.1:8000");
    assert_eq!(settings.ingest.body_limit_bytes, 1 << 20);
    assert_eq!(
        (
            settings.stage_worker.concurrency,
            settings.stage_worker.pools.len()
        ),
        (5, 1)
    );
    assert_eq!(settings.queue.lease_ttl, Duration::from_secs(10));
    assert_eq!(settings.queue.drain_grace, Duration::from_secs(30));
    assert!(settings.database.url.is_none() && settings.history.enabled);
}

#[test]
fn synonyms_and_older_spellings_are_understood() {
    let settings = read(&[
        ("HISTORY_DATABASE_URL", "postgresql://u:p@h/d"),
        ("LOG_LEVEL", "WARNING"),
        ("TARSY_STAGE_POOLS", "gpu, default"),
        ("HISTORY_ENABLED", "False"),
    ])
    .unwrap();
    let exposed = |url: &Option<Secret>| url.as_ref().map(|url| url.expose().to_owned());
    assert_eq!(
        exposed(&settings.database.url),
        exposed(&settings.database.direct_url)
    );
    assert_eq!(settings.log.level, "warn");
    let pools: Vec<&str> = settings
        .stage_worker
        .pools
        .iter()
        .map(tarsy_model::Pool::as_str)
        .collect();
    assert_eq!(pools, ["default", "gpu"]);
    assert!(!settings.history.enabled);
}

#[test]
fn every_mistake_is_reported_at_once_and_no_value_is_shown() {
    let problems = read(&[
        ("DATABASE_URL", "sqlite:///canary.db"),
        ("DATABASE_MAX_CONNECTIONS", "3"),
        ("DATABASE_MIN_CONNECTIONS", "9"),
        ("TARSY_LISTEN", "canary"),
        ("TARSY_BODY_LIMIT_BYTES", "1e9"),
        ("TARSY_STAGE_POOLS", "Canary Pool"),
        ("TARSY_STAGE_CONCURRENCY", "0"),
        ("TARSY_LEASE_TTL", "1ms"),
        ("LOG_FORMAT", "jsno"),
        ("HISTORY_ENABLED", "canary"),
        ("HISTORY_RETENTION_DAYS", "0"),
        ("RUNBOOK_TIMEOUT", "canary"),
    ])
    .unwrap_err();
    let report = problems.to_string();
    assert!(!report.to_lowercase().contains("canary"), "{report}");
    insta::assert_snapshot!(report);
}

#[test]
fn fewer_crashes_than_a_stage_may_have_are_refused() {
    for crashes in ["1", "2"] {
        let problems = read(&[("TARSY_MAX_CRASHES", crashes)]).unwrap_err();
        let report = problems.to_string();
        assert!(report.contains("TARSY_MAX_CRASHES"), "{report}");
        assert!(report.contains("from 3 to 100"), "{report}");
    }
    let settings = read(&[("TARSY_MAX_CRASHES", "3")]).unwrap();
    assert_eq!(settings.queue.max_crashes, 3);
}

#[test]
fn a_database_may_have_several_hosts() {
    let url = "postgres://u:p@a:5432,b:5433/tarsy";
    let settings = read(&[("DATABASE_URL", url)]).unwrap();
    assert_eq!(settings.database.url.unwrap().expose(), url);
    let problems = read(&[("DATABASE_URL", "postgres://u:canary@a:5432,b:x/tarsy")]).unwrap_err();
    let report = problems.to_string();
    assert!(
        report.contains("host 2") && !report.contains("canary"),
        "{report}"
    );
}

#[test]
fn another_url_for_history_names_a_replica() {
    let replica = |history: &str| {
        let url = "postgres://h/a";
        let read = read(&[("DATABASE_URL", url), ("HISTORY_DATABASE_URL", history)]);
        read.map(|settings| {
            let database = settings.database;
            assert_eq!(database.url.unwrap().expose(), url);
            database.replica_url.map(|url| url.expose().to_owned())
        })
    };
    assert_eq!(
        replica("postgres://b/a").unwrap().as_deref(),
        Some("postgres://b/a")
    );
    assert_eq!(replica("postgres://h/a").unwrap(), None);
    let several = replica("postgres://u:canary@b,c/a").unwrap_err();
    let report = several.to_string();
    assert!(
        report.contains("several hosts") && !report.contains("canary"),
        "{report}"
    );
    // If only this one is set, it is the older name of `DATABASE_URL`.
    let alone = read(&[("HISTORY_DATABASE_URL", "postgres://h/a")]).unwrap();
    assert!(alone.database.url.is_some() && alone.database.replica_url.is_none());
}

#[test]
fn every_variable_is_described() {
    let table: Vec<String> = Settings::describe()
        .iter()
        .map(ToString::to_string)
        .collect();
    insta::assert_snapshot!(table.join("\n"));
}

#[test]
fn access_control_is_off_by_default() {
    let access = read(&[]).unwrap().ingest.access;
    assert!(!access.enabled && access.oidc.is_none());
    let access = read(&[
        ("TARSY_AUTH", "ON"),
        ("TARSY_OIDC_ISSUER", "https://sso.example/"),
        ("TARSY_OIDC_AUDIENCE", "tarsy, other"),
        ("TARSY_OIDC_ROLES", "cn=sre,ou=x=operator"),
        ("TARSY_RATE_LIMIT", "0"),
    ]);
    let problems = access.unwrap_err().to_string();
    assert!(problems.contains("`value=role`"), "{problems}");
}

#[test]
fn tokens_need_an_audience_a_safe_issuer_and_access_control() {
    let refused = |env: &[(&str, &str)]| read(env).unwrap_err().to_string();
    let issuer = ("TARSY_OIDC_ISSUER", "https://sso.example");
    let audience = ("TARSY_OIDC_AUDIENCE", "tarsy");
    assert!(refused(&[issuer, audience]).contains("`TARSY_AUTH` is off"));
    let on = ("TARSY_AUTH", "on");
    assert!(refused(&[on, issuer]).contains("without `TARSY_OIDC_AUDIENCE`"));
    let open = ("TARSY_OIDC_ISSUER", "http://sso.example");
    assert!(refused(&[on, open, audience]).contains("not an https URL"));
    let oidc = read(&[on, issuer, audience]).unwrap().ingest.access.oidc;
    let oidc = oidc.unwrap();
    assert_eq!(oidc.roles.get("admin"), Some(&tarsy_model::Role::Admin));
    assert_eq!((oidc.name_claim.as_str(), oidc.header), ("email", None));
}

#[test]
fn the_history_database_of_the_original_is_refused_with_what_to_write() {
    let problems = read(&[("HISTORY_DATABASE_URL", "sqlite:///history.db")]).unwrap_err();
    let report = problems.to_string();
    assert!(
        report.contains("postgres://user:password@host:5432/database")
            && report.contains("SQLite is not supported"),
        "{report}"
    );
}

#[test]
fn a_sign_in_needs_an_issuer_a_safe_address_and_its_origin() {
    const GOOD: [(&str, &str); 5] = [
        ("TARSY_AUTH", "on"),
        ("TARSY_OIDC_ISSUER", "https://sso.example"),
        ("TARSY_OIDC_CLIENT_ID", "tarsy"),
        ("TARSY_PUBLIC_URL", "https://tarsy.example/ops/"),
        ("TARSY_ALLOWED_ORIGINS", "https://tarsy.example"),
    ];
    let oidc = read(&GOOD).unwrap().ingest.access.oidc.unwrap();
    let sign_in = oidc.sign_in.unwrap();
    let callback = "https://tarsy.example/ops/api/v1/sign-in/oidc/callback";
    assert_eq!(sign_in.redirect_uri(), callback);
    assert!(sign_in.is_secure() && sign_in.client_secret.is_none());
    assert_eq!(sign_in.scopes, ["openid", "profile", "email"]);
    assert!(oidc.audience.is_empty(), "no bearer token is accepted");

    let changed = |name: &str, value: &'static str| {
        let env = GOOD.map(|(set, old)| (set, if set == name { value } else { old }));
        read(&env)
            .map(drop)
            .map_err(|problems| problems.to_string())
    };
    for (name, value, reason) in [
        (
            "TARSY_OIDC_ISSUER",
            "",
            "`TARSY_OIDC_CLIENT_ID` without `TARSY_OIDC_ISSUER`",
        ),
        (
            "TARSY_PUBLIC_URL",
            "",
            "`TARSY_OIDC_CLIENT_ID` without `TARSY_PUBLIC_URL`",
        ),
        (
            "TARSY_PUBLIC_URL",
            "http://tarsy.example",
            "`TARSY_PUBLIC_URL` is not https",
        ),
        (
            "TARSY_ALLOWED_ORIGINS",
            "https://other.example",
            "lacks `https://tarsy.example`",
        ),
        ("TARSY_AUTH", "off", "`TARSY_AUTH` is off"),
        (
            "TARSY_OIDC_CLIENT_ID",
            "",
            "`TARSY_OIDC_ISSUER` without `TARSY_OIDC_AUDIENCE`",
        ),
    ] {
        let error = changed(name, value).expect_err(reason);
        assert!(error.contains(reason), "{error}");
    }
    assert_eq!(changed("TARSY_PUBLIC_URL", "http://localhost:8000"), Ok(()));
    let scopes = [&GOOD[..], &[("TARSY_OIDC_SCOPES", "profile, groups")]].concat();
    assert!(
        read(&scopes)
            .unwrap_err()
            .to_string()
            .contains("lacks `openid`")
    );
}
