// Approvals of stages and tool calls, decided in the inbox and on the session page.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newPage, pressSequence } from './lib/browser.mjs';
import { until } from './lib/fleet.mjs';
import { live, setting } from './lib/setting.mjs';
import { drawn, readWholeCall } from './lib/wholeCall.mjs';

const own = setting();

const opened = async (path, options) => {
  const opened = await newPage(own.browser, options);
  await opened.page.goto(own.fleet.dashboard(path));
  return opened;
};
/** Gives a reason, and decides. */
async function because(page, reason) {
  assert.equal(await page.getByTestId('reason-confirm').isDisabled(), true, 'nothing is decided without a reason');
  await page.getByLabel('Reason').fill(reason);
  await page.getByTestId('reason-confirm').click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}
const stageOf = (session, name) => session.stages.find((stage) => stage.stage_name === name && stage.is_current);
const waiting = (id) =>
  until(`session ${id} waits`, async () => (await own.fleet.session(id)).waits.find((wait) => wait.status === 'open'));
const cardOf = (page, wait) => page.locator(`[data-testid=approval][data-id="${wait.wait_id}"]`);

test('a gate appears in the open inbox by itself, is approved there, and its chain goes on', async () => {
  const { page, context, errors } = await opened('/approvals');
  await page.getByText('Nothing waits for approval').waitFor();
  await live(page);
  const id = await own.fleet.submit('approve', 'Gated');
  await page.getByTestId('approvals-count').getByText('1', { exact: true }).waitFor();
  const card = page.getByTestId('approval');
  await card.getByText('stage 2, gate').waitFor();
  await card
    .getByTestId('remaining')
    .getByText(/^expires in (59|60)\smin|^expires in 1\sh/)
    .waitFor();
  await card.getByTestId('approve').click();
  await because(page, 'the change was announced');
  await page.getByText('Nothing waits for approval').waitFor();
  await page.getByTestId('approvals-count').waitFor({ state: 'detached' });
  const session = await own.fleet.ended(id);
  assert.equal(session.outcome, 'completed');
  assert.equal(stageOf(session, 'report').status, 'completed');
  await page.getByRole('button', { name: 'Decided' }).click();
  await page
    .getByTestId('approval')
    .getByText(/^Approved by .*: the change was announced$/)
    .waitFor();
  await page.getByRole('link', { name: 'Gated' }).click();
  await page
    .getByTestId('stage-decision')
    .getByText(/^Approved by .*: the change was announced$/)
    .waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});

test('a card says what it is about, what the gate rests on, and what follows each answer; the most severe comes first', async () => {
  const critical = await waiting(await own.fleet.submit('about', 'Gated'));
  const warning = await waiting(await own.fleet.submit('less severe', 'Gated', 'warning'));
  const call = await waiting(await own.fleet.submit('about a call', 'Asked', 'warning'));
  const { page, context, errors } = await opened('/approvals');
  const card = cardOf(page, critical);
  await card.getByTestId('wait-target').getByText('team-payments-staging, demo: The gate was passed.').waitFor();
  await card.getByTestId('wait-evidence').getByText('first concluded').waitFor();
  await card.getByTestId('wait-evidence').getByText('The gate was passed.').waitFor();
  const follows = card.getByTestId('wait-consequences');
  await follows.getByText('Approve: report (Reporter) runs.').waitFor();
  await follows.getByText('Deny: report is skipped, then the session ends.').waitFor();
  const asked = cardOf(page, call);
  await asked.getByText('asked by Collector').waitFor();
  await asked.getByTestId('wait-consequences').getByText('Approve: the call is made once.').waitFor();
  const order = await page.getByTestId('approval').evaluateAll((cards) => cards.map((one) => one.dataset.id));
  assert.deepEqual(
    order.filter((id) => [critical, warning, call].some((wait) => wait.wait_id === id)),
    [critical, warning, call].map((wait) => wait.wait_id),
  );
  // The dialog repeats the target, and shows the consequence of the chosen decision.
  await card.getByTestId('deny').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('team-payments-staging, demo').waitFor();
  await dialog.getByText('Deny: report is skipped, then the session ends.').waitFor();
  assert.equal(await dialog.getByText('report (Reporter) runs').count(), 0);
  await because(page, 'it is decided with the others');
  for (const wait of [warning, call]) {
    await cardOf(page, wait).getByTestId('deny').click();
    await because(page, 'it is decided with the others');
  }
  await Promise.all([critical, warning, call].map((wait) => own.fleet.ended(wait.session_id)));
  // The card on the session page has the same facts.
  const again = await waiting(await own.fleet.submit('in its session', 'Gated'));
  await page.goto(own.fleet.dashboard(`/sessions/${again.session_id}`));
  const inSession = page.getByTestId('answer').getByTestId('approval');
  await inSession.getByTestId('wait-evidence').getByText('The gate was passed.').waitFor();
  await inSession.getByText('Approve: report (Reporter) runs.').waitFor();
  await inSession.getByTestId('deny').click();
  await because(page, 'it is decided with the others');
  await own.fleet.ended(again.session_id);
  assert.deepEqual(errors, []);
  await context.close();
});

test('by keyboard the chosen one is denied, the other still waits, and what needs the gate is skipped', async () => {
  const [kept, denied] = [await own.fleet.submit('keep', 'Gated'), await own.fleet.submit('deny', 'Gated')];
  const [other, wait] = await Promise.all([waiting(kept), waiting(denied)]);
  const { page, context, errors } = await opened('/sessions');
  await page.getByTestId('session-row').first().waitFor();
  const { keyboard } = page;
  await pressSequence(keyboard, 'g', 'a');
  await cardOf(page, other).waitFor();
  await keyboard.press('?');
  await page.getByRole('dialog').getByText('deny it').waitFor();
  await keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  // Nothing is selected yet, so the key has no effect.
  await keyboard.press('d');
  for (let presses = 0; (await cardOf(page, wait).getAttribute('data-current')) !== 'true'; presses += 1) {
    assert.ok(presses < 5, 'j reaches the card');
    await keyboard.press('j');
  }
  await keyboard.press('d');
  await because(page, 'not during the freeze');
  await cardOf(page, wait).waitFor({ state: 'detached' });
  const session = await own.fleet.ended(denied);
  assert.equal(stageOf(session, 'report').status, 'skipped');
  assert.equal((await own.fleet.session(kept)).completed_at_us, null);
  assert.equal(await cardOf(page, other).count(), 1);
  await page.goto(own.fleet.dashboard(`/sessions/${denied}`));
  await page.getByTestId('graph-node').and(page.locator('[data-status=skipped]')).waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});

test('on the page of its session a tool call is shown with its exact arguments, approved, and made', async () => {
  const id = await own.fleet.submit('call', 'Asked');
  const { page, context, errors } = await opened(`/sessions/${id}`);
  await live(page);
  const card = page.getByTestId('answer').getByTestId('approval');
  await card.getByText('ledger.restart_service', { exact: true }).first().waitFor();
  await card.getByText('destructive', { exact: true }).waitFor();
  assert.match(
    await card.getByRole('group', { name: 'whole call of ledger.restart_service' }).textContent(),
    /ledger\.restart_service[^]*destructive[^]*"service": "checkout"/,
  );
  await card.getByText('The checkout is stuck, so I restart it.').waitFor();
  await page.getByText('needs approval').first().waitFor();
  await card.getByTestId('approve').click();
  await because(page, 'it is stuck indeed');
  await card.waitFor({ state: 'detached' });
  await page.getByTestId('answer').getByText('was restarted').waitFor();
  const session = await own.fleet.ended(id);
  assert.equal(session.mcp_communication_count > 0, true);
  assert.deepEqual(errors, []);
  await context.close();
});

for (const width of [1440, 390]) {
  test(`a call that hides its dangerous part is shown whole, on the card and in the dialog, ${width} pixels wide`, async () => {
    const id = await own.fleet.submit(`hides its call at ${width}`, 'Asked');
    const wait = await waiting(id);
    const { page, context, errors } = await opened('/approvals', { width });
    const card = cardOf(page, wait);
    const text = await readWholeCall(card);
    for (const part of [
      '⟨2600 blanks⟩; rm -rf /',
      String.raw`safe \u{202e}/ fr- mr`,
      'step 39',
      '"last": "; rm -rf /"',
    ])
      assert.ok(text.includes(part), part);
    const letters = (from) => from.replaceAll(/\s/g, '');
    assert.equal(letters(await drawn(card)), letters(text), 'no character is reordered');
    await card.getByTestId('approve').click();
    assert.equal(await readWholeCall(page.getByRole('dialog')), text, 'the dialog shows the same');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await card.getByTestId('deny').click();
    await because(page, 'it hides something');
    await own.fleet.ended(id);
    assert.deepEqual(errors, []);
    await context.close();
  });
}

test('a call that an older API sends without its text is denied, never approved', async () => {
  const id = await own.fleet.submit('older', 'Asked');
  const wait = await waiting(id);
  const { page, context, errors } = await newPage(own.browser);
  await page.route('**/api/v1/approvals*', async (route) => {
    const response = await route.fetch();
    const body = await response.json();
    for (const { call } of body.approvals) if (call != null) delete call.shown;
    await route.fulfill({ response, json: body });
  });
  await page.goto(own.fleet.dashboard('/approvals'));
  const card = cardOf(page, wait);
  await card.getByText('Update the API to approve the call here').waitFor();
  assert.equal(await card.getByTestId('approve').count(), 0);
  await card.getByTestId('deny').click();
  await because(page, 'the call is not known');
  await own.fleet.ended(id);
  assert.deepEqual(errors, []);
  // A running request would be answered after its page was closed.
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await context.close();
});

test('a second decision is refused with the name of who decided first', async () => {
  const wait = await waiting(await own.fleet.submit('second', 'Gated'));
  const { page, context, errors } = await opened('/approvals');
  await cardOf(page, wait).getByTestId('approve').click();
  const response = await fetch(`${own.fleet.api}/api/v1/approvals/${wait.wait_id}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ decision: 'deny', reason: 'the other was quicker' }),
  });
  assert.equal(response.status, 200);
  await cardOf(page, wait).waitFor({ state: 'detached' });
  await page.getByLabel('Reason').fill('too late');
  await page.getByTestId('reason-confirm').click();
  await page
    .getByRole('dialog')
    .getByRole('alert')
    .getByText(/denied/)
    .waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});

test('the list says that a session needs approval, and no longer once it is approved', async () => {
  const id = await own.fleet.submit('list', 'Gated');
  const wait = await waiting(id);
  const { page, context, errors } = await opened('/sessions');
  const row = page.locator(`[data-testid=session-row][data-id="${id}"]`);
  await row.getByText('needs approval').waitFor();
  await row.getByText('Waits for approval at stage gate').waitFor();
  await live(page);
  await fetch(`${own.fleet.api}/api/v1/approvals/${wait.wait_id}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ decision: 'approve', reason: 'a test' }),
  });
  await row.getByText('completed').waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});

test('what needs a person is a choice of the list, counted as its rows say', async () => {
  const id = await own.fleet.submit('needs you', 'Gated');
  await until('the gate waits', async () => (await own.fleet.session(id)).waits.length > 0);
  const { page, context, errors } = await newPage(own.browser);
  await page.goto(own.fleet.dashboard('/sessions'));
  const status = page.getByRole('region', { name: 'Status' });
  const choice = status.getByRole('button', { name: /^needs you [1-9]\d*$/ });
  const number = (await choice.innerText()).replace(/\D/g, '');
  await choice.click();
  await page.waitForURL(/progress=needs_decision/);
  await page
    .getByTestId('total')
    .getByText(new RegExp(`^${number} sessions?$`))
    .waitFor();
  const rows = page.getByTestId('session-row');
  await page.locator(`[data-testid=session-row][data-id="${id}"]`).getByText('needs approval').waitFor();
  assert.equal(await rows.filter({ hasText: /needs approval|held/ }).count(), Number(number));
  await page.getByRole('button', { name: 'status: needs you' }).waitFor();
  // No session matches both values, so the new choice replaces the old one.
  await status.getByRole('button', { name: /^completed/ }).click();
  await page.waitForURL((url) => url.search === '?status=completed');
  await page.locator(`[data-id="${id}"]`).waitFor({ state: 'detached' });
  await fetch(`${own.fleet.api}/api/v1/admin/sessions/${id}/cancel`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ reason: 'end of the test' }),
  });
  assert.deepEqual(errors, []);
  await context.close();
});

test('an alert that is held says so in the list, and is investigated when somebody presses Investigate', async () => {
  const [wanted, left] = [
    await own.fleet.submit('wanted', 'Held', 'low'),
    await own.fleet.submit('left', 'Held', 'low'),
  ];
  const [wait, other] = [await waiting(wanted), await waiting(left)];
  const { page, context, errors } = await opened('/sessions');
  const row = page.locator(`[data-testid=session-row][data-id="${wanted}"]`);
  await row.getByText('held', { exact: true }).waitFor();
  await page.goto(own.fleet.dashboard('/approvals'));
  await cardOf(page, wait)
    .getByText(/^Chain .* holds this alert\. Investigate it\?$/)
    .waitFor();
  await cardOf(page, wait).getByRole('button', { name: 'Investigate…' }).click();
  await because(page, 'it may be more');
  assert.equal((await own.fleet.ended(wanted)).status, 'completed');
  await cardOf(page, other).getByRole('button', { name: 'Dismiss…' }).click();
  await because(page, 'known');
  const ended = await own.fleet.ended(left);
  assert.equal(ended.status, 'cancelled');
  await page.goto(own.fleet.dashboard(`/sessions/${left}`));
  await page
    .getByText(/held, and not investigated\. Denied by .*: known/)
    .first()
    .waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});

test('on a phone a tool call is shown without scrolling sideways', async () => {
  await waiting(await own.fleet.submit('phone', 'Asked'));
  const { page, context, errors } = await opened('/approvals', { width: 390 });
  await page.getByText('ledger.restart_service', { exact: true }).first().waitFor();
  const sideways = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  assert.equal(sideways, 0, 'a phone does not scroll sideways');
  assert.deepEqual(errors, []);
  await context.close();
});
