// The API's types out of its OpenAPI document; `--check` fails when they are not what is committed.
import { readFileSync, writeFileSync } from 'node:fs';
import openapi, { astToString } from 'openapi-typescript';

const DOCUMENT = '../../../ingest-api/openapi.json';
const target = new URL('../src/api/schema.ts', import.meta.url);
// By name: the order of members says nothing, and is another one where fewer packages are built.
const sorted = (value) =>
  value === null || typeof value !== 'object'
    ? value
    : Array.isArray(value)
      ? value.map(sorted)
      : Object.fromEntries(
          Object.keys(value)
            .sort()
            .map((name) => [name, sorted(value[name])]),
        );
const document = sorted(JSON.parse(readFileSync(new URL(DOCUMENT, import.meta.url), 'utf8')));
// Requests are written by hand; only the schemas are used, so the operations' names don't matter.
for (const path of Object.values(document.paths)) {
  for (const operation of Object.values(path)) delete operation.operationId;
}
const made = `// Generated from the API's OpenAPI document by \`npm run types\`; not edited.\n${astToString(await openapi(document))}`;
if (!process.argv.includes('--check')) writeFileSync(target, made);
else if (readFileSync(target, 'utf8') !== made) {
  console.error('web/ui/src/api/schema.ts is not what the OpenAPI document says: run `npm run types` in web/');
  process.exitCode = 1;
}
