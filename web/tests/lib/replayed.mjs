// A session whose first stage failed and was replayed with another provider.
import { until } from './fleet.mjs';

/** @param {import('./fleet.mjs').Fleet} fleet */
export async function replayed(fleet) {
  const id = await fleet.submit('replayed', 'LooksAndFails', 'warning');
  await fleet.ended(id);
  const answer = await fetch(`${fleet.api}/api/v1/admin/sessions/${id}/stages/0/replay`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ reason: 'the key was revoked', llm_provider: 'repaired' }),
  });
  if (!answer.ok) throw new Error(await answer.text());
  await until('the replay succeeds', async () => (await fleet.session(id)).outcome === 'completed');
  return id;
}
