/** Audit log filters, kept in the URL. */
import type { AuditEntry } from '@tarsy/ui';

/** Exact values of the filters; empty: any. */
export interface AuditFilterValues {
  actor: string;
  action: string;
  subject: string;
}

export const NO_FILTERS: AuditFilterValues = { actor: '', action: '', subject: '' };
const NAMES = ['actor', 'action', 'subject'] as const;

/** Reads the filters from a URL. */
export const readAuditFilters = (params: URLSearchParams): AuditFilterValues =>
  Object.fromEntries(NAMES.map((name) => [name, params.get(name) ?? ''])) as unknown as AuditFilterValues;

/** Writes the filters into a URL and keeps its other parameters. */
export function writeAuditFilters(params: URLSearchParams, words: AuditFilterValues): URLSearchParams {
  const next = new URLSearchParams(params);
  for (const name of NAMES) {
    const word = words[name].trim();
    if (word === '') next.delete(name);
    else next.set(name, word);
  }
  return next;
}

/** Whether any filter is set. */
export const hasFilters = (words: AuditFilterValues): boolean => NAMES.some((name) => words[name] !== '');

/** Distinct values of a field, sorted. */
export const distinctValues = (entries: readonly AuditEntry[], name: keyof AuditFilterValues): string[] =>
  [...new Set(entries.map((entry) => entry[name]))].sort();

const ID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;

/** Short label of an audit subject, and its link. */
export function subjectOf({ subject, subject_kind: kind }: AuditEntry): { label: string; to: string | null } {
  const isId = ID.test(subject);
  return kind === 'session'
    ? { label: `session ${subject.slice(-6)}`, to: `/sessions/${subject}` }
    : { label: `${kind} ${isId ? subject.slice(-12) : subject}`, to: null };
}
