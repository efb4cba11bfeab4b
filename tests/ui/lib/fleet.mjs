// The real fleet, a process per service, on a database of its own.
import { spawn, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const BIN = process.env.TARSY_BIN ?? join(ROOT, 'target/debug');
const ADMIN = process.env.DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres';

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

async function asAdmin(sql) {
  const client = new pg.Client({ connectionString: ADMIN });
  await client.connect();
  try { await client.query(sql); } finally { await client.end(); }
}

/** Ask again until `check` answers something; fails with `what` after 30 s. */
export async function until(what, check) {
  const deadline = Date.now() + 30_000;
  for (;;) {
    const found = await check().catch(() => undefined);
    if (found !== undefined && found !== null && found !== false) return found;
    if (Date.now() > deadline) throw new Error(`not within 30 s: ${what}`);
    await new Promise((resolve) => { setTimeout(resolve, 100); });
  }
}

export class Fleet {
  static async start() {
    const fleet = new Fleet();
    fleet.name = `tarsy_ui_${process.pid}_${Date.now()}`;
    await asAdmin(`create database ${fleet.name}`);
    fleet.port = await freePort();
    fleet.api = `http://127.0.0.1:${fleet.port}`;
    const url = new URL(ADMIN);
    url.pathname = `/${fleet.name}`;
    fleet.env = {
      ...process.env, DATABASE_URL: url.href, TARSY_LISTEN: `127.0.0.1:${fleet.port}`, AGENT_CONFIG_FILE: 'config/demo.yaml',
      DEFAULT_LLM_PROVIDER: 'scripted', TARSY_DEMO_MCP: join(BIN, 'tarsy-demo-mcp'), RUST_LOG: 'warn',
    };
    execFileSync(join(BIN, 'tarsy'), ['migrate'], { cwd: ROOT, env: fleet.env, stdio: 'pipe' });
    await fleet.startApi();
    fleet.chainWorker = fleet.run('chain-worker');
    fleet.stageWorker = fleet.run('stage-worker');
    return fleet;
  }

  processes = new Set();

  run(program) {
    const child = spawn(join(BIN, program), { cwd: ROOT, env: this.env, stdio: ['ignore', 'ignore', 'inherit'] });
    this.processes.add(child);
    child.once('exit', () => this.processes.delete(child));
    return child;
  }

  async startApi() {
    this.apiProcess = this.run('ingest-api');
    await until('the API is ready', async () => (await fetch(`${this.api}/readyz`)).ok);
  }

  /** End a process at once, as a lost machine would, or (SIGTERM) politely. */
  async end(child, signal = 'SIGKILL') {
    const gone = once(child, 'exit');
    child.kill(signal);
    await gone;
  }

  /** Submit the demonstration's alert; `mark` makes it another alert each time. */
  async submit(mark) {
    const response = await fetch(`${this.api}/alerts`, {
      method: 'POST', headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ alert_type: 'NamespaceTerminatingDemo', runbook: 'local:namespace-terminating', severity: 'critical', data: { namespace: 'team-payments-staging', cluster: 'demo', mark } }),
    });
    if (response.status !== 202) throw new Error(await response.text());
    return (await response.json()).session_id;
  }

  async session(id) {
    return (await fetch(`${this.api}/api/v1/history/sessions/${id}`)).json();
  }

  async has(path) {
    const document = await (await fetch(`${this.api}/openapi.json`)).json();
    return Object.keys(document.paths).includes(path);
  }

  async stop() {
    await Promise.all([...this.processes].map((child) => this.end(child)));
    await asAdmin(`drop database if exists ${this.name} with (force)`);
  }
}
