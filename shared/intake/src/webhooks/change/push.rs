//! A push to a repository, as both GitHub and GitLab describe it.

use super::draft::Draft;
use super::line::time;

/// Data of a push.
pub(super) struct Push<'p> {
    /// Name with owner or group.
    pub(super) repository: String,
    /// E.g. `refs/heads/main`.
    pub(super) reference: &'p str,
    pub(super) default_branch: Option<String>,
    pub(super) before: String,
    /// New commit; all zeros if the branch or tag was deleted.
    pub(super) after: String,
    /// Message of the newest commit.
    pub(super) message: Option<String>,
    pub(super) commits: u64,
    /// Its time, service, author and link.
    pub(super) draft: Draft,
}

impl Push<'_> {
    /// Returns the change if it is of a tag or of a branch in `branches`. An empty list stands for
    /// the default branch.
    pub(super) fn draft(self, branches: &[String]) -> Option<Draft> {
        let (what, name) = match self.reference.strip_prefix("refs/tags/") {
            Some(tag) => ("tag", tag),
            None => ("branch", self.reference.strip_prefix("refs/heads/")?),
        };
        let is_wanted = match branches {
            _ if what == "tag" => true,
            [] => self
                .default_branch
                .as_deref()
                .is_none_or(|branch| branch == name),
            branches => branches.iter().any(|branch| branch == name),
        };
        if !is_wanted {
            return None;
        }
        let is_deleted = self.after.bytes().all(|byte| byte == b'0');
        let message = self.message.as_deref().and_then(|text| text.lines().next());
        let title = match (message, what) {
            _ if is_deleted => format!("Deleted {what} {name}"),
            (Some(message), "tag") => format!("Tagged {name}: {message}"),
            (None, "tag") => format!("Tagged {name}"),
            (Some(message), _) => message.to_owned(),
            (None, _) => format!("Pushed to {name}"),
        };
        let title = match self.commits {
            0 | 1 => title,
            2 => format!("{title} (and 1 more commit)"),
            many => format!("{title} (and {} more commits)", many - 1),
        };
        // The id contains the time, because the same commits may be pushed again after they were removed.
        let time = self
            .draft
            .time
            .as_deref()
            .and_then(time)
            .unwrap_or_default();
        let (repository, reference) = (&self.repository, self.reference);
        let id = format!(
            "push:{repository}:{reference}:{}:{}:{time}",
            self.before, self.after
        );
        Some(Draft {
            id: Some(id),
            kind: Some("push".to_owned()),
            title: Some(title),
            revision: (!is_deleted).then_some(self.after),
            ..self.draft
        })
    }
}
