/** Reads outputs of stages of chain `knowledge`. Checks every value, because an older chain may have written others. */
import type { SessionDetail, StageDetail } from '@tarsy/ui';

export type Json = Record<string, unknown>;

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const objects = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : []);
export const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
export const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null);
export const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
/** Id of a chunk, which may be a number or a text. */
export const idOf = (value: unknown): string | null => (typeof value === 'number' ? String(value) : textOf(value));

/** Current attempt of a stage. */
export const stageNamed = (session: SessionDetail, name: string): StageDetail | undefined =>
  session.stages.find((stage) => stage.is_current && stage.stage_name === name);

/** Data of a completed stage; empty: it has none. */
export function dataOf(session: SessionDetail, name: string): Json {
  const stage = stageNamed(session, name);
  const data = stage?.status === 'completed' ? stage.stage_output?.data : undefined;
  return isObject(data) ? data : {};
}

export interface CollectionField {
  name: string;
  type: string;
  isFilter: boolean;
}
export interface Collection {
  name: string;
  fields: CollectionField[];
}

/** Returns the collections of the store, as the question found them. */
export const collectionsOf = (session: SessionDetail | undefined): Collection[] =>
  (session === undefined ? [] : objects(dataOf(session, 'catalog').collections)).flatMap((one) => {
    const name = textOf(one.name);
    const fields = objects(one.fields).map((field) => ({
      name: textOf(field.name) ?? '',
      type: textOf(field.type) ?? 'text',
      isFilter: field.filter === true,
    }));
    return name === null ? [] : [{ name, fields: fields.filter((field) => field.name !== '') }];
  });

/** Names of fields that questions can be filtered by: those of one collection, or of all. */
export const filterFields = (collections: readonly Collection[], collection: string | null): string[] =>
  [
    ...new Set(
      collections
        .filter(({ name }) => collection === null || name === collection)
        .flatMap(({ fields }) => fields.filter((field) => field.isFilter).map((field) => field.name)),
    ),
  ].sort();
