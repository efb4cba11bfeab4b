// The query line of the list: time spans of shifts, chips with several values, and facets in the order that operators
// need.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newPage } from './lib/browser.mjs';
import { until } from './lib/fleet.mjs';
import { looked } from './lib/looks.mjs';
import { setting } from './lib/setting.mjs';

const own = setting();
const row = '[data-testid=session-row]';

test('facets begin with state, severity and place; several statuses are one chip; a shift is one choice', async () => {
  const id = await own.fleet.submit('query-line', 'IsQuick');
  await own.fleet.ended(id);
  // Attributes of alerts are indexed with a delay of a second or two.
  await until(
    'its namespace is known',
    async () => (await own.fleet.query("select 1 from session_traits where trait like 'namespace=%'")).rows.length > 0,
  );
  const { page, context, errors } = await newPage(own.browser);
  await page.goto(own.fleet.dashboard('/sessions'));
  await page.locator(row).first().waitFor();
  const side = page.getByRole('complementary', { name: 'Filters' });
  await side.getByRole('region', { name: 'Namespace' }).waitFor();
  const titles = await side.locator('section').evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')));
  assert.deepEqual(titles.slice(0, 5), ['Status', 'Severity', 'Cluster', 'Namespace', 'Alert type']);
  const status = side.getByRole('region', { name: 'Status' });
  await status.getByRole('button', { name: /^completed/ }).click();
  await status.getByRole('button', { name: /^cancelled/ }).click();
  const chip = page.getByRole('button', { name: 'status: completed or cancelled' });
  await chip.waitFor();
  await page.waitForURL(/status=completed&status=cancelled/);
  await page.locator(row).first().waitFor();
  const { width } = await page.getByLabel('Search sessions').boundingBox();
  assert.ok(width > 400, `chips leave the query its row: ${String(width)} pixels`);
  await chip.press('Delete');
  await page.waitForURL((url) => url.search === '');
  await page.goto(own.fleet.dashboard('/sessions?severity=critical&severity=warning&severity=high'));
  await page.getByRole('button', { name: 'severity: critical or warning or high' }).waitFor();
  await page.locator(row).first().waitFor();
  await page.goto(own.fleet.dashboard('/sessions'));
  await page.getByRole('combobox', { name: 'Started within' }).click();
  await page.getByRole('option', { name: 'This shift' }).click();
  await page.waitForURL(/range=shift/);
  await page.locator(row).first().waitFor();
  await page.getByRole('combobox', { name: 'Started within' }).click();
  await page.getByRole('option', { name: 'Last night' }).click();
  await page.waitForURL(/range=night/);
  assert.deepEqual(errors, []);
  await context.close();
  const place = [own.fleet.dashboard('/sessions?status=completed&status=cancelled&severity=critical'), row];
  await looked(own.browser, { 'query-line': place, 'query-line-phone': [...place, 390, 844] });
});
