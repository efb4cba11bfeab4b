// The home page: sessions that need a person, running sessions, sessions that ended since the last visit, and the setup
// guide while something is missing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newPage } from './lib/browser.mjs';
import { until } from './lib/fleet.mjs';
import { looked } from './lib/looks.mjs';
import { setting } from './lib/setting.mjs';

const own = setting();
const part = (page, name) => page.getByTestId(`inbox-${name}`);
const rowOf = (page, name, id) => part(page, name).locator(`[data-testid=inbox-row][data-id="${id}"]`);

test('a new fleet says what its setup lacks, and the setup page what to do', async () => {
  const { page, context, errors } = await newPage(own.browser);
  await page.goto(own.fleet.dashboard('/'));
  await page.waitForURL(/\/inbox$/);
  const note = page.getByTestId('setup-note');
  await note.getByText('Setup is not complete. Open steps: Test alert.').waitFor();
  await part(page, 'needs')
    .getByText(/^Nothing waits for a decision/)
    .waitFor();
  await note.getByRole('link', { name: 'Set up' }).click();
  await page.getByTestId('setup-provider').getByText('Available: ', { exact: false }).waitFor();
  await page
    .getByTestId('setup-tools')
    .getByText(/demo-cluster/)
    .waitFor();
  await page.getByTestId('setup-webhook').getByText(`${own.fleet.api}/alerts`, { exact: true }).waitFor();
  await page.getByTestId('setup-keys').getByText('open', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Submit a test alert' }).click();
  await page.waitForURL(/\/submit$/);
  assert.deepEqual(errors, []);
  await context.close();
  const place = [own.fleet.dashboard('/setup'), '[data-testid=setup-provider]'];
  await looked(own.browser, { setup: place, 'setup-phone': [...place, 390, 844] });
});

/** Returns the number in the title of a section. */
const said = (page, name, text) =>
  part(page, name)
    .getByRole('heading')
    .locator('xpath=following-sibling::*[1]')
    .getByText(text, { exact: true })
    .waitFor();

test('of more sessions than a part shows it says how many there are, and leads to all of them', async () => {
  const { fleet } = own;
  // Without a chain worker, queued sessions do not start.
  await fleet.end(fleet.chainWorker);
  // Each has a different target, so that they are not grouped.
  const rows = (from, to, status, severity) => `
    insert into alert_sessions (session_id, alert_id, alert_type, alert_data, severity, alert_timestamp_us, source, fingerprint, status, outcome, started_at_us, completed_at_us, chain_id, chain_definition)
    select gen_random_uuid(), gen_random_uuid(), 'Many', jsonb_build_object('namespace', 'many-' || n), '${severity}', 1, 'api', 'many' || n, '${status}',
           case when '${status}' = 'pending' then null else '${status}' end::session_outcome, now_us() - n,
           case when '${status}' = 'pending' then null else now_us() - n end, 'is-quick', '{}'
    from generate_series(${String(from)}, ${String(to)}) n`;
  await fleet.query(rows(1, 70, 'failed', 'warning'));
  await fleet.query(rows(101, 130, 'completed', 'critical'));
  await fleet.query(rows(201, 260, 'completed', 'info'));
  await fleet.query(rows(301, 1545, 'pending', 'info'));
  const { page, context, errors } = await newPage(own.browser);
  await page.goto(fleet.dashboard('/inbox'));
  await said(page, 'needs', '100');
  await said(page, 'running', '1,245');
  await said(page, 'done', 'the newest of 160 that ended');
  assert.equal(await part(page, 'needs').getByTestId('inbox-row').count(), 40);
  assert.equal(await page.title(), '(100) Inbox · Tarsy');
  const place = [fleet.dashboard('/inbox'), '[data-testid=inbox-row]'];
  await looked(own.browser, { 'inbox-many': place, 'inbox-many-phone': [...place, 390, 844] });
  for (const [name, link, number] of [
    ['needs', 'All failed', '70 sessions'],
    ['needs', 'All critical', '30 sessions'],
    ['running', 'All running', '1,245 sessions'],
    ['done', 'All that ended', '160 sessions'],
  ]) {
    await part(page, name).getByRole('link', { name: link }).click();
    await page.getByTestId('total').getByText(number, { exact: true }).waitFor();
    // The facets agree with the list.
    if (name === 'running')
      await page
        .getByRole('region', { name: 'Status' })
        .getByRole('button', { name: /^queued 1,245$/ })
        .waitFor();
    await page.goto(fleet.dashboard('/inbox'));
  }
  assert.deepEqual(errors, []);
  await context.close();
  await fleet.query("delete from alert_sessions where alert_type = 'Many'");
  fleet.chainWorker = fleet.run('chain-worker');
});

test('each session stands once where it belongs, moves by itself, and the visit is kept', async () => {
  const { fleet } = own;
  const [gate, failed, critical, done, running] = await Promise.all([
    fleet.submit('inbox', 'Gated', 'warning'),
    fleet.submit('inbox', 'EveryStageFails', 'warning'),
    fleet.submit('inbox', 'IsQuick', 'critical'),
    fleet.submit('inbox', 'IsQuick', 'info'),
    fleet.submit('inbox', 'TakesLong', 'warning'),
  ]);
  await Promise.all([failed, critical, done].map((id) => fleet.ended(id)));
  await until('the gate waits', async () => (await fleet.session(gate)).waits.length > 0);
  const { page, context, errors } = await newPage(own.browser);
  await page.goto(fleet.dashboard('/inbox'));
  for (const [name, ids] of [
    ['needs', [gate, critical, failed]],
    ['running', [running]],
    ['done', [done]],
  ]) {
    for (const id of ids) await rowOf(page, name, id).waitFor();
    assert.equal(await part(page, name).getByTestId('inbox-row').count(), ids.length, name);
  }
  await rowOf(page, 'needs', gate)
    .getByText(/^expires in/)
    .waitFor();
  // An acknowledged session leaves the inbox. A session that ends moves to another section.
  await fetch(`${fleet.api}/api/v1/admin/sessions/${critical}/care`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ acknowledged: true }),
  });
  await rowOf(page, 'needs', critical).waitFor({ state: 'detached' });
  await rowOf(page, 'done', critical).waitFor();
  // Open a session and go back, then open the next one.
  await rowOf(page, 'running', running).getByRole('link').click();
  await page.waitForURL(new RegExp(running));
  await page.getByTestId('answer').waitFor();
  await page.keyboard.press('Escape');
  await page.waitForURL(/\/inbox$/);
  await rowOf(page, 'done', done).waitFor();
  await page.reload();
  await rowOf(page, 'done', done).waitFor();
  await part(page, 'done').getByRole('button', { name: 'Mark as seen' }).click();
  await rowOf(page, 'done', done).waitFor({ state: 'detached' });
  await page.reload();
  await part(page, 'done').getByText('No other session has ended since your last visit.').waitFor();
  await part(page, 'done').getByRole('link', { name: 'History' }).click();
  await page.getByTestId('session-row').first().waitFor();
  assert.deepEqual(errors, []);
  await context.close();
  const place = [fleet.dashboard('/inbox'), '[data-testid=inbox-row]'];
  await looked(own.browser, { inbox: place, 'inbox-phone': [...place, 390, 844] });
});

test('an API that does not know how far sessions are still fills the inbox, which says so', async () => {
  const { fleet } = own;
  const id = await fleet.submit('older', 'TakesLong', 'info');
  const { page, context } = await newPage(own.browser);
  await page.route(/\/history\/sessions\?(?:.*&)?progress=/, async (route) => {
    const problem = {
      title: 'Invalid request',
      status: 400,
      code: 'invalid_request',
      detail: 'unknown field `progress`',
    };
    await route.fulfill({ status: 400, contentType: 'application/problem+json', body: JSON.stringify(problem) });
  });
  await page.goto(fleet.dashboard('/inbox'));
  await rowOf(page, 'running', id).waitFor();
  await part(page, 'running')
    .getByText(/^\d+ with those that need you: this API is older than the page$/)
    .waitFor();
  await context.close();
});
