// A real fleet, one process per service, with its own database.
import { spawn, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { configured } from './configured.mjs';
import { createDatabase, dropDatabase, queried, urlOf } from './database.mjs';
import { knowledgeStore } from './knowledge.mjs';
import { freePort, until } from './wait.mjs';

export { until };

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const BIN = process.env.TARSY_BIN ?? join(ROOT, 'target/debug');

export class Fleet {
  /**
   * @param {Record<string, string>} more additional environment variables @param {{ knowledge?: boolean, commands?:
   * boolean, port?: number }} options whether it has a knowledge store, and commands on a host for its questions; port
   * of the API
   */
  constructor(more = {}, options = {}) {
    this.more = more;
    this.options = options;
  }

  name = `tarsy_ui_${process.pid}_${Date.now()}`;

  async start() {
    this.port = this.options.port ?? (await freePort());
    this.api = `http://127.0.0.1:${this.port}`;
    this.env = {
      ...process.env,
      DATABASE_URL: urlOf(this.name),
      TARSY_LISTEN: `127.0.0.1:${this.port}`,
      DEFAULT_LLM_PROVIDER: 'scripted',
      TARSY_DEMO_MCP: join(BIN, 'tarsy-demo-mcp'),
      TARSY_SCREENS_DIR: ROOT,
      RUST_LOG: 'error',
      ...this.more,
    };
    await createDatabase(this.name, ROOT, join(BIN, 'tarsy'), this.env);
    if (this.options.knowledge === true)
      this.store = await knowledgeStore(join(BIN, 'tarsy'), this.env, (sql) => this.query(sql), this.options.commands);
    this.env.AGENT_CONFIG_FILE = this.more.AGENT_CONFIG_FILE ?? configured(ROOT, this.store);
    await this.startApi();
    this.chainWorker = this.run('chain-worker');
    this.stageWorker = this.run('stage-worker');
  }

  keys = 0;

  processes = new Set();

  run(program) {
    const child = spawn(join(BIN, program), { cwd: ROOT, env: this.env, stdio: ['ignore', 'ignore', 'inherit'] });
    this.processes.add(child);
    child.once('exit', () => this.processes.delete(child));
    return child;
  }

  async startApi() {
    this.apiProcess = this.run('ingest-api');
    const ready = await until('the API is ready', async () =>
      this.apiProcess.exitCode !== null ? 'ended' : (await fetch(`${this.api}/readyz`)).ok,
    );
    if (ready === 'ended') throw new Error('the API ended at once: its log is above');
  }

  /** Ends a process: at once, like a lost machine, or gracefully (SIGTERM). */
  async end(child, signal = 'SIGKILL') {
    const gone = once(child, 'exit');
    child.kill(signal);
    await gone;
  }

  /** Submits an alert, by default that of the demonstration. `mark` makes each alert different. */
  async submit(mark, alertType = 'NamespaceTerminatingDemo', severity = 'critical') {
    const response = await fetch(`${this.api}/alerts`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        alert_type: alertType,
        runbook: 'local:namespace-terminating',
        severity,
        data: { namespace: 'team-payments-staging', cluster: 'demo', mark },
      }),
    });
    if (response.status !== 202) throw new Error(await response.text());
    return (await response.json()).session_id;
  }

  /** Delays stages until `act` has run, so that `act` can check short-lived states. */
  async beforeStages(act) {
    const queue = async (verb) => {
      const answer = await fetch(`${this.api}/api/v1/admin/queues/stage:default/${verb}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ reason: 'what comes is watched from its beginning' }),
      });
      if (!answer.ok) throw new Error(await answer.text());
    };
    await queue('pause');
    await act();
    await queue('resume');
  }

  async session(id) {
    return (await fetch(`${this.api}/api/v1/history/sessions/${id}`)).json();
  }

  /** Creates a key with this role, directly in the database like an admin. */
  key(role) {
    const made = execFileSync(
      join(BIN, 'tarsy'),
      [
        'keys',
        'create',
        `${role}-${String((this.keys += 1))}-of-the-test`,
        '--role',
        role,
        '--reason',
        'a test',
        '--json',
      ],
      { cwd: ROOT, env: this.env, encoding: 'utf8' },
    );
    return JSON.parse(made).key;
  }

  /** Runs SQL on the fleet's database. */
  async query(sql) {
    return queried(this.env.DATABASE_URL, sql);
  }

  /** Waits until a session has ended. */
  async ended(id) {
    return until(`session ${id} ends`, async () => {
      const session = await this.session(id);
      return session.completed_at_us == null ? null : session;
    });
  }

  dashboard(path) {
    return `${this.api}/dashboard${path}`;
  }

  async stop() {
    await Promise.all([...this.processes].map((child) => this.end(child)));
    await this.store?.close();
    await dropDatabase(this.name);
    if (this.env?.AGENT_CONFIG_FILE !== undefined) rmSync(dirname(this.env.AGENT_CONFIG_FILE), { recursive: true });
  }
}
