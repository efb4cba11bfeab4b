// Live updates of the pages.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newPage } from './lib/browser.mjs';
import { until } from './lib/fleet.mjs';
import { live, setting } from './lib/setting.mjs';

const own = setting();

test('an alert is submitted, watched live and its analysis read', async () => {
  const { page, context, errors } = await newPage(own.browser);
  await page.goto(own.fleet.dashboard('/submit'));
  await page.getByTestId('editor').locator('.cm-content').waitFor();
  await live(page);
  let worked;
  await own.fleet.beforeStages(async () => {
    await page.getByTestId('submit').click();
    await page.waitForURL(/\/sessions\/[0-9a-f-]{36}/);
    await page
      .getByText(/waiting for a worker/)
      .first()
      .waitFor();
    await live(page);
    worked = page
      .getByText(/running agent/)
      .first()
      .waitFor();
  });
  await worked;
  await page.getByTestId('stage-card').first().waitFor();
  await page.getByRole('heading', { name: 'Final analysis' }).waitFor({ timeout: 30_000 });
  await page.getByTestId('answer').getByRole('heading', { name: 'Root cause' }).waitFor();
  assert.equal(await page.getByTestId('stage-card').count(), 5);
  assert.deepEqual(errors, []);
  await context.close();
});

test('the list shows a new session without being asked, and search and keyboard find it', async () => {
  const { page, context, errors } = await newPage(own.browser);
  await page.goto(own.fleet.dashboard('/sessions'));
  await live(page);
  const rows = page.getByTestId('session-row');
  await rows.first().waitFor();
  const had = await rows.count();
  const id = await own.fleet.submit('list');
  await rows.nth(had).waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.waitForURL(new RegExp(id));
  await own.fleet.ended(id);
  await page.goto(own.fleet.dashboard('/sessions?severity=nothing-of-that-kind'));
  await page.getByText('No results').waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});

test('a stage goes on after its worker was killed', async () => {
  const { page, context } = await newPage(own.browser);
  const id = await own.fleet.submit('killed');
  await page.goto(own.fleet.dashboard(`/sessions/${id}`));
  const worker = own.fleet.stageWorker;
  // Check while the worker is frozen. Otherwise the stage may end before its worker is killed.
  await until('it is in the middle of a stage', async () => {
    worker.kill('SIGSTOP');
    const { stages } = await own.fleet.session(id);
    const isAmid = stages.some((stage) => stage.status === 'active' && stage.llm_interaction_count > 1);
    if (!isAmid) worker.kill('SIGCONT');
    return isAmid;
  });
  await own.fleet.end(worker);
  own.fleet.stageWorker = own.fleet.run('stage-worker');
  await page.getByText(/^resumed ×1$/).waitFor({ timeout: 30_000 });
  await page.getByRole('heading', { name: 'Final analysis' }).waitFor({ timeout: 30_000 });
  await context.close();
});

test('nothing is missed while the API restarts', async () => {
  const { page, context } = await newPage(own.browser);
  // Load all scripts of the page first, because the page would reload if one were missing.
  const before = await own.fleet.submit('before the restart', 'IsQuick');
  await own.fleet.ended(before);
  await page.goto(own.fleet.dashboard(`/sessions/${before}`));
  await page.getByTestId('answer').getByText('It is a test.').waitFor();
  await page.locator('[data-kind=answer]').first().waitFor();
  const id = await own.fleet.submit('restart');
  await page.goto(own.fleet.dashboard(`/sessions/${id}`));
  await live(page);
  await own.fleet.end(own.fleet.apiProcess);
  await page.locator('[data-testid=live-chip]', { hasText: 'reconnecting' }).waitFor();
  await own.fleet.startApi();
  await live(page);
  await own.fleet.ended(id);
  await page.getByRole('heading', { name: 'Final analysis' }).waitFor({ timeout: 30_000 });
  // All calls from the time without a connection are shown too.
  const calls = (await own.fleet.session(id)).total_interactions;
  await page.goto(own.fleet.dashboard(`/sessions/${id}?tab=waterfall`));
  await page
    .getByTestId('waterfall')
    .getByRole('button')
    .nth(calls + 2)
    .waitFor();
  await context.close();
});

test('a page of which a part can not be loaded is there once the API is back', async () => {
  const { page, context } = await newPage(own.browser);
  await page.goto(own.fleet.dashboard('/sessions'));
  await live(page);
  await own.fleet.end(own.fleet.apiProcess);
  await page.getByRole('link', { name: 'Quality', exact: true }).click();
  await page.getByRole('alert').getByText('The server does not answer').waitFor();
  await own.fleet.startApi();
  await page.getByRole('heading', { name: 'Quality', level: 1 }).waitFor();
  assert.match(page.url(), /\/quality$/);
  await context.close();
});

test('the page to submit alerts follows its alert to the result', async () => {
  const { page, context, errors } = await newPage(own.browser);
  await page.goto(`${own.fleet.api}/dev-ui/`);
  await page.getByTestId('editor').locator('.cm-content').waitFor();
  await page.getByRole('button', { name: 'Dry run' }).click();
  await page.getByTestId('dry-run').getByText('namespace-terminating-demo').waitFor();
  await page.getByTestId('submit').click();
  await page
    .getByTestId('status')
    .getByText(/Processing with/)
    .waitFor({ timeout: 30_000 });
  await page.getByTestId('result').waitFor({ timeout: 30_000 });
  assert.deepEqual(errors, []);
  await context.close();
});

test('the description of the API is shown, and its operations can be tried', async () => {
  const { page, context, errors } = await newPage(own.browser);
  await page.goto(`${own.fleet.api}/docs`);
  const operation = page.locator('#operations-health-health');
  await operation.getByRole('button').first().click();
  await operation.getByRole('button', { name: 'Try it out' }).click();
  await operation.getByRole('button', { name: 'Execute' }).click();
  await operation.locator('.live-responses-table').getByText('"status"').first().waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});

test('mistakes are told with their line, and nothing is sent', async () => {
  const { page, context } = await newPage(own.browser);
  await page.goto(own.fleet.dashboard('/submit'));
  const editor = page.getByTestId('editor').locator('.cm-content');
  await editor.waitFor();
  await editor.click();
  await page.keyboard.press('Control+A');
  await page.keyboard.type('alert_type: nope\nrunbook: ftp://x\n');
  await page
    .getByTestId('mistakes')
    .getByText(/Line 1: no chain handles/)
    .waitFor();
  await page
    .getByTestId('mistakes')
    .getByText(/Line 2: .*runbook/)
    .waitFor();
  assert.equal(await page.getByTestId('submit').getAttribute('aria-disabled'), 'true');
  await context.close();
});
