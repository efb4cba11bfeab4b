import { Box, TableCell, TableRow, Typography } from '@mui/material';
import {
  asText,
  BARE_LIST,
  Code,
  COLUMN,
  Fact,
  Facts,
  formatDuration,
  pluralize,
  statusTone,
  ToneChip,
  toneColor,
  type SessionDetail,
} from '@tarsy/ui';
import { useMemo, type ReactElement } from 'react';
import { NUMBER, SmallTable, toRight } from '../fleet/Section';
import { traceOf, type Trace, type TraceHit } from './trace';

const score = (value: number | null): string => (value === null ? '–' : value.toFixed(3));
const place = (value: number | null): string => (value === null ? '–' : `#${String(value)}`);

/** Use of a chunk after the search. */
const outcomeOf = (hit: TraceHit): string => (hit.isCited ? 'cited' : hit.isInContext ? 'read' : 'left out');

/** Results of the search, with the scores of each arm. Columns without a value are left out. */
function Hits({ hits }: { hits: readonly TraceHit[] }): ReactElement {
  const hasVectors = hits.some((hit) => hit.vector !== null || hit.beforeDense !== null);
  const hasRerank = hits.some((hit) => hit.rerank !== null || hit.beforeRerank !== null);
  const head = [
    'Place',
    'Record',
    'Use',
    'Found by',
    toRight('Words'),
    ...(hasVectors ? ['By words', 'Vector', 'Hybrid'].map(toRight) : []),
    ...(hasRerank ? ['Before rerank', 'Rerank'].map(toRight) : []),
  ];
  return (
    <SmallTable label="Results of the search" head={head}>
      {hits.map((hit) => (
        <TableRow key={hit.id} data-testid="trace-hit" data-id={hit.id}>
          <TableCell sx={{ fontVariantNumeric: 'tabular-nums' }}>{place(hit.place)}</TableCell>
          <TableCell component="th" scope="row" sx={{ whiteSpace: 'nowrap' }}>
            {hit.collection} <b>{hit.key}</b>
          </TableCell>
          <TableCell
            sx={{
              color: hit.isCited ? toneColor.good : 'text.secondary',
              fontWeight: hit.isCited ? 600 : 400,
              whiteSpace: 'nowrap',
            }}
          >
            {outcomeOf(hit)}
          </TableCell>
          <TableCell sx={{ whiteSpace: 'nowrap' }}>{hit.foundBy.join(', ')}</TableCell>
          <TableCell {...NUMBER}>{score(hit.words)}</TableCell>
          {hasVectors && (
            <>
              <TableCell {...NUMBER}>{place(hit.beforeDense)}</TableCell>
              <TableCell {...NUMBER}>{score(hit.vector)}</TableCell>
              <TableCell {...NUMBER}>{score(hit.fused)}</TableCell>
            </>
          )}
          {hasRerank && (
            <>
              <TableCell {...NUMBER}>{place(hit.beforeRerank)}</TableCell>
              <TableCell {...NUMBER}>{score(hit.rerank)}</TableCell>
            </>
          )}
        </TableRow>
      ))}
    </SmallTable>
  );
}

/** Summary of the search, in one sentence. */
function searchNote({ candidates, dense, rerank, hits }: Trace): string {
  const help = (name: string, word: string | null): string =>
    `${name} ${word === null || word === 'off' ? 'not configured' : word}`;
  return [
    candidates === null
      ? pluralize(hits.length, 'result')
      : `${pluralize(candidates, 'candidate')}, ${pluralize(hits.length, 'result')}`,
    help('vectors', dense),
    help('reranking', rerank),
  ].join('; ');
}

/** Stages with their times, or with a note that they were skipped or failed. */
function Stages({ trace }: { trace: Trace }): ReactElement {
  return (
    <Box
      component="ol"
      aria-label="Stages"
      sx={{ ...BARE_LIST, display: 'flex', flexWrap: 'wrap', columnGap: 1.5, rowGap: 0.25 }}
    >
      {trace.stages.map((stage) => (
        <Typography
          key={stage.name}
          component="li"
          variant="caption"
          title={stage.error ?? undefined}
          sx={{
            color: stage.status === 'completed' ? 'text.primary' : toneColor[statusTone(stage.status).tone],
            whiteSpace: 'nowrap',
          }}
        >
          {stage.name}{' '}
          <Box component="span" sx={{ color: 'text.secondary' }}>
            {stage.status === 'completed' ? formatDuration(stage.durationMs) : statusTone(stage.status).label}
          </Box>
        </Typography>
      ))}
    </Box>
  );
}

function Redactions({ trace }: { trace: Trace }): ReactElement {
  if (trace.redactions.length === 0) return <>No policy matched.</>;
  return (
    <Box component="ul" sx={{ m: 0, pl: 2 }}>
      {trace.redactions.map(({ where, policy, action, kind, count }, at) => (
        <li key={at}>
          {policy}: {pluralize(count, 'match', 'matches')} of {kind} in the {where} ({action})
        </li>
      ))}
    </Box>
  );
}

/** Shows how a question was answered: route, searches with scores, guardrails, citations. */
export default function TraceView({ session }: { session: SessionDetail }): ReactElement {
  const trace = useMemo(() => traceOf(session), [session]);
  const failed = trace.stages.filter((stage) => stage.status === 'failed');
  return (
    <Box
      component="section"
      aria-label="Trace"
      data-testid="trace"
      sx={{
        '& td, & th': { px: '10px !important' },
        border: 1,
        borderColor: 'divider',
        borderRadius: 1,
        ...COLUMN,
        gap: 1,
        pt: 1.25,
        overflow: 'hidden',
      }}
    >
      <Facts
        sx={{
          px: 1.5,
          gridTemplateColumns: { xs: 'minmax(0, 1fr)', sm: '130px minmax(0, 1fr)' },
          rowGap: { xs: 0.25, sm: 0.75 },
        }}
      >
        {trace.route.length > 0 && (
          <Fact name="Route">
            {trace.route.join(', ')}
            {trace.intent === null ? '' : `: ${trace.intent}`}
          </Fact>
        )}
        {trace.steps.length > 0 && <Fact name="Plan">{trace.steps.join('; ')}</Fact>}
        {trace.rewritten !== null && <Fact name="Searched for">{trace.rewritten}</Fact>}
        {(trace.hits.length > 0 || trace.candidates !== null) && <Fact name="Search">{searchNote(trace)}</Fact>}
        {trace.statement !== null && (
          <Fact name="SQL">
            <Code text={trace.statement} what="SQL statement" />
            {trace.sqlResult !== null && (
              <Box sx={{ mt: 0.5 }}>
                <Code text={trace.sqlResult} what="SQL result" lines={6} />
              </Box>
            )}
          </Fact>
        )}
        {trace.command !== null && (
          <Fact name="Command">
            <Code text={asText(trace.command)} what="command" lines={8} />
            {trace.commandResult !== null && (
              <Box sx={{ mt: 0.5 }}>
                <Code text={trace.commandResult} what="command output" lines={6} />
              </Box>
            )}
          </Fact>
        )}
        <Fact name="Evidence">
          {trace.inContext === 0 ? 'none' : `${pluralize(trace.inContext, 'piece')} given to the model`}
          {trace.leftOut > 0 ? `, ${String(trace.leftOut)} left out for length` : ''}
        </Fact>
        <Fact name="Redacted">
          {trace.denied ? 'A policy denies the answer. ' : ''}
          <Redactions trace={trace} />
        </Fact>
        {trace.invented.length > 0 && (
          <Fact name="Invented">
            <span style={{ color: toneColor.warn }}>
              The model cited {trace.invented.map((id) => `[${id}]`).join(', ')}, which is no evidence. The marks were
              removed.
            </span>
          </Fact>
        )}
        {failed.map((stage) => (
          <Fact key={stage.name} name={stage.name}>
            <ToneChip tone="bad" label="failed" /> {stage.error}
          </Fact>
        ))}
        <Fact name="Stages">
          <Stages trace={trace} />
        </Fact>
      </Facts>
      {trace.hits.length > 0 ? <Hits hits={trace.hits} /> : <Box sx={{ pb: 0.25 }} />}
    </Box>
  );
}
