// The block that lists what an answer does not cover, with each cause once.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { looked } from './lib/looks.mjs';
import { opener, setting } from './lib/setting.mjs';

const own = setting();
const opened = opener(own);

test('a missing runbook and a failed stage are lines of one block', async () => {
  const answer = await fetch(`${own.fleet.api}/alerts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      alert_type: 'StageFails',
      runbook: 'local:does-not-exist',
      severity: 'warning',
      data: { namespace: 'shop' },
    }),
  });
  const { session_id: id } = await answer.json();
  await own.fleet.ended(id);
  const { page, context, errors } = await opened(`/sessions/${id}`);
  const lines = page.getByTestId('not-covered').getByRole('listitem');
  await lines.first().waitFor();
  assert.deepEqual(await lines.allTextContents(), [
    'Runbook local:does-not-exist was not found',
    'Stage broken failed: the key of this provider was revoked (provider scripted)',
  ]);
  assert.equal(
    await page
      .getByTestId('answer')
      .getByText(/local:does-not-exist/)
      .count(),
    1,
  );
  assert.equal(
    await page
      .getByTestId('answer')
      .getByRole('alert')
      .filter({ hasText: /runbook|failed/i })
      .count(),
    0,
    'no banner above the answer',
  );
  await page.getByRole('tab', { name: /runbook/ }).click();
  await page.getByRole('tabpanel').getByText('Runbook local:does-not-exist was not found').waitFor();
  assert.doesNotMatch(await page.locator('main').innerText(), /os error|::/);
  assert.deepEqual(errors, []);
  await context.close();
  const place = [own.fleet.dashboard(`/sessions/${id}`), '[data-testid=not-covered]'];
  await looked(own.browser, { 'not-covered': place, 'not-covered-phone': [...place, 390, 844] });
});
