//! Distinguishes runbooks from other content that servers and repositories return in their place.

use reqwest::header::{CONTENT_TYPE, HeaderMap};

use crate::Error;

/// Bytes of a page that are searched for a password field.
const SEARCHED: usize = 256 * 1024;
/// Longest Git LFS pointer and longest target of a symbolic link, in bytes.
const LONGEST_POINTER: usize = 1024;

/// Properties of a response that decide whether it is a runbook.
pub(crate) struct Page<'p> {
    /// The server that responded.
    pub(crate) host: &'p str,
    /// Path of the final URL.
    pub(crate) path: &'p str,
    /// Content type of the response, if it is known.
    pub(crate) kind: &'p str,
}

impl<'p> Page<'p> {
    pub(crate) fn new(host: &'p str, path: &'p str, headers: &'p HeaderMap) -> Self {
        let kind = headers.get(CONTENT_TYPE);
        let kind = kind.and_then(|value| value.to_str().ok());
        Self {
            host,
            path,
            kind: kind.unwrap_or_default(),
        }
    }
}

/// Rejects HTML pages, because the author of the link meant the text that the page displays. If the URL ends in
/// `.html`, the page itself is meant and accepted, unless it asks for a password.
///
/// # Errors
///
/// [`Error::SignInPage`], [`Error::HtmlPage`].
pub(crate) fn check_page(content: &str, page: &Page<'_>) -> Result<(), Error> {
    let start = content.trim_start();
    let begins = |tag: &str| {
        let found = start.get(..tag.len());
        found.is_some_and(|found| found.eq_ignore_ascii_case(tag))
    };
    let is_html_type = ["text/html", "application/xhtml"]
        .iter()
        .any(|kind| page.kind.to_ascii_lowercase().starts_with(kind));
    let is_html = ["<!doctype html", "<html", "<head"]
        .iter()
        .any(|tag| begins(tag))
        || (is_html_type && start.starts_with('<'));
    if !is_html {
        return Ok(());
    }
    let host = page.host.to_owned();
    if is_sign_in(start, page.path) {
        return Err(Error::SignInPage(host));
    }
    let path = page.path.to_ascii_lowercase();
    match [".html", ".htm"].iter().any(|end| path.ends_with(end)) {
        true => Ok(()),
        false => Err(Error::HtmlPage(host)),
    }
}

fn is_sign_in(html: &str, path: &str) -> bool {
    let searched = html
        .get(..html.floor_char_boundary(SEARCHED))
        .unwrap_or(html);
    let searched = searched.to_ascii_lowercase();
    let has_password_field = ["type=\"password\"", "type='password'", "type=password"]
        .iter()
        .any(|field| searched.contains(field));
    let path = path.to_ascii_lowercase();
    let mut parts = path.split(['/', '.']);
    has_password_field
        || parts.any(|part| {
            matches!(
                part,
                "login" | "signin" | "sign_in" | "sign-in" | "sso" | "saml" | "oauth"
            )
        })
}

/// Rejects the placeholders that Git stores in place of a file's content.
///
/// # Errors
///
/// [`Error::LfsPointer`], [`Error::SymbolicLink`].
pub(crate) fn check_file(content: &str) -> Result<(), Error> {
    if content.len() > LONGEST_POINTER {
        return Ok(());
    }
    if content.starts_with("version https://git-lfs.github.com/spec/") {
        return Err(Error::LfsPointer);
    }
    match is_link_target(content) {
        true => Err(Error::SymbolicLink),
        false => Ok(()),
    }
}

/// Whether the content is the target of a symbolic link, which Git stores without a line break. A target is a single
/// word here: a sentence with a slash is a text.
fn is_link_target(content: &str) -> bool {
    let is_one_word =
        !content.is_empty() && !content.contains(|c: char| c.is_whitespace() || c.is_control());
    let is_url = content.contains("://");
    let leads_elsewhere = ["./", "../", "/"]
        .iter()
        .any(|start| content.starts_with(start));
    let names_text = [".md", ".markdown", ".txt", ".rst", ".adoc"]
        .iter()
        .any(|end| content.to_ascii_lowercase().ends_with(end));
    is_one_word && !is_url && (leads_elsewhere || names_text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(content: &str, path: &str, kind: &str) -> Result<(), Error> {
        let host = "docs.example";
        check_page(content, &Page { host, path, kind })
    }

    #[test]
    fn pages_are_refused_and_texts_with_html_in_them_are_not() {
        let sign_in = "<!DOCTYPE html><form><input type=\"password\" name=\"p\"></form>";
        let plain = "\n<HTML><body><h1>Disk</h1></body></html>";
        let fragment = "<div>Disk</div>";
        for (content, path, kind) in [
            (sign_in, "/a.md", "text/html; charset=utf-8"),
            (sign_in, "/a.html", "text/html"),
            (plain, "/users/sign_in", "text/html"),
            (plain, "/login.jsp", ""),
        ] {
            assert!(
                matches!(page(content, path, kind), Err(Error::SignInPage(_))),
                "{path}"
            );
        }
        for (content, path, kind) in [
            (plain, "/o/r/-/blob/main/a.md", "text/html"),
            (plain, "/a.md", ""),
            (fragment, "/a.md", "Text/HTML"),
        ] {
            assert!(
                matches!(page(content, path, kind), Err(Error::HtmlPage(_))),
                "{path}"
            );
        }
        for (content, path, kind) in [
            ("# Disk\n<html> is a tag", "/a.md", "text/html"),
            (
                "<p align=\"center\">logo</p>\n\n# Disk",
                "/a.md",
                "text/plain",
            ),
            (
                "<!-- owner: ops -->\n# Disk",
                "/login-errors.md",
                "text/plain",
            ),
            (plain, "/a.html", "text/html"),
            ("", "/a.md", "text/html"),
        ] {
            assert!(page(content, path, kind).is_ok(), "{path} {content}");
        }
    }

    #[test]
    fn pointers_of_git_are_refused_and_short_runbooks_are_not() {
        let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n";
        assert!(matches!(check_file(pointer), Err(Error::LfsPointer)));
        for target in [
            "../shared/disk.md",
            "disk-full.md",
            "/srv/books/a",
            "./x",
            "DISK.TXT",
        ] {
            assert!(
                matches!(check_file(target), Err(Error::SymbolicLink)),
                "{target}"
            );
        }
        for text in [
            "",
            "Restart.",
            "and/or",
            "See ../shared/disk.md",
            "../shared/disk.md\n",
            "https://wiki.example/disk.md",
            "# Disk\nversion https://git-lfs.github.com/spec/v1",
        ] {
            assert!(check_file(text).is_ok(), "{text}");
        }
    }
}
