// First load of each app: its entry, the app that it starts, and what these import at once, gzipped. More than the limit
// fails the build, and so does an entry that waits for React before it asks for the page's code and data.
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const LIMIT_KB = 180;
/** Pages that most begin with. */
const FIRST_PAGES = ['src/inbox/InboxPage.tsx', 'src/Form.tsx'];

for (const app of ['dashboard', 'alert-dev-ui']) {
  const dist = new URL(`../../${app}/dist/`, import.meta.url);
  const manifest = JSON.parse(readFileSync(new URL('.vite/manifest.json', dist), 'utf8'));
  /** Files of chunks and of what these import at once. */
  const filesOf = (keys, files = new Set()) => {
    for (const chunk of keys.map((key) => manifest[key])) {
      if (chunk === undefined || files.has(chunk.file)) continue;
      files.add(chunk.file);
      filesOf(chunk.imports ?? [], files);
    }
    return files;
  };
  const kb = (files) =>
    [...files]
      .filter((file) => file.endsWith('.js'))
      .reduce((sum, file) => sum + gzipSync(readFileSync(new URL(file, dist))).length, 0) / 1000;
  const entry = filesOf(Object.keys(manifest).filter((key) => manifest[key].isEntry));
  const first = new Set([...entry, ...filesOf(['src/start.tsx'])]);
  const page = [...filesOf(FIRST_PAGES)].filter((file) => !first.has(file));
  console.log(
    `${app}: first load ${kb(first).toFixed(0)} kB of script, gzipped (limit ${LIMIT_KB}), then ${kb(page).toFixed(0)} kB for the first page`,
  );
  if (kb(first) > LIMIT_KB) process.exitCode = 1;
  if ([...entry].some((file) => /\/react-/.test(file))) {
    console.error(`${app}: the entry imports React (${[...entry].join(', ')}); see ENTRY in web/ui/vite-app.js`);
    process.exitCode = 1;
  }
}
