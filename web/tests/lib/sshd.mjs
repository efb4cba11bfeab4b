// An SSH server on this machine with its own keys, and one program that may run there.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { freePort, until } from './wait.mjs';

/** Whether a server answers with the greeting of SSH. */
const greets = async (port) => {
  const socket = connect(port, '127.0.0.1');
  try {
    const [greeting] = await once(socket, 'data');
    return greeting.toString().startsWith('SSH-');
  } finally {
    socket.destroy();
  }
};

/** Starts a server with host `box`, whose command `watchdog` prints `says`. `runs()` counts how often it ran. */
export async function sshServer(says) {
  const folder = mkdtempSync(join(tmpdir(), 'tarsy-ui-ssh-'));
  const file = (name) => join(folder, name);
  for (const key of ['host_key', 'user_key'])
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', file(key)]);
  const { username } = userInfo();
  if (username === 'root') mkdirSync('/run/sshd', { recursive: true });
  const port = await freePort();
  writeFileSync(
    file('config'),
    [
      `ListenAddress 127.0.0.1:${port}`,
      `HostKey ${file('host_key')}`,
      `AuthorizedKeysFile ${file('user_key.pub')}`,
      'PidFile none',
      'StrictModes no',
      'UsePAM no',
      'PasswordAuthentication no',
      'PermitRootLogin prohibit-password',
      '',
    ].join('\n'),
  );
  writeFileSync(file('watchdog'), `#!/bin/sh\necho ran >> ${file('runs')}\necho '${says}'\n`);
  chmodSync(file('watchdog'), 0o755);
  const server = spawn('/usr/sbin/sshd', ['-D', '-f', file('config'), '-E', file('log')], { stdio: 'ignore' });
  await until('the SSH server answers', () => greets(port));
  writeFileSync(
    file('ssh.json'),
    JSON.stringify({
      templates: { watchdog: { effect: 'read_only', command: [file('watchdog')] } },
      groups: {
        lab: {
          user: username,
          key: { file: file('user_key') },
          allow: [[file('watchdog')]],
          hosts: {
            box: { address: '127.0.0.1', port, host_keys: [readFileSync(file('host_key.pub'), 'utf8').trim()] },
          },
        },
      },
    }),
  );
  return {
    config: file('ssh.json'),
    runs: () => (existsSync(file('runs')) ? readFileSync(file('runs'), 'utf8').split('\n').length - 1 : 0),
    close: async () => {
      const gone = once(server, 'exit');
      server.kill();
      await gone;
      rmSync(folder, { recursive: true });
    },
  };
}
