// Questions to the knowledge store: asked and answered on the Ask page, with sources, a trace and a history.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newPage, pressSequence } from './lib/browser.mjs';
import { until } from './lib/fleet.mjs';
import { keys, openedFor, reach, unreachable } from './lib/keyboard.mjs';
import { looked } from './lib/looks.mjs';
import { live, setting } from './lib/setting.mjs';

const own = setting({}, { knowledge: true });
const opened = openedFor(own);

/** Asks through the API; returns the session's id when it has ended. */
async function asked(question, more = {}) {
  const response = await fetch(`${own.fleet.api}/api/v1/ask`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ question, ...more }),
  });
  assert.equal(response.status, 202);
  const { session_id: id } = await response.json();
  await own.fleet.ended(id);
  return id;
}

const waiting = (id) =>
  until(`session ${id} waits`, async () => (await own.fleet.session(id)).waits.find((wait) => wait.status === 'open'));

test('a question is asked by keyboard, answered with sources that open, traced, and followed up', async () => {
  const { page, close } = await opened('/sessions', 'text=No sessions yet');
  await page.getByRole('link', { name: 'Ask', exact: true }).waitFor();
  await pressSequence(page.keyboard, 'g', 'q');
  await page.getByRole('heading', { name: 'Ask', level: 1 }).waitFor();
  await page.getByText('No questions yet.').waitFor();
  await live(page);
  await keys(page, 'q');
  await page.keyboard.type('Which hosts were reset by the watchdog?');
  const first = page.getByTestId('turn').first();
  await own.fleet.beforeStages(async () => {
    await keys(page, 'Enter');
    await page.waitForURL(/\/ask\/[0-9a-f-]{36}$/);
    // The same card as on the session page.
    await first
      .getByTestId('answer')
      .getByText(/^Stage \d+ of 16/)
      .waitFor();
    await page.getByText('The last question is not answered yet.').waitFor();
  });
  await first.getByTestId('answer-text').getByText('after a soft lockup').waitFor();

  // A citation mark in the answer opens its source, and the URL keeps it.
  const mark = first.getByTestId('answer-text').getByRole('button', { name: '[2]' });
  await reach(page, mark);
  await keys(page, 'Enter');
  const chunk = first.getByTestId('chunk');
  await chunk.getByText('Reset by the watchdog twice').waitFor();
  await chunk.getByText('hosts.csv, line 4').waitFor();
  await chunk.getByText('hosts h-02, part 1').waitFor();
  assert.equal(await chunk.getByText('10.20.30.40').count(), 0, 'what a guardrail redacted is not shown');
  const [, address] = /chunk=([^&]+)/.exec(page.url()) ?? [];
  assert.match(decodeURIComponent(address), /^[0-9a-f-]{36}:\d+$/);

  await reach(page, first.getByTestId('trace-toggle'));
  await keys(page, 'Enter');
  const trace = first.getByTestId('trace');
  await trace.getByText('6 candidates, 6 results; vectors used; reranking used').waitFor();
  await trace.getByText(/ipv4 in the question and evidence \(redact\)/).waitFor();
  const hit = trace.getByTestId('trace-hit').first();
  assert.deepEqual(await trace.getByRole('columnheader').allTextContents(), [
    'Place',
    'Record',
    'Use',
    'Found by',
    'Words',
    'By words',
    'Vector',
    'Hybrid',
    'Before rerank',
    'Rerank',
  ]);
  const cells = await hit.getByRole('cell').allTextContents();
  assert.equal(cells[0], '#1');
  assert.ok(
    cells.slice(3).every((cell) => cell !== '–'),
    `every score is there: ${cells}`,
  );
  assert.equal(await trace.getByTestId('trace-hit').filter({ hasText: 'cited' }).count(), 2);

  await keys(page, 'q');
  await page.keyboard.type('And where does its controller answer?');
  await keys(page, 'Enter');
  const second = page.getByTestId('turn').nth(1);
  await second.getByTestId('answer-text').getByText('an address that is redacted').waitFor();
  await second.getByText(/also cited \[999999\], which is not among the evidence/).waitFor();
  await reach(page, second.getByTestId('trace-toggle'));
  await keys(page, 'Enter');
  await second.getByTestId('trace').getByText('controller address of h-02').waitFor();
  const earlier = page.getByTestId('earlier');
  await earlier.getByText('2 questions').waitFor();
  await earlier.getByText('Which hosts were reset by the watchdog?').waitFor();
  await page.reload();
  await second.getByTestId('trace').waitFor();
  await keys(page, 'Escape');
  await page.waitForURL(/\/ask$/);
  await close();
});

test('collection and filters stand in the address and narrow what is found; a question without an answer says so', async () => {
  await asked('Which hosts were reset by the watchdog?');
  const { page, context, errors } = await newPage(own.browser);
  await page.goto(own.fleet.dashboard('/ask'));
  await page.getByTestId('earlier').first().waitFor();
  await page.getByRole('combobox', { name: 'Collection' }).click();
  await page.getByRole('option', { name: 'hosts' }).click();
  const filters = page.getByLabel('Filters', { exact: true });
  // The browser completes field names.
  await page.locator('datalist option[value="rack:"]').waitFor({ state: 'attached' });
  await filters.fill('rack:r08');
  await filters.press('Enter');
  await page.waitForURL(/collection=hosts&filter=rack%3Ar08/);
  await filters.fill('shelf:3');
  await filters.press('Enter');
  await page.getByText('Unknown field “shelf”').waitFor();
  await filters.press('Backspace');
  await page.getByText('Unknown field “shelf”').waitFor({ state: 'detached' });
  await page.getByTestId('question').fill('Who waters the plants of the watchdog?');
  await page.getByTestId('ask').click();
  const turn = page.getByTestId('turn').first();
  await turn.getByTestId('no-answer').getByText('No answer found').waitFor();
  await turn.getByText('in hosts, rack:r08').waitFor();
  await turn.getByTestId('trace-toggle').click();
  await turn.getByTestId('trace-hit').first().waitFor();
  const found = await turn.getByTestId('trace-hit').getByRole('rowheader').allTextContents();
  assert.deepEqual(found.toSorted(), ['hosts h-04', 'hosts h-05'], 'rack r08 alone');
  assert.deepEqual(errors, []);
  await context.close();
});

test('a lookup that needs approval is approved where it is asked for', async () => {
  const { page, context, errors } = await newPage(own.browser);
  await page.goto(own.fleet.dashboard('/ask'));
  await page.getByTestId('question').fill('How many hosts are there in each rack?');
  await page.getByTestId('ask').click();
  const card = page.getByTestId('turn').getByTestId('approval');
  await card.getByText('facts.sql', { exact: true }).first().waitFor();
  await card.getByTestId('approve').click();
  await page.getByLabel('Reason').fill('it only reads');
  await page.getByTestId('reason-confirm').click();
  const turn = page.getByTestId('turn').first();
  await turn.getByTestId('answer-text').getByText('Three in r07').waitFor();
  await turn.getByTestId('source').getByText('Result of the SQL query').waitFor();
  await turn.getByTestId('source').getByRole('button').click();
  await turn.getByTestId('chunk').getByText('r07').first().waitFor();
  await turn.getByRole('link', { name: 'View the tool call' }).click();
  await page.waitForURL(/\/sessions\/[0-9a-f-]{36}\?event=/);
  await page.locator('[data-kind=tool]').first().waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});

/**
 * Creates three conversations: one with all parts of the page (sources, an invented citation, a trace), one without an
 * answer, and one that waits.
 */
async function scenes() {
  const id = await asked('Which hosts were reset by the watchdog?', { collection: 'hosts' });
  await asked('And where does its controller answer?', { conversation: id });
  const none = await asked('Who waters the plants of the watchdog?', { filters: { rack: ['r08'] } });
  const response = await fetch(`${own.fleet.api}/api/v1/ask`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ question: 'How many hosts are there in each rack?' }),
  });
  const { session_id: waits } = await response.json();
  await waiting(waits);
  const citations = (await own.fleet.session(id)).stages.find((stage) => stage.stage_name === 'citations').stage_output
    .data.citations;
  return { id, none, waits, chunk: citations[0].id };
}

test('it looks well, nothing is wrong for assistive technology, nothing scrolls sideways, and Tab reaches everything', async () => {
  const { id, none, waits, chunk } = await scenes();
  const dashboard = (path) => own.fleet.dashboard(path);
  const answered = dashboard(`/ask/${id}?chunk=${id}:${chunk}`);
  const traced = dashboard(`/ask/${id}?trace=${id}`);
  const top = async (page) => {
    await page.evaluate(() => {
      globalThis.scrollTo(0, 0);
    });
  };
  const two = '[data-testid=turn]:nth-child(2) [data-testid=source]';
  const pages = {
    ask: [dashboard('/ask?collection=hosts&filter=rack:r07'), '[data-testid=earlier]'],
    'ask-answer': [answered, two, 1440, 1300, top],
    'ask-trace': [traced, '[data-testid=trace-hit]', 1440, 1300, top],
    'ask-none': [dashboard(`/ask/${none}`), '[data-testid=no-answer]'],
    'ask-waits': [dashboard(`/ask/${waits}`), '[data-testid=approval]'],
    'ask-phone': [dashboard('/ask'), '[data-testid=earlier]', 390, 844],
    'ask-answer-phone': [answered, two, 390, 1600, top],
    'ask-trace-phone': [traced, '[data-testid=trace-hit]', 390, 1600, top],
    'ask-none-phone': [dashboard(`/ask/${none}`), '[data-testid=no-answer]', 390, 844],
    'ask-waits-phone': [dashboard(`/ask/${waits}`), '[data-testid=approval]', 390, 844],
  };
  await looked(own.browser, pages, { byLinks: true });
  const { page, context } = await newPage(own.browser, { width: 390 });
  for (const [name, [url, ready, width]] of Object.entries(pages)) {
    if (width !== 390) continue;
    await page.goto(url);
    await page.locator(ready).first().waitFor();
    assert.equal(
      await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth),
      0,
      `${name} does not scroll sideways`,
    );
  }
  await context.close();
  const reached = await opened(traced, '[data-testid=trace-hit]');
  assert.deepEqual(await unreachable(reached.page), []);
  await reached.close();
});
