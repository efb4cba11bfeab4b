// nginx in front of a fleet, as set up by an operator who serves it below a path.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, until } from './wait.mjs';

/** Configuration with the location of docs/DEPLOY.md. */
const configuration = (folder, port, api, prefix) => `
daemon off;
pid ${folder}/pid;
error_log stderr;
events {}
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  map $http_upgrade $connection_upgrade { default upgrade; '' close; }
  server {
    listen 127.0.0.1:${port};
    location ${prefix}/ {
      proxy_pass ${api}/;
      proxy_http_version 1.1;
      proxy_set_header Host $http_host;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection $connection_upgrade;
    }
  }
}
`;

export class Nginx {
  /** Starts nginx, which serves `api` below `prefix`, e.g. `/tarsy`, on `port` or any free port. */
  static async before(api, prefix, port = null) {
    const own = new Nginx();
    own.folder = mkdtempSync(join(tmpdir(), 'tarsy-nginx-'));
    port ??= await freePort();
    const file = join(own.folder, 'nginx.conf');
    writeFileSync(file, configuration(own.folder, port, api, prefix));
    own.child = spawn(process.env.NGINX ?? '/usr/sbin/nginx', ['-p', own.folder, '-e', 'stderr', '-c', file], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    own.origin = `http://127.0.0.1:${port}`;
    own.url = `${own.origin}${prefix}`;
    await until('nginx answers', async () => (await fetch(`${own.url}/livez`)).ok);
    return own;
  }

  async stop() {
    const gone = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await gone;
    rmSync(this.folder, { recursive: true });
  }
}
