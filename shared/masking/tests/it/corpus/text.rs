//! Long texts: output of an operator's tools, and texts that an attacker would send.

/// Returns logs, manifests, events and traces of a cluster with a secret every few kilobytes; at least `size` bytes.
pub fn realistic(size: usize) -> String {
    let mut out = String::with_capacity(size + 4096);
    let mut n = 7_u64;
    while out.len() < size {
        n = n
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let (a, b) = (n >> 32, n & 0xffff_ffff);
        let pod = format!("payment-service-{:08x}-{:05x}", a, b & 0xfffff);
        out.push_str(&format!(
            "2026-01-07T12:{:02}:{:02}.123Z INFO  [http-nio-8080-exec-{}] c.e.payment.PaymentController trace_id={a:016x}{b:016x} span_id={a:016x} handled GET /api/v1/payments/{b} status=200 duration_ms={}\n",
            a % 60, b % 60, a % 32, b % 900
        ));
        out.push_str(&format!("{pod}   1/1   Running   {}   {}d   10.42.{}.{}   ip-10-0-{}-{}.eu-west-1.compute.internal\n", a % 4, b % 90, a % 256, b % 256, a % 256, b % 256));
        out.push_str(&format!(
            "{{\"level\":\"info\",\"ts\":{a}.{b},\"caller\":\"auth/handler.go:{}\",\"msg\":\"token refreshed\",\"user\":\"u{b}\",\"request_id\":\"{a:08x}-1f2e-4a3b-8c4d-{b:012x}\"}}\n",
            a % 400
        ));
        match n >> 60 {
            0 => out.push_str(&format!("apiVersion: v1\nkind: Secret\nmetadata:\n  name: app-{a}\n  namespace: prod\ntype: Opaque\ndata:\n  username: YWRtaW4=\n  password: aHVudGVyMjM0{}==\n---\n", b % 10)),
            1 => out.push_str(&format!("level=error msg=\"login failed\" user=svc-{a} password=Zk{b}!x host=db.internal\n")),
            2 => out.push_str(&format!("postgres://app:hunter{b}@db.internal:5432/app?sslmode=require connection reset by peer\n")),
            3..=5 => out.push_str(&format!("Warning  BackOff  {}m  kubelet  Back-off restarting failed container app in pod {pod}_prod({a:08x}-77aa-4c3d-9e8f-{b:012x})\n", b % 60)),
            6 | 7 => out.push_str(&format!("Normal  Pulled  2m  kubelet  Container image \"registry.k8s.io/app/payment@sha256:{a:016x}{b:016x}{a:016x}{b:016x}\" already present on machine\n")),
            8 => out.push_str("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: app-config\ndata:\n  log_level: debug\n  feature.flags: a,b,c\n---\n"),
            9 => out.push_str("java.lang.IllegalStateException: Failed to load ApplicationContext\n\tat org.springframework.boot.SpringApplication.run(SpringApplication.java:1285)\n\tat com.example.payment.Main.main(Main.java:12)\n"),
            10 => out.push_str(&format!("http_requests_total{{method=\"GET\",handler=\"/api/v1/query\",code=\"200\",instance=\"10.0.{}.{}:9090\"}} {a}\n", a % 256, b % 256)),
            _ => out.push_str(&format!("I0107 12:00:{:02}.{:06} 1 reflector.go:324] Listing and watching *v1.Pod from k8s.io/client-go/informers/factory.go:{}\n", a % 60, b % 1_000_000, a % 500)),
        }
    }
    out
}

/// Returns texts that are designed to be slow to mask, each of `size` bytes.
pub fn hostile(size: usize) -> Vec<(&'static str, String)> {
    let fill = |piece: &str| {
        piece
            .repeat(size / piece.len() + 1)
            .get(..size / piece.len() * piece.len())
            .unwrap_or_default()
            .to_owned()
    };
    let base64: String = fill("QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZn");
    let nested = format!(
        "{}{}",
        "{\"data\":".repeat(size / 20),
        "}".repeat(size / 20)
    );
    let yaml: String = (0..size / 220)
        .map(|i| {
            format!(
                "{}kind: Secret\n{}data:\n",
                " ".repeat(i % 200),
                " ".repeat(i % 200)
            )
        })
        .collect();
    vec![
        ("password=", fill("password=")),
        ("password=example", fill("password=example")),
        ("password:space", fill("password: ")),
        ("key key key", fill("key ")),
        ("api_key = x", fill("api_key = x ")),
        ("quotes", fill("password=\"")),
        ("mixed quotes", fill("token='\"`")),
        ("escaped quotes", fill("\\\"secret\\\":\\\"")),
        ("backslashes", fill("\\")),
        ("pem headers", fill("-----BEGIN RSA PRIVATE KEY-----\n!")),
        ("pem headers, no lines", fill("-----BEGIN PRIVATE KEY-----")),
        ("encoded pem", fill("LS0tLS1CRUdJTi ")),
        ("jwt headers", fill("eyJ.eyJ-")),
        ("jwt dashes", fill("-eyJhbGciOi")),
        ("schemes", fill("a://")),
        ("schemes with colons", fill("a://b:c")),
        ("long base64", base64),
        (
            "base64 of base64",
            fill("UVVKRFJFVkdSMGhKU2t0TVRVNVBVRkZTVTFSVlZsZFlXVnBo "),
        ),
        ("deep json", nested),
        ("deep yaml", yaml),
        (
            "json secrets",
            fill("{\"kind\":\"Secret\",\"data\":{\"a\":\"b\""),
        ),
        ("prefixes", fill("figd_glpat-")),
        ("glued prefixes", fill("sk-sk-")),
        ("vendors", fill("github datadog ")),
        ("vendor tokens", fill("datadog a1b2c3d4e5f6a7b8c9d0 ")),
        ("headers", fill("Authorization:")),
        ("cookies", fill("Cookie: a=")),
        ("commands", fill("mysql ")),
        ("percent", fill("%3D%22")),
        ("markers", fill("[MASKED_PASSWORD] password=")),
        ("blocks", fill("password: |\n  ")),
        (
            "tables of titles",
            fill(&format!("{}\n|---|\n", "|password".repeat(24))),
        ),
        ("aligned titles", fill("a  password  token\n")),
        ("inserts", fill("(password,password) values(")),
        ("rows of commas", fill("password,a,b\n")),
        ("dotted leaders", fill("password ..... ")),
        ("open names", fill("<name>password</name><value>")),
        ("comparisons", fill("\"a\" == password ")),
        ("templates", fill("password=${{{{((<%")),
        ("xml", fill("<password>")),
        ("dashes", fill("-")),
        ("hex", fill("70617373776f72643d68756e74657232 ")),
        ("user flags", fill("curl -u ")),
        ("dots", fill("a.b.c.key.")),
        ("notes", fill("pw(")),
        ("notes in brackets", fill("secret)")),
        ("lists", fill("- \"aB3xYz12\"\n")),
        (
            "words in quotes",
            fill("apiKey: \"a b c d e f g h i j k l m n "),
        ),
        ("sentences", fill("password for a of b in ")),
        ("open character data", fill("<password><![CDATA[")),
        ("titles of codes", fill("recovery codes:\n")),
        ("rows of codes", fill("backup codes:\na1b2c3\n")),
        ("here-strings", fill("kinit <<< \"")),
        ("tagged logins", fill("a1 LOGIN ")),
        ("cells", fill("securestring | ")),
        ("flags before logins", fill("sqlplus -s ")),
        ("glued words", fill("password=ab1;")),
    ]
}
