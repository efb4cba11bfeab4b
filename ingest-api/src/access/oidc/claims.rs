//! Name and role of the person that a token identifies.

use serde_json::{Map, Value};
use tarsy_config::settings::OidcSettings;
use tarsy_model::Role;

/// Longest name that is kept, in characters; longer ones are cut.
const LONGEST: usize = 255;

/// Returns the person's name, or their subject if there is no name.
pub(super) fn name(claims: &Map<String, Value>, settings: &OidcSettings) -> Option<String> {
    let text = |claim: &str| {
        let name = at(claims, claim)?.as_str()?.trim();
        let shown: String = name
            .chars()
            .filter(|c| !c.is_control())
            .take(LONGEST)
            .collect();
        (!shown.is_empty()).then_some(shown)
    };
    text(&settings.name_claim).or_else(|| text("sub"))
}

/// Returns the highest role that any of the person's groups has. `ingest`, which is for machines,
/// is the lowest.
pub(super) fn role(claims: &Map<String, Value>, settings: &OidcSettings) -> Option<Role> {
    let value = at(claims, &settings.role_claim)?;
    let groups: Vec<&str> = match value {
        Value::String(text) => text.split([' ', ',']).chain([text.as_str()]).collect(),
        Value::Array(values) => values.iter().filter_map(Value::as_str).collect(),
        _ => return None,
    };
    let mut roles = Role::ALL.into_iter().rev();
    roles.find(|role| {
        groups
            .iter()
            .any(|group| settings.roles.get(*group) == Some(role))
    })
}

/// Returns a claim by its name, or by a path of names separated by dots. A name may contain dots
/// itself, like namespaced claims (`https://tarsy.example/roles`).
pub(super) fn at<'c>(claims: &'c Map<String, Value>, path: &str) -> Option<&'c Value> {
    if let Some(value) = claims.get(path) {
        return Some(value);
    }
    let (first, rest) = path.split_once('.')?;
    at(claims.get(first)?.as_object()?, rest)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn settings(role_claim: &str, roles: &[(&str, Role)]) -> OidcSettings {
        OidcSettings {
            issuer: String::new(),
            audience: Vec::new(),
            jwks_url: None,
            header: None,
            name_claim: "email".to_owned(),
            role_claim: role_claim.to_owned(),
            roles: roles
                .iter()
                .map(|(group, role)| ((*group).to_owned(), *role))
                .collect(),
            sign_in: None,
        }
    }

    fn claims(value: Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn the_highest_role_of_all_groups_counts() {
        let settings = settings(
            "realm_access.roles",
            &[("sre", Role::Operator), ("staff", Role::Viewer)],
        );
        let role = |groups: Value| {
            role(
                &claims(json!({"realm_access": {"roles": groups}})),
                &settings,
            )
        };
        assert_eq!(role(json!(["staff", "sre", 7])), Some(Role::Operator));
        assert_eq!(role(json!("staff")), Some(Role::Viewer));
        assert_eq!(role(json!("other sre")), Some(Role::Operator));
        assert_eq!(role(json!(["admin"])), None);
        assert_eq!(role(json!({"sre": true})), None);
        assert_eq!(super::role(&claims(json!({})), &settings), None);
    }

    #[test]
    fn a_claim_may_have_dots_in_its_name() {
        let settings = settings("https://tarsy.example/roles", &[("a", Role::Admin)]);
        let claims = claims(json!({"https://tarsy.example/roles": ["a"]}));
        assert_eq!(role(&claims, &settings), Some(Role::Admin));
    }

    #[test]
    fn a_person_without_an_address_is_named_by_their_subject() {
        let settings = settings("roles", &[]);
        let name = |value: Value| name(&claims(value), &settings);
        assert_eq!(
            name(json!({"email": "a@x.example", "sub": "1"})).unwrap(),
            "a@x.example"
        );
        assert_eq!(name(json!({"email": " ", "sub": "1\n2"})).unwrap(), "12");
        assert_eq!(name(json!({"sub": 1})), None);
    }
}
