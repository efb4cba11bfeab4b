//! Sections of the configuration: names, groups, custom patterns and their limits. All problems are reported at once.
#![expect(clippy::unwrap_used, reason = "a test that cannot set itself up fails")]

use std::collections::BTreeMap;

use tarsy_masking::{
    CustomPattern, Kind, MAX_CUSTOM_PATTERNS, Masker, MaskingConfig, WITHHELD, group_names,
    pattern_names,
};

fn custom(name: &str, pattern: &str) -> CustomPattern {
    CustomPattern {
        name: name.into(),
        pattern: pattern.into(),
        replacement: String::new(),
        description: String::new(),
        enabled: true,
    }
}

fn with(custom_patterns: Vec<CustomPattern>) -> MaskingConfig {
    MaskingConfig {
        custom_patterns,
        ..MaskingConfig::default()
    }
}

fn problems(config: &MaskingConfig) -> Vec<String> {
    Masker::new(config)
        .map(|_| ())
        .unwrap_err()
        .iter()
        .map(ToString::to_string)
        .collect()
}

fn kinds(masked: &BTreeMap<Kind, usize>) -> Vec<(&str, usize)> {
    masked
        .iter()
        .map(|(kind, count)| (kind.as_str(), *count))
        .collect()
}

#[test]
fn a_section_as_it_is_written() {
    let text = "enabled: true\npattern_groups: [kubernetes, basic]\npatterns: [certificate, token]\ncustom_patterns:\n- name: employee\n  pattern: 'EMP-\\d{6}'\n  replacement: '[EMPLOYEE]'\n  description: staff numbers\n  enabled: true\n";
    let config: MaskingConfig = serde_saphyr::from_str(text).unwrap();
    let masked = Masker::new(&config)
        .unwrap()
        .mask("EMP-123456 said password=hunter2x")
        .into_owned_pair();
    assert_eq!(masked.0, "[EMPLOYEE] said password=[MASKED_PASSWORD]");
    assert!(serde_saphyr::from_str::<MaskingConfig>("pattern_group: [basic]").is_err());
}

trait Owned {
    fn into_owned_pair(self) -> (String, BTreeMap<Kind, usize>);
}

impl Owned for tarsy_masking::Masked<'_> {
    fn into_owned_pair(self) -> (String, BTreeMap<Kind, usize>) {
        (self.text.into_owned(), self.kinds)
    }
}

#[test]
fn every_name_makes_a_masker() {
    let names = |list: Vec<&str>| list.into_iter().map(str::to_owned).collect();
    let config = MaskingConfig {
        pattern_groups: names(group_names()),
        patterns: names(pattern_names()),
        ..MaskingConfig::default()
    };
    assert!(Masker::new(&config).unwrap().is_enabled());
    for name in [
        "kubernetes_secret",
        "kubernetes_data_section",
        "kubernetes_stringdata_json",
        "base64_secret",
        "base64_short",
        "api_key",
        "password",
        "certificate",
        "token",
    ] {
        assert!(pattern_names().contains(&name), "{name}");
    }
    for name in ["basic", "secrets", "security", "kubernetes", "all"] {
        assert!(group_names().contains(&name), "{name}");
    }
}

#[test]
fn an_empty_section_masks_and_a_disabled_one_does_not() {
    let text = "password=hunter2x";
    let masker = Masker::new(&MaskingConfig::default()).unwrap();
    let masked = masker.mask(text);
    assert_eq!(
        (masked.text.as_ref(), kinds(&masked.kinds)),
        ("password=[MASKED_PASSWORD]", vec![("password", 1)])
    );
    let off = Masker::new(&MaskingConfig {
        enabled: false,
        ..MaskingConfig::default()
    })
    .unwrap();
    assert!(!off.is_enabled());
    assert_eq!(off.mask(text).text, text);
}

#[test]
fn groups_mask_what_they_name() {
    let text = "password=hunter2x token=abcd1234efgh5678ijkl";
    assert_eq!(
        Masker::group("basic").unwrap().mask(text).text,
        "password=[MASKED_PASSWORD] token=abcd1234efgh5678ijkl"
    );
    assert_eq!(
        Masker::group("secrets").unwrap().mask(text).text,
        "password=[MASKED_PASSWORD] token=[MASKED_TOKEN]"
    );
    assert!(Masker::group("nosuch").is_none());
    let blunt = Masker::group("all").unwrap();
    assert_eq!(
        blunt.mask("note: aGVsbG8=").text,
        "note: \"[MASKED_BASE64_SHORT]\""
    );
}

#[test]
fn all_problems_are_reported_together() {
    let mut config = with(vec![
        custom("a b", "x+"),
        custom("open", "("),
        custom("empty", "x*"),
        custom("huge", "\\w{1000}\\w{1000}"),
        custom("long", &"x".repeat(1025)),
        custom("token", "y+"),
        custom("twice", "z+"),
        custom("twice", "z+"),
        CustomPattern {
            replacement: "aaa".into(),
            ..custom("loop", "a+")
        },
        CustomPattern {
            enabled: false,
            ..custom("off", "[")
        },
    ]);
    config.pattern_groups.push("security ".into());
    config.patterns.push("passwords".into());
    let problems = problems(&config);
    for expected in [
        "pattern_groups[0]",
        "patterns[0]",
        "`a b`",
        "`open`",
        "`empty` matches the empty text",
        "`huge` compiles",
        "`long` is 1025",
        "`token` is a built-in",
        "`twice` is there twice",
        "`loop`",
        "`off`",
    ] {
        assert!(
            problems.iter().any(|p| p.contains(expected)),
            "{expected} not in {problems:#?}"
        );
    }
    assert_eq!(problems.len(), 11, "{problems:#?}");
}

#[test]
fn too_many_patterns_are_refused() {
    let many: Vec<_> = (0..=MAX_CUSTOM_PATTERNS)
        .map(|i| custom(&format!("p{i}"), "x+"))
        .collect();
    assert!(problems(&with(many.clone()))[0].contains("101 custom patterns"));
    assert!(Masker::new(&with(many.into_iter().skip(1).collect())).is_ok());
}

#[test]
fn text_that_does_not_settle_or_fit_is_withheld() {
    // Each replacement creates a match for the other pattern.
    let see = |name: &str, from: &str, to: &str| CustomPattern {
        replacement: to.into(),
        ..custom(name, from)
    };
    let masker = Masker::new(&with(vec![
        see("ping", "ping", "pong"),
        see("pong", "pong", "ping"),
    ]))
    .unwrap();
    let masked = masker.mask("ping");
    assert_eq!(
        (masked.text.as_ref(), kinds(&masked.kinds)),
        (WITHHELD, vec![("withheld", 1)])
    );
    let mut stream = masker.stream_limited(8);
    stream.push(b"12345");
    stream.push(b"6789");
    assert_eq!(stream.finish().text, WITHHELD);
    assert_eq!(masker.mask(WITHHELD).text, WITHHELD);
}

#[test]
fn addresses_are_masked_where_this_is_configured() {
    let text = "bob@shop.example from 10.0.3.17:5432, fe80::1ff:fe23:4567:890a%eth0 (52:54:00:ab:cd:ef) to db-0.db.internal at 12:30:45, v1.2.3\n";
    for group in ["security", "all", "kubernetes"] {
        assert_eq!(Masker::group(group).unwrap().mask(text).text, text);
    }
    let network = Masker::group("network").unwrap().mask(text).text;
    assert_eq!(
        network,
        "bob@shop.example from [MASKED_IPV4]:5432, [MASKED_IPV6] ([MASKED_MAC_ADDRESS]) to [MASKED_PRIVATE_HOSTNAME] at 12:30:45, v1.2.3\n"
    );
    let email = Masker::new(&MaskingConfig {
        patterns: vec!["email".into()],
        ..MaskingConfig::default()
    })
    .unwrap();
    assert!(
        email
            .mask(text)
            .text
            .starts_with("[MASKED_EMAIL] from 10.0.3.17")
    );
    let yaml = Masker::group("network")
        .unwrap()
        .mask("host: 10.0.3.17\nport: 5432\n")
        .text;
    assert_eq!(yaml, "host: \"[MASKED_IPV4]\"\nport: 5432\n");
}
