// Permissions of each role, with access control on.
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

test('a person without a key is asked for one, and a wrong one is not taken', async () => {
  const { page, context, errors } = await newPage(own.browser);
  await page.goto(own.fleet.dashboard('/fleet'));
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await signIn(page, 'trsy_wrong');
  await page.getByText('Invalid access key').waitFor();
  await signIn(page, own.fleet.key('viewer'));
  await page.getByRole('heading', { name: 'Fleet' }).waitFor();
  await live(page);
  assert.deepEqual(errors, []);
  await context.close();
});

test('a viewer sees everything and is told why nothing can be done; an operator acts', async () => {
  const { page, context, errors } = await newPage(own.browser);
  await page.goto(own.fleet.dashboard('/fleet'));
  await signIn(page, own.fleet.key('viewer'));
  const pause = page.getByRole('row', { name: /stage:default/ }).getByRole('button', { name: 'Pause' });
  await pause.hover();
  await page.getByText('Requires the operator role. Your role is viewer.').waitFor();
  assert.equal(await pause.getAttribute('aria-disabled'), 'true');

  await page.getByRole('button', { name: 'Settings' }).click();
  await page
    .getByTestId('who')
    .getByText(/viewer-\d+-of-the-test/)
    .waitFor();
  await page.getByLabel('Access key', { exact: true }).fill(own.fleet.key('operator'));
  await page.getByRole('button', { name: 'Use key' }).click();
  await pause.click();
  await page.getByLabel('Reason').fill('a test');
  await page.getByTestId('reason-confirm').click();
  await page
    .getByRole('row', { name: /stage:default/ })
    .getByText(/operator-\d+-of-the-test: a test/)
    .waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});

test('a key for machines shows nothing, and the page says what to do', async () => {
  const { page, context } = await newPage(own.browser);
  await page.goto(own.fleet.dashboard('/sessions'));
  await signIn(page, own.fleet.key('ingest'));
  await page.getByText('Permission denied').first().waitFor();
  await context.close();
});

test('what a person sees first that has no key, the wrong one, or no API is readable, in both schemes', async () => {
  const url = own.fleet.dashboard('/sessions');
  const machine = own.fleet.key('ingest');
  const away = async (page) => {
    await page.route('**/api/**', (route) => route.abort());
    await page.reload();
    await page.getByText('API unreachable').first().waitFor();
  };
  await looked(own.browser, {
    'sign-in': [url, '[data-testid=sign-in]'],
    'sign-in-phone': [url, '[data-testid=sign-in]', 390, 844],
    'wrong-key': [
      url,
      '[data-testid=sign-in]',
      1440,
      900,
      async (page) => {
        await signIn(page, 'trsy_wrong');
        await page.getByText('Invalid access key').waitFor();
      },
    ],
    'no-permission': [
      url,
      '[data-testid=sign-in]',
      1440,
      900,
      async (page) => {
        await signIn(page, machine);
        await page.getByText('Permission denied').first().waitFor();
      },
    ],
    'api-away': [url, 'body', 1440, 900, away],
  });
});
