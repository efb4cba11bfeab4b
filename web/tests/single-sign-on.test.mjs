// Sign-in at an identity provider, with the apps below a path.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newPage } from './lib/browser.mjs';
import { Issuer } from './lib/issuer.mjs';
import { looked } from './lib/looks.mjs';
import { Nginx } from './lib/nginx.mjs';
import { live, setting } from './lib/setting.mjs';
import { freePort } from './lib/wait.mjs';

const [port, publicPort] = [await freePort(), await freePort()];
const PUBLIC = `http://127.0.0.1:${publicPort}/tarsy`;
const issuer = await Issuer.start(`${PUBLIC}/api/v1/sign-in/oidc/callback`);
const own = setting(
  {
    TARSY_AUTH: 'on',
    TARSY_PUBLIC_URL: PUBLIC,
    TARSY_OIDC_ISSUER: issuer.url,
    TARSY_OIDC_CLIENT_ID: 'dashboard',
    TARSY_OIDC_CLIENT_SECRET: 'a-secret-of-a-test',
    TARSY_OIDC_NAME: 'Example',
    TARSY_OIDC_ROLES: 'sre=operator,staff=viewer',
  },
  { port },
);
let nginx;
/** Serves the fleet below its path. Call it only after the hook of `setting` has started the fleet. */
const served = async () => {
  nginx ??= await Nginx.before(own.fleet.api, '/tarsy', publicPort);
};
after(async () => {
  await nginx?.stop();
  await issuer.stop();
});

/** Presses the sign-in button and answers the provider's question. */
async function answer(page, choice) {
  await page.getByRole('link', { name: 'Sign in with Example' }).click();
  await page.getByRole('link', { name: choice }).click();
}

const alert = (page) => page.getByTestId('sign-in').getByRole('alert');

test('a person signs in at the provider, comes back to their page, acts, and signs out in both places', async () => {
  await served();
  const { page, context, errors } = await newPage(own.browser);
  await page.goto(`${PUBLIC}/dashboard/fleet?state=failed#notifications`);
  await answer(page, 'sre.ada');
  await page.getByRole('heading', { name: 'Notifications' }).waitFor();
  assert.equal(page.url(), `${PUBLIC}/dashboard/fleet?state=failed#notifications`);
  await live(page);
  const readable = await page.evaluate(() =>
    [globalThis.document.cookie, ...Object.values({ ...globalThis.sessionStorage, ...globalThis.localStorage })].join(
      ' ',
    ),
  );
  assert.doesNotMatch(readable, /eyJ/);
  const cookies = (await context.cookies(PUBLIC)).filter(({ name }) => name.includes('tarsy'));
  assert.deepEqual(
    cookies.map(({ name, httpOnly, sameSite }) => [name, httpOnly, sameSite]),
    [['tarsy_session', true, 'Strict']],
  );

  await page.getByRole('tab', { name: 'Overview' }).click();
  const row = page.getByRole('row', { name: /stage:default/ });
  await row.getByRole('button', { name: 'Pause' }).click();
  await page.getByLabel('Reason').fill('as a person');
  await page.getByTestId('reason-confirm').click();
  await row.getByText(/sre\.ada@example\.org: as a person/).waitFor();

  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByText('sre.ada@example.org').waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Yes, sign me out' }).click();
  await page.getByTestId('sign-in').waitFor();
  assert.ok(page.url().startsWith(`${PUBLIC}/dashboard/`), page.url());
  assert.deepEqual(errors, []);
  await context.close();
});

test('who is not signed in is told why, at the page they wanted, and a key still works', async () => {
  await served();
  const { page, context, errors } = await newPage(own.browser);
  await page.goto(`${PUBLIC}/dashboard/usage`);
  await answer(page, 'Deny');
  await alert(page)
    .getByText(/denied the sign-in/)
    .waitFor();
  assert.equal(page.url(), `${PUBLIC}/dashboard/usage`);
  await answer(page, 'strangers.ada');
  await alert(page)
    .getByText(/none of your groups has a role/)
    .waitFor();
  await page.getByLabel('Access key', { exact: true }).fill(own.fleet.key('viewer'));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Usage' }).waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});

test('the sign-in with a provider and its failures are readable, in both schemes and on a phone', async () => {
  await served();
  const url = `${PUBLIC}/dashboard/usage?sign_in_failed=no_role`;
  const offered = '[data-testid=sign-in] a[href*="/sign-in/oidc"]';
  await looked(own.browser, { 'single-sign-on': [url, offered], 'single-sign-on-phone': [url, offered, 390, 844] });
});
