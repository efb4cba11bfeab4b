// Appearance and accessibility of every page.
import { test } from 'node:test';
import { until } from './lib/fleet.mjs';
import { looked } from './lib/looks.mjs';
import { setting } from './lib/setting.mjs';

const own = setting();

const toQuestions = async (page) =>
  page.getByTestId('questions').evaluate((section) => {
    section.scrollIntoView({ block: 'start' });
  });

/** Sessions in every state that a page shows differently, by name. */
async function sessions() {
  const { fleet } = own;
  const [done, failed, running] = await Promise.all([
    fleet.submit('looks'),
    fleet.submit('looks', 'StageFails', 'warning'),
    fleet.submit('looks', 'TakesLong', 'info'),
  ]);
  await Promise.all([fleet.ended(done), fleet.ended(failed)]);
  const session = await fleet.session(done);
  const event = session.stages[1].chronological_interactions.find((one) => one.details.tool_name === 'pods_log').id;
  return { done, failed, running, event, ...(await waiting()), asked: await questioned(done) };
}

/** Sessions that wait for approval of a stage, approval of a tool call, a signal, or a worker of a pool. */
async function waiting() {
  const { fleet } = own;
  const [gate, call, signal, pool] = await Promise.all(
    ['Gated', 'Asked', 'Signalled', 'NeedsAPool'].map((type) => fleet.submit('looks', type)),
  );
  await Promise.all(
    [gate, call, signal].map((id) =>
      until(`session ${id} waits`, async () => (await fleet.session(id)).waits.length > 0),
    ),
  );
  await until('its pool is known to be empty', async () => (await fleet.session(pool)).waiting?.reason === 'no_worker');
  return { gate, call, signal, pool };
}

/** Asks about a session; returns the id of the question. */
async function questioned(id) {
  const { fleet } = own;
  const response = await fetch(`${fleet.api}/api/v1/sessions/${id}/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ text: 'Who holds the namespace?' }),
  });
  await fleet.ended((await response.json()).session_id);
  return id;
}

/**
 * Each page by name: its address, the text that shows that it is ready, and its size if it is not that of a desktop.
 */
function pages({ done, failed, running, event, gate, call, signal, pool, asked }) {
  const dashboard = (path) => own.fleet.dashboard(path);
  const row = '[data-testid=session-row]';
  return {
    sessions: [dashboard('/sessions'), row],
    'sessions-phone': [dashboard('/sessions'), row, 390],
    'sessions-no-match': [dashboard('/sessions?search=nothing-of-that-kind'), 'text=No results'],
    // A list renders only the visible rows, so use a tall window instead of a screenshot of the full page.
    session: [dashboard(`/sessions/${done}`), '[data-kind=answer]', 1440, 2000],
    'session-phone': [dashboard(`/sessions/${done}`), '[data-kind=answer]', 390],
    'session-running': [dashboard(`/sessions/${running}`), '[data-testid=stage-card]'],
    'session-failed-stage': [dashboard(`/sessions/${failed}`), '[data-testid=stage-card]'],
    'session-absent': [dashboard('/sessions/00000000-0000-7000-8000-000000000000'), 'text="Not found"'],
    'page-absent': [dashboard('/nowhere'), 'text=Page not found'],
    'session-event': [dashboard(`/sessions/${done}?event=${event}`), '[data-kind=tool]'],
    'session-search': [dashboard(`/sessions/${done}?find=finalizer`), '[data-testid=hits]'],
    approvals: [dashboard('/approvals'), '[data-testid=approval]'],
    'approvals-phone': [dashboard('/approvals'), '[data-testid=approval]', 390],
    'session-gate': [dashboard(`/sessions/${gate}`), '[data-testid=approval]'],
    'session-gate-phone': [dashboard(`/sessions/${gate}`), '[data-testid=approval]', 390],
    'session-call': [dashboard(`/sessions/${call}`), '[data-testid=approval]'],
    'session-call-phone': [dashboard(`/sessions/${call}`), '[data-testid=approval]', 390],
    'session-signal': [dashboard(`/sessions/${signal}`), '[data-testid=stage-wait]'],
    'session-no-worker': [dashboard(`/sessions/${pool}`), '[data-testid=wait]'],
    'session-no-worker-phone': [dashboard(`/sessions/${pool}`), '[data-testid=wait]', 390],
    'session-questions': [dashboard(`/sessions/${asked}`), '[data-testid=turn-answer]', 1440, 900, toQuestions],
    'session-questions-phone': [dashboard(`/sessions/${asked}`), '[data-testid=turn-answer]', 390, 900, toQuestions],
    waterfall: [dashboard(`/sessions/${done}?tab=waterfall`), '[data-testid=waterfall]'],
    handover: [dashboard(`/sessions/${failed}?tab=handover`), '[data-testid=handover]'],
    alert: [dashboard(`/sessions/${done}?tab=alert`), '#panel h3'],
    'fleet-phone': [dashboard('/fleet'), 'table[aria-label="MCP servers"]', 390],
    'submit-phone': [dashboard('/submit'), '.cm-content', 390],
    fleet: [dashboard('/fleet'), 'table[aria-label="MCP servers"]'],
    'fleet-sources': [dashboard('/fleet#sources'), '[data-testid=source]'],
    'fleet-sources-phone': [dashboard('/fleet#sources'), '[data-testid=source]', 390],
    config: [dashboard('/config?section=agents'), '[role=tabpanel] pre'],
    submit: [dashboard('/submit'), '.cm-content'],
    'dev-ui': [`${own.fleet.api}/dev-ui/`, '.cm-content'],
    'dev-ui-result': [`${own.fleet.api}/dev-ui/?session=${done}`, '[data-testid=result]'],
  };
}

test('no page has an accessibility issue, in light and dark; each is photographed', async () => {
  await looked(own.browser, pages(await sessions()), { byLinks: true });
});
