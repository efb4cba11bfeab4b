import { describe, expect, it } from 'vitest';
import { storms } from '../src/inbox/storms';
import { reasonText } from '../src/incidents/IncidentCard';

const of = (
  id: string,
  incident: string | null,
): { id: string; incident: { incident_id: string; members: number } | null } => ({
  id,
  incident: incident === null ? null : { incident_id: incident, members: 9 },
});

describe('storms of the inbox', () => {
  it('stand as one row where their first row is, if they have three', () => {
    const rows = [of('a', 'x'), of('b', null), of('c', 'y'), of('d', 'x'), of('e', 'x'), of('f', 'y')];
    const shown = storms(rows).map((entry) => ('row' in entry ? entry.row.id : entry.rows.map(({ id }) => id)));
    expect(shown).toEqual([['a', 'd', 'e'], 'b', 'c', 'f']);
  });
});

describe('why sessions belong together', () => {
  it('is what they share and the span of time', () => {
    const incident = { first_started_at_us: 0, last_started_at_us: 540_000_000 } as Parameters<
      typeof reasonText
    >[0]['incident'];
    const reasons = [
      { kind: 'target', shared: 'eu-1 / shop' },
      { kind: 'cause', shared: 'eu-1 / cart-config' },
    ];
    expect(reasonText({ incident, reasons })).toBe(
      'Their alerts are about eu-1 / shop. Their checked root causes name eu-1 / cart-config. They started within 9 min.',
    );
  });
});
