// A phone: nothing scrolls sideways, and the answer comes before the figures.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newPage } from './lib/browser.mjs';
import { until } from './lib/fleet.mjs';
import { setting } from './lib/setting.mjs';

const own = setting();

test('at 390 pixels no page scrolls sideways', async () => {
  const { fleet } = own;
  const [done, gate] = [await fleet.submit('phone'), await fleet.submit('phone', 'Gated')];
  await fleet.ended(done);
  await until('the gate waits', async () => (await fleet.session(gate)).waits.length > 0);
  const pages = {
    list: [fleet.dashboard('/sessions'), '[data-testid=session-row]'],
    session: [fleet.dashboard(`/sessions/${done}`), '[data-kind]'],
    gate: [fleet.dashboard(`/sessions/${gate}`), '[data-testid=chain-graph]'],
    waterfall: [fleet.dashboard(`/sessions/${done}?tab=waterfall`), '[data-testid=waterfall]'],
    approvals: [fleet.dashboard('/approvals'), '[data-testid=approval]'],
    fleet: [fleet.dashboard('/fleet'), 'table[aria-label="MCP servers"]'],
    submit: [fleet.dashboard('/submit'), '.cm-content'],
    'dev ui': [`${fleet.api}/dev-ui/`, '.cm-content'],
  };
  const { page, context, errors } = await newPage(own.browser, { width: 390 });
  const over = {};
  for (const [name, [url, ready]] of Object.entries(pages)) {
    await page.goto(url);
    await page.locator(ready).first().waitFor();
    // What is wider and not within a part that scrolls by itself.
    over[name] = await page.evaluate(() => [...document.body.querySelectorAll('*')].filter((part) => {
      const { right, width } = part.getBoundingClientRect();
      if (width === 0 || right <= globalThis.innerWidth + 1) return false;
      for (let up = part.parentElement; up !== null; up = up.parentElement) if (up !== document.body && /auto|scroll|hidden|clip/.test(globalThis.getComputedStyle(up).overflowX)) return false;
      return true;
    }).slice(0, 3).map((part) => `${part.tagName} ${part.textContent.slice(0, 40)}`));
  }
  assert.deepEqual(over, Object.fromEntries(Object.keys(pages).map((name) => [name, []])));
  assert.deepEqual(errors, []);
  await context.close();
});

test('at 390 pixels the header of a session leaves room for the answer, and the list says where and what', async () => {
  const { fleet } = own;
  const id = await fleet.submit('header');
  await fleet.ended(id);
  const { page, context, errors } = await newPage(own.browser, { width: 390 });
  await page.goto(fleet.dashboard(`/sessions/${id}`));
  await page.getByTestId('answer').waitFor();
  const header = page.locator('#main header');
  const { height } = await header.boundingBox();
  assert.ok(height < 200, `the header is ${height} pixels high`);
  assert.equal(await page.getByTestId('acknowledge').isVisible(), false);
  await header.getByRole('button', { name: 'More' }).click();
  await page.getByTestId('acknowledge').waitFor();
  await page.goto(fleet.dashboard('/sessions'));
  const row = page.locator(`[data-testid=session-row][data-id="${id}"]`);
  await row.getByText('team-payments-staging').first().waitFor();
  await row.getByText(/can't finish terminating/).waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});
