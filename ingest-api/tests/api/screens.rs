//! The built web apps, as browsers receive them.

use std::fs;
use std::path::Path;

use reqwest::{Client, Response, redirect};
use tempfile::TempDir;

use crate::server::Server;

const PAGE: &str = r#"<meta property="csp-nonce" nonce="TARSY_NONCE"><div id="root"></div>
<script src="/dashboard/assets/index-Abc1.js"></script><script src="/dev-ui/assets/api-Abc1.js"></script>"#;

/// Creates a directory as a build leaves it, with a secret next to it and a hidden file in it.
fn built() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let file = folder.path().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    };
    write("screens/dashboard/index.html", PAGE);
    write("screens/dashboard/assets/index-Abc1.js", "let plain = 1;");
    write("screens/dashboard/assets/index-Abc1.js.gz", "gzipped");
    write("screens/dashboard/icon.svg", "<svg/>");
    write("screens/dashboard/.vite/manifest.json", "hidden");
    write("screens/dev-ui/index.html", "alerts are submitted here");
    write("screens/dev-ui/api.html", PAGE);
    write("screens/dev-ui/assets/api-Abc1.js", "let plain = 1;");
    write("secret.txt", "secret");
    folder
}

async fn serving(folder: &Path) -> (Server, Client) {
    let server = Server::with(&[
        ("OPENAI_API_KEY", "not-used"),
        ("TARSY_SCREENS_DIR", folder.to_str().unwrap()),
    ])
    .await;
    let client = Client::builder()
        .no_gzip()
        .no_proxy()
        .redirect(redirect::Policy::none())
        .build()
        .unwrap();
    (server, client)
}

async fn get(server: &Server, client: &Client, path: &str) -> Response {
    client.get(server.url(path)).send().await.unwrap()
}

fn header<'r>(response: &'r Response, name: &str) -> &'r str {
    response
        .headers()
        .get(name)
        .map_or("", |value| value.to_str().unwrap())
}

#[tokio::test]
async fn a_page_is_requested_each_time_and_its_hashed_files_only_once() {
    let folder = built();
    let (server, client) = serving(&folder.path().join("screens")).await;

    let deep = "/dashboard/sessions/0199c0de-0000-7000-8000-000000000000?tab=waterfall";
    // Files are addressed relative to the opened page, because a proxy may serve everything below a prefix.
    for (path, base, up) in [
        ("/dashboard/", "\"/dashboard/", "\"./"),
        (deep, "\"/dashboard/", "\"../"),
        ("/docs/", "\"/dev-ui/", "\"../dev-ui/"),
    ] {
        let page = get(&server, &client, path).await;
        assert_eq!(page.status(), 200, "{path}");
        assert_eq!(header(&page, "cache-control"), "no-cache");
        let policies = page.headers().get_all("content-security-policy");
        assert_eq!(policies.iter().count(), 1, "{path}");
        let policy = header(&page, "content-security-policy").to_owned();
        let nonce = policy.split("'nonce-").nth(1).unwrap();
        let nonce = nonce.split('\'').next().unwrap().to_owned();
        assert!(nonce.len() >= 22, "{policy}");
        assert!(!policy.contains("unsafe"), "{policy}");
        let text = page.text().await.unwrap();
        let expected = PAGE.replace("TARSY_NONCE", &nonce).replace(base, up);
        assert_eq!(text, expected);
    }
    let policies = [
        get(&server, &client, deep).await,
        get(&server, &client, deep).await,
    ];
    let [one, two] = policies.map(|page| header(&page, "content-security-policy").to_owned());
    assert_ne!(one, two, "a nonce is used once");

    let script = get(&server, &client, "/dashboard/assets/index-Abc1.js").await;
    assert_eq!(header(&script, "content-type"), "text/javascript");
    assert_eq!(
        header(&script, "cache-control"),
        "public, max-age=31536000, immutable"
    );
    assert_eq!(header(&script, "x-content-type-options"), "nosniff");
    assert_eq!(script.text().await.unwrap(), "let plain = 1;");

    let icon = get(&server, &client, "/dashboard/icon.svg").await;
    assert_eq!(header(&icon, "cache-control"), "no-cache");
}

#[tokio::test]
async fn what_was_compressed_when_built_is_sent_to_who_takes_it() {
    let folder = built();
    let (server, client) = serving(&folder.path().join("screens")).await;
    let script = client
        .get(server.url("/dashboard/assets/index-Abc1.js"))
        .header("accept-encoding", "gzip")
        .send()
        .await
        .unwrap();
    assert_eq!(header(&script, "content-encoding"), "gzip");
    assert_eq!(header(&script, "vary"), "accept-encoding");
    assert_eq!(script.text().await.unwrap(), "gzipped");
}

#[tokio::test]
async fn nothing_but_the_built_files_can_be_had() {
    let folder = built();
    let (server, client) = serving(&folder.path().join("screens")).await;
    for path in [
        "/dashboard/..%2f..%2fsecret.txt",
        "/dashboard/%2e%2e/%2e%2e/secret.txt",
        "/dashboard/assets/..%2f..%2f..%2fsecret.txt",
        "/dashboard/assets/%252e%252e/%252e%252e/%252e%252e/secret.txt",
        "/dashboard//etc/passwd.d",
        "/dashboard/assets/%2fetc%2fpasswd",
        "/dashboard/assets/index-Abc1.js%00.png",
        "/dashboard/assets/%ff",
        "/dashboard/.vite/manifest.json",
        "/dashboard/%2evite/manifest.json",
        "/dashboard/assets/index-Gone.js",
        "/dashboard/assets/",
        "/dev-ui/assets/index-Abc1.js",
    ] {
        let answer = get(&server, &client, path).await;
        assert_eq!(answer.status(), 404, "{path}");
        assert_eq!(
            header(&answer, "content-type"),
            "application/problem+json",
            "{path}"
        );
    }
    let posted = client.post(server.url("/dashboard/")).send().await.unwrap();
    assert_eq!(posted.status(), 405);
}

#[tokio::test]
async fn a_browser_at_the_root_is_sent_to_the_dashboard_and_a_program_is_not() {
    let folder = built();
    let (server, client) = serving(&folder.path().join("screens")).await;
    let page = client
        .get(server.url("/"))
        .header("accept", "text/html,*/*;q=0.8")
        .send()
        .await
        .unwrap();
    assert_eq!(
        (page.status().as_u16(), header(&page, "location")),
        (303, "dashboard/")
    );
    let data = get(&server, &client, "/").await;
    assert_eq!(
        (data.status().as_u16(), header(&data, "content-type")),
        (200, "application/json")
    );
    for (bare, page) in [("/dev-ui", "dev-ui/"), ("/docs", "docs/")] {
        let answer = get(&server, &client, bare).await;
        let status = answer.status().as_u16();
        assert_eq!((status, header(&answer, "location")), (308, page));
    }
}

#[tokio::test]
async fn without_a_build_a_page_explains_how_to_and_a_build_is_used_at_once() {
    let folder = built();
    let elsewhere = folder.path().join("elsewhere");
    let (server, client) = serving(&elsewhere).await;
    let absent = get(&server, &client, "/dashboard/sessions").await;
    assert_eq!(absent.status(), 404);
    let text = absent.text().await.unwrap();
    assert!(text.contains("npm run build"), "{text}");
    assert!(!text.contains("TARSY_NONCE"), "{text}");
    fs::rename(folder.path().join("screens"), &elsewhere).unwrap();
    let page = get(&server, &client, "/dashboard/sessions").await;
    assert_eq!(page.status(), 200);
}
