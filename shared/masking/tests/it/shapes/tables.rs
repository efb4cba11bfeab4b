//! Values that only their position identifies: columns, arguments of tools, passphrases; each with a near-miss.

use tarsy_masking::Masker;

/// Contexts; `@` is the value.
const PLACES: &[&str] = &[
    "| user | password |\n| --- | --- |\n| admin | @ |\n",
    "| Host | Login | Password |\n|---|---|---|\n| db1 | admin | `@` |\n",
    "┌──────────┬──────────┐\n│ password │ @ │\n└──────────┴──────────┘\n",
    "NAME   USER    PASSWORD             AGE\ndb1    admin   @                   5d\n",
    "# client\tserver\tsecret\tIP addresses\nvpn\t*\t@\t*\n",
    "user,password,note\nadmin,\"@\",\"a, b\"\n",
    "<property>\n  <name>metastore.password</name>\n  <value>@</value>\n</property>\n",
    "INSERT INTO users (name, password) VALUES ('admin', '@');\n",
    "Username .......... admin\nPassword .......... @\n",
    "radtest bob @ localhost 0 testing\n",
    "racadm -r 10.0.0.51 -u root -p @ getsysinfo\n",
    "addprinc -pw @ host/web1\n",
    "rootpw --plaintext @\n",
    "[smtp]\nhost = mail\npassword = @\n",
    "user alerts\npassword @\n",
    "Generated password for user admin: @\n",
];

#[test]
fn a_password_is_recognised_by_its_place() {
    let masker = Masker::group("security").unwrap();
    for place in PLACES {
        for value in ["Falcon2031!", "badger4471", "k7Rw2mQzX9tLpV3n"] {
            let text = place.replace('@', value);
            assert!(!masker.mask(&text).text.contains(value), "{text}");
        }
    }
}

#[test]
fn what_is_no_password_stays_at_its_place() {
    let masker = Masker::group("security").unwrap();
    for text in [
        "| user | password |\n| --- | --- |\n| admin | required |\n",
        "| field | type |\n|---|---|\n| password | string |\n",
        "NAME   USER    PASSWORD   AGE\ndb1    admin   expired    5d\n",
        "OPS-1 | Reset password for user xsqxon | open | 2024-05-14\n",
        "INSERT INTO users (name, password) VALUES ($1, $2);\n",
        "Password for user admin: unchanged\n",
        "Loading racadm -p plugin\n",
        "password: is too short\nname: must be set\n",
    ] {
        assert_eq!(masker.mask(text).text, text);
    }
}

#[test]
fn a_passphrase_in_lower_case_is_masked_whole() {
    let masker = Masker::group("security").unwrap();
    for (text, left) in [
        ("{\"user\":\"a\",\"password\":\"it's a trap\"}", "trap"),
        (
            "<add key=\"FtpPassword\" value=\"file cabinet\" />",
            "cabinet",
        ),
        ("set wpa2-pre-shared-key=\"hill top cabin\"\n", "cabin"),
        ("# h:p:d:u:w\n*:6432:*:pgbouncer:bouncy castle\n", "castle"),
    ] {
        assert!(!masker.mask(text).text.contains(left), "{text}");
    }
}
