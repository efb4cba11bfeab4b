// The forecast for an alert before it is submitted.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newPage } from './lib/browser.mjs';
import { setting } from './lib/setting.mjs';

const own = setting();

/** Opens the page with this alert in its editor. */
async function written(alert) {
  const opened = await newPage(own.browser);
  await opened.page.goto(own.fleet.dashboard('/submit'));
  await write(opened.page, alert);
  return opened;
}

async function write(page, alert) {
  const editor = page.getByTestId('editor').locator('.cm-content');
  await editor.waitFor();
  await editor.click();
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText(JSON.stringify(alert));
  await page.getByRole('button', { name: 'Dry run' }).click();
}

test('an alert that would be counted on a session leads there; another would have one of its own', async () => {
  const id = await own.fleet.submit('first', 'TakesLong');
  const alert = (mark) => ({
    alert_type: 'TakesLong',
    runbook: 'local:namespace-terminating',
    severity: 'critical',
    data: { mark, cluster: 'demo', namespace: 'team-payments-staging' },
  });
  const { page, context, errors } = await written(alert('another'));
  const duplicate = page.getByTestId('duplicate');
  await duplicate.getByText('a new session would start').waitFor();
  await write(page, alert('first'));
  await duplicate.getByText(/until it ends/).waitFor();
  await duplicate.getByRole('link').click();
  await page.waitForURL(new RegExp(id));
  const { rows } = await own.fleet.query(`select duplicate_count from alert_sessions where session_id = '${id}'`);
  assert.deepEqual(rows, [{ duplicate_count: 0 }], 'a dry run is not counted');
  assert.deepEqual(errors, []);
  await context.close();
});

test('the runbook is asked for now, and why it can’t be had is told', async () => {
  const alert = (runbook) => ({ alert_type: 'IsQuick', runbook });
  const { page, context, errors } = await written(alert('local:namespace-terminating'));
  const runbook = page.getByTestId('runbook');
  await runbook.getByText(/reachable/).waitFor();
  for (const [named, why] of [
    ['local:absent', /local runbook not found/],
    ['https://127.0.0.1/a.md', /is not allowed/],
  ]) {
    await write(page, alert(named));
    await runbook
      .getByText(/failed to fetch/)
      .filter({ hasText: why })
      .waitFor();
  }
  assert.deepEqual(errors, []);
  await context.close();
});
