import { TableCell } from '@mui/material';
import { deadJobs, EmptyState, useDeniedReason, useSubject, type DeadJob } from '@tarsy/ui';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import type { Outcome } from '../sessions/bulk';
import type { PendingAction, Verb } from './dead/actions';
import { ConfirmDialog } from './dead/ConfirmDialog';
import { SelectionBar } from './dead/SelectionBar';
import { ACCENT, DeadJobRow } from './dead/DeadJobRow';
import { DeadJobDialog } from './dead/DeadJobDialog';
import { LoadMore, QueryResult, Section, SmallTable } from './Section';

interface AllProps {
  jobs: readonly DeadJob[];
  selected: readonly DeadJob[];
  onSelect: (ids: ReadonlySet<string>) => void;
}

/** Checkbox that selects all loaded jobs. */
function All({ jobs, selected, onSelect }: AllProps): ReactElement {
  const all = selected.length === jobs.length;
  return (
    <TableCell sx={{ borderTop: 1 }}>
      <input
        type="checkbox"
        style={ACCENT}
        aria-label="Select all loaded jobs"
        checked={all}
        ref={(input) => {
          if (input !== null) input.indeterminate = selected.length > 0 && !all;
        }}
        onChange={() => {
          onSelect(new Set(all ? [] : jobs.map((job) => job.job_id)));
        }}
      />
    </TableCell>
  );
}

const without = (set: ReadonlySet<string>, member: string): ReadonlySet<string> =>
  new Set([...set].filter((one) => one !== member));

/** Dead jobs: exhausted, cancelled or undecodable. */
export function DeadJobs({ every, onChanged }: { every: number; onChanged: () => void }): ReactElement {
  const [asked, ask, closeAsked] = useSubject<PendingAction>();
  const [shown, show, closeShown] = useSubject<string>();
  const [selection, setSelection] = useState<ReadonlySet<string>>(new Set());
  const [last, setLast] = useState<{ verb: Verb; outcome: Outcome } | null>(null);
  const mayNot = useDeniedReason('operator');
  const list = useInfiniteQuery({
    queryKey: ['dead'],
    queryFn: async ({ pageParam, signal }) => deadJobs(pageParam, signal),
    refetchInterval: every,
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next ?? null,
  });
  const jobs = (list.data?.pages ?? []).flatMap((page) => page.dead_jobs);
  // Leaves out jobs that have left the list since they were selected.
  const selected = jobs.filter((job) => selection.has(job.job_id));
  const done =
    ({ verb, jobs: acted }: PendingAction) =>
    (outcome: Outcome): void => {
      setLast(acted.length > 1 ? { verb, outcome } : null);
      const failed = outcome.failed.map(({ id }) => id);
      const left = acted.map((job) => job.job_id).filter((id) => !failed.includes(id));
      setSelection((now) => left.reduce(without, now));
    };
  return (
    <Section title="Dead jobs" id="dead" note="not retried automatically">
      <SelectionBar
        selected={selected}
        mayNot={mayNot}
        last={last}
        onAsk={ask}
        onClear={() => {
          setSelection(new Set());
        }}
        onRead={() => {
          setLast(null);
        }}
      />
      <QueryResult list={list} what="the dead jobs">
        {() =>
          jobs.length === 0 ? (
            <EmptyState title="No dead jobs">Jobs that exhaust their attempts appear here.</EmptyState>
          ) : (
            <SmallTable
              label="Dead jobs"
              first={<All jobs={jobs} selected={selected} onSelect={setSelection} />}
              head={['Job', 'Queue', 'Kind', 'Error', 'Attempts', 'Died', '']}
            >
              {jobs.map((job) => (
                <DeadJobRow
                  key={job.job_id}
                  job={job}
                  mayNot={mayNot}
                  selected={selection.has(job.job_id)}
                  onAsk={ask}
                  onShow={() => {
                    show(job.job_id);
                  }}
                  onSelect={() => {
                    setSelection((now) =>
                      now.has(job.job_id) ? without(now, job.job_id) : new Set([...now, job.job_id]),
                    );
                  }}
                />
              ))}
            </SmallTable>
          )
        }
      </QueryResult>
      <LoadMore list={list} verb="Load older" />
      {asked !== null && (
        <ConfirmDialog asked={asked} onClose={closeAsked} onChanged={onChanged} onDone={done(asked)} />
      )}
      {shown !== null && <DeadJobDialog id={shown} onClose={closeShown} />}
    </Section>
  );
}
