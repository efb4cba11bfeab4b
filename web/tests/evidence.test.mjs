// The three zones of the session page: the verdict, the evidence for the selected sentence, and the record with a tree.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newPage } from './lib/browser.mjs';
import { looked } from './lib/looks.mjs';
import { opener, setting } from './lib/setting.mjs';

const own = setting();
const opened = opener(own);

let made;
/** The session of the demonstration, created once. */
const ended = () => {
  made ??= own.fleet.submit('zones').then(async (id) => {
    await own.fleet.ended(id);
    return id;
  });
  return made;
};

/** Returns the highlighted line in the first result of the panel, and whether it is in view. */
const proof = (page) =>
  page
    .getByTestId('proof')
    .first()
    .locator('[data-here]')
    .evaluate((line) => {
      const [box, at] = [line.parentElement.getBoundingClientRect(), line.getBoundingClientRect()];
      return { text: line.textContent, inView: at.top >= box.top - 1 && at.bottom <= box.bottom + 1 };
    });

test('the verdict comes first: what happened, cause, impact, the first safe step, and what is not covered', async () => {
  const id = await ended();
  const { page, context, errors } = await newPage(own.browser, { width: 390, height: 844 });
  await page.goto(own.fleet.dashboard(`/sessions/${id}`));
  const verdict = page.getByTestId('verdict-zone');
  await verdict.getByText(/^team-payments-staging can.t finish terminating/).waitFor();
  assert.deepEqual(await verdict.locator('dt').allTextContents(), ['Cause', 'Impact', 'First safe step']);
  await verdict.getByText(/^Proposed for approval: delete the APIService .*Risk: none for data\.$/).waitFor();
  const top = async (part) => (await part.boundingBox()).y;
  const report = page.getByTestId('answer').getByRole('navigation', { name: 'Sections of the analysis' });
  assert.ok((await top(verdict)) < (await top(report)), 'before the report');
  assert.ok((await top(verdict)) < 500, 'on the first screen of a phone');
  assert.equal(await page.getByTestId('record-tree').count(), 0, 'there is no room for it');
  assert.deepEqual(errors, []);
  await context.close();
});

test('pointing at a sentence shows the result that proves it, at the line; so does the keyboard, and claims', async () => {
  const id = await ended();
  const { page, context, errors } = await opened(`/sessions/${id}`);
  const answer = page.getByTestId('answer');
  const evidence = page.getByTestId('evidence');
  await page.getByRole('heading', { name: 'Original alert' }).waitFor();
  await answer.locator('.sentence', { hasText: 'wait for an operator that is gone' }).last().hover();
  await evidence.getByText(/^So archive-ledger and hold-credentials wait/).waitFor();
  await page.waitForFunction(() => globalThis.document.querySelector('[data-here]') !== null);
  const byMouse = await proof(page);
  assert.match(byMouse.text, /archive-ledger|hold-credentials/);
  assert.ok(byMouse.inView, 'the line is in view');
  assert.equal(await page.getByRole('heading', { name: 'Original alert' }).count(), 0);
  assert.equal(new URL(page.url()).search, '', 'one stays at the answer');
  // By keyboard: a name, then a claim.
  await answer.getByRole('button', { name: 'payments-operator-pre-delete-x7k2p' }).focus();
  await evidence.locator('[data-here]', { hasText: 'payments-operator-pre-delete-x7k2p' }).first().waitFor();
  await answer.getByTestId('claim').filter({ hasText: '0 of 3 shards archived' }).getByRole('link').first().focus();
  await evidence.getByText(/^The pre-delete Job ran into its deadline/).waitFor();
  assert.match((await proof(page)).text, /0 of 3 shards|pre-delete|0\/3/);
  await page.getByTestId('proof').first().getByRole('button', { name: 'Open in the record' }).click();
  await page.waitForURL(/event=/);
  await page.locator('article[data-marked=true]').waitFor();
  await page.goBack();
  await evidence.getByRole('button', { name: 'Close the evidence' }).click();
  await page.getByRole('heading', { name: 'Original alert' }).waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});

test('the tree of the record leads to stages and calls, and follows what is in view', async () => {
  const id = await ended();
  const { page, context, errors } = await opened(`/sessions/${id}`);
  const tree = page.getByTestId('record-tree');
  const stage = tree.getByRole('button', { name: /^2\. operator/ });
  await stage.click();
  await page.locator('[data-testid=record-tree] [aria-current=true]', { hasText: '2. operator' }).waitFor();
  await tree.getByRole('button', { name: /pods_log/ }).click();
  await page.locator('article[data-kind=tool][data-marked=true]', { hasText: 'pods_log' }).waitFor();
  assert.match(page.url(), /event=/);
  await tree.locator('[aria-current=true]', { hasText: 'pods_log' }).waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});

test('all three have no accessibility issue, in light and dark; each is photographed', async () => {
  const id = await ended();
  const place = own.fleet.dashboard(`/sessions/${id}`);
  const pointed = async (page) => {
    await page.locator('[data-testid=answer] .sentence').first().hover();
    await page.getByTestId('proof').first().waitFor();
  };
  const atTree = async (page) => {
    await page
      .getByTestId('record-tree')
      .getByRole('button', { name: /^2\. operator/ })
      .click();
    await page.locator('[data-testid=record-tree] [aria-current=true]', { hasText: '2. operator' }).waitFor();
  };
  await looked(own.browser, {
    verdict: [place, '[data-testid=verdict-zone] dt'],
    'verdict-phone': [place, '[data-testid=verdict-zone] dt', 390, 844],
    evidence: [place, '[data-testid=answer] .sentence', 1440, 900, pointed],
    'record-tree': [place, '[data-testid=record-tree]', 1440, 900, atTree],
  });
});
