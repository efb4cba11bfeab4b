// First load of each app: its entry, the app that it starts, and what these import at once, gzipped; more than the limit fails the build.
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const LIMIT_KB = 180;
let failed = false;
for (const app of ['dashboard', 'alert-dev-ui']) {
  const dist = new URL(`../../${app}/dist/`, import.meta.url);
  const manifest = JSON.parse(readFileSync(new URL('.vite/manifest.json', dist), 'utf8'));
  const files = new Set();
  const take = (key) => {
    const chunk = manifest[key];
    if (chunk === undefined || files.has(chunk.file)) return;
    files.add(chunk.file);
    (chunk.imports ?? []).forEach(take);
  };
  Object.keys(manifest).filter((key) => manifest[key].isEntry || key === 'src/start.tsx').forEach(take);
  const bytes = [...files].filter((file) => file.endsWith('.js')).reduce((sum, file) => sum + gzipSync(readFileSync(new URL(file, dist))).length, 0);
  const kb = bytes / 1000;
  // And what the page that most begin with needs besides.
  const shell = new Set(files);
  ['src/sessions/SessionsPage.tsx', 'src/Form.tsx'].forEach(take);
  const page = [...files].filter((file) => file.endsWith('.js') && !shell.has(file)).reduce((sum, file) => sum + gzipSync(readFileSync(new URL(file, dist))).length, 0);
  console.log(`${app}: first load ${kb.toFixed(0)} kB of script, gzipped (limit ${LIMIT_KB}), then ${(page / 1000).toFixed(0)} kB for the first page`);
  failed ||= kb > LIMIT_KB;
}
process.exitCode = failed ? 1 : 0;
