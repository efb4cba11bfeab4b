//! Private-key JWT client authentication (RFC 7523 §2.2).

use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, RSA_PKCS1_SHA256, RsaKeyPair,
};
use rustls_pki_types::PrivatePkcs8KeyDer;
use rustls_pki_types::pem::PemObject as _;
use serde_json::{Value, json};

use super::AuthFailure;

/// Lifetime of an assertion. It is used at once, but clocks differ.
const LIFE_SECONDS: u64 = 120;

/// A private key for assertions, and its id at the authorization server.
pub(crate) struct SigningKey {
    pair: KeyPair,
    /// `kid` in the assertion's header.
    id: Option<String>,
}

enum KeyPair {
    /// ES256.
    P256(EcdsaKeyPair),
    /// RS256.
    Rsa(RsaKeyPair),
}

impl SigningKey {
    /// Reads a key from PEM. Also accepts a single line with `\n` in it, as environment variables hold it.
    pub(crate) fn parse(pem: &str, id: Option<&str>) -> Result<Self, String> {
        let pair = KeyPair::parse(pem)?;
        Ok(Self {
            pair,
            id: id.map(str::to_owned),
        })
    }

    /// Returns a signed statement that the bearer is `client_id`, valid only for `audience`.
    pub(crate) fn assertion(
        &self,
        client_id: &str,
        audience: &str,
        now: SystemTime,
    ) -> Result<String, AuthFailure> {
        let now = now
            .duration_since(UNIX_EPOCH)
            .map_err(|_| AuthFailure::Signature)?
            .as_secs();
        let random = SystemRandom::new();
        let id = ring::rand::generate::<[u8; 16]>(&random).map_err(|_| AuthFailure::Signature)?;
        let claims = json!({
            "iss": client_id, "sub": client_id, "aud": audience,
            "iat": now, "exp": now + LIFE_SECONDS,
            "jti": URL_SAFE_NO_PAD.encode(id.expose()),
        });
        let mut header = json!({"alg": self.pair.algorithm(), "typ": "JWT"});
        if let Some(id) = &self.id {
            header["kid"] = json!(id);
        }
        let encode = |part: &Value| URL_SAFE_NO_PAD.encode(part.to_string());
        let signed = format!("{}.{}", encode(&header), encode(&claims));
        let signature = self
            .pair
            .sign(signed.as_bytes(), &random)
            .map_err(|_| AuthFailure::Signature)?;
        Ok(format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature)))
    }
}

impl KeyPair {
    fn parse(pem: &str) -> Result<Self, String> {
        let pem = pem.replace("\\n", "\n");
        let der = PrivatePkcs8KeyDer::from_pem_slice(pem.as_bytes()).map_err(|_| {
            "its private key is not PKCS #8 in PEM (`BEGIN PRIVATE KEY`); \
             `openssl pkcs8 -topk8 -nodes` makes it so"
        })?;
        let der = der.secret_pkcs8_der();
        let random = SystemRandom::new();
        if let Ok(key) = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, der, &random) {
            return Ok(Self::P256(key));
        }
        RsaKeyPair::from_pkcs8(der)
            .map(Self::Rsa)
            .map_err(|_| "its private key is neither EC P-256 nor RSA of 2048 bits and more".into())
    }

    const fn algorithm(&self) -> &'static str {
        match self {
            Self::P256(_) => "ES256",
            Self::Rsa(_) => "RS256",
        }
    }

    fn sign(
        &self,
        message: &[u8],
        random: &SystemRandom,
    ) -> Result<Vec<u8>, ring::error::Unspecified> {
        match self {
            Self::P256(key) => Ok(key.sign(random, message)?.as_ref().to_vec()),
            Self::Rsa(key) => {
                let mut signature = vec![0; key.public().modulus_len()];
                key.sign(&RSA_PKCS1_SHA256, random, message, &mut signature)?;
                Ok(signature)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use base64::engine::general_purpose::STANDARD;
    use ring::signature::{
        ECDSA_P256_SHA256_FIXED, KeyPair as _, RSA_PKCS1_2048_8192_SHA256, UnparsedPublicKey,
    };

    use super::*;

    /// An RSA key made for this test, because `ring` can't generate one.
    const RSA: &str = include_str!("fixtures/rsa-2048.pkcs8.base64");

    fn pem(base64: &str) -> String {
        let (begin, end) = ("-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----");
        format!("{begin}\n{base64}\n{end}\n")
    }

    fn decoded(part: &str) -> Vec<u8> {
        URL_SAFE_NO_PAD.decode(part).expect("base64url")
    }

    /// Splits an assertion into header, claims, signed text and signature.
    fn parts(assertion: &str) -> (Value, Value, &str, Vec<u8>) {
        let (signed, signature) = assertion.rsplit_once('.').expect("three parts");
        let (header, claims) = signed.split_once('.').expect("two parts");
        let json = |part| serde_json::from_slice(&decoded(part)).expect("JSON");
        (json(header), json(claims), signed, decoded(signature))
    }

    fn at(seconds: u64) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(seconds)
    }

    #[test]
    fn an_assertion_states_issuer_audience_and_expiry() {
        let random = SystemRandom::new();
        let der = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random);
        let der = der.expect("a key");
        let pair =
            EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, der.as_ref(), &random)
                .expect("a pair");
        // On one line, as an environment variable holds it.
        let pem = pem(&STANDARD.encode(der.as_ref())).replace('\n', "\\n");
        let key = SigningKey::parse(&pem, None).expect("a key");

        let sign = || {
            key.assertion("tarsy", "https://login", at(1_000))
                .expect("signed")
        };
        let assertion = sign();
        let (header, claims, signed, signature) = parts(&assertion);
        UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, pair.public_key().as_ref())
            .verify(signed.as_bytes(), &signature)
            .expect("its own signature");
        assert_eq!(header, json!({"alg": "ES256", "typ": "JWT"}));
        assert_eq!(
            (&claims["iss"], &claims["sub"]),
            (&json!("tarsy"), &json!("tarsy"))
        );
        assert_eq!(claims["aud"], "https://login");
        assert_eq!(
            (&claims["iat"], &claims["exp"]),
            (&json!(1_000), &json!(1_120))
        );
        assert_ne!(assertion, sign(), "its id is used once");
    }

    #[test]
    fn an_rsa_key_signs_rs256_and_is_named() {
        let key = SigningKey::parse(&pem(RSA.trim()), Some("2026-11")).expect("a key");
        let assertion = key
            .assertion("tarsy", "https://login", at(1_000))
            .expect("signed");
        let (header, _, signed, signature) = parts(&assertion);
        assert_eq!(
            header,
            json!({"alg": "RS256", "typ": "JWT", "kid": "2026-11"})
        );
        let der = STANDARD.decode(RSA.replace('\n', "")).expect("base64");
        let pair = RsaKeyPair::from_pkcs8(&der).expect("a pair");
        let public = UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, pair.public().as_ref());
        public
            .verify(signed.as_bytes(), &signature)
            .expect("its own signature");
        assert!(public.verify(b"other words", &signature).is_err());
    }
}
