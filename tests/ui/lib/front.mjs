// A static server for both built apps that hands everything else to the API, sockets too:
// what any reverse proxy in front of the screens does. It stays while the API restarts.
import { createReadStream, existsSync, statSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { connect } from 'node:net';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const APPS = { '/dashboard/': join(ROOT, 'dashboard/dist'), '/dev-ui/': join(ROOT, 'alert-dev-ui/dist') };
const TYPES = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.json': 'application/json' };

function serveFile(answer, folder, path) {
  const wanted = join(folder, normalize(path));
  // A path of the app's own router is answered with its page.
  const file = wanted.startsWith(folder) && existsSync(wanted) && statSync(wanted).isFile() ? wanted : join(folder, 'index.html');
  answer.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream', 'x-content-type-options': 'nosniff' });
  createReadStream(file).pipe(answer);
}

/** @param {number} apiPort the API's port on this machine */
export async function front(apiPort) {
  const server = createServer((asked, answer) => {
    const path = new URL(asked.url, 'http://front').pathname;
    const app = Object.keys(APPS).find((base) => path.startsWith(base));
    if (app !== undefined) { serveFile(answer, APPS[app], decodeURIComponent(path.slice(app.length))); return; }
    const onward = request({ host: '127.0.0.1', port: apiPort, path: asked.url, method: asked.method, headers: asked.headers }, (got) => {
      answer.writeHead(got.statusCode, got.headers);
      got.pipe(answer);
    });
    onward.on('error', () => { answer.writeHead(502).end(); });
    asked.pipe(onward);
  });
  server.on('upgrade', (asked, socket, head) => {
    const api = connect(apiPort, '127.0.0.1', () => {
      const headers = Object.entries(asked.headers).map(([name, value]) => `${name}: ${value}`).join('\r\n');
      api.write(`GET ${asked.url} HTTP/1.1\r\n${headers}\r\n\r\n`);
      api.write(head);
      socket.pipe(api).pipe(socket);
    });
    const end = () => { socket.destroy(); api.destroy(); };
    for (const side of [socket, api]) side.on('error', end).on('close', end);
  });
  await new Promise((resolve) => { server.listen(0, '127.0.0.1', resolve); });
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => { server.closeAllConnections(); server.close(); } };
}
