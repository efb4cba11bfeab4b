// Signing in with a key: once for all tabs and from any page, until the session ends.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newPage } from './lib/browser.mjs';
import { looked } from './lib/looks.mjs';
import { live, setting } from './lib/setting.mjs';

const own = setting({ TARSY_AUTH: 'on' });

async function signIn(page, key) {
  await page.getByLabel('Access key', { exact: true }).fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

const signInForm = (page) => page.getByTestId('sign-in').waitFor();

test('who signs in stays signed in: in other tabs, over a reload, and at the address they came for', async () => {
  const { page, context, errors } = await newPage(own.browser);
  await page.goto(own.fleet.dashboard('/fleet?state=failed#notifications'));
  const other = await context.newPage();
  await other.goto(own.fleet.dashboard('/config?section=agents'));
  await signInForm(other);
  await signIn(page, own.fleet.key('operator'));
  await page.getByRole('heading', { name: 'Fleet' }).waitFor();
  await page.getByRole('heading', { name: 'Notifications' }).waitFor();
  assert.match(page.url(), /\/fleet\?state=failed#notifications$/);
  await live(page);
  // The other tab is signed in automatically, and so is a new one.
  await other.locator('[role=tabpanel] pre').waitFor();
  assert.match(other.url(), /section=agents$/);
  const third = await context.newPage();
  await third.goto(own.fleet.dashboard('/usage'));
  await third.getByRole('heading', { name: 'Usage' }).waitFor();
  await live(third);
  await page.reload();
  await page.getByRole('heading', { name: 'Fleet' }).waitFor();

  // No script can read the session cookie.
  const readable = await page.evaluate(() =>
    [globalThis.document.cookie, ...Object.values({ ...globalThis.sessionStorage, ...globalThis.localStorage })].join(
      ' ',
    ),
  );
  assert.doesNotMatch(readable, /tarsy_/);
  const [cookie] = await context.cookies();
  assert.deepEqual(
    [cookie.name, cookie.httpOnly, cookie.sameSite, cookie.path],
    ['tarsy_session', true, 'Strict', '/'],
  );

  // An action works with the cookie, and is recorded under the key's name.
  await page.getByRole('tab', { name: 'Overview' }).click();
  const pause = page.getByRole('row', { name: /stage:default/ }).getByRole('button', { name: 'Pause' });
  await pause.click();
  await page.getByLabel('Reason').fill('by cookie');
  await page.getByTestId('reason-confirm').click();
  await page
    .getByRole('row', { name: /stage:default/ })
    .getByText(/operator-\d+-of-the-test: by cookie/)
    .waitFor();

  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  for (const tab of [page, other, third]) await signInForm(tab);
  assert.deepEqual(await context.cookies(), []);
  assert.deepEqual(errors, []);
  await context.close();
});

test('a session whose key is revoked ends while its page is open', async () => {
  const { page, context, errors } = await newPage(own.browser);
  await page.goto(own.fleet.dashboard('/fleet'));
  await signIn(page, own.fleet.key('viewer'));
  await page.getByRole('heading', { name: 'Fleet' }).waitFor();
  await own.fleet.query("update api_keys set revoked_at_us = now_us() where role = 'viewer'");
  await signInForm(page);
  assert.match(page.url(), /\/fleet$/);
  assert.deepEqual(errors, []);
  await context.close();
});

test('an admin creates a key that is shown once, and revokes it', async () => {
  const { page, context, errors } = await newPage(own.browser);
  await page.goto(own.fleet.dashboard('/keys'));
  await signIn(page, own.fleet.key('admin'));
  await page.getByRole('button', { name: 'Create key' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('grafana');
  await dialog.getByRole('combobox', { name: 'Role' }).click();
  await page.getByRole('option', { name: /^ingest/ }).click();
  await dialog.getByLabel('Reason').fill('sends alerts');
  await dialog.getByTestId('reason-confirm').click();
  const key = (await page.getByTestId('new-key').textContent()) ?? '';
  assert.match(key, /^tarsy_[0-9a-f]{12}_[0-9a-f]{64}$/);
  const asks = async () =>
    (await fetch(`${own.fleet.api}/api/v1/me`, { headers: { authorization: `Bearer ${key}` } })).status;
  assert.equal(await asks(), 200);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Done' }).click();
  await dialog.waitFor({ state: 'detached' });
  assert.equal(await page.getByText(key).count(), 0);

  const row = page.getByTestId('access-key').filter({ hasText: 'grafana' });
  await row.filter({ hasText: 'ingest' }).getByText('active').waitFor();
  // The key of the current sign-in can't be revoked.
  const mine = page.getByTestId('access-key').filter({ hasText: '(you)' });
  assert.equal(await mine.getByRole('button', { name: /^Revoke/ }).getAttribute('aria-disabled'), 'true');
  assert.equal(await mine.getByText('not yet').count(), 0, 'it is used for this very page');
  await row.getByRole('button', { name: 'Revoke grafana' }).click();
  await dialog.getByLabel('Reason').fill('replaced');
  await dialog.getByTestId('reason-confirm').click();
  await row.waitFor({ state: 'detached' });
  assert.equal(await asks(), 401);
  await page.getByLabel(/revoked or expired/).check();
  await row.getByText('revoked').waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});

test('the page of keys is for admins, and looks right in both schemes', async () => {
  const { page, context } = await newPage(own.browser);
  await page.goto(own.fleet.dashboard('/keys'));
  await signIn(page, own.fleet.key('operator'));
  await page.getByText('Requires the admin role. Your role is operator.').waitFor();
  assert.equal(await page.getByRole('navigation').getByRole('link', { name: 'Keys' }).count(), 0);
  await context.close();
  const admin = own.fleet.key('admin');
  const url = own.fleet.dashboard('/keys');
  const signedIn = async (tab) => {
    if (await tab.getByTestId('sign-in').isVisible()) await signIn(tab, admin);
    await tab.getByTestId('access-key').first().waitFor();
  };
  // Data that the page loads at its start may move the button while it is pressed.
  const create = async (tab) => {
    await signedIn(tab);
    await tab.waitForLoadState('networkidle');
    await tab.getByRole('button', { name: 'Create key' }).click();
    await tab.getByRole('dialog').waitFor();
  };
  const ready = '[data-testid=sign-in], [data-testid=access-key]';
  await looked(own.browser, {
    keys: [url, ready, 1440, 900, signedIn],
    'keys-phone': [url, ready, 390, 844, signedIn],
    'dialog-create-key': [url, ready, 1440, 900, create],
  });
});
