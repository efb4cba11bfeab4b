// Pages on a phone: nothing scrolls sideways, and the answer comes before the figures.
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
    'dead jobs': [fleet.dashboard('/fleet#dead'), '[role=tabpanel]'],
    notifications: [fleet.dashboard('/fleet#notifications'), '[role=tabpanel]'],
    'audit log': [fleet.dashboard('/fleet#audit'), '[role=tabpanel]'],
    keys: [fleet.dashboard('/keys'), '[role=status]'],
    usage: [fleet.dashboard('/usage'), 'h1'],
    submit: [fleet.dashboard('/submit'), '.cm-content'],
    'dev ui result': [`${fleet.api}/dev-ui/?session=${done}`, '[data-testid=result]'],
    'dev ui': [`${fleet.api}/dev-ui/`, '.cm-content'],
  };
  const { page, context, errors } = await newPage(own.browser, { width: 390 });
  const over = {};
  for (const [name, [url, ready]] of Object.entries(pages)) {
    await page.goto(url);
    await page.locator(ready).first().waitFor();
    // Elements that are too wide and not in a separately scrolling part.
    over[name] = await page.evaluate(() =>
      [...document.body.querySelectorAll('*')]
        .filter((part) => {
          const { right, width } = part.getBoundingClientRect();
          if (width === 0 || right <= globalThis.innerWidth + 1) return false;
          for (let up = part.parentElement; up !== null; up = up.parentElement)
            if (up !== document.body && /auto|scroll|hidden|clip/.test(globalThis.getComputedStyle(up).overflowX))
              return false;
          return true;
        })
        .slice(0, 3)
        .map((part) => `${part.tagName} ${part.textContent.slice(0, 40)}`),
    );
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
  assert.equal(
    await header.getByRole('button', { name: /^(Replay|Cancel|Export)$/ }).count(),
    0,
    'actions are in the menu',
  );
  await header.getByRole('button', { name: 'More' }).click();
  await page.getByTestId('acknowledge').waitFor();
  await page.getByTestId('actions').getByRole('button', { name: 'Replay' }).waitFor();
  await page.goto(fleet.dashboard('/sessions'));
  const row = page.locator(`[data-testid=session-row][data-id="${id}"]`);
  await row.getByText('team-payments-staging').first().waitFor();
  await row.getByText(/can't finish terminating/).waitFor();
  // The cause has two lines of the full width. The status leaves room for name and location.
  const boxes = await row.evaluate((line) =>
    Object.fromEntries(
      ['.said', '.name', '.cell:last-child'].map((part) => [
        part,
        line.querySelector(part).getBoundingClientRect().toJSON(),
      ]),
    ),
  );
  assert.ok(boxes['.said'].height >= 30 && boxes['.said'].width > 340, JSON.stringify(boxes));
  assert.ok(boxes['.cell:last-child'].width < 390 * 0.34 && boxes['.name'].left < 30, JSON.stringify(boxes));
  assert.deepEqual(errors, []);
  await context.close();
});

test('at 390 pixels the tab of Fleet that a link names is in view', async () => {
  const { page, context, errors } = await newPage(own.browser, { width: 390, height: 844 });
  for (const name of ['audit', 'notifications', 'dead']) {
    await page.goto(own.fleet.dashboard(`/fleet#${name}`));
    await page.reload();
    await page.locator(`#fleet-tab-${name}[aria-selected=true]`).waitFor();
    await page.waitForFunction((tab) => {
      const { left, right } = globalThis.document.getElementById(`fleet-tab-${tab}`).getBoundingClientRect();
      return left >= 0 && right <= globalThis.innerWidth + 1;
    }, name);
  }
  assert.deepEqual(errors, []);
  await context.close();
});

test('at 390 pixels the waterfall shows its bars, and the submit page its fields', async () => {
  const { fleet } = own;
  const id = await fleet.submit('bars');
  await fleet.ended(id);
  const { page, context, errors } = await newPage(own.browser, { width: 390, height: 844 });
  await page.goto(fleet.dashboard(`/sessions/${id}?tab=waterfall`));
  const chart = page.getByTestId('waterfall').locator('button svg').first();
  await chart.waitFor();
  const { width } = await chart.boundingBox();
  assert.ok(width > 160, `the bars have ${width} pixels`);
  const labels = await page
    .getByTestId('waterfall')
    .locator('button > span')
    .evaluateAll((all) => all.map((one) => [one.textContent, one.scrollWidth <= one.clientWidth]));
  assert.ok(labels.length > 10, `${labels.length} labels`);
  assert.deepEqual(
    labels.filter(([, isWhole]) => !isWhole),
    [],
    'no label is cut',
  );
  await page.getByTestId('waterfall').getByRole('button').first().click();
  await page.waitForURL(/event=/);

  await page.goto(fleet.dashboard('/submit'));
  const editor = page.locator('.cm-content');
  await editor.waitFor();
  await page.getByLabel('Runbook').fill('local:of-the-phone');
  await page.getByLabel('Severity').fill('high');
  await page.getByLabel('Environment').fill('production');
  for (const text of ['"runbook": "local:of-the-phone"', '"severity": "high"', '"environment": "production"'])
    await editor.getByText(text).waitFor();
  await page.getByRole('combobox', { name: 'Alert type' }).click();
  await page.getByRole('option', { name: 'IsQuick' }).click();
  assert.equal(await page.getByLabel('Environment').inputValue(), 'production', 'the fields follow the editor');
  await page.getByTestId('submit').click();
  await page.waitForURL(/\/sessions\/[0-9a-f-]{36}$/);
  const started = await fleet.ended(page.url().split('/').at(-1));
  assert.equal(started.severity, 'high');
  assert.equal(started.alert_data?.environment ?? started.alert_data?.data?.environment, 'production');
  assert.deepEqual(errors, []);
  await context.close();
});

test('the stage that runs says which iteration of how many it is in', async () => {
  const { fleet } = own;
  const id = await fleet.submit('iterates', 'Ponders');
  const { page, context, errors } = await newPage(own.browser, { width: 390, height: 844 });
  await page.goto(fleet.dashboard(`/sessions/${id}`));
  await page
    .getByTestId('iteration')
    .getByText(/^iteration \d+ of \d+$/)
    .waitFor();
  await page.goto(`${fleet.api}/dev-ui/?session=${id}`);
  await page
    .getByTestId('status')
    .getByText(/, iteration \d+ of \d+$/)
    .waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});

test('the navigation shows the page that is open, also after a count has come late', async () => {
  const { fleet } = own;
  const gate = await fleet.submit('counted', 'Gated');
  await until('the gate waits', async () => (await fleet.session(gate)).waits.length > 0);
  const { page, context, errors } = await newPage(own.browser, { width: 390 });
  const inView = (link) => {
    const [at, bar] = [link.getBoundingClientRect(), link.parentElement.getBoundingClientRect()];
    return at.left >= bar.left - 1 && at.right <= bar.right + 1;
  };
  const open = page.locator('nav[aria-label=Pages] a.active');
  for (const name of ['usage', 'keys', 'sessions']) {
    let letThrough;
    const seen = new Promise((resolve) => {
      letThrough = resolve;
    });
    await page.route('**/api/v1/approvals*', async (route) => {
      await seen;
      await route.continue();
    });
    await page.goto(fleet.dashboard(`/${name}`));
    await until(`the link to ${name} is in view`, async () => open.evaluate(inView));
    letThrough();
    await page.getByTestId('approvals-count').waitFor({ state: 'attached' });
    await until(`the link to ${name} is in view beside the count`, async () => open.evaluate(inView));
    await page.unroute('**/api/v1/approvals*');
  }
  assert.deepEqual(errors, []);
  await context.close();
});

test('on a phone a session’s record is asked for when its answer is there; beside an answer before it', async () => {
  const id = await own.fleet.submit('record after answer');
  await own.fleet.ended(id);
  /**
   * Returns when the answer was shown and when the record was requested, in milliseconds. With `late`, the session
   * arrives after its page.
   */
  const order = async (width, late = false) => {
    const { page, context, errors } = await newPage(own.browser, { width });
    if (late) {
      await page.route(
        `**/sessions/${id}?interactions=none`,
        async (route) => {
          await page.getByText('Loading the session').waitFor();
          await route.continue();
        },
        { times: 1 },
      );
    }
    await page.addInitScript(() => {
      // The record waits at most 3 s for the answer, which is too short on a slow machine.
      const { setTimeout } = globalThis;
      globalThis.setTimeout = (act, ms, ...more) => setTimeout(act, ms === 3000 ? 60_000 : ms, ...more);
      const look = new globalThis.MutationObserver(() => {
        if (globalThis.document.querySelector('[data-testid=answer]') === null) return;
        globalThis.answered = globalThis.performance.now();
        look.disconnect();
      });
      look.observe(globalThis.document, { childList: true, subtree: true });
    });
    await page.goto(own.fleet.dashboard(`/sessions/${id}`));
    await page.locator('[data-kind=answer]').first().waitFor();
    const told = await page.evaluate(() => ({
      answered: globalThis.answered,
      asked: Math.min(
        ...globalThis.performance
          .getEntriesByType('resource')
          .filter(({ name }) => /[/]interactions[?]|[/]Conversation-/.test(name))
          .map(({ startTime }) => startTime),
      ),
    }));
    assert.deepEqual(errors, []);
    await context.close();
    return told;
  };
  for (const late of [false, true]) {
    const phone = await order(390, late);
    assert.ok(phone.asked > phone.answered, JSON.stringify({ late, ...phone }));
  }
  const desk = await order(1440);
  assert.ok(desk.asked < desk.answered, JSON.stringify(desk));
});
