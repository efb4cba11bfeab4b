/** What both apps' builds have in common. */
import react from '@vitejs/plugin-react';

/** Nothing from elsewhere; styles inline because the component library writes them at run time. */
export const CSP = [
  "default-src 'self'", "script-src 'self'", "style-src 'self' 'unsafe-inline'", "img-src 'self' data:", "font-src 'self'",
  "connect-src 'self' ws: wss:", "object-src 'none'", "base-uri 'self'", "form-action 'self'",
].join('; ');

/** The policy in the page itself, so that it holds behind any static server. */
const policy = {
  name: 'content-security-policy',
  apply: 'build',
  transformIndexHtml: () => [{ tag: 'meta', attrs: { 'http-equiv': 'Content-Security-Policy', content: CSP }, injectTo: 'head-prepend' }],
};

const target = process.env.TARSY_API ?? 'http://127.0.0.1:8000';
const proxy = Object.fromEntries(
  ['/alerts', '/alert-types', '/session-id', '/webhooks', '/api', '/health', '/openapi.json'].map((path) => [path, { target }]),
);

/** @param {string} base where the app is served */
export function app(base) {
  const server = { proxy: { ...proxy, '/ws': { target, ws: true } } };
  return {
    base,
    plugins: [react(), policy],
    server,
    preview: server,
    build: { target: 'es2023', sourcemap: false, manifest: true, chunkSizeWarningLimit: 700 },
  };
}
