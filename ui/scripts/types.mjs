// The API's types out of the OpenAPI document; `--check` fails when they are not what is committed.
import { readFileSync, writeFileSync } from 'node:fs';
import openapi, { astToString } from 'openapi-typescript';

const target = new URL('../src/api/schema.ts', import.meta.url);
const document = JSON.parse(readFileSync(new URL('../openapi.json', import.meta.url), 'utf8'));
// Requests are written by hand; only the schemas are used, so the operations' names don't matter.
for (const path of Object.values(document.paths)) {
  for (const operation of Object.values(path)) delete operation.operationId;
}
const made = `// Generated from ui/openapi.json by \`npm run types\`; not edited.\n${astToString(await openapi(document))}`;
if (!process.argv.includes('--check')) writeFileSync(target, made);
else if (readFileSync(target, 'utf8') !== made) {
  console.error('ui/src/api/schema.ts is not what ui/openapi.json says: run `npm run types`');
  process.exitCode = 1;
}
