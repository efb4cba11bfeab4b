// The certified identity provider of the tests. Its sign-in page has a link for each person.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('../../../tests/node/', import.meta.url));

export class Issuer {
  /** Starts a provider that redirects browsers back to this address. */
  static async start(redirectUri) {
    const own = new Issuer();
    own.child = spawn(`${FOLDER}node_modules/.bin/node`, [`${FOLDER}oidc.mjs`, redirectUri], {
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    const [line] = await once(createInterface({ input: own.child.stdout }), 'line');
    own.url = JSON.parse(line).issuer;
    return own;
  }

  async stop() {
    const gone = once(this.child, 'exit');
    this.child.stdin.end();
    await gone;
  }
}
