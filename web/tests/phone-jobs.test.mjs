// Tasks of an on-call engineer on a phone: read the verdict, decide, ask.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newPage } from './lib/browser.mjs';
import { until } from './lib/fleet.mjs';
import { looked } from './lib/looks.mjs';
import { setting } from './lib/setting.mjs';

const own = setting();
const PHONE = { width: 390, height: 844 };

/** Whether a part of the page is in view. */
const inView = (page, selector) =>
  page.waitForFunction((wanted) => {
    const box = globalThis.document.querySelector(wanted)?.getBoundingClientRect();
    return box !== undefined && box.top >= 0 && box.top < globalThis.innerHeight - 100;
  }, selector);

test('the bar below the header leads to the verdict, the decision and the question', async () => {
  const { fleet } = own;
  const [done, gate] = [await fleet.submit('jobs'), await fleet.submit('jobs', 'Gated')];
  await fleet.ended(done);
  await until('the gate waits', async () => (await fleet.session(gate)).waits.length > 0);
  const { page, context, errors } = await newPage(own.browser, PHONE);
  await page.goto(fleet.dashboard(`/sessions/${done}`));
  const bar = page.getByTestId('phone-bar');
  await bar.waitFor();
  assert.deepEqual(await bar.getByRole('button').allTextContents(), ['Verdict', 'Ask']);
  const { y, height } = await bar.boundingBox();
  assert.ok(y + height < PHONE.height / 2, 'it is there at once');
  await bar.getByRole('button', { name: 'Ask' }).click();
  await inView(page, '[data-testid=question]');
  await page.waitForFunction(() => globalThis.document.activeElement?.matches('[data-testid=question]'));
  await bar.getByRole('button', { name: 'Verdict' }).click();
  await inView(page, '[data-testid=verdict-zone]');
  await page.goto(fleet.dashboard(`/sessions/${gate}`));
  await bar.waitFor();
  assert.deepEqual(await bar.getByRole('button').allTextContents(), ['Verdict', 'Decide']);
  await page.evaluate(() => {
    globalThis.scrollTo(0, globalThis.document.body.scrollHeight);
  });
  await bar.getByRole('button', { name: 'Decide' }).click();
  await inView(page, '[data-testid=approval]');
  assert.deepEqual(errors, []);
  await context.close();
  const at = (id) => [fleet.dashboard(`/sessions/${id}`), '[data-testid=phone-bar]', 390, 844];
  await looked(own.browser, { 'phone-verdict': at(done), 'phone-decide': at(gate) });
  const { page: desk, context: wide } = await newPage(own.browser);
  await desk.goto(fleet.dashboard(`/sessions/${done}`));
  await desk.getByTestId('answer').waitFor();
  assert.equal(await desk.getByTestId('phone-bar').count(), 0);
  await wide.close();
});
