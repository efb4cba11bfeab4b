// Dead jobs: shown with their payload, and handled in bulk.
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { newPage } from './lib/browser.mjs';
import { because, keys, openedFor, press, reach } from './lib/keyboard.mjs';
import { looked } from './lib/looks.mjs';
import { setting } from './lib/setting.mjs';

const own = setting();
const opened = openedFor(own);

/**
 * A row below the banner about dead jobs. The banner must be shown first, because it moves the rows when it appears.
 */
const ROW = 'body:has([aria-label=Warnings]) [data-testid=dead-job]';

/** Creates a dead job in a queue without workers. Of several jobs with the same key, only one can be live. */
const dies = async (error, { key = null, payload = {} } = {}) =>
  (
    await own.fleet.query(`insert into dead_jobs
  (id, queue, kind, subject, unique_key, payload, priority, attempts, max_attempts, crashes, snoozes, epoch, created_at, reason, error)
  values (gen_random_uuid(), 'stage:elsewhere', 'stage', gen_random_uuid(), ${key === null ? 'null' : `'${key}'`}, '${JSON.stringify(payload)}', 0, 5, 5, 0, 0, 6, now(), 'exhausted', '${error}') returning id`)
  ).rows[0].id;
const audited = async (action) =>
  (await own.fleet.query(`select subject, reason from audit_log where action = '${action}' order by entry_id`)).rows;
const lineOf = (page, error) => page.getByTestId('dead-job').filter({ hasText: error });
const button = (page, name) => page.getByRole('button', { name, exact: true });

/** Waits until this many are shown. */
const left = (page, number) =>
  page.waitForFunction(
    (wanted) => globalThis.document.querySelectorAll('[data-testid=dead-job]').length === wanted,
    number,
  );

async function confirmed(page, reason) {
  await page.getByLabel('Reason').fill(reason);
  await page.getByTestId('reason-confirm').click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}

beforeEach(async () => {
  await own.fleet.query('delete from dead_jobs');
});

test('all that are shown are requeued for one reason; one that is refused says why and stays selected', async () => {
  const ids = [await dies('alone'), await dies('a twin', { key: 'twin' }), await dies('its twin', { key: 'twin' })];
  const { page, context, errors } = await newPage(own.browser);
  await page.goto(own.fleet.dashboard('/fleet#dead'));
  await page.locator(ROW).first().waitFor();
  await lineOf(page, 'alone').waitFor();
  await page.getByRole('checkbox', { name: 'Select all loaded jobs' }).check();
  await page.getByText('3 jobs selected').waitFor();
  await button(page, 'Requeue 3').click();
  await page.getByRole('dialog', { name: 'Requeue 3 jobs?' }).waitFor();
  assert.equal(await page.getByTestId('reason-confirm').isDisabled(), true, 'nothing is done without a reason');
  await confirmed(page, 'the disk has room again');
  const told = page.getByTestId('dead-told');
  await told.getByText('Requeued 2 jobs. 1 job failed and still selected:').waitFor();
  await told.getByRole('listitem').getByText(/: .+/).waitFor();
  await page.getByText('1 job selected').waitFor();
  await left(page, 1);
  const done = await audited('dead_job.requeue');
  assert.deepEqual(
    done.map(({ reason }) => reason),
    ['the disk has room again', 'the disk has room again'],
  );
  const {
    rows: [last],
  } = await own.fleet.query('select id from dead_jobs');
  assert.deepEqual([...done.map(({ subject }) => subject), last.id].sort(), ids.toSorted());

  await button(page, 'Discard 1').click();
  await confirmed(page, 'its twin works');
  await page.getByText('No dead jobs').waitFor();
  assert.deepEqual(await audited('dead_job.discard'), [{ subject: last.id, reason: 'its twin works' }]);
  assert.deepEqual(errors, []);
  await context.close();
});

test('while they are acted on it is told how far it is, and one at a time is asked', async () => {
  for (const error of ['first', 'second', 'third']) await dies(error);
  const { page, context, errors } = await newPage(own.browser);
  await page.goto(own.fleet.dashboard('/fleet#dead'));
  await page.locator(ROW).first().waitFor();
  await lineOf(page, 'third').waitFor();
  // The second response is held back until the page has shown the first one.
  const held = [];
  let asked = 0;
  await page.route('**/discard', async (route) => {
    asked += 1;
    if (asked === 2)
      await new Promise((release) => {
        held.push(release);
      });
    await route.continue();
  });
  await page.getByRole('checkbox', { name: 'Select all loaded jobs' }).check();
  await page
    .getByRole('checkbox', { name: /^Select job/ })
    .nth(0)
    .uncheck();
  await page.getByText('2 jobs selected').waitFor();
  await button(page, 'Discard 2').click();
  await page.getByLabel('Reason').fill('not wanted');
  await page.getByTestId('reason-confirm').click();
  await page.getByRole('dialog').getByText('1 of 2').waitFor();
  held.forEach((release) => release());
  const told = page.getByTestId('dead-told');
  await told.getByText('Discarded 2 jobs.').waitFor();
  await left(page, 1);
  await lineOf(page, 'third').waitFor();
  await told.getByRole('button', { name: 'Close' }).click();
  await told.waitFor({ state: 'detached' });
  assert.deepEqual(errors, []);
  await context.close();
});

test('by keyboard alone one is shown with its payload, which is copied, and two are discarded', async () => {
  const payload = { stage: 'collect', after: ['x'] };
  await dies('with a payload', { payload });
  await dies('another');
  const { page, close } = await opened('/fleet#dead', ROW);
  const show = lineOf(page, 'with a payload').getByRole('button', { name: 'Details' });
  await press(page, show);
  const dialog = page.getByRole('dialog', { name: /^Dead job/ });
  await dialog.getByText('"stage": "collect"').waitFor();
  await press(page, dialog.getByRole('button', { name: 'Copy payload as JSON' }));
  await page.waitForFunction(async () => (await globalThis.navigator.clipboard.readText()).includes('collect'));
  assert.deepEqual(JSON.parse(await page.evaluate(() => globalThis.navigator.clipboard.readText())), payload);
  await keys(page, 'Escape');
  await dialog.waitFor({ state: 'detached' });
  assert.ok(
    await show.evaluate((element) => element === globalThis.document.activeElement),
    'the focus is where it was',
  );

  for (const at of [0, 1]) await press(page, page.getByRole('checkbox', { name: /^Select job/ }).nth(at), ' ');
  await page.getByText('2 jobs selected').waitFor();
  assert.equal(await page.getByRole('checkbox', { name: 'Select all loaded jobs' }).isChecked(), true);
  const discard = button(page, 'Discard 2');
  await reach(page, discard, 'Shift+Tab');
  await keys(page, 'Enter');
  await because(page, discard, 'looked at');
  await page.getByText('No dead jobs').waitFor();
  await close();
});

test('what is selected, and a job with its payload, have no accessibility issue', async () => {
  for (const error of ['the disk was full', 'the tool never answered'])
    await dies(error, { payload: { stage: 'collect' } });
  const select = async (page) => {
    await press(page, page.getByRole('checkbox', { name: /^Select job/ }).first(), ' ');
    await page.getByRole('group', { name: 'Selected dead jobs' }).scrollIntoViewIfNeeded();
  };
  const ask = async (page) => {
    await press(page, page.getByRole('checkbox', { name: 'Select all loaded jobs' }), ' ');
    await button(page, 'Discard 2').click();
    await page.getByLabel('Reason').fill('nobody needs them');
  };
  const show = async (page) => {
    await page.getByTestId('dead-job').first().getByRole('button', { name: 'Details' }).click();
    await page.getByRole('dialog').getByText('"stage"').waitFor();
  };
  const url = own.fleet.dashboard('/fleet#dead');
  await looked(own.browser, {
    'dead-jobs-selected': [url, ROW, 1440, 900, select],
    'dead-jobs-selected-phone': [url, ROW, 390, 900, select],
    'dialog-dead-jobs': [url, ROW, 1440, 900, ask],
    'dialog-dead-job': [url, ROW, 1440, 900, show],
    'dialog-dead-job-phone': [url, ROW, 390, 900, show],
  });
});
