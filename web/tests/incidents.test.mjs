// Incidents: a storm of alerts is one row in History and in the inbox, shows why its sessions belong together, and a
// person can take a session out.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newPage } from './lib/browser.mjs';
import { until } from './lib/fleet.mjs';
import { looked } from './lib/looks.mjs';
import { setting } from './lib/setting.mjs';

const own = setting();

/** Creates ended sessions about one namespace, one per minute. All failed except the last, which has an answer. */
async function storm(number) {
  const { rows } = await own.fleet
    .query(`insert into alert_sessions (session_id, alert_id, alert_type, alert_data, severity, alert_timestamp_us, source, fingerprint, status, outcome, started_at_us, completed_at_us, chain_id, chain_definition, final_analysis, error_message, verdict)
      select gen_random_uuid(), gen_random_uuid(), 'HTTPErrors', jsonb_build_object('cluster', 'prod-eu-1', 'namespace', 'shop', 'pod', 'cart-' || n), 'critical', 1, 'api', 'storm' || n,
             case when n < ${number} then 'failed' else 'completed' end::session_status, case when n < ${number} then 'failed' else 'completed' end::session_outcome,
             now_us() - (${number} + 1 - n) * 60000000, now_us(), 'is-quick', '{}', case when n = ${number} then 'cart-config v413 names a wrong host.' end, case when n < ${number} then 'The tool server is away.' end,
             case when n < ${number} then 'not_checked' else 'supported' end
      from generate_series(1, ${number}) n returning session_id, started_at_us`);
  const ids = rows.toSorted((a, b) => Number(a.started_at_us) - Number(b.started_at_us)).map((row) => row.session_id);
  await until('the sessions are grouped', async () => {
    const grouped = await own.fleet.query(
      `select count(*)::int as n from incident_members where incident_id = '${ids[0]}'`,
    );
    return grouped.rows[0].n === number;
  });
  return ids;
}

test('History shows a storm as one row, which opens, says why, and lets a session be taken out', async () => {
  const ids = await storm(13);
  const other = await own.fleet.submit('alone', 'IsQuick', 'info');
  await own.fleet.ended(other);
  const { page, context, errors } = await newPage(own.browser, { history: 'grouped' });
  await page.goto(own.fleet.dashboard('/sessions'));
  const rows = page.getByTestId('session-row');
  await rows.filter({ hasText: 'IsQuick' }).waitFor();
  const row = rows.filter({ hasText: 'HTTPErrors' });
  await row.getByText('13 alerts').waitFor();
  assert.equal(await row.count(), 1);
  assert.equal(await row.getAttribute('data-id'), ids[0], 'the first stands for it');
  await row.getByText('cart-config v413 names a wrong host.').waitFor();

  await row.getByText('13 alerts').click();
  await page.waitForURL(/incident=/);
  await until('all of them are listed', async () => (await rows.count()) === 13);
  const incident = page.getByTestId('incident');
  await incident.getByText('Their alerts are about prod-eu-1 / shop. They started within 12 min.').waitFor();
  await incident.getByText('13 alerts · 12 failed', { exact: false }).waitFor();
  await incident.getByText('Sessions of the incident').click();
  const members = incident.getByTestId('incident-member');
  const listed = await members.evaluateAll((all) => all.map((one) => one.dataset.id));
  assert.deepEqual(listed, ids, 'in order of time');
  await members.nth(4).getByRole('button', { name: 'Take out' }).click();
  const out = incident.getByRole('list', { name: 'Taken out' });
  await out.locator(`[data-id="${ids[4]}"]`).waitFor();
  await until('it left the list', async () => (await rows.count()) === 12);

  // Put it back on its page. The page then names the incident.
  await page.goto(own.fleet.dashboard(`/sessions/${ids[4]}`));
  const removed = page.getByTestId('incident-removed');
  await removed.getByText('took this session out of its incident').waitFor();
  await removed.getByRole('button', { name: 'Put back' }).click();
  await page.getByTestId('incident').getByText('13 alerts', { exact: false }).waitFor();
  await page.getByRole('link', { name: 'cart-config v413 names a wrong host.' }).click();
  await page.waitForURL(new RegExp(ids[12]));
  await page.getByTestId('incident').getByText('this session').waitFor({ state: 'attached' });

  // Without grouping, each session has a row.
  await page.goto(own.fleet.dashboard('/sessions'));
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'One row per incident' }).click();
  await until('each is a row', async () => (await rows.filter({ hasText: 'HTTPErrors' }).count()) === 13);
  assert.deepEqual(errors, []);
  await context.close();
  const card = '[data-testid=incident]';
  await looked(own.browser, {
    incident: [own.fleet.dashboard(`/sessions?incident=${ids[0]}`), card],
    'incident-phone': [own.fleet.dashboard(`/sessions?incident=${ids[0]}`), card, 390, 844],
    'incident-session': [own.fleet.dashboard(`/sessions/${ids[4]}`), card],
    'incident-session-phone': [own.fleet.dashboard(`/sessions/${ids[4]}`), card, 390, 844],
  });
});

test('the inbox shows a storm and its approvals as one row each', async () => {
  const { fleet } = own;
  const gates = await Promise.all([1, 2, 3].map((n) => fleet.submit(`gate ${String(n)}`, 'Gated', 'warning')));
  for (const id of gates) await until('the gate waits', async () => (await fleet.session(id)).waits.length > 0);
  await until('the gates are grouped', async () => (await fleet.session(gates[2])).incident?.members >= 3);
  const { page, context, errors } = await newPage(own.browser);
  await page.goto(fleet.dashboard('/inbox'));
  const storms = page.getByTestId('inbox-needs').getByTestId('inbox-storm');
  const failed = storms.filter({ hasText: 'HTTPErrors' });
  await failed.getByText(/^incident, \d+ of 13 alerts$/).waitFor();
  const asked = storms.filter({ hasText: 'Gated' });
  await asked.getByText(/^incident, 3 of \d+ alerts$/).waitFor();
  await asked.getByText('needs approval (3)', { exact: true }).waitFor();
  await failed.getByText('failed (12), completed (1)', { exact: true }).waitFor();
  const row = asked.locator(`[data-testid=inbox-row][data-id="${gates[0]}"]`);
  assert.equal(await row.isVisible(), false);
  await asked.locator('summary').click();
  await row.getByText(/^expires in/).waitFor();
  await page.goto(fleet.dashboard(`/sessions/${gates[0]}`));
  const member = page.locator(`[data-testid=incident-member][data-id="${gates[1]}"]`);
  await member.getByText('needs approval', { exact: true }).waitFor();
  assert.deepEqual(errors, []);
  await context.close();
  const place = [fleet.dashboard('/inbox'), '[data-testid=inbox-storm]'];
  await looked(own.browser, { 'inbox-storm': place, 'inbox-storm-phone': [...place, 390, 844] });
});
