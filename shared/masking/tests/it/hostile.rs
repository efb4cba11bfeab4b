//! Texts that are designed to be slow or confusing. They are masked, they settle, and the work stays proportional to
//! their length.

use tarsy_masking::{Masker, WITHHELD};

use crate::corpus::text;

#[test]
fn hostile_texts_are_masked_and_settle() {
    let masker = Masker::group("all").unwrap();
    for (name, hostile) in text::hostile(24 << 10) {
        let once = masker.mask(&hostile);
        assert_ne!(once.text, WITHHELD, "{name}");
        assert_eq!(masker.mask(&once.text).text, once.text, "{name}");
    }
}

#[test]
fn realistic_text_keeps_its_structure() {
    let masker = Masker::group("security").unwrap();
    let log = text::realistic(256 << 10);
    let masked = masker.mask(&log);
    assert_eq!(masked.text.lines().count(), log.lines().count());
    let changed = masked
        .text
        .lines()
        .zip(log.lines())
        .filter(|(a, b)| a != b)
        .collect::<Vec<_>>();
    for (after, before) in &changed {
        let planted = ["username: ", "password: ", "password=Zk", "postgres://app:"]
            .iter()
            .any(|p| before.contains(p));
        assert!(planted, "`{before}` became `{after}`");
    }
    let planted = log.matches("username: ").count()
        + log.matches("password: ").count()
        + log.matches("password=Zk").count()
        + log.matches("postgres://app:").count();
    assert_eq!(changed.len(), planted);
}
