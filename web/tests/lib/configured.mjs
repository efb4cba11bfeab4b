// The demonstration's agents with a quicker model, and chains for what the demonstration doesn't show.
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';

/** How much quicker the scripted model answers than in the demonstration. */
const QUICKER = 4;

const answer = (text) => ({
  usage: { input_tokens: 900, output_tokens: 60 },
  text: `Thought: That is enough.\nFinal Answer: ${text}`,
});

const call = (tool, input) => ({
  usage: { input_tokens: 900, output_tokens: 60 },
  text: `Thought: I look.\nAction: demo-cluster.${tool}\nAction Input: ${JSON.stringify(input)}`,
});
const NAMESPACE = call('resources_get', { apiVersion: 'v1', kind: 'Namespace', name: 'team-payments-staging' });

/** A stage that looks, and fails; again with another provider it looks elsewhere, and the stage after it tells something else. */
const LOOKS = [
  { when: { stage: 'look', iteration: 1 }, reply: NAMESPACE },
  { when: { stage: 'look', iteration: 2 }, reply: call('events_list', { namespace: 'payments-system' }) },
  { when: { stage: 'look' }, reply: { error: { class: 'auth', message: 'the key of this provider was revoked' } } },
  {
    when: { stage: 'tell', contains: 'archive-ledger' },
    reply: answer(
      '# Namespace team-payments-staging\n\nIt is stuck in Terminating.\n\n## Root cause\nThe finalizer archive-ledger is never removed: its operator is gone.\n\n## What to do\nBring the operator back, then look again.',
    ),
  },
  {
    when: { stage: 'tell' },
    reply: answer(
      '# Namespace team-payments-staging\n\nIt is stuck in Terminating.\n\n## Root cause\nThe root cause is not known: nothing could be looked at.\n\n## What to do\nBring the provider back, then look again.',
    ),
  },
];
const LOOKS_AGAIN = [
  { when: { stage: 'look', iteration: 1 }, reply: NAMESPACE },
  {
    when: { stage: 'look', iteration: 2 },
    reply: call('resources_get', {
      apiVersion: 'payments.example.com/v1',
      kind: 'PaymentLedger',
      namespace: 'team-payments-staging',
      name: 'ledger-main',
    }),
  },
  { when: { stage: 'look' }, reply: answer('ledger-main is held by the finalizer archive-ledger.') },
];

/** A call whose dangerous part is far to the right, is reordered by a character that has no width, and is far below. */
const HIDDEN = {
  service: `checkout${' '.repeat(2600)}; rm -rf /`,
  note: 'safe \u202e/ fr- mr',
  letters: 'אבג 123 (דה)',
  steps: Array.from({ length: 40 }, (_, at) => `step ${String(at)}`),
  last: '; rm -rf /',
};

/** What the agents of chains that wait say: one restarts a service, which must be approved. */
const WAITS = [
  {
    when: { agent: 'Collector', iteration: 1, contains: 'hides its call' },
    reply: {
      usage: { input_tokens: 900, output_tokens: 60 },
      text: `Thought: The checkout is stuck, so I restart it.\nAction: ledger.restart_service\nAction Input: ${JSON.stringify(HIDDEN)}`,
    },
  },
  {
    when: { agent: 'Collector', iteration: 1 },
    reply: {
      usage: { input_tokens: 900, output_tokens: 60 },
      text: `Thought: The checkout is stuck, so I restart it.\nAction: ledger.restart_service\nAction Input: ${JSON.stringify({ service: 'checkout' })}`,
    },
  },
  {
    when: { agent: 'Collector', contains: 'checkout restarted' },
    reply: answer('The service `checkout` was restarted.'),
  },
  { when: { agent: 'Collector' }, reply: answer('Nothing was restarted.') },
  { when: { agent: 'Reporter' }, reply: answer('The gate was passed.') },
];

/** An answer of two hundred words that takes ten seconds to write; its end is told from its beginning. */
const SLOWLY = {
  delay_ms: 10_000,
  ...answer(
    `The claim is held by a finalizer.${' Nobody takes it away since its controller was removed from the cluster last week.'.repeat(14)} That is the end of it.`,
  ),
};

/** What is answered to questions about the demonstration's session. */
const QUESTIONS = [
  { when: { contains: 'Tell me slowly' }, reply: SLOWLY },
  { when: { contains: 'Is it urgent?' }, reply: answer('No: nothing else depends on it.') },
  { when: { last_contains: 'Who holds the namespace?' }, reply: { ...NAMESPACE, delay_ms: 2000 } },
  {
    when: { contains: 'Who holds the namespace?' },
    reply: { delay_ms: 2000, ...answer('`team-payments-staging` is held by a finalizer; `nobody-at-all` is not.') },
  },
];

/** Far longer than tests look at what runs, and shorter than the longest call to a model. */
const LONG_MS = 200_000;

/** A stage that has called a tool and thinks for long about what it saw. */
const PONDERS = [
  { when: { stage: 'ponder', iteration: 1 }, reply: NAMESPACE },
  { when: { stage: 'ponder' }, reply: { delay_ms: LONG_MS, text: 'Final Answer: too late' } },
];

/** A stage that looks and concludes, and is asked for its claims: one that its call shows, one that nothing shows. */
const CLAIMS = [
  {
    when: { stage: 'claim', contains: 'Reply with one JSON object' },
    reply: {
      usage: { input_tokens: 900, output_tokens: 60 },
      text: JSON.stringify({
        claims: [
          { text: 'The namespace is terminating.', calls: ['c1'] },
          { text: 'Nobody noticed it.', calls: [] },
        ],
      }),
    },
  },
  { when: { stage: 'claim', iteration: 1 }, reply: NAMESPACE },
  {
    when: { stage: 'claim' },
    reply: answer('The namespace is stuck. Nobody noticed it.\n\n## Confidence\nHigh: it was read.'),
  },
];

/** A stage that looks, and concludes what nothing shows. */
const INVENTS = [
  { when: { stage: 'invent', iteration: 1 }, reply: NAMESPACE },
  { when: { stage: 'invent' }, reply: answer('`payments-db-primary` refuses connections on port 5432.') },
];

/** Branches of a stage: one of three fails. */
const BRANCHES = [
  {
    when: { stage: 'evidence', agent: 'Looker' },
    reply: { error: { class: 'auth', message: 'the key of this provider was revoked' } },
  },
];

/** Rules of stages that the demonstration doesn't have. */
const OWN = [
  ...BRANCHES,
  ...CLAIMS,
  ...INVENTS,
  { when: { stage: 'write' }, reply: SLOWLY },
  ...PONDERS,
  ...WAITS,
  ...LOOKS,
  { when: { stage: 'busy' }, reply: { error: { class: 'overloaded', message: 'HTTP 529' } } },
  { when: { stage: 'broken' }, reply: { error: { class: 'auth', message: 'the key of this provider was revoked' } } },
  { when: { stage: 'slow' }, reply: { delay_ms: LONG_MS, text: 'Final Answer: too late' } },
  { when: { agent: 'Quick' }, reply: answer('It is a test.') },
];

const AGENT = {
  Quick: { description: 'Answers at once.', iteration_strategy: 'react-final-analysis' },
  Looker: { description: 'Looks at the cluster.', mcp_servers: ['demo-cluster'], iteration_strategy: 'react' },
};

/** Alert types beside the demonstration's, each with what its chain shows. */
const CHAINS = {
  'one-stage-fails': {
    alert_types: ['StageFails'],
    stages: [
      { name: 'quick', agent: 'Quick' },
      { name: 'broken', agent: 'Quick' },
      { name: 'report', agent: 'Quick' },
    ],
  },
  'every-stage-fails': { alert_types: ['EveryStageFails'], stages: [{ name: 'broken', agent: 'Quick' }] },
  'takes-long': { alert_types: ['TakesLong'], stages: [{ name: 'slow', agent: 'Quick' }] },
  'writes-slowly': { alert_types: ['WritesSlowly'], stages: [{ name: 'write', agent: 'Quick' }] },
  claims: { alert_types: ['Claims'], stages: [{ name: 'claim', agent: 'Looker', output_schema: 'claims' }] },
  invents: { alert_types: ['Invents'], stages: [{ name: 'invent', agent: 'Looker' }] },
  ponders: { alert_types: ['Ponders'], stages: [{ name: 'ponder', agent: 'Looker' }] },
  'needs-a-pool': { alert_types: ['NeedsAPool'], stages: [{ name: 'quick', agent: 'Quick', pool: 'gpu' }] },
  'looks-and-fails': {
    alert_types: ['LooksAndFails'],
    stages: [
      { name: 'look', agent: 'Looker' },
      { name: 'tell', agent: 'Quick' },
    ],
  },
  branches: {
    alert_types: ['Branches'],
    stages: [
      { name: 'quick', agent: 'Quick' },
      { name: 'evidence', agents: [{ agent: 'Quick', replicas: 2 }, { agent: 'Looker' }], success: 'any' },
      { name: 'nodes', agent: 'Quick', needs: ['quick'] },
      { name: 'report', agent: 'Quick', needs: ['evidence'] },
    ],
  },
  'is-busy': { alert_types: ['IsBusy'], stages: [{ name: 'busy', agent: 'Quick' }] },
  'is-quick': { alert_types: ['IsQuick'], stages: [{ name: 'quick', agent: 'Quick' }] },
};

/** Who is told when sessions end; nobody, unless the variable says where. */
const NOTIFICATIONS = { chat: { url_env: 'TARSY_UI_CHAT', format: 'slack', private: true, http: true } };

/**
 * Write the configuration of a fleet under test.
 *
 * @param {string} root the checkout
 * @param {{ config: object, rules: object[] }} [store] of a fleet with a knowledge store: its sections, and what is said about it
 * @returns {string} its file
 */
export function configured(root, store) {
  const folder = mkdtempSync(join(tmpdir(), 'tarsy-ui-'));
  const script = parse(readFileSync(join(root, 'deploy/demo/script.yaml'), 'utf8'));
  for (const { reply } of script.rules)
    if (reply.delay_ms !== undefined) reply.delay_ms = Math.round(reply.delay_ms / QUICKER);
  const write = (name, value) => {
    writeFileSync(join(folder, name), stringify(value));
    return join(folder, name);
  };
  const config = parse(readFileSync(join(root, 'config/demo.yaml'), 'utf8'));
  // Sessions of these tests end by themselves: gates are tried with the chains that wait.
  const demo = config.agent_chains['namespace-terminating-demo'];
  demo.stages = demo.stages.filter(({ name }) => name !== 'gate' && name !== 'clean-up');
  delete config.agents.NamespaceCleaner;
  config.agents = { ...config.agents, ...AGENT };
  config.agent_chains = { ...config.agent_chains, ...CHAINS };
  // Chains that wait, from the tests of the fleet.
  const waits = parse(readFileSync(join(root, 'tests/config/waits.yaml'), 'utf8'));
  waits.mcp_servers.ledger.connection_params.args = [
    '-S',
    '-E',
    join(root, 'tests/fixtures/ledger_server.py'),
    join(folder, 'ledger'),
  ];
  config.mcp_servers = { ...config.mcp_servers, ...waits.mcp_servers };
  config.agents = { ...config.agents, ...waits.agents };
  config.agent_chains = { ...config.agent_chains, ...waits.agent_chains };
  config.mcp_servers = { ...config.mcp_servers, ...store?.config.mcp_servers };
  for (const section of ['knowledge', 'guardrails'])
    if (store?.config[section] !== undefined) config[section] = store.config[section];
  config.notifications = NOTIFICATIONS;
  config.llm_providers.scripted.script = write('script.yaml', {
    rules: [...(store?.rules ?? []), ...QUESTIONS, ...OWN, ...script.rules],
  });
  // What an operator replays a failed stage with.
  config.llm_providers.repaired = {
    type: 'scripted',
    script: write('repaired.yaml', {
      rules: [...LOOKS_AGAIN, { when: {}, reply: answer('It works with this provider.') }],
    }),
  };
  return write('config.yaml', config);
}
