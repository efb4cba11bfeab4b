// What an operator does, and what the pages say of it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newPage } from './lib/browser.mjs';
import { setting } from './lib/setting.mjs';

const own = setting();

test('a stage is replayed with a reason, or the page says that it cannot be', async () => {
  const id = await own.fleet.submit('replay');
  await own.fleet.ended(id);
  const { page, context } = await newPage(own.browser);
  await page.goto(own.fleet.dashboard(`/sessions/${id}`));
  await page.getByTestId('replay').click();
  assert.equal(await page.getByTestId('reason-confirm').isDisabled(), true);
  await page.getByLabel('Reason').fill('try it again');
  await page.getByTestId('reason-confirm').click();
  await page.getByText('Not available in this API version.').waitFor();
  await context.close();
});

test('a session that runs is cancelled with a reason, one that ended says why it cannot be', async () => {
  const id = await own.fleet.submit('cancel');
  await own.fleet.ended(id);
  const { page, context } = await newPage(own.browser);
  await page.goto(own.fleet.dashboard(`/sessions/${id}`));
  await page.getByTestId('cancel').hover();
  await page.getByText('The session has ended.').waitFor();
  await context.close();
});
