// Review after an alert: ratings with the right cause, notes, actions taken, the reviewed state, and own sessions.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newPage } from './lib/browser.mjs';
import { looked } from './lib/looks.mjs';
import { setting } from './lib/setting.mjs';

const own = setting({ TARSY_AUTH: 'on' });

async function signIn(page, key) {
  await page.getByLabel('Access key', { exact: true }).fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Creates an ended session with an answer. */
async function ended(mark) {
  const {
    rows: [{ session_id: id }],
  } = await own.fleet
    .query(`insert into alert_sessions (session_id, alert_id, alert_type, alert_data, severity, alert_timestamp_us, source, fingerprint, status, outcome, completed_at_us, chain_id, chain_definition, final_analysis)
    values (gen_random_uuid(), gen_random_uuid(), '${mark}', '{}', 'critical', 1, 'api', '${mark}', 'completed', 'completed', now_us(), 'is-quick', '{}', 'The disk is full.') returning session_id`);
  return id;
}

test('a rating names what was wrong, a note and an action are written, and all of it stands in the activity', async () => {
  const id = await ended('Triaged');
  const { page, context, errors } = await newPage(own.browser);
  await page.goto(own.fleet.dashboard(`/sessions/${id}?tab=activity`));
  await signIn(page, own.fleet.key('operator'));
  const care = page.getByTestId('care');
  await page.getByText('Nothing yet').waitFor();
  await care.getByRole('button', { name: 'wrong', exact: true }).click();
  await page.getByTestId('faults').getByRole('button', { name: 'wrong cause' }).click();
  await page.getByTestId('faults').getByRole('button', { name: 'wrong cause', pressed: true }).waitFor();
  // The right cause is stored, shown and exported.
  await page.getByLabel('What was the right cause?').fill('quota-controller never reset team-reports');
  await page.getByTestId('right-cause').getByRole('button', { name: 'Keep' }).click();
  await page.getByTestId('right-cause').getByText('Right cause: quota-controller never reset team-reports').waitFor();
  await page.getByTestId('review').click();
  await care.getByText(/^reviewed by operator-\d+-of-the-test$/).waitFor();
  await care.getByRole('button', { name: 'Assign to me' }).click();
  await care.getByText(/^assigned to operator-/).waitFor();

  await page.getByLabel('Note').last().fill('It was the quota.\nSee the storage team.');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  const entries = page.getByTestId('activity');
  await entries.filter({ hasText: 'It was the quota.' }).getByText('note', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Action taken' }).click();
  await page.getByLabel('What was done').fill('Raised the quota');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await entries.filter({ hasText: 'Raised the quota' }).getByText('action taken', { exact: true }).waitFor();
  await entries.getByText('named what was wrong: wrong cause').waitFor();
  await entries.getByText('stated the right cause').waitFor();
  await entries.getByText('rated the answer wrong').waitFor();
  await entries.first().getByText('Raised the quota').waitFor();
  const { rows } = await own.fleet.query(
    `select rating, faults, right_cause, reviewed_by is not null as reviewed from session_care where session_id = '${id}'`,
  );
  assert.deepEqual(rows, [
    {
      rating: 'wrong',
      faults: ['wrong_cause'],
      right_cause: 'quota-controller never reset team-reports',
      reviewed: true,
    },
  ]);
  assert.deepEqual(errors, []);
  await context.close();
});

test('unreviewed and one’s own sessions are a press away; a viewer reads and is told why nothing can be written', async () => {
  const id = await ended('NotYetReviewed');
  const { page, context, errors } = await newPage(own.browser);
  await page.goto(own.fleet.dashboard('/sessions'));
  const name = 'viewer';
  await signIn(page, own.fleet.key(name));
  const rows = page.getByTestId('session-row');
  await rows.filter({ hasText: 'NotYetReviewed' }).waitFor();
  await page.getByRole('button', { name: 'Unreviewed' }).click();
  await rows.filter({ hasText: 'Triaged' }).waitFor({ state: 'detached' });
  await rows.filter({ hasText: 'NotYetReviewed' }).waitFor();
  await page.getByRole('button', { name: 'Mine' }).click();
  await page.getByText('No results').waitFor();
  await page.waitForURL(/assignee=viewer-/);
  await page.goto(own.fleet.dashboard(`/sessions/${id}?tab=activity`));
  const add = page.getByRole('button', { name: 'Add', exact: true });
  await add.hover();
  await page.getByRole('tooltip').getByText('Requires the operator role. Your role is viewer.').waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});

test('the activity looks right in both schemes, also on a phone', async () => {
  const {
    rows: [{ session_id: id }],
  } = await own.fleet.query("select session_id from alert_sessions where alert_type = 'Triaged'");
  const key = own.fleet.key('operator');
  const url = own.fleet.dashboard(`/sessions/${id}?tab=activity`);
  const ready = '[data-testid=sign-in], [data-testid=activity]';
  const signedIn = async (tab) => {
    if (await tab.getByTestId('sign-in').isVisible()) await signIn(tab, key);
    await tab.getByTestId('activity').first().waitFor();
  };
  await looked(own.browser, {
    activity: [url, ready, 1440, 1200, signedIn],
    'activity-phone': [url, ready, 390, 1200, signedIn],
  });
});
