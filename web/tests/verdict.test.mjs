// The verdict of a session: in the list, as a filter, and in the header of the session page.
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
  await page.getByTestId('verdict-check').waitFor();
  // The page only marks the author's sentences, without text of its own. One line sums up the marks.
  const name = page.getByTestId('answer').locator('code.unseen');
  await name.waitFor();
  assert.equal(
    await page
      .getByTestId('answer')
      .locator('p')
      .filter({ has: page.locator('code.unseen') })
      .textContent(),
    'payments-db-primary refuses connections on port 5432.',
  );
  assert.deepEqual(await name.evaluate((one) => [globalThis.getComputedStyle(one).textDecorationStyle, one.title]), [
    'dotted',
    'No tool result has this name',
  ]);
  await page
    .getByTestId('unseen-names')
    .getByText(/^1 name that no tool showed: payments-db-primary$/)
    .waitFor();
  assert.deepEqual(errors, []);
  await context.close();
  await looked(own.browser, {
    'verdict-list': [own.fleet.dashboard('/sessions?verdict=unsupported'), '[data-testid=session-row]'],
    'verdict-session': [own.fleet.dashboard(`/sessions/${id}`), '[data-testid=verdict-check]'],
    'verdict-phone': [own.fleet.dashboard(`/sessions/${id}`), '[data-testid=verdict-check]', 390, 844],
  });
});
