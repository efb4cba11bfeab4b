import { TableCell, TableRow } from '@mui/material';
import { auditLog, CopyButton, EmptyState, Faint, NoResults, type AuditEntry } from '@tarsy/ui';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { Link, useNavigate, useSearchParams } from 'react-router-dom';
import {
  NO_FILTERS,
  hasFilters,
  readAuditFilters,
  subjectOf,
  writeAuditFilters,
  type AuditFilterValues,
} from './audit';
import { AuditFilters } from './AuditFilters';
import { LoadMore, QueryResult, Section, SmallTable, TimeCell } from './Section';

/** Describes how the actor was authenticated, for the tooltip. */
function meansOf({ means, key_id: keyId }: AuditEntry): string | undefined {
  if (means === null || means === undefined) return undefined;
  const words = new Map([
    ['key', 'by API key'],
    ['session', 'by a browser signed in with API key'],
    ['forwarded', 'by a proxy with API key'],
    ['oidc', 'by the identity provider'],
    ['off', 'access control off'],
    ['database', 'directly on the database (tarsy keys)'],
  ]);
  const how = words.get(means) ?? means;
  return keyId === null || keyId === undefined ? how : `${how} ${keyId}`;
}

function Row({ entry }: { entry: AuditEntry }): ReactElement {
  const { label, to } = subjectOf(entry);
  return (
    <TableRow data-testid="audit-entry">
      <TimeCell us={entry.at_us} />
      <TableCell sx={{ minWidth: 120, overflowWrap: 'anywhere' }}>
        <b>{entry.actor}</b>{' '}
        <Faint sx={{ whiteSpace: 'nowrap' }} title={meansOf(entry)}>
          {entry.role}
        </Faint>
      </TableCell>
      <TableCell sx={{ whiteSpace: 'nowrap' }}>{entry.action}</TableCell>
      <TableCell sx={{ whiteSpace: 'nowrap' }}>
        <span title={entry.subject}>
          {to === null ? (
            label
          ) : (
            <Link to={to} style={{ color: 'inherit' }}>
              {label}
            </Link>
          )}
        </span>
        <CopyButton text={entry.subject} what="subject" />
      </TableCell>
      <TableCell sx={{ minWidth: 200, maxWidth: 480, overflowWrap: 'anywhere' }}>{entry.reason}</TableCell>
    </TableRow>
  );
}

function Entries({
  words,
  onWords,
}: {
  words: AuditFilterValues;
  onWords: (words: AuditFilterValues) => void;
}): ReactElement {
  const list = useInfiniteQuery({
    queryKey: ['audit', words],
    queryFn: async ({ pageParam, signal }) => auditLog({ ...words, before: pageParam }, signal),
    initialPageParam: null as number | null,
    getNextPageParam: (last) => last.next ?? null,
    refetchInterval: 60_000,
    placeholderData: keepPreviousData,
  });
  const entries = (list.data?.pages ?? []).flatMap((page) => page.entries);
  const narrowed = hasFilters(words);
  return (
    <>
      {(narrowed || entries.length > 0) && <AuditFilters words={words} entries={entries} onWords={onWords} />}
      <QueryResult list={list} what="the audit log">
        {() =>
          entries.length > 0 ? (
            <SmallTable label="Audit log" head={['Time', 'Actor', 'Action', 'Subject', 'Reason']}>
              {entries.map((entry) => (
                <Row key={entry.entry_id} entry={entry} />
              ))}
            </SmallTable>
          ) : narrowed ? (
            <NoResults
              onClear={() => {
                onWords(NO_FILTERS);
              }}
            >
              No entries match. Filters match whole values only.
            </NoResults>
          ) : (
            <EmptyState title="No audit entries yet">Operator actions and their reasons are recorded here.</EmptyState>
          )
        }
      </QueryResult>
      <LoadMore list={list} verb="Load older" />
    </>
  );
}

/** Audit log; its filters are in the URL. */
export function AuditLog(): ReactElement {
  const navigate = useNavigate();
  const [params] = useSearchParams();
  const words = readAuditFilters(params);
  return (
    <Section title="Audit log" id="audit" note="operator actions with actor, subject and reason; append-only">
      <Entries
        words={words}
        onWords={(next) => {
          void navigate({ search: writeAuditFilters(params, next).toString(), hash: 'audit' }, { replace: true });
        }}
      />
    </Section>
  );
}
