//! Finds the shortest spelling of paths, because a file has many spellings, but patterns match only one.

/// Returns the argument as a path without empty parts, `.`, `..`, and detours to the root (`/proc/self/root`). A
/// relative path that leaves its directory counts as absolute, because that directory may be the root. An argument
/// without a slash stays unchanged.
pub(crate) fn plain(argument: &str) -> String {
    if !argument.contains('/') {
        return argument.to_owned();
    }
    let (mut parts, mut is_absolute) = (Vec::new(), argument.starts_with('/'));
    for part in argument.split('/') {
        match part {
            "" | "." => {}
            ".." => is_absolute |= parts.pop().is_none(),
            part => parts.push(part),
        }
        if is_absolute && leads_to_root(&parts) {
            parts.clear();
        }
    }
    let root = if is_absolute { "/" } else { "" };
    format!("{root}{}", parts.join("/"))
}

/// Returns each path within an argument, e.g. in `--file=/etc/hosts`, in its shortest spelling.
pub(crate) fn within(argument: &str) -> impl Iterator<Item = String> {
    let starts = argument.match_indices('/').map(|(at, _)| at);
    let starts = starts.filter(|at| is_start(&argument[..*at]));
    let is_end = |c: char| c.is_whitespace() || matches!(c, ',' | ';' | ':' | '=' | '"' | '\'');
    starts.map(move |at| {
        let path = &argument[at..];
        plain(path.split(is_end).next().unwrap_or(path))
    })
}

/// Whether a path may start after `head`: at the start, after a mark, or after an option of one letter
/// (`-f/etc/hosts`).
fn is_start(head: &str) -> bool {
    let is_option = head.len() == 2 && head.starts_with('-');
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '~');
    is_option || !head.ends_with(is_part)
}

/// Whether a path leads to the root through a process: by its root, its working directory, or a file that it has open.
/// Each of them may be the root.
fn leads_to_root(parts: &[&str]) -> bool {
    match parts {
        ["proc", _, link] | ["proc", _, "task", _, link] => matches!(*link, "root" | "cwd"),
        ["proc", _, "fd", number]
        | ["proc", _, "task", _, "fd", number]
        | ["dev", "fd", number] => number.bytes().all(|byte| byte.is_ascii_digit()),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{plain, within};

    #[test]
    fn a_path_has_one_shortest_spelling() {
        for (path, shortest) in [
            ("/etc//./hosts/", "/etc/hosts"),
            ("//etc/../var/log", "/var/log"),
            ("/../../etc", "/etc"),
            ("../etc/hosts", "/etc/hosts"),
            ("a/../../etc", "/etc"),
            ("./a/./b", "a/b"),
            ("/proc/self/root/proc/1/cwd/etc", "/etc"),
            ("/proc/self/fd/12/../etc", "/etc"),
            ("/proc/self/fdinfo/1", "/proc/self/fdinfo/1"),
            ("proc/self/root/etc", "proc/self/root/etc"),
            ("/", "/"),
            ("plain", "plain"),
        ] {
            assert_eq!(plain(path), shortest, "{path}");
        }
    }

    #[test]
    fn paths_are_found_in_arguments() {
        let found = |argument: &str| within(argument).collect::<Vec<_>>();
        assert!(found("--file=/etc//hosts").contains(&"/etc/hosts".to_owned()));
        assert!(found("file:///etc/hosts").contains(&"/etc/hosts".to_owned()));
        assert!(found("a:/b/c,d").contains(&"/b/c".to_owned()));
        assert_eq!(found("-f/etc/hosts"), ["/etc/hosts"]);
        assert_eq!(found("/srv/etc/hosts"), ["/srv/etc/hosts"]);
        assert!(found("plain").is_empty());
    }
}
