//! Second line of defence: patterns that no command line may match, no matter what the templates allow.

use regex::RegexSet;

use crate::error::Error;
use crate::paths;

/// Patterns that apply if the file has no `deny`.
const DEFAULT: [&str; 12] = [
    r"(^|[\s/])rm(\s|$)",
    r"(^|[\s/])mkfs",
    r"(^|[\s/])dd(\s|$)",
    r"(^|[\s/])(reboot|shutdown|poweroff|halt|init|telinit)(\s|$)",
    r"(^|[\s/])(useradd|usermod|userdel|passwd|chpasswd|visudo)(\s|$)",
    r"(^|[\s/])(apt|apt-get|dpkg|yum|dnf|rpm|pip|npm)(\s|$)",
    r"(^|[\s/])(sh|bash|dash|zsh|ksh|csh|tcsh|fish|busybox)(\s|$)",
    r"(^|[\s/])(python|perl|ruby|node|awk|gawk|mawk)[0-9.]*(\s|$)",
    r"(^|[\s/])(sudo|su|doas|pkexec|runuser|chroot|nsenter|unshare)(\s|$)",
    r"(^|[\s/])(wget|curl|nc|ncat|socat|scp|sftp|rsync)(\s|$)",
    r"(^|[\s/])(wipefs|fdisk|sfdisk|parted|sgdisk|blkdiscard|shred)(\s|$)",
    r"(^|\s)(/etc/(shadow|gshadow|sudoers)|/dev/(sd|nvme|mem|kmem))",
];

#[derive(Debug)]
pub(crate) struct Denylist(RegexSet);

impl Denylist {
    /// Compiles the patterns of the file, or the default ones.
    pub(crate) fn new(patterns: Option<&[String]>) -> Result<Self, Error> {
        let set = match patterns {
            Some(own) => RegexSet::new(own),
            None => RegexSet::new(DEFAULT),
        };
        set.map(Self)
            .map_err(|error| Error::invalid("deny", error.to_string()))
    }

    /// Whether a pattern matches the vector, joined with spaces. Checks the vector as it is, with the shortest spelling
    /// of its paths, and each of its paths alone.
    pub(crate) fn denies(&self, argv: &[String]) -> bool {
        let plain: Vec<String> = argv.iter().map(|one| paths::plain(one)).collect();
        let mut paths = argv.iter().flat_map(|one| paths::within(one));
        self.0.is_match(&argv.join(" "))
            || self.0.is_match(&plain.join(" "))
            || paths.any(|path| self.0.is_match(&path))
    }
}

#[cfg(test)]
mod tests {
    use super::Denylist;

    #[test]
    fn the_default_denies_what_changes_hosts_and_not_similar_commands() {
        let list = Denylist::new(None).unwrap();
        let denies =
            |line: &str| list.denies(&line.split(' ').map(str::to_owned).collect::<Vec<_>>());
        for line in [
            "rm -rf /",
            "/bin/rm x",
            "mkfs.ext4 /x",
            "dd if=/x",
            "reboot",
            "sudo id",
            "cat /etc/shadow",
        ] {
            assert!(denies(line), "{line}");
        }
        for line in [
            "cat /etc//shadow",
            "cat //etc/./shadow",
            "cat /./etc/shadow/",
            "cat /var/../etc/shadow",
            "cat ../../etc/shadow",
            "cat /proc/self/root/etc/shadow",
            "cat /proc//1/root/../etc/gshadow",
            "cat /proc/thread-self/root/proc/42/cwd/etc/sudoers",
            "cat /proc/self/task/1/root/etc/sudoers.d/x",
            "cat /dev/fd/3/etc/shadow",
            "grep x --file=/etc/shadow",
            "tool -f/etc//shadow",
            "tool a:/etc/./shadow,b",
            "tool file:///etc/shadow",
            "head /dev//sda",
            "/usr/bin/../bin/./rm x",
        ] {
            assert!(denies(line), "{line}");
        }
        for line in [
            "cat /proc/self/status",
            "ls /proc/1/fd",
            "cat /etc/./hosts",
            "cat /srv/etc/shadow.md",
            "ls /proc/roots/etc",
            "uname -a",
            "systemctl status apt-daily",
            "lspci -nn",
            "cat /etc/os-release",
            "ip -4 addr show",
        ] {
            assert!(!denies(line), "{line}");
        }
    }
}
