// The demonstration's agents with a quicker model, and chains for what the demonstration doesn't show.
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';

/** How much quicker the scripted model answers than in the demonstration. */
const QUICKER = 4;

const answer = (text) => ({ usage: { input_tokens: 900, output_tokens: 60 }, text: `Thought: That is enough.\nFinal Answer: ${text}` });

/** Rules of stages that the demonstration doesn't have. */
const OWN = [
  { when: { stage: 'broken' }, reply: { error: { class: 'auth', message: 'the key of this provider was revoked' } } },
  { when: { stage: 'slow' }, reply: { delay_ms: 60_000, text: 'Final Answer: too late' } },
  { when: { agent: 'Quick' }, reply: answer('It is a test.') },
];

const AGENT = { Quick: { description: 'Answers at once.', iteration_strategy: 'react-final-analysis' } };

/** Alert types beside the demonstration's, each with what its chain shows. */
const CHAINS = {
  'one-stage-fails': { alert_types: ['StageFails'], stages: [{ name: 'quick', agent: 'Quick' }, { name: 'broken', agent: 'Quick' }, { name: 'report', agent: 'Quick' }] },
  'takes-long': { alert_types: ['TakesLong'], stages: [{ name: 'slow', agent: 'Quick' }] },
  'needs-a-pool': { alert_types: ['NeedsAPool'], stages: [{ name: 'quick', agent: 'Quick', pool: 'gpu' }] },
  'is-quick': { alert_types: ['IsQuick'], stages: [{ name: 'quick', agent: 'Quick' }] },
};

/**
 * Write the configuration of a fleet under test.
 *
 * @param {string} root the checkout
 * @returns {string} its file
 */
export function configured(root) {
  const folder = mkdtempSync(join(tmpdir(), 'tarsy-ui-'));
  const script = parse(readFileSync(join(root, 'deploy/demo/script.yaml'), 'utf8'));
  for (const { reply } of script.rules) if (reply.delay_ms !== undefined) reply.delay_ms = Math.round(reply.delay_ms / QUICKER);
  const write = (name, value) => { writeFileSync(join(folder, name), stringify(value)); return join(folder, name); };
  const config = parse(readFileSync(join(root, 'config/demo.yaml'), 'utf8'));
  config.agents = { ...config.agents, ...AGENT };
  config.agent_chains = { ...config.agent_chains, ...CHAINS };
  config.llm_providers.scripted.script = write('script.yaml', { rules: [...OWN, ...script.rules] });
  // What an operator replays a failed stage with.
  config.llm_providers.repaired = { type: 'scripted', script: write('repaired.yaml', { rules: [{ when: {}, reply: answer('It works with this provider.') }] }) };
  return write('config.yaml', config);
}
