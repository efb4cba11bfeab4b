// A stage with branches: three parallel runs, which are not attempts of each other.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { opener, setting } from './lib/setting.mjs';

const own = setting();
const opened = opener(own);

test('branches are shown as branches, with what they found and cost together', async () => {
  const id = await own.fleet.submit('branches', 'Branches');
  await own.fleet.ended(id);
  const { page, context, errors } = await opened(`/sessions/${id}`);
  const card = page.getByTestId('stage-card').nth(1);
  await card.getByTestId('branch-count').getByText('3 branches, 2 completed, 1 failed').waitFor();
  assert.equal(await card.getByTestId('branch').count(), 3);
  await card
    .getByTestId('branch')
    .filter({ hasText: 'Looker' })
    .getByText(/the key of this provider was revoked/)
    .waitFor();
  assert.doesNotMatch(await card.textContent(), /attempt/);
  const { stages } = await own.fleet.session(id);
  const tokens = stages
    .filter((stage) => stage.stage_name === 'evidence')
    .reduce((sum, stage) => sum + stage.input_tokens + stage.output_tokens, 0);
  await card
    .getByText(new RegExp(`${tokens.toLocaleString('en-US').replace(',', '.?')} tokens`))
    .first()
    .waitFor();

  await card.getByRole('button', { name: 'Compare branches' }).click();
  await page.getByText('Compare branches of stage 2, evidence').waitFor();
  await page.getByRole('button', { name: 'Close' }).click();

  await page.getByRole('tab', { name: /waterfall/i }).click();
  await page
    .getByTestId('waterfall')
    .getByText(/^evidence \/ /)
    .first()
    .waitFor();
  assert.equal(
    await page
      .getByTestId('waterfall')
      .getByText(/attempt/)
      .count(),
    0,
  );

  // Results are handed to the stages that need them in the chain.
  await page.getByRole('tab', { name: /handoff/i }).click();
  await page.getByTestId('handoff').first().waitFor();
  const edges = await page.getByTestId('handoff').locator('p').allTextContents();
  assert.deepEqual(edges, [
    'alert → quick',
    'quick → evidence',
    'quick → nodes',
    'evidence → report',
    'report → answer',
  ]);
  assert.deepEqual(errors, []);
  await context.close();
});

test('the list draws the stages in the order of their chain, each with its own state', async () => {
  const id = await own.fleet.submit('list', 'StageFails');
  await own.fleet.ended(id);
  const { page, context } = await opened('/sessions');
  const row = page.getByTestId('session-row').filter({ hasText: 'StageFails' });
  await row.getByTitle('broken: failed').waitFor();
  assert.deepEqual(await row.locator('.stages [title]').evaluateAll((all) => all.map((segment) => segment.title)), [
    'quick: completed',
    'broken: failed',
    'report: completed',
  ]);
  await context.close();
});

test('a completed stage is replayed from the page', async () => {
  const id = await own.fleet.submit('again', 'IsQuick');
  await own.fleet.ended(id);
  const { page, context } = await opened(`/sessions/${id}`);
  await page.getByTestId('replay').click();
  await page.getByLabel('Reason').fill('another try');
  await page.getByTestId('reason-confirm').click();
  await page.getByTestId('stage-card').getByText('attempt 2').waitFor({ timeout: 30_000 });
  await context.close();
});
