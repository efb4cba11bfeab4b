// What every page looks like, and whether everybody can use it.
import { test } from 'node:test';
import { looked } from './lib/looks.mjs';
import { setting } from './lib/setting.mjs';

const own = setting();

/** Sessions in every state that a page shows differently, by what they show. */
async function sessions() {
  const { fleet } = own;
  const [done, failed, running] = await Promise.all([fleet.submit('looks'), fleet.submit('looks', 'StageFails', 'warning'), fleet.submit('looks', 'TakesLong', 'info')]);
  await Promise.all([fleet.ended(done), fleet.ended(failed)]);
  const session = await fleet.session(done);
  const event = session.stages[1].chronological_interactions.find((one) => one.details.tool_name === 'pods_log').id;
  return { done, failed, running, event };
}

/** Each page by name: its address, what stands there when it is ready, and its size where that is not a desk's. */
function pages({ done, failed, running, event }) {
  const dashboard = (path) => own.fleet.dashboard(path);
  const row = '[data-testid=session-row]';
  return {
    sessions: [dashboard('/sessions'), row],
    'sessions-phone': [dashboard('/sessions'), row, 390],
    'sessions-no-match': [dashboard('/sessions?search=nothing-of-that-kind'), 'text=No results'],
    // Of a list only what is in view exists: a tall window, not a photograph of the whole page.
    session: [dashboard(`/sessions/${done}`), '[data-kind=answer]', 1440, 2000],
    'session-phone': [dashboard(`/sessions/${done}`), '[data-kind=answer]', 390],
    'session-running': [dashboard(`/sessions/${running}`), '[data-testid=stage-card]'],
    'session-failed-stage': [dashboard(`/sessions/${failed}`), '[data-testid=stage-card]'],
    'session-absent': [dashboard('/sessions/00000000-0000-7000-8000-000000000000'), 'text=Not found'],
    'session-event': [dashboard(`/sessions/${done}?event=${event}`), '[data-kind=tool]'],
    'session-search': [dashboard(`/sessions/${done}?find=finalizer`), '[data-testid=hits]'],
    waterfall: [dashboard(`/sessions/${done}?tab=waterfall`), '[data-testid=waterfall]'],
    handover: [dashboard(`/sessions/${failed}?tab=handover`), '[data-testid=handover]'],
    alert: [dashboard(`/sessions/${done}?tab=alert`), '#panel h3'],
    'fleet-phone': [dashboard('/fleet'), 'table[aria-label="MCP servers"]', 390],
    'submit-phone': [dashboard('/submit'), '.cm-content', 390],
    fleet: [dashboard('/fleet'), 'table[aria-label="MCP servers"]'],
    config: [dashboard('/config?section=agents'), '[role=tabpanel] pre'],
    submit: [dashboard('/submit'), '.cm-content'],
    'dev-ui': [`${own.fleet.api}/dev-ui/`, '.cm-content'],
    'dev-ui-result': [`${own.fleet.api}/dev-ui/?session=${done}`, '[data-testid=result]'],
  };
}

test('no page has a serious accessibility issue, in light and dark; each is photographed', async () => {
  await looked(own.browser, pages(await sessions()));
});
