// The audit log: who did what, and why. It is loaded when opened, can be filtered and linked to. For permissions, see
// fleet-roles.test.mjs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newPage } from './lib/browser.mjs';
import { keys, openedFor, press, reach, unreachable } from './lib/keyboard.mjs';
import { looked } from './lib/looks.mjs';
import { setting } from './lib/setting.mjs';

const own = setting();
const opened = openedFor(own);
const entry = '[data-testid=audit-entry]';

async function post(path, body) {
  const answer = await fetch(`${own.fleet.api}/api/v1/admin/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-user': 'ada' },
    body: JSON.stringify(body),
  });
  assert.ok(answer.ok, `${path}: ${String(answer.status)}`);
}
const watched = (page) => {
  const asked = [];
  page.on('request', (request) => {
    if (request.url().includes('/audit-log')) asked.push(new URL(request.url()).search);
  });
  return asked;
};

test('it is asked for only when somebody opens it, tells who did what and why, and leads to the session', async () => {
  const id = await own.fleet.submit('audited', 'TakesLong');
  await post(`sessions/${id}/cancel`, { reason: 'the cluster is rebuilt' });
  await own.fleet.ended(id);
  const { page, context, errors } = await newPage(own.browser);
  const asked = watched(page);
  await page.goto(own.fleet.dashboard('/fleet'));
  await page.getByRole('region', { name: 'Workers' }).waitFor();
  const show = page.getByRole('tab', { name: 'Audit log' });
  await show.waitFor();
  assert.deepEqual(asked, []);
  await show.click();
  const line = page.locator(entry).filter({ hasText: 'session.cancel' });
  await line.getByText('ada', { exact: true }).waitFor();
  await line.getByText('the cluster is rebuilt').waitFor();
  assert.deepEqual(asked, ['']);
  await line.getByRole('link').click();
  await page.waitForURL(new RegExp(`/sessions/${id}$`));
  assert.deepEqual(errors, []);
  await context.close();
});

test('it is read page by page, and narrowed to who, what and on what, which the address keeps', async () => {
  await own.fleet.query(`insert into audit_log (actor, role, action, subject_kind, subject, reason, details)
    select 'many', 'operator', 'queue.pause', 'queue', 'stage:' || n, 'number ' || n, '{}' from generate_series(1, 60) n`);
  const { page, context, errors } = await newPage(own.browser);
  await page.goto(own.fleet.dashboard('/fleet#audit'));
  await page.getByText('number 60', { exact: true }).waitFor();
  assert.equal(await page.locator(entry).count(), 50, 'a link to it opens it');
  await page.getByRole('region', { name: 'Audit log' }).getByRole('button', { name: 'Load older' }).click();
  await page.getByText('number 1', { exact: true }).waitFor();
  await page.getByRole('combobox', { name: 'Actor' }).fill('many');
  await page.getByRole('combobox', { name: 'Subject' }).fill('stage:7');
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await page.getByText('number 60', { exact: true }).waitFor({ state: 'detached' });
  assert.deepEqual(
    await page
      .locator(entry)
      .allTextContents()
      .then((all) => all.length),
    1,
  );
  await page.getByText('number 7', { exact: true }).waitFor();
  await page.waitForURL(/\?actor=many&subject=stage%3A7#audit$/);
  await page.reload();
  await page.getByText('number 7', { exact: true }).waitFor();
  assert.equal(await page.getByRole('combobox', { name: 'Subject' }).inputValue(), 'stage:7');
  await page.getByRole('combobox', { name: 'Action' }).fill('queue.resume');
  await page.keyboard.press('Enter');
  await page.getByText('No entries match.').waitFor();
  await page.getByRole('button', { name: 'Clear filters' }).first().click();
  await page.getByText('number 60', { exact: true }).waitFor();
  assert.equal(await page.getByRole('combobox', { name: 'Subject' }).inputValue(), '');
  assert.deepEqual(errors, []);
  await context.close();
});

test('by keyboard alone it is opened, narrowed and shown whole again, and Tab reaches all of it', async () => {
  const { page, close } = await opened('/fleet', 'role=tab');
  await reach(page, page.getByRole('tab', { name: 'Overview' }));
  await keys(page, 'ArrowLeft', 'Enter');
  await page.locator(entry).first().waitFor();
  await reach(page, page.getByRole('combobox', { name: 'Action' }));
  await page.keyboard.type('session.cancel');
  await keys(page, 'Enter');
  await page.waitForURL(/action=session\.cancel/);
  await page.getByText('number 60', { exact: true }).waitFor({ state: 'detached' });
  assert.deepEqual(await unreachable(page), []);
  await press(page, page.getByRole('button', { name: 'Clear filters' }));
  await page.waitForURL((url) => url.search === '');
  await page.getByText('number 60', { exact: true }).waitFor();
  await close();
});

test('the open log has no accessibility issue', async () => {
  const scrolled = async (page) =>
    page.locator('#audit').evaluate((section) => section.scrollIntoView({ block: 'start' }));
  const url = own.fleet.dashboard('/fleet?actor=ada#audit');
  await looked(own.browser, {
    audit: [own.fleet.dashboard('/fleet#audit'), entry, 1440, 900, scrolled],
    'audit-narrowed': [url, entry, 1440, 900, scrolled],
    'audit-phone': [url, entry, 390, 900, scrolled],
  });
});
