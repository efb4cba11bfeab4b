// The API's types out of the snapshot of its OpenAPI document, which a test holds to what is served;
// `--check` fails when they are not what is committed.
import { readFileSync, writeFileSync } from 'node:fs';
import openapi, { astToString } from 'openapi-typescript';

const SNAPSHOT = '../../ingest-api/tests/api/snapshots/api__documents__openapi.snap';
const target = new URL('../src/api/schema.ts', import.meta.url);
// Behind the head that the snapshot library writes, between two lines of dashes.
const [, , ...rest] = readFileSync(new URL(SNAPSHOT, import.meta.url), 'utf8').split(/^---$/m);
// By name: the order of members says nothing, and is another one where fewer packages are built.
const sorted = (value) => (value === null || typeof value !== 'object' ? value : Array.isArray(value) ? value.map(sorted)
  : Object.fromEntries(Object.keys(value).sort().map((name) => [name, sorted(value[name])])));
const document = sorted(JSON.parse(rest.join('---')));
// Requests are written by hand; only the schemas are used, so the operations' names don't matter.
for (const path of Object.values(document.paths)) {
  for (const operation of Object.values(path)) delete operation.operationId;
}
const made = `// Generated from the snapshot of the API's OpenAPI document by \`npm run types\`; not edited.\n${astToString(await openapi(document))}`;
if (!process.argv.includes('--check')) writeFileSync(target, made);
else if (readFileSync(target, 'utf8') !== made) {
  console.error('ui/src/api/schema.ts is not what the OpenAPI snapshot says: run `npm run types`');
  process.exitCode = 1;
}
