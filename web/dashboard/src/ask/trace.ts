/** Trace of how a question was answered, from the outputs of its stages. */
import type { SessionDetail, StageDetail } from '@tarsy/ui';
import { dataOf, idOf, isObject, numberOf, objects, stageNamed, textOf, texts, type Json } from './outputs';

/** A result of the search with its scores. */
export interface TraceHit {
  id: string;
  collection: string;
  key: string;
  /** Rank in the results of the search, from 1. */
  place: number;
  /** Search methods that found it. */
  foundBy: string[];
  words: number | null;
  vector: number | null;
  fused: number | null;
  /** Rank by words alone, if vectors were compared. */
  beforeDense: number | null;
  rerank: number | null;
  beforeRerank: number | null;
  isInContext: boolean;
  isCited: boolean;
}

/** A finding of a policy. */
export interface Redaction {
  where: 'question and evidence' | 'answer';
  policy: string;
  action: string;
  kind: string;
  count: number;
}

export interface Trace {
  stages: readonly { name: string; status: string; durationMs: number | null; error: string | null }[];
  intent: string | null;
  route: string[];
  steps: string[];
  /** The question as it was searched for, if it was rewritten. */
  rewritten: string | null;
  statement: string | null;
  sqlResult: string | null;
  command: Json | null;
  commandResult: string | null;
  candidates: number | null;
  /** `off`, `used`, `cached` or `failed: why`. */
  dense: string | null;
  rerank: string | null;
  hits: TraceHit[];
  inContext: number;
  leftOut: number;
  redactions: Redaction[];
  denied: boolean;
  invented: string[];
}

/** A cited chunk. */
export interface Source {
  id: string;
  /** Its number in the answer, from 1. */
  number: number;
  collection: string | null;
  key: string | null;
  /** Whole text as the answering model saw it, after the guardrail. */
  text: string;
  file: string | null;
  line: number | null;
  /** Number of the chunk within its record, from 1. */
  chunk: number | null;
  foundBy: string[];
  /** The tool call that found it. */
  event: string | null;
}

export interface KnowledgeResult {
  /** Null: no evidence supports an answer, or a policy denies it. */
  answer: string | null;
  supported: boolean;
  denied: boolean;
  sources: Source[];
  invented: string[];
  /** Lookups that failed or were refused, and why. */
  errors: string[];
}

const hitsOf = (session: SessionDetail): Json[] => objects(dataOf(session, 'retrieval-agent').results);

/** Returns the search methods that found a chunk. */
export function foundBy(hit: Json): string[] {
  return [
    ...((numberOf(hit.exact) ?? 0) > 0 ? ['identifier'] : []),
    ...((numberOf(hit.score) ?? 0) > 0 ? ['words'] : []),
    ...(numberOf(hit.dense) === null ? [] : ['vector']),
  ];
}

function redactionsOf(session: SessionDetail): Redaction[] {
  const of = (stage: string, where: Redaction['where']) =>
    objects(dataOf(session, stage).redaction_flags).map((flag): Redaction => ({
      where,
      policy: textOf(flag.policy) ?? '',
      action: textOf(flag.action) ?? '',
      kind: textOf(flag.kind) ?? '',
      count: numberOf(flag.count) ?? 0,
    }));
  return [...of('guardrail', 'question and evidence'), ...of('answer-guardrail', 'answer')];
}

const stageLine = ({
  stage_name: name,
  status,
  duration_ms: durationMs,
  error_message: error,
}: StageDetail): Trace['stages'][number] => ({ name, status, durationMs: durationMs ?? null, error: error ?? null });
const resultOf = (session: SessionDetail, name: string): string | null => {
  const stage = stageNamed(session, name);
  return stage?.status === 'completed' ? textOf(stage.stage_output?.result) : null;
};

/** Returns the trace of a question. */
export function traceOf(session: SessionDetail): Trace {
  const router = dataOf(session, 'intent-router');
  const search = dataOf(session, 'retrieval-agent');
  const help = isObject(search.trace) ? search.trace : {};
  const context = dataOf(session, 'context-builder');
  const cited = dataOf(session, 'citations');
  const ids = (items: unknown): Set<string | null> => new Set(objects(items).map((item) => idOf(item.id)));
  const [inContext, inAnswer] = [ids(context.items), ids(cited.citations)];
  return {
    stages: session.stages
      .filter((stage) => stage.is_current)
      .toSorted((a, b) => a.stage_index - b.stage_index)
      .map(stageLine),
    intent: textOf(router.intent),
    route: texts(router.route),
    steps: texts(router.steps),
    rewritten: textOf(dataOf(session, 'query-rewrite').search_query),
    statement: textOf(router.statement),
    sqlResult: resultOf(session, 'sql-agent'),
    command: isObject(router.command) ? router.command : null,
    commandResult: resultOf(session, 'execution-agent'),
    candidates: numberOf(help.candidates),
    dense: textOf(help.dense),
    rerank: textOf(help.rerank),
    hits: hitsOf(session).map((hit, at) => {
      const id = idOf(hit.chunk_id);
      return {
        id: id ?? '',
        collection: textOf(hit.collection) ?? '',
        key: textOf(hit.key) ?? '',
        place: at + 1,
        foundBy: foundBy(hit),
        words: numberOf(hit.score),
        vector: numberOf(hit.dense),
        fused: numberOf(hit.fused),
        beforeDense: numberOf(hit.before_dense),
        rerank: numberOf(hit.rerank),
        beforeRerank: numberOf(hit.before_rerank),
        isInContext: inContext.has(id),
        isCited: inAnswer.has(id),
      };
    }),
    inContext: inContext.size,
    leftOut: numberOf(context.left_out) ?? 0,
    redactions: redactionsOf(session),
    denied: cited.denied === true,
    invented: texts(cited.invented),
  };
}

/** Name of the stage whose tool call found a piece of evidence. */
const stageOf = (id: string): string =>
  id === 'sql' ? 'sql-agent' : id === 'live' ? 'execution-agent' : 'retrieval-agent';

function sourceOf(session: SessionDetail, citation: Json, number: number): Source {
  const id = idOf(citation.id) ?? '';
  const hit = hitsOf(session).find((one) => idOf(one.chunk_id) === id);
  const value = dataOf(session, 'guardrail').value;
  const evidence = objects(isObject(value) ? value.evidence : []).find((one) => idOf(one.id) === id);
  const call = stageNamed(session, stageOf(id))?.chronological_interactions.find(
    (one) => one.type === 'mcp' && one.details.communication_type === 'tool_call',
  );
  const chunk = numberOf(hit?.chunk);
  return {
    id,
    number,
    collection: textOf(citation.collection),
    key: textOf(citation.key),
    text: textOf(evidence?.text) ?? textOf(citation.text) ?? '',
    file: textOf(hit?.source),
    line: numberOf(hit?.line),
    chunk: chunk === null ? null : chunk + 1,
    foundBy: hit === undefined ? [] : foundBy(hit),
    event: call?.id ?? null,
  };
}

/** Returns the checked answer of a question; null: its citations are not checked yet. */
export function resultOfQuestion(session: SessionDetail): KnowledgeResult | null {
  if (stageNamed(session, 'citations')?.status !== 'completed') return null;
  const checked = dataOf(session, 'citations');
  return {
    answer: textOf(checked.answer),
    supported: checked.supported === true,
    denied: checked.denied === true,
    invented: texts(checked.invented),
    errors: texts(checked.errors),
    sources: objects(checked.citations).map((citation, at) => sourceOf(session, citation, at + 1)),
  };
}

const FENCE = /(^[ \t]*(?:```|~~~)[\s\S]*?^[ \t]*(?:```|~~~)[ \t]*$|`[^`\n]*`)/m;

/** Numbers the citation marks of an answer like its sources: `[4711]` becomes inline code `[1]`. Code is unchanged. */
export function withNumbers(answer: string, sources: readonly Source[]): string {
  const numbers = new Map(sources.map(({ id, number }) => [id, number]));
  return answer
    .split(FENCE)
    .map((part, at) =>
      at % 2 === 1
        ? part
        : part.replaceAll(/\[([\w:-]{1,80})\](?!\()/g, (mark, id: string) => {
            const number = numbers.get(id);
            return number === undefined ? mark : `\`[${String(number)}]\``;
          }),
    )
    .join('');
}
