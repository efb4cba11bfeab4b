import { useQuery } from '@tanstack/react-query';
import type { ReactElement, ReactNode } from 'react';
import { asApiError } from '../api/problem';
import { checkRunbook, dryRunAlert } from '../api/sessions';
import type { DryRunResult } from '../api/types';
import { useDeniedReason } from '../parts/access';
import { Fact, Facts } from '../parts/Facts';
import { ErrorState, Loading } from '../parts/States';
import { formatCost, formatCount, pluralize } from '../prefs/format';
import { formatDuration } from '../prefs/time';
import { Time } from '../prefs/Time';
import { statusTone, toneColor } from '../theme/tones';
import { forecast, duplicateWindow, runbookStatus, type Forecast } from './forecast';

/** Renders a link to a session. */
export type SessionLink = (id: string, text: string) => ReactElement;

const warning = (text: string): ReactElement => <span style={{ color: toneColor.warn }}>{text}</span>;

/** Last fetch of the runbook by sessions. */
function before(told: Forecast['runbook']): ReactNode {
  if (told === null) return 'Not fetched by recent sessions.';
  if (told.error !== null)
    return (
      <>
        Last fetch failed <Time us={told.atUs} />: {told.error}
      </>
    );
  return (
    <>
      Last fetched <Time us={told.atUs} />.
    </>
  );
}

/** Current state of the runbook. */
function Runbook({
  named,
  press,
  told,
}: {
  named: string | null;
  press: number;
  told: Forecast['runbook'];
}): ReactElement {
  const mayNot = useDeniedReason('ingest');
  const asked = useQuery({
    queryKey: ['runbook-check', named, press],
    queryFn: async ({ signal }) => checkRunbook(named ?? '', signal),
    enabled: named !== null && mayNot === null,
    staleTime: Infinity,
    retry: false,
  });
  if (named === null) return <>none</>;
  const now =
    mayNot ??
    (asked.isPending
      ? 'checking…'
      : asked.error !== null
        ? warning(asApiError(asked.error).message)
        : asked.data.is_reachable
          ? runbookStatus(asked.data)
          : warning(runbookStatus(asked.data)));
  return (
    <>
      {now} <span style={{ opacity: 0.75 }}>{before(told)}</span>
    </>
  );
}

/** Whether the alert would be a duplicate. */
function Duplicate({ of, sessionLink }: { of: DryRunResult['duplicate_of']; sessionLink: SessionLink }): ReactElement {
  if (of == null) return <>no, a new session would start</>;
  return (
    <>
      yes, of {sessionLink(of.session_id, `session ${of.session_id.slice(-6)}`)} ({statusTone(of.status).label}, since{' '}
      <Time us={of.started_at_us} />
      ), {duplicateWindow(of.lasts)}
    </>
  );
}

/** Dry run of an alert; each `press` repeats it. */
export function DryRun({
  alert,
  press,
  sessionLink,
}: {
  alert: Record<string, unknown>;
  press: number;
  sessionLink: SessionLink;
}): ReactElement {
  const type = typeof alert.alert_type === 'string' ? alert.alert_type : '';
  const runbook = typeof alert.runbook === 'string' ? alert.runbook : null;
  const mayNot = useDeniedReason('ingest');
  const judged = useQuery({
    queryKey: ['dry-run', alert, press],
    queryFn: async ({ signal }) => dryRunAlert(alert, signal),
    enabled: mayNot === null,
    staleTime: Infinity,
    retry: false,
  });
  const past = useQuery({
    queryKey: ['forecast', type, runbook, press],
    queryFn: async () => forecast(type, runbook),
    staleTime: Infinity,
  });
  if (past.isPending || (judged.isPending && mayNot === null)) return <Loading what="the alert" />;
  if (past.error !== null) return <ErrorState error={past.error} onRetry={past.refetch} />;
  if (judged.error !== null) return <ErrorState error={judged.error} onRetry={judged.refetch} />;
  const { data } = past;
  const foreseen = judged.data;
  const stages = foreseen?.chain_definition.stages ?? data.stages;
  return (
    <Facts data-testid="dry-run" sx={{ columnGap: 2, rowGap: 0.5 }}>
      <Fact name="Chain">{foreseen?.chain_id ?? data.chainId ?? 'unknown (no session of this type yet)'}</Fact>
      <Fact name="Stages">{stages.map((stage) => `${stage.name} (${stage.agent})`).join(' → ') || '–'}</Fact>
      <Fact name="Duplicate" testid="duplicate">
        {foreseen === undefined ? mayNot : <Duplicate of={foreseen.duplicate_of} sessionLink={sessionLink} />}
      </Fact>
      <Fact name="Runbook" testid="runbook">
        <Runbook named={runbook} press={press} told={data.runbook} />
      </Fact>
      <Fact name="Recent tools">{data.tools.join(', ') || 'none'}</Fact>
      <Fact name="Estimate">
        {data.seen === 0 ? (
          'no completed session of this type yet'
        ) : (
          <>
            {formatDuration(data.medianMs)}, {formatCount(data.medianTokens)} tokens,{' '}
            {data.medianCostUsd === null ? 'cost unknown' : formatCost(data.medianCostUsd)}{' '}
            <span style={{ opacity: 0.75 }}>
              (median of {pluralize(data.seen, 'session')}, {data.succeeded} with an analysis)
            </span>
          </>
        )}
      </Fact>
    </Facts>
  );
}
