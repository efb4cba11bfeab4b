// A knowledge store in a fleet's database, with its search models and the replies of the scripted model about it.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { sshServer } from './sshd.mjs';

const run = promisify(execFile);

const HOSTS = [
  ['h-01', 'r07', 'osprey', 'Reset by the watchdog at 03:12.\nThe kernel log ends in a soft lockup on CPU 4.'],
  ['h-02', 'r07', 'osprey', 'Reset by the watchdog twice; its controller answers at 10.20.30.40.'],
  ['h-03', 'r07', 'kestrel', 'Runs. Its power supply was replaced after a loss of power.'],
  ['h-04', 'r08', 'kestrel', 'Reset by hand during the update of its firmware.'],
  ['h-05', 'r08', 'osprey', 'Runs. The watchdog is disabled on this host.'],
  ['h-06', 'r09', 'merlin', 'Broken: the second power supply fails its self test.'],
];
const MAPPING = `key: host
title: host
fields:
- {name: host, identifier: true, required: true}
- {name: rack, filter: true}
- {name: model, filter: true}
- {name: notes}
`;

const words = (text) => text.toLowerCase().match(/[a-z0-9-]+/g) ?? [];

/** Returns sixteen numbers computed from the letters of a text. They have no meaning, but are always the same. */
function vector(text) {
  const all = Array.from({ length: 16 }, () => 0.01);
  for (const word of words(text)) all[[...word].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % 16] += 1;
  return all;
}

/** Returns how many words of the question are in a text. */
const overlap = (question, text) => {
  const has = new Set(words(text));
  return words(question).filter((word) => has.has(word)).length / 10;
};

/** Serves `/v1/embeddings` and `/v1/rerank`; returns the address and a function that stops the server. */
async function models() {
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (part) => {
      body += part;
    });
    request.on('end', () => {
      const { input = [], query = '', documents = [] } = JSON.parse(body);
      const answer = request.url.endsWith('/rerank')
        ? {
            results: documents.map((text, index) => ({
              index,
              relevance_score: overlap(query, typeof text === 'string' ? text : text.text),
            })),
          }
        : { data: input.map((text, index) => ({ index, embedding: vector(text) })) };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

const ROUTING = 'Decide how a question about stored records';
const ANSWERING = 'Answer the question from the evidence alone';
const said = (value, more = {}) => ({
  usage: { input_tokens: 700, output_tokens: 50 },
  text: JSON.stringify(value),
  ...more,
});
const route = (one, statement = null) =>
  said({ intent: 'find hosts', route: [one], statement, steps: ['name the hosts', 'say why'] });

/**
 * Replies of the model. The first matching rule applies, and the prompt of a follow-up also has the previous question.
 * `id` returns the chunk of a host.
 */
const rules = (id) => [
  {
    when: { contains: [ROUTING, 'Question: How many hosts'] },
    reply: route('sql', 'select rack, count(*) as hosts from hosts group by rack order by rack'),
  },
  { when: { contains: ROUTING }, reply: route('retrieval') },
  { when: { contains: 'Rewrite the question' }, reply: said({ search_query: 'controller address of h-02' }) },
  {
    when: { contains: [ANSWERING, 'Question: And where does'] },
    reply: said({
      answer: `Its controller answers at an address that is redacted [${id('h-02')}], as the manual says [999999].`,
      citations: [id('h-02'), 999999],
    }),
  },
  {
    when: { contains: [ANSWERING, 'Question: Which hosts were reset'] },
    reply: said(
      {
        answer: `Two hosts were reset by the watchdog:\n\n- **h-01**, after a soft lockup [${id('h-01')}]\n- **h-02**, twice [${id('h-02')}]`,
        citations: [id('h-01'), id('h-02')],
      },
      { delay_ms: 1200 },
    ),
  },
  {
    when: { contains: [ANSWERING, 'Question: How many hosts'] },
    reply: said({ answer: 'Three in r07, two in r08 and one in r09 [sql].', citations: ['sql'] }),
  },
  { when: { contains: ANSWERING }, reply: said({ answer: '', citations: [] }) },
];

/** The same for a fleet with commands: one question is about the current state of a host. */
const commandRules = () => {
  const routed = (intent, one, command) =>
    said({ intent, route: [one], statement: null, command, steps: ['say how it is'] });
  return [
    {
      when: { contains: [ROUTING, 'Question: Is the watchdog'] },
      reply: routed('state of a host', 'live', { host: 'box', command: 'watchdog', arguments: [] }),
    },
    { when: { contains: ROUTING }, reply: routed('find hosts', 'retrieval', null) },
    {
      when: { contains: [ANSWERING, 'watchdog: armed'] },
      reply: said({ answer: 'It is armed [live].', citations: ['live'] }),
    },
    { when: { contains: ANSWERING }, reply: said({ answer: '', citations: [] }) },
  ];
};

/** Additional configuration of such a fleet. */
const commandSections = (program, config) => ({
  server: {
    connection_params: { command: program, args: ['mcp', 'ssh'], env: { TARSY_SSH_CONFIG: config } },
    approve: ['run'],
    approve_role: 'admin',
  },
  guardrails: [
    { name: 'secrets', action: 'redact', pattern_groups: ['security'] },
    { name: 'projects', action: 'deny', custom_patterns: [{ name: 'project', pattern: 'PRJ-[0-9]+' }] },
  ],
});

/**
 * Creates the store.
 *
 * @param {string} program `tarsy`
 * @param {Record<string, string>} env the fleet's variables
 * @param {(sql: string) => Promise<{ rows: object[] }>} query SQL on the fleet's database
 * @param {boolean} [commands] whether questions may run a command on a host
 */
export async function knowledgeStore(program, env, query, commands = false) {
  const asked = await models();
  const folder = mkdtempSync(join(tmpdir(), 'tarsy-ui-store-'));
  const reader = new URL(env.DATABASE_URL);
  reader.username = `reader_${reader.pathname.slice(1)}`;
  reader.password = 'for-tests';
  const own = {
    TARSY_KNOWLEDGE_URL: env.DATABASE_URL,
    TARSY_KNOWLEDGE_READER_URL: reader.href,
    TARSY_KNOWLEDGE_EMBED_URL: `${asked.url}/v1/embeddings`,
    TARSY_KNOWLEDGE_EMBED_MODEL: 'letters',
    TARSY_KNOWLEDGE_RERANK_URL: `${asked.url}/v1/rerank`,
    TARSY_KNOWLEDGE_RERANK_MODEL: 'overlap',
  };
  const knowledge = async (...more) => run(program, ['knowledge', ...more], { env: { ...env, ...own } });
  writeFileSync(
    join(folder, 'hosts.csv'),
    ['host,rack,model,notes', ...HOSTS.map((cells) => cells.map((cell) => `"${cell}"`).join(','))].join('\n'),
  );
  writeFileSync(join(folder, 'hosts.mapping.yaml'), MAPPING);
  await knowledge('enable');
  await knowledge(
    'load',
    join(folder, 'hosts.csv'),
    '--collection',
    'hosts',
    '--mapping',
    join(folder, 'hosts.mapping.yaml'),
    '--rejects',
    folder,
  );
  rmSync(folder, { recursive: true });
  const { rows } = await query(
    'select r.record_key, c.chunk_id from knowledge.records r join knowledge.chunks c using (record_id)',
  );
  const ssh = commands ? await sshServer('watchdog: armed') : null;
  const more = ssh === null ? null : commandSections(program, ssh.config);
  return {
    ssh,
    rules: ssh !== null ? commandRules() : rules((host) => rows.find((row) => row.record_key === host).chunk_id),
    config: {
      mcp_servers: {
        facts: {
          connection_params: { command: program, args: ['mcp', 'knowledge'], env: own },
          default_effect: 'read_only',
          approve: ['sql'],
        },
        ...(more === null ? {} : { hosts: more.server }),
      },
      knowledge: { server: 'facts', ...(more === null ? {} : { ssh_server: 'hosts' }) },
      ...(more === null ? {} : { guardrails: more.guardrails }),
    },
    // Roles belong to the server, not to the database.
    close: async () => {
      asked.close();
      await ssh?.close();
      await query(`drop owned by "${reader.username}" cascade`);
      await query(`drop role "${reader.username}"`);
    },
  };
}
