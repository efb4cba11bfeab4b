// Lighthouse's performance score of each page, with a real fleet: `npm run lighthouse [-- <runs> [desktop]]`, on an
// otherwise idle machine. Default: three runs, with Lighthouse's default settings of a slow phone instead of `desktop`.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Fleet } from '../lib/fleet.mjs';

/** Downloaded on use, because it has 150 packages, and no test checks its figures. */
const LIGHTHOUSE = 'lighthouse@12';
const FLAGS =
  '--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync';
/** Number of sessions in the list. */
const SESSIONS = 40;

const [runs = '3', preset] = process.argv.slice(2);
const run = promisify(execFile);

/**
 * Does one run; returns the score out of 100 and its parts. Lighthouse sometimes fails (`NO_NAVSTART`). Such a run
 * reports the reason and is not counted.
 */
async function measured(url) {
  const { stdout } = await run(
    'npx',
    [
      '--yes',
      LIGHTHOUSE,
      url,
      '--quiet',
      '--output=json',
      '--only-categories=performance',
      `--chrome-flags=${FLAGS}`,
      ...(preset === 'desktop' ? ['--preset=desktop'] : []),
    ],
    { env: { ...process.env, CHROME_PATH: process.env.CHROMIUM ?? '/usr/bin/chromium' }, maxBuffer: 1e8 },
  );
  const { categories, audits } = JSON.parse(stdout);
  const shown = (audit) => audits[audit].displayValue;
  return {
    score: Math.round(categories.performance.score * 100),
    text: `first picture ${shown('first-contentful-paint')}, largest ${shown('largest-contentful-paint')}, blocked ${shown('total-blocking-time')}, shift ${shown('cumulative-layout-shift')}`,
  };
}

const fleet = new Fleet();
try {
  await fleet.start();
  const ids = await Promise.all(
    Array.from({ length: SESSIONS }, (_, number) => fleet.submit(`figures ${String(number)}`)),
  );
  for (const id of ids) await fleet.ended(id);
  const pages = {
    list: '/sessions',
    session: `/sessions/${ids[0]}`,
    approvals: '/approvals',
    fleet: '/fleet',
    usage: '/usage',
    config: '/config',
    submit: '/submit',
    keys: '/keys',
  };
  for (const [name, path] of Object.entries(pages)) {
    const scores = [];
    for (let number = 0; number < Number(runs); number += 1) {
      try {
        const { score, text } = await measured(fleet.dashboard(path));
        scores.push(score);
        console.log(`${name}: ${String(score)} (${text})`);
      } catch (error) {
        console.log(`${name}: not measured: ${String(error.stderr ?? error).trim()}`);
      }
    }
    console.log(
      `${name}: median ${String(scores.toSorted((a, b) => a - b)[Math.floor(scores.length / 2)])} of ${String(scores.length)} runs`,
    );
  }
} finally {
  await fleet.stop();
}
