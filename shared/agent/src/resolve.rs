//! Resolves a tool name as the model wrote it.

use tarsy_mcp::ToolInfo;

use crate::paging::OWN_SERVER;

/// Reason why a name refers to no tool of this agent.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Unresolved {
    /// No offered tool has this name.
    Unknown,
    /// Several servers offer a tool of this name; contains the full names.
    Ambiguous(Vec<String>),
}

/// Words that models put before a tool's full name, because they take the words of a description literally.
const PLACEHOLDERS: [&str; 3] = ["server.", "tool.", "tools."];

/// Finds the offered tool that `written` names: `server.tool`, `server:tool`, `server/tool`, the wire name, or the
/// bare tool name if only one server has it.
///
/// A name with a server in it never resolves to another server's tool.
pub(crate) fn resolve<'a>(
    written: &str,
    offers: &'a [ToolInfo],
) -> Result<&'a ToolInfo, Unresolved> {
    let written = written.strip_prefix("functions.").unwrap_or(written);
    let exact: fn(&str, &str) -> bool = |a, b| a == b;
    let loose: fn(&str, &str) -> bool = |a, b| a.eq_ignore_ascii_case(b);
    for same in [exact, loose] {
        if let Some(offer) = by_full_name(written, offers, same) {
            return Ok(offer);
        }
        let mut bare: Vec<&ToolInfo> = offers.iter().filter(|o| same(written, &o.name)).collect();
        // Tools of servers take precedence over built-in tools of the same name, because they had the names first.
        if bare.iter().any(|offer| offer.server != OWN_SERVER) {
            bare.retain(|offer| offer.server != OWN_SERVER);
        }
        match bare.as_slice() {
            [] => {}
            [only] => return Ok(only),
            several => {
                return Err(Unresolved::Ambiguous(
                    several.iter().map(|o| o.full_name()).collect(),
                ));
            }
        }
    }
    // A server may have such a word as its name. That case has been tried above.
    let mut words = PLACEHOLDERS.iter();
    let after = words.find_map(|word| written.strip_prefix(word));
    after
        .and_then(|full| by_full_name(full, offers, exact))
        .ok_or(Unresolved::Unknown)
}

fn by_full_name<'a>(
    written: &str,
    offers: &'a [ToolInfo],
    same: fn(&str, &str) -> bool,
) -> Option<&'a ToolInfo> {
    offers.iter().find(|offer| {
        same(written, &offer.native_name())
            || ['.', ':', '/']
                .iter()
                .any(|c| same(written, &format!("{}{c}{}", offer.server, offer.name)))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use tarsy_mcp::ToolPin;
    use tarsy_model::EffectClass;

    use super::*;

    fn offer(server: &str, name: &str) -> ToolInfo {
        ToolInfo {
            server: server.into(),
            name: name.into(),
            description: String::new(),
            input_schema: Value::Null,
            effect: EffectClass::ReadOnly,
            pin: ToolPin::new(name, "", &Value::Null),
        }
    }

    #[test]
    fn every_way_to_spell_a_tool_finds_it() {
        let offers = [
            offer("kubernetes-server", "pods_list"),
            offer("logs", "search.v2"),
        ];
        for written in [
            "kubernetes-server.pods_list",
            "kubernetes-server:pods_list",
            "kubernetes-server/pods_list",
            "kubernetes-server__pods_list",
            "pods_list",
            "Pods_List",
            "functions.kubernetes-server.pods_list",
            "server.kubernetes-server.pods_list",
        ] {
            assert_eq!(
                resolve(written, &offers).map(|o| o.name.as_str()),
                Ok("pods_list"),
                "{written}"
            );
        }
        assert_eq!(
            resolve("logs.search.v2", &offers).map(|o| o.name.as_str()),
            Ok("search.v2")
        );
    }

    #[test]
    fn another_servers_name_is_never_given_to_ours() {
        let offers = [offer("kubernetes-server", "pods_list")];
        for written in [
            "admin-server.pods_list",
            "server.admin-server.pods_list",
            "server.pods_list",
        ] {
            assert_eq!(resolve(written, &offers), Err(Unresolved::Unknown));
        }
    }

    #[test]
    fn a_server_may_be_called_as_a_placeholder_is() {
        let offers = [offer("server", "pods_list"), offer("tools", "pods_list")];
        for (written, server) in [("server.pods_list", "server"), ("tools.pods_list", "tools")] {
            let found = resolve(written, &offers).map(|offer| offer.server.as_str());
            assert_eq!(found, Ok(server), "{written}");
        }
    }

    #[test]
    fn a_bare_name_of_a_server_s_tool_is_not_the_agent_s_own() {
        let offers = [
            offer("logs", "search_result"),
            offer(OWN_SERVER, "search_result"),
        ];
        let found = |written| resolve(written, &offers).map(|offer| offer.server.as_str());
        assert_eq!(found("search_result"), Ok("logs"));
        assert_eq!(found("tarsy.search_result"), Ok(OWN_SERVER));
    }

    #[test]
    fn a_bare_name_that_two_servers_have_is_ambiguous() {
        let offers = [offer("a", "get"), offer("b", "get")];
        let names = vec!["a.get".to_owned(), "b.get".to_owned()];
        assert_eq!(resolve("get", &offers), Err(Unresolved::Ambiguous(names)));
    }
}
