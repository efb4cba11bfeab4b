// Chromium, driven by playwright-core, as a person would.
import { chromium } from 'playwright-core';

const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Starts a browser. CHROMIUM names an executable to use instead of Debian's headless one. */
export const launch = () =>
  chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium-headless-shell',
    headless: true,
    args: ARGS,
  });

/**
 * Opens a page in a separate context. Collects every error that the page throws or logs, including violations of its
 * content security policy.
 *
 * @param {import('playwright-core').Browser} browser
 * History lists each session, unless `history` is `grouped`: the alerts of a test are mostly about one target.
 *
 * @param {{ scheme?: 'light' | 'dark', width?: number, height?: number, history?: 'flat' | 'grouped' }} options
 */
export async function newPage(browser, { scheme = 'light', width = 1440, height = 900, history = 'flat' } = {}) {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: scheme,
    reducedMotion: 'reduce',
    timezoneId: 'UTC',
    locale: 'en-GB',
  });
  await context.grantPermissions(['clipboard-read', 'clipboard-write']).catch(() => undefined);
  if (history === 'flat')
    await context.addInitScript(() => {
      if (globalThis.location.protocol.startsWith('http')) globalThis.localStorage.setItem('tarsy.history', 'flat');
    });
  const page = await context.newPage();
  const errors = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => {
    if (message.type() !== 'error') return;
    // The browser logs each response that is not a success. Pages show these themselves.
    if (/Failed to load resource|WebSocket connection to/.test(message.text())) return;
    errors.push(message.text());
  });
  return { page, context, errors };
}

/**
 * Presses the keys of a sequence such as `g s` without a round trip in between. On a busy machine a round trip can take
 * longer than the timeout of a sequence.
 *
 * @param {import('playwright-core').Keyboard} keyboard
 * @param {string[]} keys
 */
export const pressSequence = (keyboard, ...keys) => Promise.all(keys.map((key) => keyboard.press(key)));
