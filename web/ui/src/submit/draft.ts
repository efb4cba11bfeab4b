/** Parses the editor's JSON or YAML with line numbers of mistakes. */
import { isMap, isScalar, LineCounter, parseDocument, stringify, type Document } from 'yaml';

export interface Mistake {
  /** From 1. */
  line: number;
  column: number;
  message: string;
}

export type Format = 'json' | 'yaml';
export interface Draft {
  value: Record<string, unknown> | null;
  mistakes: Mistake[];
}

/** JSON begins with a brace; everything else is read as YAML. */
export const formatOf = (text: string): Format => (/^\s*[{[]/.test(text) ? 'json' : 'yaml');

/** Text fields that the API defines, with their maximum lengths. It keeps other fields as members of the data. */
const TEXT_FIELDS = { alert_type: 255, runbook: 2048, severity: 64 } as const;

function place(lines: LineCounter, offset: number): { line: number; column: number } {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(1, line), column: Math.max(1, col) };
}

function offsetOf(document: Document, key: string): number {
  if (!isMap(document.contents)) return 0;
  const pair = document.contents.items.find((item) => isScalar(item.key) && item.key.value === key);
  return pair !== undefined && isScalar(pair.key) ? (pair.key.range?.[0] ?? 0) : 0;
}

/** Returns the mistake in a text that is not strict JSON; null: none. The YAML parser would accept trailing commas. */
function jsonMistake(text: string): string | null {
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : 'invalid JSON';
  }
}

/** Finds where the JSON parser stopped: by its message, or else by the first error of the YAML parser. */
function jsonPlace(
  text: string,
  message: string,
  document: Document,
  lines: LineCounter,
): { line: number; column: number } {
  const at = /position (\d+)/.exec(message)?.[1];
  if (at !== undefined) return place(lines, Number(at));
  const first = document.errors[0];
  return first === undefined ? place(lines, text.length) : place(lines, first.pos[0]);
}

/** Parses an object. Mistakes have a line; `at` returns the place of a member. */
export function readObject(text: string): Draft & { at: (key: string) => { line: number; column: number } } {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const at = (key: string): { line: number; column: number } => place(lines, offsetOf(document, key));
  if (text.trim() === '') return { value: null, mistakes: [{ line: 1, column: 1, message: 'empty document' }], at };
  const json = formatOf(text) === 'json' ? jsonMistake(text) : null;
  if (json !== null)
    return { value: null, mistakes: [{ ...jsonPlace(text, json, document, lines), message: json }], at };
  if (document.errors.length > 0) {
    return {
      value: null,
      mistakes: document.errors.map((error) => ({ ...place(lines, error.pos[0]), message: error.message })),
      at,
    };
  }
  const value: unknown = document.toJS();
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    return { value: null, mistakes: [{ line: 1, column: 1, message: 'must be an object' }], at };
  }
  return { value: value as Record<string, unknown>, mistakes: [], at };
}

/** Serializes a draft in its format. */
export const write = (value: Record<string, unknown>, format: Format): string =>
  format === 'json' ? JSON.stringify(value, null, 2) : stringify(value);

/** Parses an alert and validates it by the API's rules. */
export function readAlert(text: string, knownTypes: readonly string[]): Draft {
  const { value, mistakes, at } = readObject(text);
  if (value === null) return { value, mistakes };
  const found: Mistake[] = [];
  for (const [field, longest] of Object.entries(TEXT_FIELDS)) {
    const given = value[field];
    if (given === undefined || given === null) {
      if (field !== 'severity') found.push({ line: 1, column: 1, message: `\`${field}\` is required` });
    } else if (typeof given !== 'string') found.push({ ...at(field), message: `\`${field}\` must be a string` });
    else if (given.trim() === '') found.push({ ...at(field), message: `\`${field}\` must not be empty` });
    else if (given.length > longest)
      found.push({ ...at(field), message: `\`${field}\` must be at most ${String(longest)} characters` });
  }
  const { alert_type: type, runbook, data, timestamp } = value;
  if (typeof type === 'string' && type !== '' && knownTypes.length > 0 && !knownTypes.includes(type)) {
    found.push({ ...at('alert_type'), message: `no chain handles \`${type}\`; known types: ${knownTypes.join(', ')}` });
  }
  if (typeof runbook === 'string' && runbook !== '' && !/^(https?:\/\/|local:)/.test(runbook)) {
    found.push({ ...at('runbook'), message: '`runbook` must be an http(s) URL or `local:<name>`' });
  }
  if (data !== undefined && data !== null && (typeof data !== 'object' || Array.isArray(data))) {
    found.push({ ...at('data'), message: '`data` must be an object' });
  }
  if (
    timestamp !== undefined &&
    timestamp !== null &&
    !(typeof timestamp === 'number' && Number.isInteger(timestamp) && timestamp >= 0)
  ) {
    found.push({ ...at('timestamp'), message: '`timestamp` must be an integer (Unix microseconds)' });
  }
  return { value, mistakes: found };
}
