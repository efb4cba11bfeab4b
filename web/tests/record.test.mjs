// The record of a session: time, id and original content of each call.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newPage } from './lib/browser.mjs';
import { copied, openedFor, press } from './lib/keyboard.mjs';
import { replayed } from './lib/replayed.mjs';
import { setting } from './lib/setting.mjs';

const own = setting();
const opened = openedFor(own);

test('by keyboard a model call is shown as it was recorded, and copied', async () => {
  const id = await own.fleet.submit('raw', 'IsQuick');
  await own.fleet.ended(id);
  await own.fleet.query(
    `update llm_interactions set temperature = 0.2, reasoning_tokens = 17 where session_id = '${id}'`,
  );
  const { page, close } = await opened(`/sessions/${id}`, '[data-kind=answer]');
  const answer = page.locator('[data-kind=answer]').first();
  await answer.locator('.note[title="temperature 0.2, 17 reasoning tokens"]').waitFor();
  await press(page, answer.getByRole('button', { name: 'Raw', exact: true }));
  await answer.getByTestId('raw-call').waitFor();
  await press(page, answer.getByRole('button', { name: 'Copy model call as recorded' }));
  const call = JSON.parse(await copied(page, /^\{/));
  assert.equal(call.details.reasoning_tokens, 17);
  assert.match(call.details.response_text, /It is a test\./);
  await page.keyboard.press('Shift+Tab');
  await press(page, answer.getByRole('button', { name: 'Raw', expanded: true }), ' ');
  await answer.getByTestId('raw-call').waitFor({ state: 'detached' });
  await close();
});

test('each event tells its time in full, to people and to machines, on a phone as well', async () => {
  const id = await own.fleet.submit('times', 'IsQuick');
  await own.fleet.ended(id);
  const call = (await own.fleet.session(id)).stages[0].chronological_interactions.find((one) => one.type === 'llm');
  const { page, context, errors } = await newPage(own.browser, { width: 390 });
  await page.goto(own.fleet.dashboard(`/sessions/${id}?event=${call.id}`));
  const row = page.locator(`[id="event-${call.id}"]`);
  const time = row.locator('time');
  await time.waitFor();
  const iso = await time.getAttribute('datetime');
  assert.equal(Date.parse(iso) * 1000 + (call.timestamp_us % 1000), call.timestamp_us);
  assert.ok(iso.endsWith(`${String(call.timestamp_us).slice(-6)}Z`), `${iso} has all six digits`);
  assert.equal(
    await time.getAttribute('title'),
    `${iso.slice(0, 19).replace('T', ' ')} +00:00, ${iso}`,
    'in the zone of the browser',
  );
  // They are on a separate line: no part is next to the body or outside of the window.
  const boxes = await row.evaluate((article) =>
    ['.when', '.tools', '.body'].map((part) => {
      const { top, bottom, right } = article.querySelector(part).getBoundingClientRect();
      return { top, bottom, right };
    }),
  );
  assert.ok(boxes.every(({ right }) => right <= 390));
  assert.ok(boxes[0].bottom <= boxes[2].top && boxes[1].bottom <= boxes[2].top, JSON.stringify(boxes));
  await row.getByRole('button', { name: 'Copy link to this event' }).click();
  await page.waitForFunction(
    async (event) => (await globalThis.navigator.clipboard.readText()).includes(`event=${event}`),
    call.id,
  );
  assert.deepEqual(errors, []);
  await context.close();
});

test('what is read later moves no button of a stage that somebody is about to press', async () => {
  const id = await replayed(own.fleet);
  const { page, context, errors } = await newPage(own.browser);
  let release;
  const released = new Promise((resolve) => {
    release = resolve;
  });
  for (const late of [/[/]audit/, /[/]interactions[?]/])
    await page.route(late, async (route) => {
      await released;
      await route.continue();
    });
  await page.goto(own.fleet.dashboard(`/sessions/${id}`));
  const card = page.getByTestId('stage-card').first();
  /** Returns the position of the button in its card. */
  const place = async () =>
    card.getByRole('button', { name: /Show earlier attempt/ }).evaluate((button) => {
      const [inner, outer] = [button, button.closest('[data-testid=stage-card]')].map((part) =>
        part.getBoundingClientRect(),
      );
      return { x: inner.x - outer.x, y: inner.y - outer.y };
    });
  const before = await place();
  release();
  await card.getByTestId('again').waitFor();
  await page.locator('[data-kind=answer]').first().waitFor();
  assert.deepEqual(await place(), before);
  assert.deepEqual(errors, []);
  await context.close();
});

test('the id of every attempt is copied, and tool calls stand below the model call that asked for them', async () => {
  const id = await replayed(own.fleet);
  const attempts = (await own.fleet.session(id)).stages.filter((stage) => stage.stage_index === 0);
  const { page, context, errors } = await newPage(own.browser);
  await page.goto(own.fleet.dashboard(`/sessions/${id}`));
  const card = page.getByTestId('stage-card').first();
  await card.getByRole('button', { name: /Show earlier attempt/ }).click();
  for (const attempt of attempts) {
    await card.getByRole('button', { name: `Copy execution ID of look, attempt ${String(attempt.attempt)}` }).click();
    await page.waitForFunction(
      async (wanted) => (await globalThis.navigator.clipboard.readText()) === wanted,
      attempt.execution_id,
    );
  }
  assert.equal(attempts.length, 2);
  await page.goto(own.fleet.dashboard(`/sessions/${id}?tab=waterfall`));
  const line = (kind) => page.getByTestId('waterfall').locator(`[data-kind=${kind}]`);
  await line('mcp').first().waitFor();
  const left = (locator) =>
    locator.locator('span').evaluate((label) => {
      const text = globalThis.document.createRange();
      text.selectNodeContents(label);
      return text.getBoundingClientRect().left;
    });
  const asked = page.getByTestId('waterfall').locator('[data-kind=llm] , [data-depth="2"]');
  assert.ok((await left(line('stage').first())) < (await left(line('llm').first())));
  assert.ok(
    (await left(line('llm').first())) < (await left(page.getByTestId('waterfall').locator('[data-depth="2"]').first())),
  );
  assert.equal(await asked.first().getAttribute('data-kind'), 'llm');
  assert.deepEqual(errors, []);
  await context.close();
});
