// The screens over the real fleet, as a person uses them.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { launch, newPage } from './lib/browser.mjs';
import { Fleet, until } from './lib/fleet.mjs';
import { front } from './lib/front.mjs';

const SHOTS = fileURLToPath(new URL('../../target/screenshots/', import.meta.url));
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const REPLAY = '/api/v1/admin/sessions/{session_id}/stages/{stage_index}/replay';

let fleet, browser, web;
before(async () => {
  mkdirSync(SHOTS, { recursive: true });
  fleet = await Fleet.start();
  web = await front(fleet.port);
  browser = await launch();
});
after(async () => {
  await browser?.close();
  web?.close();
  await fleet?.stop();
});

const dashboard = (path) => `${web.url}/dashboard${path}`;
const finished = (id) => until(`session ${id} ends`, async () => (await fleet.session(id)).completed_at_us);
const live = (page) => page.locator('[data-testid=live-chip]', { hasText: /^live/ }).waitFor();

test('an alert is submitted, watched live and its analysis read', async () => {
  const { page, context, errors } = await newPage(browser);
  await page.goto(dashboard('/submit'));
  await page.getByTestId('editor').locator('.cm-content').waitFor();
  await live(page);
  await page.getByTestId('submit').click();
  await page.waitForURL(/\/sessions\/[0-9a-f-]{36}/);
  await page.getByTestId('stage-card').first().waitFor();
  await page.getByText(/worked on by/).first().waitFor();
  await page.getByRole('heading', { name: 'Final analysis' }).waitFor({ timeout: 30_000 });
  await page.getByTestId('answer').getByText('Root cause').waitFor();
  assert.equal(await page.getByTestId('stage-card').count(), 3);
  assert.deepEqual(errors, []);
  await context.close();
});

test('the list shows a new session without being asked, and search and keyboard find it', async () => {
  const { page, context, errors } = await newPage(browser);
  await page.goto(dashboard('/sessions'));
  await live(page);
  const rows = page.getByTestId('session-row');
  await rows.first().waitFor();
  const had = await rows.count();
  const id = await fleet.submit('list');
  await rows.nth(had).waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.waitForURL(new RegExp(id));
  await finished(id);
  await page.goto(dashboard('/sessions?severity=nothing-of-that-kind'));
  await page.getByText('Nothing matches').waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});

test('a stage goes on after its worker was killed', async () => {
  const { page, context } = await newPage(browser);
  const id = await fleet.submit('killed');
  await page.goto(dashboard(`/sessions/${id}`));
  await until('a model call is on record', async () => (await fleet.session(id)).stages.find((stage) => stage.status === 'active' && stage.llm_interaction_count > 1));
  await fleet.end(fleet.stageWorker);
  fleet.stageWorker = fleet.run('stage-worker');
  await page.getByText(/^resumed ×1$/).waitFor({ timeout: 30_000 });
  await page.getByRole('heading', { name: 'Final analysis' }).waitFor({ timeout: 30_000 });
  await context.close();
});

test('nothing is missed while the API restarts', async () => {
  const { page, context } = await newPage(browser);
  const id = await fleet.submit('restart');
  await page.goto(dashboard(`/sessions/${id}`));
  await live(page);
  await fleet.end(fleet.apiProcess);
  await page.locator('[data-testid=live-chip]', { hasText: 'reconnecting' }).waitFor();
  await fleet.startApi();
  await live(page);
  await finished(id);
  await page.getByRole('heading', { name: 'Final analysis' }).waitFor({ timeout: 30_000 });
  // What happened while nobody listened is there too, every call of it.
  const calls = (await fleet.session(id)).total_interactions;
  await page.goto(dashboard(`/sessions/${id}?tab=waterfall`));
  await page.getByTestId('waterfall').getByRole('button').nth(calls + 2).waitFor();
  await context.close();
});

test('a stage is replayed with a reason, or the page says that it cannot be', async () => {
  const id = await fleet.submit('replay');
  await finished(id);
  const { page, context } = await newPage(browser);
  await page.goto(dashboard(`/sessions/${id}`));
  await page.getByTestId('replay').click();
  assert.equal(await page.getByTestId('reason-confirm').isDisabled(), true);
  await page.getByLabel('Reason').fill('try it again');
  await page.getByTestId('reason-confirm').click();
  if (await fleet.has(REPLAY)) {
    await page.getByText('attempt 2').first().waitFor({ timeout: 30_000 });
    await finished(id);
  } else {
    await page.getByText('Not available in this API version.').waitFor();
  }
  await context.close();
});

test('a session that runs is cancelled with a reason, one that ended says why it cannot be', async () => {
  const id = await fleet.submit('cancel');
  await finished(id);
  const { page, context } = await newPage(browser);
  await page.goto(dashboard(`/sessions/${id}`));
  await page.getByTestId('cancel').hover();
  await page.getByText('The session has ended.').waitFor();
  await context.close();
});

test('the page to submit alerts follows its alert to the result', async () => {
  const { page, context, errors } = await newPage(browser);
  await page.goto(`${web.url}/dev-ui/`);
  await page.getByTestId('editor').locator('.cm-content').waitFor();
  await page.getByRole('button', { name: 'Dry run' }).click();
  await page.getByTestId('dry-run').getByText('namespace-terminating-demo').waitFor();
  await page.getByTestId('submit').click();
  await page.getByTestId('status').getByText(/Processing with/).waitFor({ timeout: 30_000 });
  await page.getByTestId('result').waitFor({ timeout: 30_000 });
  assert.deepEqual(errors, []);
  await context.close();
});

test('mistakes are told with their line, and nothing is sent', async () => {
  const { page, context } = await newPage(browser);
  await page.goto(dashboard('/submit'));
  const editor = page.getByTestId('editor').locator('.cm-content');
  await editor.waitFor();
  await editor.click();
  await page.keyboard.press('Control+A');
  await page.keyboard.type('alert_type: nope\nrunbook: ftp://x\n');
  await page.getByTestId('mistakes').getByText(/Line 1: no chain answers/).waitFor();
  await page.getByTestId('mistakes').getByText(/Line 2: .*runbook/).waitFor();
  assert.equal(await page.getByTestId('submit').getAttribute('aria-disabled'), 'true');
  await context.close();
});

test('no page has a serious accessibility issue, in light and dark; each is photographed', async () => {
  const list = await (await fetch(`${fleet.api}/api/v1/history/sessions`)).json();
  const id = list.sessions.find((session) => session.status === 'completed').session_id;
  const pages = {
    sessions: [dashboard('/sessions'), '[data-testid=session-row]'],
    session: [dashboard(`/sessions/${id}`), '[data-kind=answer]'],
    'session-search': [dashboard(`/sessions/${id}?find=finalizer`), '[data-testid=hits]'],
    waterfall: [dashboard(`/sessions/${id}?tab=waterfall`), '[data-testid=waterfall]'],
    handover: [dashboard(`/sessions/${id}?tab=handover`), '[data-testid=handover]'],
    alert: [dashboard(`/sessions/${id}?tab=alert`), '#panel h3'],
    fleet: [dashboard('/fleet'), '#llm-providers-title'],
    config: [dashboard('/config'), 'h1'],
    submit: [dashboard('/submit'), '.cm-content'],
    'dev-ui': [`${web.url}/dev-ui/`, '.cm-content'],
    'dev-ui-result': [`${web.url}/dev-ui/?session=${id}`, '[data-testid=result]'],
  };
  const found = [];
  for (const scheme of ['light', 'dark']) {
    const { page, context } = await newPage(browser, { scheme });
    for (const [name, [url, ready]] of Object.entries(pages)) {
      await page.goto(url);
      await page.locator(ready).first().waitFor();
      await page.waitForLoadState('networkidle');
      await page.screenshot({ path: `${SHOTS}${name}-${scheme}.png` });
      // Not as a script tag: the page's own policy would refuse it.
      await page.evaluate(AXE);
      const issues = await page.evaluate(async () => (await globalThis.axe.run(document, { resultTypes: ['violations'] })).violations
        .filter((one) => one.impact === 'serious' || one.impact === 'critical')
        .map((one) => `${one.id}: ${one.nodes.slice(0, 3).map((node) => node.target.join(' ')).join(' | ')}`));
      found.push(...issues.map((issue) => `${name} (${scheme}): ${issue}`));
    }
    await context.close();
  }
  assert.deepEqual(found, []);
});
