//! Words of names: what each of them says about the value.

/// Words after the secret word that make the name one about the secret, not the secret itself.
pub(super) const ABOUT: &str = " name names id ids identifier ref reference path paths file files filename dir directory folder url uri urls endpoint \
 host type types kind length len size count total num number policy policies field fields label hint prompt expires expiry expiration \
 expire expired ttl timeout lifetime duration age date time timestamp at enabled enable disabled required version format prefix \
 suffix pattern regex regexp reset changed rotation rotate rotated provider providers class column index issuer audience aud scope \
 scopes usage used limit limits budget min max validator validation validate encoder decoder store manager template arn \
 description title message error errors input output cost per status state generator exists present valid invalid strength \
 binding selector mount source sources mode alg algorithm review reviews request requests response bucket vault map list set \
 pair pairs count counter rate ratio window quota rotator service interval refresher endpoint hash hashes fingerprint digest \
 checksum bits schema vaulturi uris method methods header headers plugin backend cache text_color missing failed failure is \
 was event events down up left right press pressed requires needs parser parse handler factory builder config configs option options code codes word words case less encryption reqd ";

/// Words before `token` or `key` that make it a harmless one.
pub(super) const HARMLESS: &str = " public pub next page continue continuation pagination cursor sync csrf xsrf primary foreign partition sort cache \
 idempotency row index object hash map bucket group range dict json yaml sort registry config translation label annotation tag hot \
 lookup composite unique natural surrogate routing record node topology attribute metadata property event queue field column dedup \
 deduplication ordering first last any no has is use uses used need needs require requires allow show invalid missing bad wrong \
 num number min max total prompt completion input output eos bos pad sep unk mask special stop start end reserved vocab subword \
 request purchase parse parser lexer syntax design monkey turkey donkey keyboard key press down up not without empty pre old_style known trusted \
 authorized host ";

/// Words before `key` that make it a credential.
pub(super) const KEY_OF: &str = " api access secret private priv auth account encryption encrypt signing sign master storage license licence service \
 client app application consumer shared subscription webhook write ingest ingestion integration admin root ssh hmac aes rsa dsa \
 ecdsa session cipher crypt crypto deploy database db user maps server merchant security sec seed sdk rest vapid jwt token install \
 tls ssl pgp gpg wallet node_private nomad consul vault bunny clubhouse wavefront looker privateai jenkins steam \
 signalfx instana lightstep artifactory nexus zabbix splunk mongo mongodb rabbitmq smtp ldap ftp vpn wifi wpa management read query functions function host device connection instrumentation login rpc \
 product validation installation stream publish subscribe partner personal developer dev web mailgun sendgrid stripe google \
 aws azure gcp openai anthropic datadog newrelic algolia twilio heroku github gitlab cloudflare linear pagerduty opsgenie \
 grafana honeycomb sentry okta hubspot mailchimp ibm softlayer cloudant ";

pub(super) const PASSWORDS: &[&str] = &[
    "password",
    "passwd",
    "passwort",
    "passphrase",
    "passcode",
    "pwd",
    "psw",
    "contrasena",
    "contraseña",
    "senha",
    "kennwort",
    "motdepasse",
    "passw",
    "passwords",
    "authtok",
    "presharedkey",
];
pub(super) const GLUED_KEYS: &[&str] = &[
    "apikey",
    "accesskey",
    "secretkey",
    "privatekey",
    "privkey",
    "authkey",
    "appkey",
    "accountkey",
    "servicekey",
    "masterkey",
    "encryptionkey",
    "signingkey",
    "clientkey",
    "dbkey",
    "databasekey",
    "sharedkey",
    "licensekey",
    "sessionkey",
    "storagekey",
    "subscriptionkey",
    "applicationkey",
    "sharedaccesskey",
    "writekey",
    "skey",
    "ikey",
    "sshkey",
    "userkey",
    "integrationkey",
];
/// Words that may follow without changing what the name says.
pub(super) const NEUTRAL: &str = " prod production dev development test testing staging stage live sandbox old new current value val b64 base64 \
 plain string str text raw data default primary secondary a b c x v1 v2 env var ";

/// Words before the secret word that turn the name into a question about it.
pub(super) const NEGATED: &str = "no has is use uses need needs require requires allow show invalid missing bad wrong forgot reset hide toggle \
 without non";

/// What `pass` is glued to when it is a password: `dbpass`.
pub(super) const PASS_OF: &str = "db database root user usr admin my key keystore trust truststore store ssh smtp mail email imap pop ftp sftp \
 http proxy auth login sudo su ldap bind redis mysql postgres postgresql pg mongo mssql sql master vpn wifi web app api test default \
 new old svc service cert pfx p12 jks enc backup repl replication mqtt rabbit rabbitmq amqp sys system oracle sa nexus jenkins grafana \
 require vault maria mariadb elastic es kafka rpc server client account acct host zip archive dav webdav smb cifs samba ha hass stream \
 superuser deploy git svn docker registry registrypass openvpn ipmi bmc snmp sip x509 pkcs12 pem private privkey wallet seed";

/// Words behind `pass` that make it a verb.
pub(super) const BY: &str = "by through thru fail as along over rate ratio filter filters manager managers action actions count to all into \
 around in on out only args kwargs fds context self";
