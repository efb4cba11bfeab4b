// The cost of an investigation: its agents, its sub-agents and the questions about it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newPage } from './lib/browser.mjs';
import { setting } from './lib/setting.mjs';

const own = setting();

/** Creates an ended session whose stage called a model once for `cost` dollars. */
async function session(id, cost, { chain = 'seeded', parent = null, conversation = null } = {}) {
  const quoted = (text) => (text === null ? 'null' : `'${text}'`);
  await own.fleet.query(`
    insert into alert_sessions (session_id, alert_id, alert_type, alert_data, severity, alert_timestamp_us, source, fingerprint, status, outcome,
        started_at_us, completed_at_us, final_analysis, chain_id, chain_definition, parent_session_id, conversation_id)
    values ('${id}', gen_random_uuid(), 'Priced', '{"question": "why?"}', 'warning', now_us(), 'api', '${id}', 'completed', 'completed',
        now_us() - 60000000, now_us(), 'It was DNS', '${chain}', '{"chain_id": "seeded", "stages": [{"name": "collect", "agent": "Quick"}]}', ${quoted(parent)}, ${quoted(conversation)});
    with stage as (
      insert into stage_executions (execution_id, session_id, stage_index, stage_name, agent, pool, timeout_ms, status, cost_usd, cost_completeness, input_tokens, output_tokens, completed_at_us)
      values (gen_random_uuid(), '${id}', 0, 'collect', 'Quick', 'default', 1, 'completed', ${cost}, 'complete', 1000, 100, now_us()) returning execution_id
    )
    insert into llm_interactions (interaction_id, session_id, stage_execution_id, sequence, iteration, purpose, provider, model_name, new_messages, step_description,
        claim_epoch, input_tokens, output_tokens, cost_usd, success)
    select gen_random_uuid(), '${id}', execution_id, 0, 1, 'iteration', 'p', 'm', '[]', 'Iteration 1: ask model', 1, 1000, 100, ${cost}, true from stage`);
}

const id = (last) => `00000000-0000-7000-8000-00000000000${String(last)}`;

test('header and list show the cost of the whole investigation, and the header its parts', async () => {
  await session(id(1), 0.02);
  await session(id(2), 0.01, { chain: 'sub-agent', parent: id(1) });
  await session(id(3), 0.02, { chain: 'sub-agent', parent: id(2) });
  await session(id(4), 0.0041, { chain: 'follow-up', parent: id(1), conversation: id(1) });
  await session(id(5), 0.04);
  const { page, context, errors } = await newPage(own.browser);
  await page.goto(own.fleet.dashboard(`/sessions/${id(1)}`));
  const cost = page.getByTestId('cost');
  await cost.getByText('$0.05 = agents $0.02 + 2 sub-agents $0.03 + 1 question $0.0041', { exact: true }).waitFor();
  await page.locator('header').getByText('4,000 in, 400 out').waitFor();
  // A session without child sessions and questions has no breakdown.
  await page.goto(own.fleet.dashboard(`/sessions/${id(5)}`));
  await page.getByTestId('cost').getByText('$0.04', { exact: true }).waitFor();

  await page.goto(own.fleet.dashboard('/sessions'));
  const row = (last) => page.locator(`[data-testid=session-row][data-id="${id(last)}"]`);
  await row(1).getByText('$0.05', { exact: true }).waitFor();
  await row(5).getByText('$0.04', { exact: true }).waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});
