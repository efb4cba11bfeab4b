import { Alert, Box, Button, LinearProgress, Typography } from '@mui/material';
import {
  asApiError,
  ExplainedButton,
  Faint,
  pluralize,
  ReasonDialog,
  useDeniedReason,
  useSubject,
  type BulkAction,
  type BulkResult,
  type Query,
  type SessionLine,
} from '@tarsy/ui';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { ExportButton } from '../app/ExportButton';
import { BulkConfirmDialog, ACTION_EFFECT, bulkResult as toldOf } from './BulkConfirmDialog';
import {
  acknowledgeOne,
  allLines,
  cancelOne,
  download,
  each,
  exportMany,
  isLive,
  isReplayable,
  replayOne,
  toCsv,
} from './bulk';
import { totalLabel, type Total } from './total';

interface Props {
  selected: SessionLine[];
  /** Whether all matching sessions are meant, not only the selected ones. */
  everything: boolean;
  onEverything: (everything: boolean) => void;
  /** Query of the list, and the number of sessions that match. */
  query: Query;
  total: Total | null;
  /** Number of loaded sessions. */
  loaded: number;
  onClear: () => void;
}

/** For all matching sessions, only the list can be exported. */
const LIST_FORMAT = [['csv', 'Session list (CSV)']] as const;
const FORMATS = [...LIST_FORMAT, ['json', 'Full sessions (JSON)'], ['md', 'Reports (Markdown)']] as const;

/**
 * Actions on the selected sessions, or on all that match. It shows the result also if the sessions have left the list
 * because of the action.
 */
export function BulkBar({
  selected,
  everything,
  onEverything,
  query,
  total,
  loaded,
  onClear,
}: Props): ReactElement | null {
  const queries = useQueryClient();
  const [asked, ask, close] = useSubject<BulkAction>();
  const [progress, setProgress] = useState<[number, number] | null>(null);
  const [told, setTold] = useState<{ text: string; bad: boolean } | null>(null);
  const mayNot = useDeniedReason('operator');
  const live = selected.filter(isLive);
  const replayable = selected.filter(isReplayable);
  const unseen = selected.filter((session) => session.acknowledged_at_us == null);
  const busy = progress !== null ? 'Another action is in progress.' : null;
  const beyond = total !== null && (!total.exact || total.number > selected.length);
  const all = total === null ? '' : totalLabel(total, loaded);
  const act = async (
    rows: readonly SessionLine[],
    run: (id: string) => Promise<unknown>,
    verb: string,
  ): Promise<void> => {
    setProgress([0, rows.length]);
    try {
      const outcome = await each(
        rows.map((row) => row.session_id),
        run,
        (done) => {
          setProgress([done, rows.length]);
        },
      );
      setTold({
        bad: outcome.failed.length > 0,
        text: `${verb} ${pluralize(outcome.done, 'session')}.${outcome.failed.length > 0 ? ` ${pluralize(outcome.failed.length, 'session')} failed: ${outcome.failed[0]?.why ?? ''}` : ''}`,
      });
    } finally {
      setProgress(null);
      void queries.invalidateQueries();
    }
  };
  const done =
    (action: BulkAction) =>
    (answer: BulkResult): void => {
      setTold(toldOf(action, answer));
      onClear();
      void queries.invalidateQueries();
    };
  const save = async (format: (typeof FORMATS)[number][0]): Promise<void> => {
    const name = `sessions-${everything ? 'all' : String(selected.length)}.${format}`;
    setProgress([0, selected.length]);
    try {
      if (format !== 'csv')
        download(
          await exportMany(
            selected.map((row) => row.session_id),
            format,
            (at) => {
              setProgress([at, selected.length]);
            },
          ),
          name,
        );
      else if (everything) {
        const { rows: lines, whole } = await allLines(query, (read) => {
          setProgress([read, Math.max(read, total?.number ?? 0)]);
        });
        download(new Blob([toCsv(lines)], { type: 'text/csv' }), name);
        setTold({
          bad: !whole,
          text: `Exported ${pluralize(lines.length, 'session')}.${whole ? '' : ' Older sessions were left out. Narrow the filters to export them.'}`,
        });
      } else download(new Blob([toCsv(selected)], { type: 'text/csv' }), name);
    } catch (error) {
      setTold({ bad: true, text: asApiError(error).message });
    } finally {
      setProgress(null);
    }
  };
  const rows = asked === 'cancel' ? live : replayable;
  if (selected.length === 0 && progress === null && told === null && asked === null) return null;
  return (
    <Box
      role="region"
      aria-label="Selected sessions"
      sx={{ borderBottom: 1, borderColor: 'divider', bgcolor: 'action.selected' }}
    >
      {selected.length > 0 && (
        <Box sx={{ display: 'flex', gap: 1, alignItems: 'center', px: 2, py: 0.75, flexWrap: 'wrap' }}>
          <Typography variant="body2" sx={{ fontWeight: 600 }} role="status">
            {everything ? `All ${all} matching sessions` : `${pluralize(selected.length, 'session')} selected`}
          </Typography>
          <ExplainedButton
            variant="outlined"
            data-testid="bulk-acknowledge"
            why={
              mayNot ??
              busy ??
              (everything
                ? 'Select individual sessions to acknowledge them.'
                : unseen.length === 0
                  ? 'All selected sessions are acknowledged.'
                  : null)
            }
            onClick={() => {
              void act(unseen, acknowledgeOne, 'Acknowledged');
            }}
          >
            Acknowledge {!everything && unseen.length > 0 ? unseen.length : ''}
          </ExplainedButton>
          <ExplainedButton
            variant="outlined"
            color="error"
            data-testid="bulk-cancel"
            why={mayNot ?? busy ?? (!everything && live.length === 0 ? 'No selected session is running.' : null)}
            onClick={() => {
              ask('cancel');
            }}
          >
            Cancel {!everything && live.length > 0 ? live.length : ''}
          </ExplainedButton>
          <ExplainedButton
            variant="outlined"
            data-testid="bulk-replay"
            why={
              mayNot ??
              busy ??
              (!everything && replayable.length === 0 ? 'No selected session has a failed stage.' : null)
            }
            onClick={() => {
              ask('replay');
            }}
          >
            Replay {!everything && replayable.length > 0 ? replayable.length : ''}
          </ExplainedButton>
          <ExportButton formats={everything ? LIST_FORMAT : FORMATS} why={busy} onExport={save} />
          {beyond && (
            <Button
              data-testid="all-matching"
              onClick={() => {
                onEverything(!everything);
              }}
              aria-pressed={everything}
            >
              {everything
                ? selected.length === 1
                  ? 'Select only this one'
                  : `Select only these ${String(selected.length)}`
                : `Select all ${all} matching`}
            </Button>
          )}
          <Button onClick={onClear}>Clear selection (Esc)</Button>
          <Faint>New sessions are held back while rows are selected.</Faint>
        </Box>
      )}
      {progress !== null && (
        <LinearProgress
          variant="determinate"
          value={(100 * progress[0]) / Math.max(1, progress[1])}
          aria-label="Progress"
        />
      )}
      {told !== null && (
        <Alert
          role="status"
          severity={told.bad ? 'warning' : 'success'}
          square
          onClose={() => {
            setTold(null);
          }}
          sx={{ py: 0 }}
          data-testid="bulk-told"
        >
          {told.text}
        </Alert>
      )}
      {asked !== null && everything && (
        <BulkConfirmDialog action={asked} query={query} onClose={close} onDone={done(asked)} />
      )}
      {asked !== null && !everything && (
        <ReasonDialog
          danger={asked === 'cancel'}
          title={`${asked === 'cancel' ? 'Cancel' : 'Replay'} ${pluralize(rows.length, 'session')}?`}
          verb={`${asked === 'cancel' ? 'Cancel' : 'Replay'} ${pluralize(rows.length, 'session')}`}
          onClose={close}
          onConfirm={async (reason) =>
            asked === 'cancel'
              ? act(live, cancelOne(reason), 'Cancelled')
              : act(replayable, replayOne(reason), 'Replaying')
          }
        >
          <Typography variant="body2">{ACTION_EFFECT[asked]}</Typography>
        </ReasonDialog>
      )}
    </Box>
  );
}
