// Questions that an approved command on a host answers, and questions that a policy denies: their pages and traces.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newPage } from './lib/browser.mjs';
import { setting } from './lib/setting.mjs';

const own = setting({}, { knowledge: true, commands: true });

/** Asks on the page; returns the only turn. */
async function asked(question) {
  const opened = await newPage(own.browser);
  await opened.page.goto(own.fleet.dashboard('/ask'));
  await opened.page.getByTestId('question').fill(question);
  await opened.page.getByTestId('ask').click();
  const turn = opened.page.getByTestId('turn').first();
  await turn.waitFor();
  return { ...opened, turn };
}

async function decided({ page, turn }, decision) {
  const card = turn.getByTestId('approval');
  await card.getByText('hosts.run', { exact: true }).first().waitFor();
  await card.getByText('box').first().waitFor();
  assert.equal(own.fleet.store.ssh.runs(), own.ran, 'nothing runs before it is decided');
  await card.getByTestId(decision).click();
  await page.getByLabel('Reason').fill('it only reads');
  await page.getByTestId('reason-confirm').click();
}

const traced = async (turn) => {
  await turn.getByTestId('trace-toggle').click();
  const trace = turn.getByTestId('trace');
  await trace.waitFor();
  return trace;
};

test('the trace shows an approved command with its output, and the answer cites it', async () => {
  own.ran = 0;
  const scene = await asked('Is the watchdog of h-01 armed now?');
  const { page, turn, context, errors } = scene;
  await decided(scene, 'approve');
  await turn.getByTestId('answer-text').getByText('It is armed').waitFor();
  assert.equal(own.fleet.store.ssh.runs(), 1);
  const source = turn.getByTestId('source');
  await source.getByText('Output of the command').waitFor();
  await source.getByRole('button').click();
  await turn.getByTestId('chunk').getByText('watchdog: armed').first().waitFor();
  const trace = await traced(turn);
  await trace.getByText('live: state of a host').waitFor();
  await trace.getByText(/"host": "box"/).waitFor();
  await trace.getByText(/"command": "watchdog"/).waitFor();
  await trace
    .getByText(/watchdog: armed/)
    .first()
    .waitFor();
  await trace.getByText('1 piece given to the model').waitFor();
  await turn.getByRole('link', { name: 'View the tool call' }).click();
  await page.waitForURL(/\/sessions\/[0-9a-f-]{36}\?event=/);
  assert.deepEqual(errors, []);
  await context.close();
});

test('a command that is denied does not run, and the trace says that it was denied', async () => {
  own.ran = own.fleet.store.ssh.runs();
  const scene = await asked('Is the watchdog of h-01 armed now?');
  const { turn, context, errors } = scene;
  await decided(scene, 'deny');
  await turn.getByText(/^This failed or was refused: .*denied/).waitFor();
  assert.equal(own.fleet.store.ssh.runs(), own.ran);
  const trace = await traced(turn);
  await trace.getByText(/"host": "box"/).waitFor();
  await trace
    .getByText(/denied/)
    .first()
    .waitFor();
  await trace.getByText('none', { exact: true }).waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});

test('a question that a policy denies has no answer, and the trace names the policy', async () => {
  const { turn, context, errors } = await asked('Which hosts of PRJ-4711 were reset by the watchdog?');
  await turn.getByTestId('no-answer').getByText('Withheld by a policy').waitFor();
  assert.equal(await turn.getByTestId('source').count(), 0);
  const trace = await traced(turn);
  await trace.getByText('A policy denies the answer.').waitFor();
  await trace.getByText(/projects: 1 match of .* in the question and evidence \(deny\)/).waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});
