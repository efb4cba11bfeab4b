// Tokens and thoughts are shown as they arrive, not only when their stage has ended.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newPage } from './lib/browser.mjs';
import { live, setting } from './lib/setting.mjs';

const own = setting();

test('tokens, calls and the thought of a stage stand there while it runs', async () => {
  const { page, context, errors } = await newPage(own.browser);
  const id = await own.fleet.submit('figures', 'Ponders');
  await page.goto(own.fleet.dashboard(`/sessions/${id}`));
  await live(page);
  const header = page.locator('#main header');
  await header.getByText('900 in, 60 out').waitFor();
  await header.getByText('2 model, 1 tool').waitFor();
  await page.getByTestId('thought').getByText('I look.').waitFor();
  await page.getByTestId('stage-card').getByText('960 tokens').waitFor();
  const {
    stages: [stage],
  } = await own.fleet.session(id);
  assert.equal(stage.status, 'active');
  assert.equal(stage.input_tokens ?? null, null, 'its sum is not made before it ends');
  assert.deepEqual(errors, []);
  await context.close();
});
