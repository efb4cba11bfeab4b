// Actions of operators, and how the pages show them.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { newPage, pressSequence } from './lib/browser.mjs';
import { until } from './lib/fleet.mjs';
import { setting } from './lib/setting.mjs';

const own = setting();
const opened = async (path) => {
  const opened = await newPage(own.browser);
  await opened.page.goto(own.fleet.dashboard(path));
  return opened;
};
/** Returns stage, attempt and provider of each current attempt. */
const current = (session) =>
  session.stages
    .filter((stage) => stage.is_current)
    .map((stage) => [stage.stage_index, stage.attempt, stage.llm_provider])
    .toSorted(([a], [b]) => a - b);
/** Fills in the reason, and confirms. */
async function because(page, reason) {
  assert.equal(await page.getByTestId('reason-confirm').isDisabled(), true, 'nothing is done without a reason');
  await page.getByLabel('Reason').fill(reason);
  await page.getByTestId('reason-confirm').click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}

test('a failed stage is replayed with another provider, and the stages after it on top', async () => {
  const id = await own.fleet.submit('replay', 'StageFails');
  assert.equal((await own.fleet.ended(id)).outcome, 'partial');
  const { page, context, errors } = await opened(`/sessions/${id}`);
  await page
    .getByTestId('not-covered')
    .getByText('Stage broken failed: the key of this provider was revoked (provider scripted)')
    .waitFor();
  await page.getByTestId('replay').click();
  await page.getByText('2. broken (failed)').waitFor();
  await page.getByLabel('Provider').click();
  await page.getByRole('option', { name: 'repaired' }).click();
  const later = page.getByRole('checkbox', { name: 'Use this provider for the later stages too' });
  assert.equal(await later.isChecked(), true);
  await later.uncheck();
  await because(page, 'the key was revoked');
  const cards = page.getByTestId('stage-card');
  await cards.nth(1).getByText('attempt 2').waitFor();
  await cards.nth(2).getByText('attempt 2').waitFor();
  await page.getByTestId('not-covered').waitFor({ state: 'detached' });
  await cards
    .nth(1)
    .getByRole('button', { name: /Show earlier attempt/ })
    .click();
  await cards.nth(1).getByText('the key of this provider was revoked').waitFor();
  const session = await own.fleet.ended(id);
  assert.equal(session.outcome, 'completed');
  assert.match(
    session.stages.find((stage) => stage.stage_index === 1 && stage.is_current).stage_output.result,
    /It works with this provider/,
  );
  assert.deepEqual(current(session), [
    // The default provider.
    [0, 1, null],
    [1, 2, 'repaired'],
    [2, 2, null],
  ]);
  assert.deepEqual(errors, []);
  await context.close();
});

test('an answer that is rated wrong is tried again with another provider, for the later stages too', async () => {
  const id = await own.fleet.submit('wrong', 'StageFails');
  await own.fleet.ended(id);
  const { page, context, errors } = await opened(`/sessions/${id}`);
  const again = page.getByTestId('try-again');
  await page.getByTestId('care').getByRole('button', { name: 'partly correct' }).click();
  await page.getByTestId('right-cause').waitFor();
  assert.equal(await again.count(), 0, 'only a wrong answer is worth the cost');
  await page.getByTestId('care').getByRole('button', { name: 'wrong', exact: true }).click();
  await again.click();
  await page.getByRole('dialog').getByText('1. quick (completed)').waitFor();
  const later = page.getByRole('checkbox', { name: 'Use this provider for the later stages too' });
  assert.equal(await later.count(), 0, 'there is nothing to hold');
  await page.getByLabel('Provider').click();
  await page.getByRole('option', { name: 'repaired' }).click();
  await later.waitFor();
  await because(page, 'a second opinion');
  await page.getByTestId('answer').getByText('It works with this provider.').waitFor();
  const session = await own.fleet.ended(id);
  assert.deepEqual(
    current(session),
    [0, 1, 2].map((index) => [index, 2, 'repaired']),
  );
  const last = page.getByTestId('stage-card').nth(2);
  await last.getByText(/Replayed by .* with provider repaired: a second opinion/).waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});

test('by keyboard alone a session that runs is found and cancelled; then the button says why it cannot be again', async () => {
  const id = await own.fleet.submit('cancel', 'TakesLong');
  const { page, context, errors } = await opened('/fleet');
  const { keyboard } = page;
  await page.getByRole('heading', { name: 'Fleet' }).waitFor();
  await pressSequence(keyboard, 'g', 's');
  await page.getByTestId('session-row').first().waitFor();
  await keyboard.press('j');
  await keyboard.press('Enter');
  await page.waitForURL(new RegExp(id));
  await page.getByText(/running agent/).waitFor();
  const focused = () => page.evaluate(() => globalThis.document.activeElement.dataset.testid);
  for (let presses = 0; (await focused()) !== 'cancel'; presses += 1) {
    assert.ok(presses < 60, 'Tab reaches the button');
    await keyboard.press('Tab');
  }
  await keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  await keyboard.type('a test');
  await keyboard.press('Enter');
  await page
    .getByTestId('answer')
    .getByText(/cancelled by .*: a test/)
    .waitFor();
  await page.getByTestId('cancel').focus();
  await page.getByText('The session has ended.').waitFor();
  assert.equal((await own.fleet.ended(id)).status, 'cancelled');
  assert.deepEqual(errors, []);
  await context.close();
});

test('all sessions that match are cancelled at once, after they were counted', async () => {
  const ids = await Promise.all(['a', 'b', 'c'].map((mark) => own.fleet.submit(`bulk ${mark}`, 'TakesLong')));
  const { page, context, errors } = await opened('/sessions?alert_type=TakesLong&status=pending&status=in_progress');
  await page.getByTestId('total').getByText('3 sessions').waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('x');
  await page.getByText('1 session selected').waitFor();
  const all = page.getByTestId('all-matching');
  await all.click();
  const boxes = page.getByRole('checkbox', { name: /^Select session/ });
  const ticked = async () => boxes.evaluateAll((list) => list.map((one) => one.checked));
  assert.deepEqual(await ticked(), [true, true, true], 'what is acted on is ticked');
  await boxes.last().uncheck();
  await page.getByText('2 sessions selected').waitFor();
  assert.deepEqual(await ticked(), [true, true, false], 'all but one that was taken out');
  await all.click();
  await page.getByTestId('bulk-cancel').click();
  await page.getByTestId('matched').getByText('3 sessions matching').waitFor();
  await because(page, 'the cluster is rebuilt');
  await page.getByTestId('bulk-told').getByText('Cancelled 3 sessions.').waitFor();
  for (const id of ids) assert.equal((await own.fleet.ended(id)).status, 'cancelled');
  assert.deepEqual(errors, []);
  await context.close();
});

test('the list of all that match is exported, whatever is shown of it', async () => {
  const ids = await Promise.all(['x', 'y'].map((mark) => own.fleet.submit(`export ${mark}`, 'IsQuick')));
  for (const id of ids) await own.fleet.ended(id);
  const { page, context, errors } = await opened('/sessions?alert_type=IsQuick&status=completed');
  await page.getByTestId('session-row').nth(1).waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('x');
  await page.getByTestId('all-matching').click();
  await page.getByRole('button', { name: 'Export' }).click();
  const saved = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: 'Session list (CSV)' }).click();
  const text = readFileSync(await (await saved).path(), 'utf8');
  for (const id of ids) assert.ok(text.includes(id), `${id} in\n${text}`);
  await page
    .getByTestId('bulk-told')
    .getByText(/^Exported \d+ sessions?\.$/)
    .waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});

test('on a phone the filters are behind a button', async () => {
  await own.fleet.ended(await own.fleet.submit('phone', 'IsQuick', 'warning'));
  const { page, context, errors } = await newPage(own.browser, { width: 390 });
  await page.goto(own.fleet.dashboard('/sessions'));
  await page.getByRole('button', { name: 'Filters' }).click();
  await page
    .getByRole('region', { name: 'Severity' })
    .getByRole('button', { name: /warning/ })
    .click();
  await page.getByRole('button', { name: 'Show results' }).click();
  await page.waitForURL(/severity=warning/);
  await page.getByTestId('session-row').filter({ hasText: 'warning · ' }).first().waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});

test('a pool that nobody works is told on every page', async () => {
  await own.fleet.submit('pool', 'NeedsAPool');
  const { page, context } = await opened('/submit');
  await page
    .getByRole('region', { name: 'Warnings' })
    .getByText(/Pool gpu has no workers: 1 job waiting/)
    .waitFor();
  await page.getByRole('link', { name: 'View fleet' }).first().click();
  await page
    .getByRole('row', { name: /stage:gpu/ })
    .getByText('no workers')
    .waitFor();
  await context.close();
});

test('a queue is paused and resumed with a reason, and its jobs wait meanwhile', async () => {
  const { page, context, errors } = await opened('/fleet');
  const queue = page.getByRole('row', { name: /stage:default/ });
  await queue.getByRole('button', { name: 'Pause' }).click();
  await because(page, 'the provider is down');
  await queue.getByText(/the provider is down/).waitFor();
  await page
    .getByRole('region', { name: 'Warnings' })
    .getByText(/Paused queues: stage:default/)
    .waitFor();
  const id = await own.fleet.submit('paused', 'IsQuick');
  await until('its stage waits', async () => (await own.fleet.session(id)).stages[0]?.status === 'pending');
  await queue.getByRole('button', { name: 'Resume' }).click();
  await because(page, 'it is back');
  await queue.getByText('active', { exact: true }).waitFor();
  await own.fleet.ended(id);
  assert.deepEqual(errors, []);
  await context.close();
});

test('a worker is drained and ends by itself', async () => {
  const second = own.fleet.run('stage-worker');
  const gone = once(second, 'exit');
  const { page, context } = await opened('/fleet');
  const worker = page.getByRole('row', { name: new RegExp(`:${second.pid}\\b`) });
  await worker.getByRole('button', { name: 'Drain' }).click();
  await because(page, 'the machine is replaced');
  const [code] = await gone;
  assert.equal(code, 0);
  await context.close();
});

test('a dead job is shown with its cause, and discarded with a reason', async () => {
  await own.fleet
    .query(`insert into dead_jobs (id, queue, kind, subject, payload, priority, attempts, max_attempts, crashes, snoozes, epoch, created_at, reason, error)
    values (gen_random_uuid(), 'stage:default', 'stage', gen_random_uuid(), '{}', 0, 5, 5, 1, 0, 6, now(), 'exhausted', 'the disk was full')`);
  const { page, context, errors } = await opened('/fleet#dead');
  const job = page.getByTestId('dead-job').filter({ hasText: 'the disk was full' });
  await job.getByText('5 of 5, 1 crash').waitFor();
  await job.getByRole('button', { name: 'Discard' }).click();
  await because(page, 'its session is gone');
  await page.getByText('No dead jobs').waitFor();
  const { rows } = await own.fleet.query('select action, reason from audit_log order by entry_id desc limit 1');
  assert.deepEqual(rows, [{ action: 'dead_job.discard', reason: 'its session is gone' }]);
  assert.deepEqual(errors, []);
  await context.close();
});

test('the configuration is shown by its sections, without secrets', async () => {
  const { page, context, errors } = await opened('/config?section=agents');
  await page
    .getByRole('tabpanel')
    .getByText(/NamespaceCollector/)
    .first()
    .waitFor();
  await page.getByRole('tab', { name: 'LLM providers' }).click();
  await page
    .getByRole('tabpanel')
    .getByText(/scripted/)
    .first()
    .waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});

test('every configured provider and server is shown, with how its calls went', async () => {
  await own.fleet.ended(await own.fleet.submit('upstreams', 'StageFails'));
  const { page, context, errors } = await opened('/fleet');
  const provider = (name) => page.getByTestId('provider').filter({ hasText: name });
  await provider('scripted')
    .filter({ hasText: 'default' })
    .getByText(/the key of this provider was revoked/)
    .waitFor();
  await provider('anthropic').getByText('no API key').waitFor();
  await page.getByTestId('mcp-server').filter({ hasText: 'demo-cluster' }).getByText('NamespaceCollector').waitFor();
  await page.getByRole('tab', { name: 'Sources' }).click();
  const pool = page.getByRole('region', { name: 'Pool default' });
  await pool
    .getByTestId('source')
    .filter({ hasText: 'demo-cluster' })
    .getByText(/^\d+ of \d+$/)
    .waitFor();
  await page.getByRole('tab', { name: 'Overview' }).click();
  await page.getByRole('group', { name: 'Sessions by hour' }).getByRole('link').last().click();
  await page.getByTestId('session-row').first().waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});
