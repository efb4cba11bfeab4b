// A real identity provider (npm `oidc-provider`, certified by the OpenID Foundation) for tests of tokens. Clients get
// JSON web tokens with client credentials, for the API that they name as their resource (RFC 8707). Browsers sign in
// for the client `dashboard`, whose redirect URIs are the arguments.
//
// Prints `{"issuer": ..}` when it listens. A line on standard input makes it sign with new keys and withdraw the old
// ones. It then prints `{"rotated": n}`.

import { createServer } from 'node:http';
import { createInterface } from 'node:readline';

import { exportJWK, generateKeyPair } from 'jose';
import Provider from 'oidc-provider';

/** Algorithms, each with its type of key. */
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

/** Groups. A client's name contains its group and the kind of its tokens, e.g. `sre.ES256`, `staff.RS256.expired`. */
const GROUPS = ['sre', 'staff', 'strangers'];

const client = (client_id) => ({
  client_id,
  client_secret: 'a-secret-of-a-test',
  grant_types: ['client_credentials'],
  redirect_uris: [],
  response_types: [],
  token_endpoint_auth_method: 'client_secret_post',
});

/** Clients for browser sign-in: with a secret, and without one. */
const REDIRECT_URIS = process.argv.slice(2);
const dashboard = (client_id, more) => ({
  client_id,
  grant_types: ['authorization_code'],
  response_types: ['code'],
  redirect_uris: REDIRECT_URIS,
  post_logout_redirect_uris: REDIRECT_URIS.map((uri) => uri.replace('api/v1/sign-in/oidc/callback', 'dashboard/')),
  id_token_signed_response_alg: 'ES256',
  ...more,
});
const dashboards =
  REDIRECT_URIS.length === 0
    ? []
    : [
        dashboard('dashboard', { client_secret: 'a-secret-of-a-test' }),
        dashboard('dashboard.public', { token_endpoint_auth_method: 'none' }),
      ];

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
    clients: [...clients, ...dashboards],
    jwks: await keys(round),
    scopes: ['api', 'openid', 'profile', 'email'],
    // As in the standard, the claims are in UserInfo and not in the ID token.
    claims: { profile: ['name', 'roles'], email: ['email'] },
    findAccount: (_, accountId) => ({ accountId, claims: () => person(accountId) }),
    interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
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
  const callback = made.callback();
  return async (request, response) => {
    const [, place, , choice, account] = new URL(request.url, issuer).pathname.split('/');
    if (place !== 'interaction') callback(request, response);
    else if (choice === undefined) ask(request, response);
    else await answered(made, request, response, choice === 'as' ? account : null);
  };
}

/** Returns the account of a person, e.g. `sre.ada` is in the group `sre`. */
const person = (accountId) => ({
  sub: accountId,
  name: accountId,
  email: `${accountId}@example.org`,
  roles: [accountId.split('.')[0]],
});

/** Returns the sign-in page, which asks a person who they are. */
function ask(request, response) {
  const links = [...GROUPS.map((group) => [`as/${group}.ada`, `${group}.ada`]), ['deny', 'Deny']];
  const html = links.map(([path, text]) => `<p><a href="${request.url}/${path}">${text}</a></p>`);
  response.setHeader('content-type', 'text/html');
  response.end(`<!doctype html><html lang="en"><title>Who are you?</title>${html.join('')}</html>`);
}

/** Continues the sign-in as this person; null: the person refused. */
async function answered(made, request, response, accountId) {
  const finish = (result) => made.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
  if (accountId === null) {
    await finish({ error: 'access_denied', error_description: 'said no' });
    return;
  }
  const { params } = await made.interactionDetails(request, response);
  const grant = new made.Grant({ accountId, clientId: params.client_id });
  grant.addOIDCScope('openid profile email');
  await finish({ login: { accountId }, consent: { grantId: await grant.save() } });
}

const say = (what) => process.stdout.write(`${JSON.stringify(what)}\n`);
let answer;
const server = createServer((request, response) => answer(request, response));
server.listen(0, '127.0.0.1', async () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  let round = 1;
  answer = await provider(issuer, round);
  say({ issuer });
  // Ends with the test, because the pipe then closes.
  const orders = createInterface({ input: process.stdin });
  orders.on('close', () => process.exit(0));
  orders.on('line', async () => {
    round += 1;
    answer = await provider(issuer, round);
    say({ rotated: round });
  });
});
