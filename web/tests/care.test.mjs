// Triage of a session: acknowledged, assigned, rated.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newPage } from './lib/browser.mjs';
import { until } from './lib/fleet.mjs';
import { live, setting } from './lib/setting.mjs';

const own = setting();
const care = async (id) => (await own.fleet.session(id)).care;

test('a session is acknowledged, assigned and rated, and who watches the list sees it at once', async () => {
  const id = await own.fleet.submit('care', 'IsQuick');
  await own.fleet.ended(id);
  const { page, context, errors } = await newPage(own.browser);
  await page.goto(own.fleet.dashboard(`/sessions/${id}`));
  const watching = await newPage(own.browser);
  await watching.page.goto(own.fleet.dashboard('/sessions'));
  const line = watching.page.getByTestId('session-row').first();
  await live(watching.page);
  await line.waitFor();

  const row = page.getByTestId('care');
  await page.getByTestId('acknowledge').click();
  await row.getByText('acknowledged', { exact: true }).waitFor();
  await line.getByText('acknowledged', { exact: true }).waitFor();

  await row.getByRole('button', { name: 'Assign…' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Ada');
  await page.keyboard.press('Enter');
  await row.getByText('assigned to Ada').waitFor();
  await row.getByRole('button', { name: 'partly correct' }).click();
  await line.getByText('acknowledged, assigned to Ada, partly correct').waitFor();

  await row.getByRole('button', { name: 'partly correct' }).click();
  await page.getByTestId('acknowledge').click();
  await line.getByText('assigned to Ada', { exact: true }).waitFor();
  const { acknowledged_at_us: seen, rating } = await care(id);
  assert.deepEqual([seen, rating], [null, null], 'both were taken back');
  const { rows } = await own.fleet.query('select action from audit_log order by entry_id');
  assert.deepEqual(
    rows.map(({ action }) => action.replace('session.', '')),
    ['acknowledge', 'assign', 'rate', 'rate', 'acknowledge'],
  );
  assert.deepEqual([...errors, ...watching.errors], []);
  await context.close();
  await watching.context.close();
});

test('those that are selected in the list are acknowledged at once', async () => {
  const ids = [
    await own.fleet.submit('one', 'IsQuick', 'warning'),
    await own.fleet.submit('two', 'IsQuick', 'warning'),
  ];
  for (const id of ids) await own.fleet.ended(id);
  const { page, context, errors } = await newPage(own.browser);
  await page.goto(own.fleet.dashboard('/sessions?severity=warning'));
  const rows = page.getByTestId('session-row');
  await rows.nth(1).waitFor();
  for (const at of [0, 1]) await rows.nth(at).getByRole('checkbox').check();
  await page.getByTestId('bulk-acknowledge').click();
  await page.getByTestId('bulk-told').getByText('Acknowledged 2 sessions.').waitFor();
  for (const at of [0, 1]) await rows.nth(at).getByText('acknowledged').waitFor();
  await page.getByTestId('bulk-acknowledge').focus();
  await page.getByText('All selected sessions are acknowledged.').waitFor();
  for (const id of ids) await until('it is written down', async () => (await care(id)).acknowledged_at_us !== null);

  // List of unacknowledged sessions: a session leaves it as soon as it is acknowledged, no matter where.
  const last = await own.fleet.submit('three', 'IsQuick', 'info');
  await own.fleet.ended(last);
  await page.goto(own.fleet.dashboard('/sessions'));
  await rows.nth(2).waitFor();
  await page.getByRole('button', { name: 'Unacknowledged' }).click();
  await page
    .getByTestId('total')
    .getByText(/^[12] session/)
    .waitFor();
  await page.locator(`[data-id="${last}"]`).waitFor();
  for (const id of ids) assert.equal(await page.locator(`[data-id="${id}"]`).count(), 0);
  assert.match(page.url(), /acknowledged=false/);
  await live(page);
  const said = await fetch(`${own.fleet.api}/api/v1/admin/sessions/${last}/care`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"acknowledged":true}',
  });
  assert.equal(said.status, 200);
  await page.locator(`[data-id="${last}"]`).waitFor({ state: 'detached' });
  assert.deepEqual(errors, []);
  await context.close();
});
