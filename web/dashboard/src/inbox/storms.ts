/** Joins the rows of one incident in the inbox. */

/** Minimum number of rows of an incident that are joined. */
const STORM = 3;

interface Grouped {
  incident?: { incident_id: string; members: number } | null;
}

export type Entry<T> = { row: T } | { incident: string; members: number; rows: T[] };

/** Returns the rows in their order. The rows of a storm are together, at the place of the first. */
export function storms<T extends Grouped>(rows: readonly T[]): Entry<T>[] {
  const of = new Map<string, T[]>();
  for (const row of rows) {
    const id = row.incident?.incident_id;
    if (id !== undefined) of.set(id, [...(of.get(id) ?? []), row]);
  }
  return rows.flatMap((row): Entry<T>[] => {
    const { incident } = row;
    const together = incident == null ? undefined : of.get(incident.incident_id);
    if (incident == null || together === undefined || together.length < STORM) return [{ row }];
    if (together[0] !== row) return [];
    return [{ incident: incident.incident_id, members: incident.members, rows: together }];
  });
}
