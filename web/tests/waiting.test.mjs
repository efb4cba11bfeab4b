// The reason why a session waits, in the list and on its page, and who could act.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from './lib/fleet.mjs';
import { opener, setting, warnings } from './lib/setting.mjs';

const own = setting();
const opened = opener(own);

const rowOf = (page, id) => page.locator(`[data-testid=session-row][data-id="${id}"]`);

test('a stage that failed tells its cause, once', async () => {
  const id = await own.fleet.submit('refused', 'StageFails');
  await own.fleet.ended(id);
  const { page, context, errors } = await opened('/submit');
  await page.goto(own.fleet.dashboard(`/sessions/${id}`));
  const cause = page.getByText(/the key of this provider was revoked/);
  await cause.first().waitFor();
  assert.equal(
    (await page
      .getByTestId('answer')
      .getByText(/the key of this provider was revoked/)
      .count()) <= 1,
    true,
    'told once in the answer',
  );
  assert.deepEqual(errors, []);
  await context.close();
});

test('a queue that is paused and a pool that nobody works are the causes that are told, since when and who could act', async () => {
  const pool = await own.fleet.submit('no pool', 'NeedsAPool');
  await until(
    'its pool is known to be empty',
    async () => (await own.fleet.session(pool)).waiting?.reason === 'no_worker',
  );
  const { page, context, errors } = await opened('/sessions');
  await rowOf(page, pool).getByText('no worker', { exact: true }).waitFor();
  await rowOf(page, pool)
    .getByText(/No worker of pool gpu can run this stage/)
    .waitFor();
  // The filter has the same text as the row, and excludes running sessions.
  const running = await own.fleet.submit('runs meanwhile', 'TakesLong', 'info');
  await rowOf(page, running).getByText('in progress', { exact: true }).waitFor();
  await page
    .getByRole('region', { name: 'Status' })
    .getByRole('button', { name: /^stuck [1-9]\d*$/ })
    .click();
  await page.waitForURL(/progress=stuck/);
  await rowOf(page, running).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'status: stuck' }).waitFor();
  await rowOf(page, pool).click();
  const wait = page.getByTestId('wait');
  await wait.getByText(/No worker of pool gpu can run this stage/).waitFor();
  await wait.getByText(/^Began .+ An administrator can start a worker of pool gpu/).waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});

test('an overloaded provider is named so, with the next try, and no advice to replace its key', async () => {
  const id = await own.fleet.submit('overloaded', 'IsBusy');
  await until('its call is put off', async () => (await own.fleet.session(id)).waiting?.error_class === 'overloaded');
  const { page, context, errors } = await opened('/sessions');
  await rowOf(page, id).getByText('provider overloaded', { exact: true }).waitFor();
  await rowOf(page, id).click();
  const wait = page.getByTestId('wait');
  await wait.getByText(/Provider scripted is overloaded, \d+ tr(y|ies): .*HTTP 529/).waitFor();
  await wait
    .getByTestId('next-try')
    .getByText(/^next try (in \d+ (s|min)|now)$/)
    .waitFor();
  assert.doesNotMatch(await wait.innerText(), /key|account|rate limit/);
  await fetch(`${own.fleet.api}/api/v1/admin/sessions/${id}/cancel`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ reason: 'end of the test' }),
  });
  assert.deepEqual(errors, []);
  await context.close();
});

test('what nobody has begun is queued, not in progress; without a chain worker it says so', async () => {
  await own.fleet.end(own.fleet.chainWorker);
  const id = await own.fleet.submit('not begun', 'IsQuick');
  const { page, context, errors } = await opened('/sessions');
  await warnings(page)
    .getByText('No chain worker is running. Accepted alerts are queued.')
    .waitFor({ timeout: 60_000 });
  const row = rowOf(page, id);
  await row.getByText('no worker', { exact: true }).waitFor();
  assert.equal(await row.getByText('in progress').count(), 0);
  await row.click();
  await page
    .getByTestId('wait')
    .getByText(/No chain worker is running/)
    .waitFor();
  own.fleet.chainWorker = own.fleet.run('chain-worker');
  await own.fleet.ended(id);
  await page.getByTestId('answer').getByText('It is a test.').waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});
