/** What both apps' builds have in common. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';

/** Stands where a server that knows it puts its nonce; see ingest-api/src/server/screens/page.rs. */
const NONCE = 'TARSY_NONCE';

/**
 * Nothing from elsewhere; styles inline because the component library writes them at run time. A server
 * with nonces sends a stricter policy beside it, and both hold.
 */
export const CSP = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self' ws: wss:",
  "object-src 'none'",
  "base-uri 'self'",
  "form-action 'self'",
].join('; ');

/** The policy in the page itself, so that it holds behind any static server. */
const policy = {
  name: 'content-security-policy',
  apply: 'build',
  transformIndexHtml: () => [
    { tag: 'meta', attrs: { 'http-equiv': 'Content-Security-Policy', content: CSP }, injectTo: 'head-prepend' },
  ],
};

/** Where an app's entry only asks for the app itself: the app is fetched beside it, not after it. */
const START = /src\/start\.tsx$/;
/** @param {string} base where the app is served */
const preloaded = (base) => ({
  name: 'preloaded',
  apply: 'build',
  transformIndexHtml: {
    order: 'post',
    handler: (_, { bundle = {}, chunk }) => {
      const files = new Set();
      const take = (file) => {
        if (files.has(file) || bundle[file]?.type !== 'chunk' || bundle[file].isEntry) return;
        files.add(file);
        bundle[file].imports.forEach(take);
      };
      chunk?.dynamicImports.filter((file) => START.test(bundle[file]?.facadeModuleId ?? '')).forEach(take);
      return [...files].map((file) => ({
        tag: 'link',
        attrs: { rel: 'modulepreload', crossorigin: true, href: `${base}${file}` },
        injectTo: 'head',
      }));
    },
  },
});

/**
 * Files of a build know each other by where they are to each other, so that they work below any prefix of a proxy. The
 * page names them from the root: the API writes that anew for where the page is opened (ingest-api/src/server/screens/page.rs).
 */
const renderBuiltUrl = (_, { hostType }) => (hostType === 'html' ? undefined : { relative: true });

/** What is sent often is compressed once, as well as it can be. */
const compressed = {
  name: 'compressed',
  apply: 'build',
  writeBundle({ dir }) {
    for (const name of readdirSync(dir, { recursive: true })) {
      if (!/^assets.*\.(?:js|css|svg)$/.test(name)) continue;
      const file = join(dir, name);
      const bytes = readFileSync(file);
      writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
      writeFileSync(
        `${file}.br`,
        brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }),
      );
    }
  },
};

const target = process.env.TARSY_API ?? 'http://127.0.0.1:8000';
const proxy = Object.fromEntries(
  ['/alerts', '/alert-types', '/session-id', '/webhooks', '/api', '/health', '/openapi.json'].map((path) => [
    path,
    { target },
  ]),
);

/** Parts of the component library that are shown before any page is. */
const SHELL_KIT =
  /node_modules\/(?:@mui\/(?:system|utils|styled-engine|private-theming)|@emotion|@popperjs|react-transition-group|stylis|clsx|react-is|hoist-non-react-statics|@babel\/runtime)\/|lucide-react\/dist\/esm\/(?!icons\/)|@mui\/material\/(?:esm\/)?(?:styles|utils|transitions|colors|zero-styled|GlobalStyles|Box|Button|ButtonBase|ButtonGroup|IconButton|Link|Tooltip|Popper|Portal|Grow|Typography|CircularProgress|Chip|SvgIcon|internal\/svg-icons|className|NoSsr|useMediaQuery|DefaultPropsProvider|useLazyRipple|InitColorSchemeScript|version)\//;
/** Our own parts of which the same is true. */
const SHELL_PARTS =
  /\/ui\/src\/(?:prefs|theme)\/|\/ui\/src\/live\/(?!use)|\/ui\/src\/parts\/(?:access|AccessGate|Settings|States|TipButton|Faint|title|preloadable|IconAction|ExplainedButton)\.tsx?$|\/ui\/src\/(?:text\/later|api\/(?:approvals|admin))\.ts$|\/dashboard\/src\/(?:app\/(?:HiddenTitle|Banner|useIsWide|lazyPages|warnings)|keys\/(?:ShortcutsProvider|match)|approvals\/useApprovals)\.tsx?$/;

/** What the entry runs with, to ask for the page's code and data. */
const ENTRY =
  /\/ui\/src\/(?:api\/(?:access|client|problem|prefetch|prefix|sessions)|session\/(?:answerShown|record(?:InView)?)|text\/markdownModule)\.ts$|\/dashboard\/src\/app\/(?:address|pageModules)\.ts$|preload-helper/;
/** What every page is in, and what is drawn once or alone: little would be saved, and all of it is in the first load. */
const SHELL = /\/ui\/src\/(?:api|live|parts|prefs|theme)\/|\/dashboard\/src\/(?:app|keys)\//;
/** Files with components or hooks. */
const COMPONENTS = /\.tsx$|\/use[A-Z]\w*\.ts$/;
/** The compiler of React: a component whose data are the same is not rendered again when another's arrive (docs/decisions/0072). */
const memoized = (id) => ({ plugins: COMPONENTS.test(id) && !SHELL.test(id) ? ['babel-plugin-react-compiler'] : [] });

/** What several pages share comes in a few files, not in one each: a browser asks for six at a time. */
const together = {
  includeDependenciesRecursively: false,
  groups: [
    // Before all others: nothing that runs at once may wait for a file that waits for it.
    { name: 'react', test: /node_modules\/(?:react|react-dom|scheduler)\//, priority: 1 },
    // What the shell itself is made of, then the rest: fields, tables, dialogs, which come with the first page.
    { name: 'kit', test: SHELL_KIT },
    { name: 'libraries', test: /node_modules\/(?:@tanstack\/(?:query-core|react-query)|react-router(?:-dom)?)\// },
    { name: 'icons', test: /node_modules\/lucide-react\//, minShareCount: 2 },
    { name: 'fields', test: /node_modules\/@mui\//, minShareCount: 2 },
    // The entry's own parts stay apart: it is to run before anything else is there, React too.
    { name: 'entry', test: ENTRY, priority: 2 },
    { name: 'parts', test: SHELL_PARTS, minShareCount: 2 },
    {
      name: 'views',
      test: /\/ui\/src\/(?:parts|text|session)\/(?!later|record)|\/ui\/src\/(?:api\/signIn|live\/use)|\/dashboard\/src\/(?:app\/(?:useAddress|WordBreaks|useDebouncedInput)|sessions\/(?:bulk|listPosition))/,
      minShareCount: 2,
    },
  ],
};

/**
 * @param {string} base where the app is served
 * @param {string[]} pages
 */
export function app(base, pages = ['index.html']) {
  const server = { proxy: { ...proxy, '/ws': { target, ws: true } } };
  return {
    base,
    html: { cspNonce: NONCE },
    experimental: { renderBuiltUrl },
    plugins: [react({ babel: memoized }), policy, preloaded(base), compressed],
    server,
    preview: server,
    build: {
      target: 'es2023',
      sourcemap: false,
      manifest: true,
      modulePreload: { polyfill: false },
      chunkSizeWarningLimit: 700,
      rolldownOptions: { input: pages, output: { codeSplitting: together } },
    },
  };
}
