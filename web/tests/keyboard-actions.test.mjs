// All actions of an operator, without a mouse. For navigation and search, see keyboard.test.mjs.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { pressSequence } from './lib/browser.mjs';
import { because, choose, copied, givesBack, keys, openedFor, press, reach } from './lib/keyboard.mjs';
import { setting } from './lib/setting.mjs';

const own = setting();
const opened = openedFor(own);
const row = '[data-testid=session-row]';
const button = (page, name, within = page) => within.getByRole('button', { name, exact: typeof name === 'string' });

test('many are cancelled after they were counted, one is replayed, and both kinds of list are exported', async () => {
  const ids = await Promise.all(['k1', 'k2'].map((mark) => own.fleet.submit(mark, 'TakesLong')));
  const failed = await own.fleet.submit('kangaroo', 'StageFails');
  await own.fleet.ended(failed);
  const { page, close } = await opened('/sessions?alert_type=TakesLong&status=pending&status=in_progress', row);
  await page.getByTestId('total').getByText('2 sessions').waitFor();
  await keys(page, 'j', 'x');
  await press(page, page.getByTestId('all-matching'), ' ');
  await press(page, button(page, 'Export'));
  const list = page.waitForEvent('download');
  await choose(page, null, 'Session list (CSV)');
  const text = readFileSync(await (await list).path(), 'utf8');
  for (const id of ids) assert.ok(text.includes(id));
  await press(page, page.getByTestId('bulk-cancel'));
  await page.getByTestId('matched').getByText('2 sessions matching').waitFor();
  await because(page, page.getByTestId('bulk-cancel'), 'no longer wanted');
  await page.getByTestId('bulk-told').getByText('Cancelled 2 sessions.').waitFor();
  for (const id of ids) assert.equal((await own.fleet.ended(id)).status, 'cancelled');

  await page.goto(own.fleet.dashboard('/sessions?alert_type=StageFails&search=kangaroo&range=24h'));
  await page
    .getByTestId('total')
    .getByText(/1 session/)
    .waitFor();
  await reach(page, page.getByRole('checkbox', { name: /^Select session/ }));
  await keys(page, ' ');
  await press(page, button(page, 'Export'));
  const report = page.waitForEvent('download');
  await choose(page, null, 'Reports (Markdown)');
  await report;
  await press(page, page.getByTestId('bulk-replay'));
  await because(page, page.getByTestId('bulk-replay'), 'once more');
  await page.getByTestId('bulk-told').getByText('Replaying 1 session.').waitFor();
  await own.fleet.ended(failed);
  await close();
});

test('a session is read, searched, linked to, exported, and its failed stage replayed; one that runs is cancelled', async () => {
  const id = await own.fleet.submit('session by keys', 'StageFails');
  await own.fleet.ended(id);
  const { page, close } = await opened(`/sessions/${id}`, '[data-kind=answer]');
  for (const [key, ready] of [
    ['2', '[data-testid=waterfall]'],
    ['3', '[data-testid=handover]'],
    ['4', '#panel h3'],
    ['1', '[data-kind=answer]'],
  ]) {
    await keys(page, key);
    await page.locator(ready).first().waitFor();
  }
  await keys(page, '/');
  await page.keyboard.type('test');
  // If keys arrive slowly, a part of the word is searched for too. The highlighting shows what was found.
  await page
    .locator('[data-testid=conversation] mark')
    .getByText(/^test$/i)
    .first()
    .waitFor();
  await page.getByTestId('hits').getByText(/^1 of/).waitFor();
  await keys(page, 'Enter');
  await page.getByTestId('hits').getByText(/^2 of/).waitFor();
  await keys(page, 'Escape');
  assert.equal(
    await page.getByLabel('Search the conversation').inputValue(),
    'test',
    'Escape leaves the field and keeps the search',
  );
  await keys(page, 'N');
  await page.getByTestId('hits').getByText(/^1 of/).waitFor();
  await press(page, button(page, 'Copy link to this event').first());
  const link = await copied(page, new RegExp(`${id}\\?.*event=`));
  await press(page, button(page, 'Copy event as JSON').first());
  assert.equal(typeof JSON.parse(await copied(page, /^\{/)), 'object');
  await page.goto(link);
  const event = `#event-${new URL(link).searchParams.get('event')}`;
  await page.locator(`${event}[data-marked=true]`).waitFor();
  const others = await page.locator(`[data-marked=true]:not(${event})`).allInnerTexts();
  assert.ok(
    others.length <= 1 && others.every((text) => /test/i.test(text)),
    `beside it only a hit of the search is marked: ${others}`,
  );
  await press(page, button(page, 'Export'));
  const report = page.waitForEvent('download');
  await choose(page, null, 'Report (Markdown)');
  await report;
  await keys(page, '2');
  await page.getByTestId('waterfall').waitFor();
  await keys(page, '+');
  await page.waitForURL(/zoom=/);
  await keys(page, '0');
  await page.waitForURL((url) => !url.search.includes('zoom'));
  await choose(page, page.getByRole('combobox', { name: 'Stage' }), /^2\. broken/);
  await page.waitForURL(/stage=/);
  await press(page, page.getByTestId('waterfall').getByRole('button').first());
  await page.waitForURL(/event=/);

  await press(page, page.getByTestId('replay'));
  await givesBack(page, page.getByTestId('replay'));
  await choose(page, page.getByRole('combobox', { name: 'Provider' }), 'repaired');
  await because(page, null, 'the key was revoked');
  const card = page.getByTestId('stage-card').nth(1);
  await card.getByText(/Replayed by .* with provider repaired: the key was revoked/).waitFor();
  await press(page, button(page, /Show earlier attempt/, card));
  await card.getByText('the key of this provider was revoked').waitFor();
  await own.fleet.ended(id);

  const running = await own.fleet.submit('cancelled by keys', 'TakesLong');
  await page.goto(own.fleet.dashboard(`/sessions/${running}`));
  await page.getByText(/running agent/).waitFor();
  await press(page, page.getByTestId('cancel'));
  await because(page, page.getByTestId('cancel'), 'a mistake');
  await page
    .getByTestId('answer')
    .getByText(/cancelled by .*: a mistake/)
    .waitFor();
  await close();
});

test('a queue is paused and resumed, a worker drained, dead jobs requeued and discarded, an hour opened', async () => {
  const second = own.fleet.run('stage-worker');
  const gone = once(second, 'exit');
  for (const what of ['requeue me', 'discard me']) {
    await own.fleet
      .query(`insert into dead_jobs (id, queue, kind, subject, payload, priority, attempts, max_attempts, crashes, snoozes, epoch, created_at, reason, error)
      values (gen_random_uuid(), 'stage:default', 'stage', gen_random_uuid(), '{}', 0, 5, 5, 0, 0, 6, now(), 'exhausted', '${what}')`);
  }
  const { page, close } = await opened('/fleet', 'table[aria-label="MCP servers"]');
  const queue = page.getByRole('row', { name: /stage:default/ }).first();
  for (const [verb, shows] of [
    ['Pause', 'paused'],
    ['Resume', 'active'],
  ]) {
    await press(page, button(page, verb, queue));
    await because(page, null, 'by hand');
    await queue.getByText(shows, { exact: true }).waitFor();
  }
  const worker = page.getByRole('row', { name: new RegExp(`:${second.pid}\\b`) });
  await press(page, button(page, 'Drain', worker));
  await because(page, null, 'the machine is replaced');
  await gone;
  await reach(page, page.getByRole('tab', { name: 'Overview' }));
  await keys(page, 'ArrowRight', 'ArrowRight', 'Enter');
  for (const [verb, what] of [
    ['Requeue', 'requeue me'],
    ['Discard', 'discard me'],
  ]) {
    const job = page.getByTestId('dead-job').filter({ hasText: what });
    await press(page, button(page, verb, job));
    await because(page, null, 'looked at');
    await job.waitFor({ state: 'detached' });
  }
  await press(page, page.getByRole('tab', { name: /^Dead jobs/ }), 'ArrowLeft');
  await keys(page, 'ArrowLeft', 'Enter');
  await press(page, page.getByRole('group', { name: 'Sessions by hour' }).getByRole('link').last());
  await page.locator(row).first().waitFor();
  await close();
});

test('an alert is chosen, mended, tried without sending, and sent; the configuration is searched and exported', async () => {
  const { page, close } = await opened('/config', '[role=tabpanel] pre');
  await reach(page, page.getByLabel('Search the configuration'));
  await page.keyboard.type('namespace-terminating-demo');
  await page.locator('mark').first().waitFor();
  const yaml = page.waitForEvent('download');
  await press(page, button(page, 'Export YAML'));
  await yaml;
  await reach(page, page.getByLabel('Search the configuration'));
  await keys(page, 'Control+a', 'Delete');
  await page.waitForURL((url) => !url.search.includes('find='));
  await reach(page, page.getByRole('tab', { selected: true }));
  await keys(page, 'ArrowRight', 'Enter');
  await page.waitForURL(/section=/);

  await pressSequence(page.keyboard, 'g', 'n');
  await page.locator('.cm-content').waitFor();
  await choose(page, page.getByRole('combobox', { name: 'Template' }), /^Grafana/);
  await page.getByText('/webhooks/grafana', { exact: true }).first().waitFor();
  await choose(page, page.getByRole('combobox', { name: 'Template' }), 'Alert (POST /alerts)');
  await choose(page, page.getByRole('combobox', { name: 'Alert type' }), 'IsQuick');
  await press(page, button(page, 'Convert to YAML'));
  await press(page, button(page, 'Dry run'));
  await page.getByTestId('dry-run').waitFor();
  await press(page, page.getByRole('tab', { name: 'Dry run' }), 'ArrowRight');
  await keys(page, 'Enter');
  await page.getByRole('tab', { name: 'curl', selected: true }).waitFor();
  await reach(page, page.locator('.cm-content'));
  await keys(page, 'Control+End');
  await page.keyboard.type('\nmark: by keyboard');
  await keys(page, 'Control+Enter');
  await page.waitForURL(/\/sessions\/[0-9a-f-]{36}$/);
  await page.getByTestId('answer').waitFor();
  await close();
});
