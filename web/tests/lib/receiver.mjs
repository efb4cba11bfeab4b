// A notification receiver over real HTTP, which can also reject notifications.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after } from 'node:test';

/** Answers with `status`, which can be changed, until the file's tests are over. `heard` holds the received bodies. */
export async function receiver(status) {
  const own = { status, heard: [] };
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (part) => {
      body += part;
    });
    request.on('end', () => {
      own.heard.push(JSON.parse(body));
      response.writeHead(own.status).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  own.url = `http://127.0.0.1:${server.address().port}/hook`;
  return own;
}
