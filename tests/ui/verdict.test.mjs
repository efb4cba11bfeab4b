// The verdict of a session: in the list, as a filter, and at the head of the session's page.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newPage } from './lib/browser.mjs';
import { looked } from './lib/looks.mjs';
import { setting } from './lib/setting.mjs';

const own = setting();

test('an answer that no tool result shows does not look like success', async () => {
  const id = await own.fleet.submit('verdict', 'Invents');
  await own.fleet.ended(id);
  const { page, context, errors } = await newPage(own.browser);
  await page.goto(own.fleet.dashboard('/sessions'));
  const row = page.getByTestId('session-row').first();
  await row.getByText('unsupported').waitFor();
  const filters = page.getByRole('region', { name: 'Verdict' });
  await filters.getByRole('button', { name: 'not investigated' }).click();
  await page.waitForFunction(() => document.querySelectorAll('[data-testid=session-row]').length === 0);
  await filters.getByRole('button', { name: 'not investigated' }).click();
  await filters.getByRole('button', { name: 'unsupported' }).click();
  await page.getByTestId('session-row').first().waitFor();
  assert.match(page.url(), /verdict=unsupported/);

  await page.goto(own.fleet.dashboard(`/sessions/${id}`));
  await page.getByTestId('verdict').getByText('unsupported').waitFor();
  await page.getByTestId('verdict-check').getByText('Names in the answer that no tool showed: payments-db-primary.').waitFor();
  assert.deepEqual(errors, []);
  await context.close();
  await looked(own.browser, {
    'verdict-list': [own.fleet.dashboard('/sessions?verdict=unsupported'), '[data-testid=session-row]'],
    'verdict-session': [own.fleet.dashboard(`/sessions/${id}`), '[data-testid=verdict-check]'],
    'verdict-phone': [own.fleet.dashboard(`/sessions/${id}`), '[data-testid=verdict-check]', 390, 844],
  });
});
