/** Scope of a question, and its form in the address: `?collection=hosts&filter=rack:r07`. */
import type { KnowledgeFilters } from '@tarsy/ui';

export interface Searched {
  collection: string | null;
  filters: string[];
}

export const readSearched = (params: URLSearchParams): Searched => ({
  collection: params.get('collection'),
  filters: params.getAll('filter'),
});

/** Returns the address with another selection. Its other parameters stay. */
export function writeSearched(params: URLSearchParams, { collection, filters }: Searched): URLSearchParams {
  const next = new URLSearchParams(params);
  next.delete('collection');
  next.delete('filter');
  if (collection !== null) next.set('collection', collection);
  filters.forEach((filter) => {
    next.append('filter', filter);
  });
  return next;
}

/** Parts of `field:value`; null: it has none of them. */
export function filterParts(filter: string): [field: string, value: string] | null {
  const at = filter.indexOf(':');
  const [field, value] = [filter.slice(0, at).trim(), filter.slice(at + 1).trim()];
  return at < 1 || field === '' || value === '' ? null : [field, value];
}

/** Converts filters to the form of the API. Several values of one field are alternatives. */
export function toFilters(filters: readonly string[]): KnowledgeFilters {
  const all: KnowledgeFilters = {};
  for (const [field, value] of filters.map(filterParts).filter((parts) => parts !== null))
    all[field] = [...(all[field] ?? []), value];
  return all;
}

/** Why a filter can't be used; null: it can. If no fields are known, every name is accepted. */
export function filterMistake(filter: string, fields: readonly string[]): string | null {
  const parts = filterParts(filter);
  if (parts === null) return 'Write a filter as field:value.';
  return fields.length === 0 || fields.includes(parts[0])
    ? null
    : `Unknown field “${parts[0]}”. Fields: ${fields.join(', ')}.`;
}
