// Databases of the tests' fleets, copied from one that was migrated once.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';

const ADMIN = process.env.DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres';
/** Advisory lock, so that one test file creates the template while the others wait. */
const LOCK = 0x7461_7569;

async function connected(connectionString, use) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

/** Returns the URL of a database on the tests' server. */
export function urlOf(name) {
  const url = new URL(ADMIN);
  url.pathname = `/${name}`;
  return url.href;
}

/** Runs SQL on a database. */
export const queried = async (url, sql) => connected(url, (client) => client.query(sql));

/** Returns the name of the template, which depends on its migrations. */
function templateName(root) {
  const hash = createHash('sha256');
  for (const file of readdirSync(join(root, 'migrations')).toSorted())
    hash.update(file).update(readFileSync(join(root, 'migrations', file)));
  return `tarsy_ui_template_${hash.digest('hex').slice(0, 16)}`;
}

/** Returns the template. Creates it with `tarsy migrate` if it is missing. */
async function template(root, tarsy, env) {
  const name = templateName(root);
  await connected(ADMIN, async (admin) => {
    await admin.query('select pg_advisory_lock($1)', [LOCK]);
    const { rowCount } = await admin.query('select from pg_database where datname = $1', [name]);
    if (rowCount > 0) return;
    // Created under another name, so that a template with this name is always complete.
    await admin.query(`drop database if exists ${name}_new with (force)`);
    await admin.query(`create database ${name}_new`);
    execFileSync(tarsy, ['migrate'], { cwd: root, env: { ...env, DATABASE_URL: urlOf(`${name}_new`) }, stdio: 'pipe' });
    await admin.query(`alter database ${name}_new rename to ${name}`);
  });
  return name;
}

/** Creates a migrated database. */
export async function createDatabase(name, root, tarsy, env) {
  const from = await template(root, tarsy, env);
  await queried(ADMIN, `create database ${name} template ${from}`);
}

export const dropDatabase = async (name) => queried(ADMIN, `drop database if exists ${name} with (force)`);
