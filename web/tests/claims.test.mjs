// Claims of an analysis: each links to the call that supports it, or states that none does.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newPage } from './lib/browser.mjs';
import { setting } from './lib/setting.mjs';

const own = setting();

test('a claim leads to its call; one without is marked; chips state the confidence and how many are shown', async () => {
  const id = await own.fleet.submit('claims', 'Claims');
  await own.fleet.ended(id);
  const { page, context, errors } = await newPage(own.browser, { width: 390 });
  await page.goto(own.fleet.dashboard(`/sessions/${id}`));
  const claims = page.getByTestId('claims');
  await claims.getByText('1 of 2 shown by a tool').waitFor();
  const chip = async (name) =>
    page
      .getByTestId(name)
      .locator('span')
      .first()
      .evaluate((one) => ({
        text: one.textContent,
        colour: globalThis.getComputedStyle(one).color,
        isWhole: one.scrollHeight <= one.clientHeight && one.scrollWidth <= one.clientWidth,
      }));
  const [stated, counted] = [await chip('confidence'), await chip('claims-shown')];
  assert.deepEqual(
    [stated.text, stated.isWhole, counted.text, counted.isWhole],
    ["Model's confidence: high", true, '1 of 2 claims shown', true],
  );
  const [shown, unshown] = [claims.getByTestId('claim').nth(0), claims.getByTestId('claim').nth(1)];
  const warning = await unshown
    .getByText('not shown by a tool')
    .evaluate((one) => globalThis.getComputedStyle(one).color);
  assert.ok(
    ![stated.colour, counted.colour].includes(warning),
    'high confidence, and half of the claims, are no warning',
  );
  assert.equal(await shown.getByText('not shown by a tool').count(), 0);
  const { right } = await claims.evaluate((list) => list.getBoundingClientRect().toJSON());
  assert.ok(right <= 390, `no sideways scroll: ${right}`);
  await shown.getByRole('link').click();
  const call = (await own.fleet.session(id)).stages[0].chronological_interactions.find(
    (one) => one.type === 'mcp' && one.details.communication_type === 'tool_call',
  );
  assert.match(page.url(), new RegExp(`event=${call.id}`));
  await page.locator(`[id="event-${call.id}"]`).waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});
