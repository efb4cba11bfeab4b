// What every page looks like, and what opens over it, and whether everybody can use it.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { newPage } from './lib/browser.mjs';
import { dialogs } from './lib/dialogs.mjs';
import { replayed } from './lib/replayed.mjs';
import { setting } from './lib/setting.mjs';

const SHOTS = fileURLToPath(new URL('../../target/screenshots/', import.meta.url));
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const own = setting();

/** Sessions in every state that a page shows differently, by what they show. */
async function sessions() {
  const { fleet } = own;
  const [done, failed, running] = await Promise.all([fleet.submit('looks'), fleet.submit('looks', 'StageFails', 'warning'), fleet.submit('looks', 'TakesLong', 'info')]);
  await Promise.all([fleet.ended(done), fleet.ended(failed)]);
  const session = await fleet.session(done);
  const event = session.stages[1].chronological_interactions.find((one) => one.details.tool_name === 'pods_log').id;
  return { done, failed, running, event };
}

/** Pages that are photographed from top to bottom. */
const WHOLE = new Set(['fleet']);

/** Each page by name: its address, what stands there when it is ready, and its size where that is not a desk's. */
function pages({ done, failed, running, event }) {
  const dashboard = (path) => own.fleet.dashboard(path);
  const row = '[data-testid=session-row]';
  return {
    sessions: [dashboard('/sessions'), row],
    'sessions-phone': [dashboard('/sessions'), row, 390],
    'sessions-no-match': [dashboard('/sessions?search=nothing-of-that-kind'), 'text=Nothing matches'],
    // Of a list only what is in view exists: a tall window, not a photograph of the whole page.
    session: [dashboard(`/sessions/${done}`), '[data-kind=answer]', 1440, 2000],
    'session-phone': [dashboard(`/sessions/${done}`), '[data-kind=answer]', 390],
    'session-running': [dashboard(`/sessions/${running}`), '[data-testid=stage-card]'],
    'session-failed-stage': [dashboard(`/sessions/${failed}`), '[data-testid=stage-card]'],
    'session-absent': [dashboard('/sessions/00000000-0000-7000-8000-000000000000'), 'text=It isn’t there'],
    'session-event': [dashboard(`/sessions/${done}?event=${event}`), '[data-kind=tool]'],
    'session-search': [dashboard(`/sessions/${done}?find=finalizer`), '[data-testid=hits]'],
    waterfall: [dashboard(`/sessions/${done}?tab=waterfall`), '[data-testid=waterfall]'],
    handover: [dashboard(`/sessions/${failed}?tab=handover`), '[data-testid=handover]'],
    alert: [dashboard(`/sessions/${done}?tab=alert`), '#panel h3'],
    'fleet-phone': [dashboard('/fleet'), 'table[aria-label="MCP servers"]', 390],
    'submit-phone': [dashboard('/submit'), '.cm-content', 390],
    fleet: [dashboard('/fleet'), 'table[aria-label="MCP servers"]'],
    config: [dashboard('/config?section=agents'), '[role=tabpanel] pre'],
    submit: [dashboard('/submit'), '.cm-content'],
    'dev-ui': [`${own.fleet.api}/dev-ui/`, '.cm-content'],
    'dev-ui-result': [`${own.fleet.api}/dev-ui/?session=${done}`, '[data-testid=result]'],
  };
}

/** Serious issues of the page as it stands. */
async function issues(page) {
  // Not as a script tag: the page's own policy would refuse it.
  await page.evaluate(AXE);
  return page.evaluate(async () => (await globalThis.axe.run(document, { resultTypes: ['violations'] })).violations
    .filter((one) => one.impact === 'serious' || one.impact === 'critical')
    .map((one) => `${one.id}: ${one.nodes.slice(0, 3).map((node) => node.target.join(' ')).join(' | ')}`));
}

async function look(scheme, all) {
  const { page, context, errors } = await newPage(own.browser, { scheme });
  const found = [];
  for (const [name, [url, ready, width = 1440, height = 900, open]] of Object.entries(all)) {
    await page.setViewportSize({ width, height });
    await page.goto(url);
    await page.locator(ready).first().waitFor();
    await page.locator('[data-testid=live-chip]').waitFor();
    await open?.(page);
    await page.screenshot({ path: `${SHOTS}${name}-${scheme}.png`, fullPage: WHOLE.has(name) });
    found.push(...(await issues(page)).map((issue) => `${name} (${scheme}): ${issue}`));
  }
  await context.close();
  return [...found, ...errors];
}

const looked = async (all) => {
  mkdirSync(SHOTS, { recursive: true });
  const found = await Promise.all(['light', 'dark'].map((scheme) => look(scheme, all)));
  assert.deepEqual(found.flat(), []);
};

test('no page has a serious accessibility issue, in light and dark; each is photographed', async () => {
  await looked(pages(await sessions()));
});

test('nor has what opens over a page', async () => {
  const { fleet } = own;
  const [failed, again] = await Promise.all([fleet.submit('opens', 'StageFails', 'critical'), replayed(fleet)]);
  await fleet.ended(failed);
  // Both schemes look at it before it ends.
  const running = await fleet.submit('opens', 'TakesLong', 'info');
  await fleet.submit('opens too', 'TakesLong', 'info');
  await looked(dialogs(fleet, { failed, running, again }));
});
