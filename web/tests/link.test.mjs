// Links into a long session, on a slow machine.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { newPage } from './lib/browser.mjs';
import { setting } from './lib/setting.mjs';

const own = setting();
/** CPU slowdown factor. */
const SLOWER = 4;

/** Creates a promise and the function that fulfils it. */
function latch() {
  let open;
  const opened = new Promise((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

/** The long session, created once. */
let made;
async function longSession() {
  made ??= own.fleet.query(readFileSync(new URL('seed/long-session.sql', import.meta.url), 'utf8'));
  return (await made).rows[0].session_id;
}

test('a link to an event ends at it, however late the parts before it and the text above it come', async () => {
  const id = await longSession();
  const last = (
    await own.fleet.query(
      `select interaction_id as id from mcp_interactions where session_id = '${id}' order by timestamp_us desc limit 1`,
    )
  ).rows[0].id;
  const { page, context, errors } = await newPage(own.browser);
  const devtools = await context.newCDPSession(page);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
  // The text of the answer arrives after everything else is rendered, and pushes everything down.
  const answer = latch();
  await page.route('**/assets/Markdown-*.js', async (route) => {
    await answer.opened;
    await route.continue();
  });
  // Each part arrives after the previous parts are on the screen.
  const unread = page.getByTestId('unread');
  await page.route('**/interactions?after=*', async (route) => {
    await page.evaluate(
      () =>
        new Promise((drawn) => {
          requestAnimationFrame(() => {
            requestAnimationFrame(drawn);
          });
        }),
    );
    await route.continue();
  });
  await page.goto(own.fleet.dashboard(`/sessions/${id}?event=${last}`));
  const event = page.locator(`[id="event-${last}"]`);
  await event.getByText('line 499 of the log').first().waitFor({ timeout: 90_000 });
  await unread.waitFor({ state: 'detached' });
  answer.open();
  await page.getByTestId('answer').getByText('Root cause').waitFor({ state: 'attached' });
  // The event is in view and stays there.
  await page.waitForFunction(
    (wanted) => {
      const box = globalThis.document.getElementById(`event-${wanted}`)?.getBoundingClientRect();
      const seen = box !== undefined && box.top > 0 && box.bottom <= globalThis.innerHeight + 1;
      globalThis.framesInView = seen ? (globalThis.framesInView ?? 0) + 1 : 0;
      return globalThis.framesInView >= 20;
    },
    last,
    { polling: 'raf' },
  );
  assert.deepEqual(errors, []);
  // Later requests of the page do not matter.
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await context.close();
});

test('with less motion wished for, what changes has its new size at once', async () => {
  const { page, context } = await newPage(own.browser);
  await page.goto(own.fleet.dashboard('/submit'));
  await page.getByRole('main').waitFor();
  const heights = await page.evaluate(() =>
    [300, 500].map((height) => {
      const main = globalThis.document.querySelector('main');
      main.style.flex = 'none';
      main.style.height = `${String(height)}px`;
      return main.offsetHeight;
    }),
  );
  assert.deepEqual(heights, [300, 500]);
  await context.close();
});

test('a part of the waterfall is drawn over and fills it, stands in the address, and the keyboard leads back', async () => {
  const { page, context, errors } = await newPage(own.browser);
  await page.goto(own.fleet.dashboard(`/sessions/${await longSession()}?tab=waterfall`));
  await page.getByTestId('unread').waitFor({ state: 'detached' });
  await page
    .getByTestId('spent')
    .getByText(/model calls, .* tool calls, .* between calls/)
    .waitFor();
  await page.locator('[data-kind=llm][data-critical=true]').first().waitFor();
  const axis = page.getByTestId('axis');
  const begin = axis.locator('text').first();
  await begin.filter({ hasText: /^0\sms$/ }).waitFor();
  await axis.scrollIntoViewIfNeeded();
  const box = await axis.boundingBox();
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width * 0.4, y);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.5, y, { steps: 3 });
  await page.mouse.up();
  await page.waitForURL(/zoom=\d+-\d+/);
  await begin.filter({ hasText: /min/ }).waitFor();
  await page.keyboard.press('0');
  await page.waitForURL((url) => !url.searchParams.has('zoom'));
  await begin.filter({ hasText: /^0\sms$/ }).waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});

test('a name in the analysis leads to the tool result that told of it', async () => {
  const id = await own.fleet.submit('evidence');
  await own.fleet.ended(id);
  const { page, context, errors } = await newPage(own.browser);
  await page.goto(own.fleet.dashboard(`/sessions/${id}`));
  const answer = page.getByTestId('answer');
  const name = answer.getByRole('button', { name: 'payments-operator-pre-delete-x7k2p' });
  const inView = () =>
    page.waitForFunction(() => {
      const box = globalThis.document
        .querySelector('article[data-kind=tool][data-marked=true] mark')
        ?.getBoundingClientRect();
      return box !== undefined && box.top > 0 && box.bottom < globalThis.innerHeight;
    });
  await name.click();
  await inView();
  assert.match(page.url(), /find=payments-operator-pre-delete-x7k2p&event=/);
  await page.goBack();
  await page.waitForURL((url) => url.search === '');
  // Go to the same place again, with the keyboard.
  await name.focus();
  await page.keyboard.press('Enter');
  await inView();
  // Earlier records mention it too, so the shown record is not the first hit of the search. The key n continues from
  // it.
  await answer.getByRole('button', { name: 'NamespaceFinalizersRemaining', exact: true }).click();
  await inView();
  assert.match(await page.getByTestId('hits').textContent(), /^[2-9] of/);
  assert.equal(await answer.locator('pre button.seen').count(), 0, 'commands are to be copied');
  assert.deepEqual(errors, []);
  await context.close();
});

test('an analysis says how sure it is, and a press leads to what it ruled out', async () => {
  const id = await own.fleet.submit('sections');
  await own.fleet.ended(id);
  const { page, context, errors } = await newPage(own.browser, { height: 500 });
  await page.goto(own.fleet.dashboard(`/sessions/${id}`));
  const answer = page.getByTestId('answer');
  await answer.getByText("Model's confidence: high", { exact: true }).waitFor();
  await answer.getByText(/^(\d+) of (?!\1 )\d+ claims shown$/).waitFor();
  const sections = answer.getByRole('navigation', { name: 'Sections of the analysis' });
  assert.deepEqual(await sections.getByRole('button').allTextContents(), [
    'Root cause',
    'Evidence',
    'Ruled out',
    'Impact',
    'Next steps',
    'Confidence',
  ]);
  const heading = answer.getByRole('heading', { name: 'Ruled out', exact: true });
  await heading.waitFor();
  await sections.getByRole('button', { name: 'Ruled out' }).focus();
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => globalThis.document.activeElement?.matches('[data-line]'));
  const at = await heading.evaluate((element) => ({
    focused: element === globalThis.document.activeElement,
    top: element.getBoundingClientRect().top,
  }));
  assert.equal(at.focused, true);
  const below = await page
    .getByRole('banner')
    .first()
    .evaluate((bar) => bar.getBoundingClientRect().bottom);
  assert.ok(at.top >= below && at.top < below + 60, `at ${String(at.top)}, below ${String(below)}`);
  assert.equal(
    new URL(page.url()).pathname + new URL(page.url()).search + new URL(page.url()).hash,
    `/dashboard/sessions/${id}`,
  );
  // Tab continues from there. The heading is no longer a tab stop.
  await page.keyboard.press('Tab');
  assert.equal(await heading.getAttribute('tabindex'), null);
  assert.deepEqual(errors, []);
  await context.close();
});
