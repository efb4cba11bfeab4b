// Without a knowledge store, the navigation has no Ask page, and the page itself explains how to enable one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newPage } from './lib/browser.mjs';
import { looked } from './lib/looks.mjs';
import { setting } from './lib/setting.mjs';

const own = setting();

test('a fleet without a knowledge store says how it is enabled', async () => {
  const { page, context, errors } = await newPage(own.browser);
  await page.goto(own.fleet.dashboard('/ask'));
  await page.getByTestId('not-enabled').getByText('tarsy knowledge enable').waitFor();
  assert.equal(await page.getByRole('link', { name: 'Ask', exact: true }).count(), 0);
  assert.deepEqual(errors, []);
  await context.close();
  const url = own.fleet.dashboard('/ask');
  await looked(own.browser, {
    'ask-disabled': [url, '[data-testid=not-enabled]'],
    'ask-disabled-phone': [url, '[data-testid=not-enabled]', 390],
  });
});
