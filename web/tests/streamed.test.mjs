// Answers of models, shown while they are written.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newPage } from './lib/browser.mjs';
import { live, setting } from './lib/setting.mjs';

const own = setting();

/** Opens a session whose answer is written slowly, before the answer starts. */
async function watched(page, mark) {
  let id;
  await own.fleet.beforeStages(async () => {
    id = await own.fleet.submit(mark, 'WritesSlowly');
    await page.goto(own.fleet.dashboard(`/sessions/${id}`));
    await live(page);
  });
  return id;
}

/** Waits until the streamed text has grown twice; returns the text. */
async function growing(streamed) {
  await streamed.getByText('The claim is held by a finalizer.').waitFor();
  const page = streamed.page();
  const lengths = new Set();
  const read = async () => {
    const text = await streamed.textContent();
    lengths.add(text.length);
    return text;
  };
  let text = await read();
  while (lengths.size < 3) {
    await page.waitForFunction(
      (before) =>
        (globalThis.document.querySelector('[data-testid=streamed]')?.textContent.length ?? Infinity) > before,
      text.length,
    );
    text = await read();
  }
  assert.ok(!text.includes('That is the end of it.'), 'its end is not written yet');
  return text;
}

test('the live card shows an answer while it is written, and the analysis takes its place', async () => {
  const { page, context, errors } = await newPage(own.browser);
  const late = await newPage(own.browser);
  await late.page.goto(own.fleet.dashboard('/sessions'));
  const id = await watched(page, 'streamed');
  const streamed = page.getByTestId('answer').getByTestId('streamed');
  const text = await growing(streamed);
  assert.ok(!text.includes('Final Answer:'), text);
  assert.equal(await streamed.getAttribute('data-part'), 'concluding');
  // A page that is opened in the middle shows it from the beginning.
  await late.page.goto(own.fleet.dashboard(`/sessions/${id}`));
  await late.page
    .getByTestId('answer')
    .getByTestId('streamed')
    .getByText('The claim is held by a finalizer.')
    .waitFor();
  await page.getByRole('heading', { name: 'Final analysis' }).waitFor();
  await page.getByTestId('answer').getByText('That is the end of it.').waitFor();
  assert.equal(await streamed.count(), 0);
  assert.deepEqual([...errors, ...late.errors], []);
  await Promise.all([context.close(), late.context.close()]);
});

test('the row of a running call grows, with its tokens and time', async () => {
  const { page, context, errors } = await newPage(own.browser);
  await watched(page, 'row');
  const row = page.getByTestId('conversation').locator('article[data-kind=answer]').last();
  await row.getByText('pending').waitFor();
  await row.getByTestId('streamed').getByText('The claim is held by a finalizer.').waitFor();
  await row.getByText(/about \d+ tokens up to now, \d+/).waitFor();
  await row.getByText('That is the end of it.').waitFor();
  await row.getByTestId('streamed').waitFor({ state: 'detached' });
  assert.deepEqual(errors, []);
  await context.close();
});

test('the answer to a question is shown while it is written', async () => {
  const id = await own.fleet.submit('asked', 'IsQuick');
  await own.fleet.ended(id);
  const { page, context, errors } = await newPage(own.browser);
  await page.goto(own.fleet.dashboard(`/sessions/${id}`));
  await live(page);
  await page.getByTestId('question').fill('Tell me slowly');
  await page.getByTestId('ask').click();
  const turn = page.getByTestId('turn').first();
  await growing(turn.getByTestId('streamed'));
  await turn.getByTestId('turn-answer').getByText('That is the end of it.').waitFor();
  assert.equal(await turn.getByTestId('streamed').count(), 0);
  assert.deepEqual(errors, []);
  await context.close();
});
