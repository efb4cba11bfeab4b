// Configuration with the demonstration's agents, a quicker model, and chains for cases that the demonstration does not
// show.
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';

/** How many times quicker the scripted model answers than in the demonstration. */
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

/**
 * A stage that calls a tool and fails. When replayed with another provider it calls another tool, and the next stage
 * concludes something else.
 */
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

/** A call whose dangerous parts are far to the right, reordered by an invisible character, and far below. */
const HIDDEN = {
  service: `checkout${' '.repeat(2600)}; rm -rf /`,
  note: 'safe \u202e/ fr- mr',
  letters: 'אבג 123 (דה)',
  steps: Array.from({ length: 40 }, (_, at) => `step ${String(at)}`),
  last: '; rm -rf /',
};

/** Replies of agents in chains that wait. One agent restarts a service, which needs approval. */
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

/** An answer of two hundred words that takes ten seconds to write. Its end differs from its beginning. */
const SLOWLY = {
  delay_ms: 10_000,
  ...answer(
    `The claim is held by a finalizer.${' Nobody takes it away since its controller was removed from the cluster last week.'.repeat(14)} That is the end of it.`,
  ),
};

/** Answers to questions about the demonstration's session. */
const QUESTIONS = [
  { when: { contains: 'Tell me slowly' }, reply: SLOWLY },
  { when: { contains: 'Is it urgent?' }, reply: answer('No: nothing else depends on it.') },
  { when: { last_contains: 'Who holds the namespace?' }, reply: { ...NAMESPACE, delay_ms: 2000 } },
  {
    when: { contains: 'Who holds the namespace?' },
    reply: { delay_ms: 2000, ...answer('`team-payments-staging` is held by a finalizer; `nobody-at-all` is not.') },
  },
];

/** Much longer than tests watch a running session, but shorter than the timeout of a model call. */
const LONG_MS = 200_000;

/** A stage that has called a tool and thinks about the result for a long time. */
const PONDERS = [
  { when: { stage: 'ponder', iteration: 1 }, reply: NAMESPACE },
  { when: { stage: 'ponder' }, reply: { delay_ms: LONG_MS, text: 'Final Answer: too late' } },
];

/**
 * A stage that calls a tool, concludes, and is asked for its claims. Its call supports one claim, and nothing supports
 * the other.
 */
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

/** A stage that calls a tool, and concludes something that no result supports. */
const INVENTS = [
  { when: { stage: 'invent', iteration: 1 }, reply: NAMESPACE },
  { when: { stage: 'invent' }, reply: answer('`payments-db-primary` refuses connections on port 5432.') },
];

/** Branches of a stage, one of three fails. */
const BRANCHES = [
  {
    when: { stage: 'evidence', agent: 'Looker' },
    reply: { error: { class: 'auth', message: 'the key of this provider was revoked' } },
  },
];

/** Rules for stages that the demonstration does not have. */
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

/** Alert types besides the demonstration's, each with the purpose of its chain. */
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

/** Notification target for ended sessions; none unless the variable is set. */
const NOTIFICATIONS = { chat: { url_env: 'TARSY_UI_CHAT', format: 'slack', private: true, http: true } };

/**
 * Writes the configuration of a fleet under test.
 *
 * @param {string} root the checkout @param {{ config: object, rules: object[] }} [store] for a fleet with a knowledge
 * store: its sections, and the model's replies about it @returns {string} its file
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
  // Sessions of these tests must end without a person. Gates are tested with the chains that wait.
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
  // Provider for replays of a failed stage.
  config.llm_providers.repaired = {
    type: 'scripted',
    script: write('repaired.yaml', {
      rules: [...LOOKS_AGAIN, { when: {}, reply: answer('It works with this provider.') }],
    }),
  };
  return write('config.yaml', config);
}
