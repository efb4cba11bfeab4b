// A real identity provider (npm `oidc-provider`, certified by the OpenID Foundation) for the tests of tokens:
// clients get JSON web tokens by client credentials, for the API that they name as their resource (RFC 8707).
//
// Says `{"issuer": ..}` when it listens. A line on standard input makes it sign with new keys and withdraw the
// old ones; it says `{"rotated": n}` then.

import { createServer } from 'node:http';
import { createInterface } from 'node:readline';

import { exportJWK, generateKeyPair } from 'jose';
import Provider from 'oidc-provider';

/** Algorithms, each with the kind of key that signs by it. */
const ALGORITHMS = {
  RS256: 'RSA',
  RS384: 'RSA',
  RS512: 'RSA',
  PS256: 'RSA',
  PS384: 'RSA',
  PS512: 'RSA',
  ES256: 'P-256',
  ES384: 'P-384',
  EdDSA: 'Ed25519',
};
const KEYS = { RSA: 'RS256', 'P-256': 'ES256', 'P-384': 'ES384', Ed25519: 'EdDSA' };

/** What a client may do is in its name: `sre.ES256`, `staff.RS256.expired`. */
const GROUPS = ['sre', 'staff', 'strangers'];

const client = (client_id) => ({
  client_id,
  client_secret: 'a-secret-of-a-test',
  grant_types: ['client_credentials'],
  redirect_uris: [],
  response_types: [],
  token_endpoint_auth_method: 'client_secret_post',
});

const clients = GROUPS.flatMap((group) =>
  Object.keys(ALGORITHMS).flatMap((algorithm) => [
    client(`${group}.${algorithm}`),
    client(`${group}.${algorithm}.expired`),
  ]),
);

async function keys(round) {
  const made = Object.entries(KEYS).map(async ([kind, algorithm]) => {
    const { privateKey } = await generateKeyPair(algorithm, { extractable: true });
    return { ...(await exportJWK(privateKey)), kid: `${kind}-${round}`, use: 'sig' };
  });
  return { keys: await Promise.all(made) };
}

async function provider(issuer, round) {
  const made = new Provider(issuer, {
    clients,
    jwks: await keys(round),
    scopes: ['api'],
    ttl: { ClientCredentials: 300 },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_, resource, of) => ({
          scope: 'api',
          audience: new URL(resource).hostname.split('.')[0],
          accessTokenFormat: 'jwt',
          accessTokenTTL: 300,
          jwt: { sign: { alg: of.clientId.split('.')[1] } },
        }),
      },
    },
    extraTokenClaims: (_, token) => ({ roles: [token.clientId.split('.')[0]] }),
    formats: {
      customizers: {
        jwt: (_, token, parts) => {
          if (token.clientId.endsWith('.expired')) {
            parts.payload.exp = parts.payload.iat - 120;
          }
        },
      },
    },
  });
  return made.callback();
}

const say = (what) => process.stdout.write(`${JSON.stringify(what)}\n`);
let answer;
const server = createServer((request, response) => answer(request, response));
server.listen(0, '127.0.0.1', async () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  let round = 1;
  answer = await provider(issuer, round);
  say({ issuer });
  // Ends with the test, whose end of the pipe goes with it.
  const orders = createInterface({ input: process.stdin });
  orders.on('close', () => process.exit(0));
  orders.on('line', async () => {
    round += 1;
    answer = await provider(issuer, round);
    say({ rotated: round });
  });
});
