// The apps below a path, behind nginx.
import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { newPage } from './lib/browser.mjs';
import { Nginx } from './lib/nginx.mjs';
import { live, setting } from './lib/setting.mjs';

const own = setting();
let nginx;
beforeEach(async () => {
  nginx ??= await Nginx.before(own.fleet.api, '/tarsy');
});
after(async () => {
  await nginx?.stop();
});

/** Opens a page at this path below the prefix. Also returns the requested paths outside of the prefix. */
async function open(path) {
  const { page, context, errors } = await newPage(own.browser);
  const strays = [];
  const failed = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(`${nginx.url}/`)) strays.push(request.url());
  });
  page.on('response', (response) => {
    if (response.status() >= 400) failed.push(`${response.status()} ${response.url()}`);
  });
  page.on('websocket', (socket) => {
    if (!socket.url().startsWith(`${nginx.url.replace('http', 'ws')}/`)) strays.push(socket.url());
  });
  await page.goto(`${nginx.url}${path}`);
  const check = () => {
    assert.deepEqual({ strays, failed, errors }, { strays: [], failed: [], errors: [] });
  };
  return { page, context, check };
}

test('the dashboard works below a path: files, API, socket, links and pages that are opened directly', async () => {
  const id = await own.fleet.submit('below a path');
  await own.fleet.ended(id);
  const { page, context, check } = await open('/dashboard/');
  await live(page);
  await page.getByRole('link', { name: 'Fleet' }).click();
  await page.waitForURL(`${nginx.url}/dashboard/fleet`);
  await page.goBack();
  await page.waitForURL(`${nginx.url}/dashboard/inbox`);
  await page.goto(`${nginx.url}/dashboard/sessions/${id}`);
  await live(page);
  await page.reload();
  await live(page);
  assert.equal(page.url(), `${nginx.url}/dashboard/sessions/${id}`);
  check();
  await context.close();
});

test('redirects stay below the path', async () => {
  for (const [from, to] of [
    ['/', '/dashboard/'],
    ['/dashboard', '/dashboard/'],
    ['/dev-ui', '/dev-ui/'],
    ['/docs', '/docs/'],
  ]) {
    const answer = await fetch(`${nginx.url}${from}`, { headers: { accept: 'text/html' } });
    assert.equal(answer.url, `${nginx.url}${to}`);
    assert.equal(answer.status, 200);
  }
});

test('the page to submit alerts and the description of the API work there too', async () => {
  const submit = await open('/dev-ui/');
  await live(submit.page);
  assert.equal(
    await submit.page.getByRole('link', { name: 'dashboard' }).first().getAttribute('href'),
    '/tarsy/dashboard/',
  );
  submit.check();
  await submit.context.close();
  const api = await open('/docs/');
  await api.page.getByText('/webhooks/{source}').first().waitFor();
  api.check();
  await api.context.close();
});
