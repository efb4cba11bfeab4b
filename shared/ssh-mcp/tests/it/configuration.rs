//! Mistakes in a file, and the tools of a correct file.

use serde_json::{Map, Value, json};
use tarsy_mcp_server::ToolServer as _;
use tarsy_ssh_mcp::SshServer;

use crate::scene::{Scene, parse};

const TEMPLATES: &str = r#"
  kernel: {description: Kernel and machine, effect: read_only, command: uname -a}
  status: {effect: read_only, command: "systemctl status {unit}", arguments: {unit: {type: word, description: a unit}}}
  restart: {effect: idempotent, command: "systemctl restart {unit}", arguments: {unit: {type: word, one_of: [nginx]}}}
  rotate: {effect: destructive, command: logrotate -f /etc/logrotate.conf}
"#;
const ALLOW: &str = r#"
    - uname -a
    - systemctl status {word}
    - systemctl restart {word}
"#;

#[tokio::test]
async fn tools_are_split_by_effect_and_list_what_hosts_accept() {
    let scene = Scene::new();
    let server = SshServer::new(parse(&scene.configuration(TEMPLATES, ALLOW, "")).unwrap());
    let tools = serde_json::to_value(server.list().await.unwrap()).unwrap();
    let hints = |name: &str| {
        let tool = tools
            .as_array()
            .unwrap()
            .iter()
            .find(|tool| tool["name"] == name)?;
        let hint = |hint: &str| tool["annotations"][hint].as_bool().unwrap_or_default();
        let names = tool["inputSchema"]["properties"]["command"]["enum"].to_string();
        Some((
            hint("readOnlyHint"),
            hint("idempotentHint"),
            hint("destructiveHint"),
            names,
        ))
    };
    assert_eq!(
        hints("run").unwrap(),
        (true, false, false, r#"["kernel","status"]"#.to_owned())
    );
    assert_eq!(
        hints("run_idempotent").unwrap(),
        (false, true, false, r#"["restart"]"#.to_owned())
    );
    // No group accepts `rotate`.
    assert!(hints("run_destructive").is_none() && hints("hosts").is_some());
    assert_eq!(hints("check").map(|(reads, ..)| reads), Some(true));

    let hosts = server.call("hosts", Map::new()).await.unwrap().unwrap();
    let hosts: Value = serde_json::from_str(&hosts).unwrap();
    let listed =
        json!([{"host": "box", "group": "lab", "commands": ["kernel", "restart", "status"]}]);
    assert_eq!(hosts["hosts"], listed);
    let restart = &hosts["commands"]["restart"];
    assert_eq!(
        (
            &restart["command"],
            &restart["tool"],
            &restart["arguments"]["unit"]
        ),
        (
            &json!("systemctl restart {unit}"),
            &json!("run_idempotent"),
            &json!("one of nginx")
        )
    );
    let call = async |tool: &str, arguments: Value| {
        let arguments = serde_json::from_value(arguments).unwrap();
        server.call(tool, arguments).await.unwrap_err()
    };
    let restart = json!({"host": "box", "command": "restart", "arguments": {"unit": "nginx"}});
    assert_eq!(
        call("run", restart).await,
        "call `run_idempotent` for this command"
    );
    let twice = json!([{"name": "unit", "value": "a"}, {"name": "unit", "value": "b"}]);
    let twice = json!({"host": "box", "command": "status", "arguments": twice});
    assert!(call("run", twice).await.contains("two values"));
    let shell = json!({"host": "box", "command": "kernel", "shell": "id"});
    assert!(call("run", shell).await.contains("unknown field"));
    assert_eq!(server.call("exec", Map::new()).await, Ok(None));

    let check = async |host: &str, command: &str, arguments: Value| {
        let call = json!({"host": host, "command": command, "arguments": arguments});
        let call = serde_json::from_value(call).unwrap();
        server.call("check", call).await.map(Option::unwrap)
    };
    let unit = |name: &str| json!([{"name": "unit", "value": name}]);
    let restart = check("box", "restart", unit("nginx")).await.unwrap();
    let would_run = json!({"tool": "run_idempotent", "argv": ["systemctl", "restart", "nginx"]});
    assert_eq!(serde_json::from_str::<Value>(&restart).unwrap(), would_run);
    for (host, command, arguments, refusal) in [
        (
            "rack7",
            "restart",
            unit("nginx"),
            "there is no host `rack7`",
        ),
        ("box", "halt", json!({}), "there is no command `halt`"),
        ("box", "restart", unit("sshd"), "unit"),
        ("box", "rotate", json!({}), "not allowed on `box`"),
    ] {
        let refused = check(host, command, arguments).await.unwrap_err();
        assert!(refused.contains(refusal), "{refused}");
    }
}

#[test]
fn mistakes_are_named_with_their_place() {
    let scene = Scene::new();
    let fine = scene.configuration(TEMPLATES, ALLOW, "");
    parse(&fine).unwrap();
    let key = scene.sshd.host_key().unwrap();
    let user_key = format!("file: {}", scene.sshd.user_key().display());
    let changes = [
        ("uname -a}", "uname -a; id}", "`;` in a line"),
        ("uname -a}", "uname $(id)}", "`$` in a line"),
        ("uname -a}", "\"{program} -a\"}", "it can't be an argument"),
        ("uname -a}", "[uname, \"a\\0b\"]}", "control characters"),
        (
            "uname -a}",
            "reboot now}",
            "templates.kernel: the denylist refuses",
        ),
        (
            "status {unit}\"",
            "status {name}\"",
            "`{unit}` is not in the command",
        ),
        (
            "one_of: [nginx]",
            "one_of: [\"a b\"]",
            "`a b` is no value of type `word`",
        ),
        ("one_of: [nginx]", "max_length: 0", "max_length"),
        (
            "status {word}",
            "status {unit}",
            "groups.lab.allow[1]: `{unit}` is no type",
        ),
        (&format!("\"{key}\""), "", "`host_keys` is empty"),
        (&key, "ssh-rsa AAAA", "host_keys"),
        (&user_key, "env: NO_SUCH", "variable `NO_SUCH` is not set"),
        (&user_key, "file: /etc/hostname", "no private key"),
        (
            "    allow:",
            "    timeout_seconds: 25\n    allow:",
            "groups.lab.timeout_seconds: from 1 to 20",
        ),
        (
            "    allow:",
            "    max_output_bytes: 0\n    allow:",
            "groups.lab.max_output_bytes",
        ),
        (
            "    allow:",
            "    allow_all: true\n    allow:",
            "unknown field",
        ),
        ("templates:\n", "deny: [\"(\"]\ntemplates:\n", "deny: "),
        ("      box:", "      \"box; id\":", "a name has letters"),
    ];
    for (from, to, mistake) in changes {
        assert!(fine.contains(from), "{from}");
        let error = parse(&fine.replace(from, to)).unwrap_err();
        assert!(error.contains(mistake), "{to}: {error}");
    }
}

/// A policy in the format of other runners.
const LIST: &str = r#"
{
  "allowed_commands": [
    "uname -a",
    "lscpu",
    "lsblk -o NAME,SIZE,MODEL,SERIAL",
    "lspci -nn",
    "cat /etc/os-release",
    "ip -4 addr show"
  ],
  "allowed_hosts": [
    "10.148.76.242",
    "10.148.76.246"
  ],
  "command_timeout_sec": 5,
  "max_output_bytes": 20000,
  "denylist_regex": [
    "rm\\s",
    "mkfs",
    "dd\\s",
    "reboot",
    "shutdown",
    "useradd",
    "apt\\s",
    "yum\\s"
  ]
}
"#;

#[tokio::test]
async fn a_plain_list_of_commands_is_refused_with_an_equivalent_file() {
    let scene = Scene::new();
    let refused = parse(LIST).unwrap_err();
    let (why, file) = refused.split_once("\n\n").unwrap();
    assert!(
        why.contains("no login, no key and no keys of the hosts"),
        "{why}"
    );
    // Completed with the data that the list lacks, the file loads.
    parse(file).unwrap_err();
    let key = format!("{{file: {}}}", scene.sshd.user_key().display());
    let complete = file
        .replace("LOGIN", scene.sshd.user())
        .replace("{env: TARSY_SSH_KEY}", &key)
        .replace("\"..\"", &json!(scene.sshd.host_key().unwrap()).to_string());
    let server =
        SshServer::new(parse(&complete).unwrap_or_else(|error| panic!("{error}: {complete}")));
    let hosts = server.call("hosts", Map::new()).await.unwrap().unwrap();
    let hosts: Value = serde_json::from_str(&hosts).unwrap();
    let listed: Vec<&Value> = hosts["hosts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["host"])
        .collect();
    assert_eq!(listed, ["10.148.76.242", "10.148.76.246"]);
    assert_eq!(hosts["hosts"][0]["commands"].as_array().unwrap().len(), 6);
    assert_eq!(
        hosts["commands"]["ip-4-addr-show"]["command"],
        "ip -4 addr show"
    );
    for kept in [
        "timeout_seconds: 5",
        "max_output_bytes: 20000",
        r#""rm\\s","mkfs""#,
    ] {
        assert!(complete.contains(kept), "{kept}: {complete}");
    }
    // Another mistake in such a list is still reported.
    let odd = parse(&LIST.replace("command_timeout_sec", "timeout")).unwrap_err();
    assert!(odd.contains("unknown field"), "{odd}");
}
