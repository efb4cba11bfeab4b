// Questions about an ended session: asked and answered on its page, and kept.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newPage } from './lib/browser.mjs';
import { live, setting } from './lib/setting.mjs';

const own = setting();

test('a question is asked, its tool call and answer come by themselves, and all of it survives a reload', async () => {
  const id = await own.fleet.submit('ask');
  await own.fleet.ended(id);
  const { page, context, errors } = await newPage(own.browser);
  await page.goto(own.fleet.dashboard(`/sessions/${id}`));
  await live(page);
  await page.getByTestId('question').waitFor();
  await page.keyboard.press('q');
  await page.keyboard.type('Who holds the namespace?');
  const turn = page.getByTestId('turn').first();
  let called;
  await own.fleet.beforeStages(async () => {
    await page.keyboard.press('Enter');
    await turn.getByTestId('turn-running').waitFor();
    // Only one question at a time.
    await page.getByText('The last question is not answered yet.').waitFor();
    called = turn.getByTestId('turn-tools').getByText('demo-cluster.resources_get').waitFor();
  });
  await called;
  const answer = turn.getByTestId('turn-answer');
  await answer.getByText('is held by a finalizer').waitFor();
  await turn.getByText('1 tool call').waitFor();
  await turn.getByTestId('turn-cost').waitFor();

  await page.reload();
  await answer.getByText('is held by a finalizer').waitFor();
  // Names link to the tool results that show them. Names that no result shows are listed after the answer.
  await answer.locator('code.unseen', { hasText: 'nobody-at-all' }).waitFor();
  await answer.getByTestId('unseen-names').getByText('1 name that no tool showed: nobody-at-all').waitFor();
  await page.getByTestId('question').fill('Is it urgent?');
  await page.getByTestId('ask').click();
  const second = page.getByTestId('turn').nth(1);
  await second.getByTestId('turn-answer').getByText('No: nothing else depends on it.').waitFor();

  await turn.getByRole('button', { name: '1 tool call' }).click();
  await turn.getByRole('link', { name: 'demo-cluster.resources_get' }).click();
  await page.locator('[data-kind=tool]').first().waitFor();
  await page.getByText('question about').waitFor();
  await page.getByRole('link', { name: /^session / }).click();
  await page.waitForURL(new RegExp(id));
  await second.getByTestId('turn-answer').waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});

test('a session that runs takes no questions', async () => {
  const id = await own.fleet.submit('runs', 'TakesLong');
  const { page, context, errors } = await newPage(own.browser);
  await page.goto(own.fleet.dashboard(`/sessions/${id}`));
  await page.getByText(/running agent/).waitFor();
  assert.equal(await page.getByTestId('questions').count(), 0);
  assert.deepEqual(errors, []);
  await context.close();
});

test('a half-typed question survives Escape, a reload and the list, until it is asked or emptied', async () => {
  const [one, other] = [
    await own.fleet.submit('draft', 'IsQuick'),
    await own.fleet.submit('draft of another', 'IsQuick'),
  ];
  for (const id of [one, other]) await own.fleet.ended(id);
  const { page, context, errors } = await newPage(own.browser);
  await page.goto(own.fleet.dashboard(`/sessions/${one}`));
  const field = page.getByTestId('question');
  await field.waitFor();
  await page.keyboard.press('q');
  await page.keyboard.type('Is it half');
  for (let press = 0; press < 2; press += 1) await page.keyboard.press('Escape');
  assert.equal(await field.inputValue(), 'Is it half');
  await page.reload();
  await field.waitFor();
  assert.equal(await field.inputValue(), 'Is it half');
  await page.goto(own.fleet.dashboard(`/sessions/${other}`));
  await field.waitFor();
  assert.equal(await field.inputValue(), '', 'a draft belongs to its session');
  await page.goBack();
  await field.waitFor();
  assert.equal(await field.inputValue(), 'Is it half');
  // The first Escape leaves the empty field, the second one leaves the page.
  await field.fill('');
  await page.keyboard.press('Escape');
  assert.equal(await field.evaluate((element) => element === globalThis.document.activeElement), false);
  await page.keyboard.press('Escape');
  await page.waitForURL(/\/sessions$/);
  await page.goto(own.fleet.dashboard(`/sessions/${one}`));
  await field.waitFor();
  assert.equal(await field.inputValue(), '');
  assert.deepEqual(errors, []);
  await context.close();
});
