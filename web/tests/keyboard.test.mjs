// Navigation and search without a mouse. For actions on sessions, see keyboard-actions.test.mjs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pressSequence } from './lib/browser.mjs';
import { choose, keys, openedFor, press, reach, unreachable } from './lib/keyboard.mjs';
import { setting } from './lib/setting.mjs';

const own = setting();
const opened = openedFor(own);

const row = '[data-testid=session-row]';
const button = (page, name, within = page) => within.getByRole('button', { name, exact: typeof name === 'string' });

test('Tab reaches everything that can be pressed, on every page', async () => {
  const done = await own.fleet.submit('reach', 'StageFails');
  await own.fleet.ended(done);
  await own.fleet
    .query(`insert into dead_jobs (id, queue, kind, subject, payload, priority, attempts, max_attempts, crashes, snoozes, epoch, created_at, reason, error)
    values (gen_random_uuid(), 'stage:default', 'stage', gen_random_uuid(), '{}', 0, 5, 5, 0, 0, 6, now(), 'exhausted', 'to be reached')`);
  const pages = {
    '/sessions': row,
    '/sessions?severity=critical&status=failed&status=completed': '[role=status]',
    [`/sessions/${done}`]: '[data-kind=answer]',
    [`/sessions/${done}?tab=waterfall`]: '[data-testid=waterfall] button',
    [`/sessions/${done}?tab=handover`]: '[data-testid=handover]',
    [`/sessions/${done}?tab=alert`]: '#panel h3',
    '/fleet': 'table[aria-label="MCP servers"]',
    '/fleet#dead': '[data-testid=dead-job]',
    '/keys': '[role=status]',
    '/config?section=agents': '[role=tabpanel] pre',
    '/submit': '.cm-content',
    [`${own.fleet.api}/dev-ui/`]: '.cm-content',
    [`${own.fleet.api}/dev-ui/?session=${done}`]: '[data-testid=result]',
  };
  const found = {};
  for (const [path, ready] of Object.entries(pages)) {
    const { page, close } = await opened(path, ready);
    const missed = await unreachable(page);
    if (missed.length > 0) found[path] = missed;
    await close();
  }
  assert.deepEqual(found, {});
});

test('help, going anywhere, pages, theme, time zone, reading again, skipping the navigation', async () => {
  await own.fleet.ended(await own.fleet.submit('everywhere', 'IsQuick'));
  const { page, close } = await opened('/sessions', row);
  const scheme = () => page.evaluate(() => globalThis.document.documentElement.dataset.scheme);
  await keys(page, '?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  await keys(page, 'Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  for (const [key, heading] of [
    ['f', 'Fleet'],
    ['c', 'Configuration'],
    ['n', 'Submit an alert'],
    ['s', 'Sessions'],
  ]) {
    await pressSequence(page.keyboard, 'g', key);
    await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
  }
  await keys(page, 'Control+k');
  await page.keyboard.type('fleet');
  await keys(page, 'Enter');
  await page.waitForURL(/\/fleet$/);
  await keys(page, 't');
  await page.waitForFunction(() => globalThis.document.documentElement.dataset.scheme === 'light');
  await keys(page, 't');
  await page.waitForFunction(() => globalThis.document.documentElement.dataset.scheme === 'dark');
  assert.equal(await scheme(), 'dark');
  // Settings: the time zone and the format of times.
  await press(page, button(page, 'Settings'));
  await press(page, button(page, 'UTC'));
  await press(page, button(page, 'Absolute'), ' ');
  await page
    .getByText(/\d\d:\d\d:\d\d UTC/)
    .first()
    .waitFor();
  await keys(page, 'Escape');
  await page.waitForFunction(() => globalThis.document.activeElement?.getAttribute('aria-label') === 'Settings');
  const again = page.waitForResponse(/\/admin\/queues/);
  await keys(page, 'r');
  await again;
  await page.reload();
  await page.getByRole('heading', { name: 'Fleet', level: 1 }).waitFor();
  await reach(page, page.getByRole('link', { name: 'Skip to content' }), 'Tab', 2);
  await keys(page, 'Enter');
  await page.waitForURL(/#main$/);
  await close();
});

test('sessions are found, filtered, chosen and opened; a view is saved, used and deleted', async () => {
  const id = await own.fleet.submit('zebra', 'StageFails', 'critical');
  await own.fleet.ended(id);
  const { page, close } = await opened('/sessions', row);
  await keys(page, '/');
  await page.keyboard.type('zebra');
  await page
    .getByTestId('total')
    .getByText(/^1 session$/)
    .waitFor();
  await page.getByText('match in details').waitFor();
  await keys(page, 'Escape');
  await press(page, page.getByRole('region', { name: 'Severity' }).getByRole('button', { name: /critical/ }));
  await page.waitForURL(/severity=critical/);
  await press(page, page.getByRole('button', { name: 'severity: critical' }), 'Delete');
  await page.waitForURL((url) => !url.search.includes('severity'));
  await press(page, button(page, 'Active'));
  await page.getByText('No results').waitFor();
  await press(page, button(page, 'Clear filters'));
  await choose(page, page.getByRole('combobox', { name: 'Started within' }), 'Last 24 hours');
  await page.waitForURL(/range=24h/);
  await press(page, page.getByTestId('views'));
  await choose(page, null, /^Save current filters/);
  await page.keyboard.type('today');
  await keys(page, 'Enter');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await keys(page, 'Escape');
  await page.waitForURL((url) => url.search === '');
  await press(page, page.getByTestId('views'));
  await choose(page, null, /^today/);
  await page.waitForURL(/range=24h/);
  await press(page, page.getByTestId('views'));
  await reach(page, page.getByRole('menuitem', { name: /^today/ }), 'ArrowDown');
  await keys(page, 'Delete');
  await page.getByText('No saved views').waitFor();
  await keys(page, 'Escape');
  await press(page, button(page, 'Columns'));
  await reach(page, page.getByRole('menuitemcheckbox', { name: /Chain/ }), 'ArrowDown');
  await keys(page, 'Enter', 'Escape');
  await page.getByRole('columnheader', { name: 'Chain' }).waitFor();
  await page.goto(own.fleet.dashboard('/sessions?alert_type=StageFails&search=zebra'));
  await page.locator(row).first().waitFor();
  await keys(page, 'j', 'x');
  await page.getByText('1 session selected').waitFor();
  await keys(page, 'Escape');
  await page.getByText('1 session selected').waitFor({ state: 'detached' });
  await keys(page, 'k', 'Enter');
  await page.waitForURL(new RegExp(`${id}\\?find=`));
  await page.getByTestId('answer').waitFor();
  await keys(page, 'Escape');
  await page.locator(row).first().waitFor();
  await close();
});
