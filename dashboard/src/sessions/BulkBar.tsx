import { Alert, Box, Button, LinearProgress, Menu, MenuItem, Typography } from '@mui/material';
import { asApiError, ExplainedButton, plural, ReasonDialog, type SessionLine } from '@tarsy/ui';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { cancelOne, download, each, exportMany, isLive, isReplayable, replayOne, toCsv, type Outcome } from './bulk';

interface Props { selected: SessionLine[]; onClear: () => void }

/** What can be done with the selected sessions. */
export function BulkBar({ selected, onClear }: Props): ReactElement {
  const queries = useQueryClient();
  const [asked, setAsked] = useState<'cancel' | 'replay' | null>(null);
  const [menu, setMenu] = useState<HTMLElement | null>(null);
  const [progress, setProgress] = useState<[number, number] | null>(null);
  const [told, setTold] = useState<{ text: string; bad: boolean } | null>(null);
  const live = selected.filter(isLive);
  const replayable = selected.filter(isReplayable);
  const busy = progress !== null;
  const act = async (rows: readonly SessionLine[], run: (id: string) => Promise<unknown>, verb: string): Promise<void> => {
    setProgress([0, rows.length]);
    try {
      const outcome: Outcome = await each(rows.map((row) => row.session_id), run, (done) => { setProgress([done, rows.length]); });
      setTold({ bad: outcome.failed.length > 0, text: `${verb} ${plural(outcome.done, 'session')}.${outcome.failed.length > 0 ? ` ${plural(outcome.failed.length, 'session')} refused: ${outcome.failed[0]?.why ?? ''}` : ''}` });
    } finally {
      setProgress(null);
      void queries.invalidateQueries();
    }
  };
  const save = async (format: 'csv' | 'json' | 'md'): Promise<void> => {
    setMenu(null);
    const name = `sessions-${String(selected.length)}.${format}`;
    if (format === 'csv') { download(new Blob([toCsv(selected)], { type: 'text/csv' }), name); return; }
    setProgress([0, selected.length]);
    try {
      download(await exportMany(selected.map((row) => row.session_id), format, (done) => { setProgress([done, selected.length]); }), name);
    } catch (error) {
      setTold({ bad: true, text: asApiError(error).message });
    } finally {
      setProgress(null);
    }
  };
  return (
    <Box role="region" aria-label="Selected sessions" sx={{ borderBottom: 1, borderColor: 'divider', bgcolor: 'action.selected' }}>
      <Box sx={{ display: 'flex', gap: 1, alignItems: 'center', px: 2, py: 0.75, flexWrap: 'wrap' }}>
        <Typography variant="body2" sx={{ fontWeight: 600 }} role="status">{plural(selected.length, 'session')} selected</Typography>
        <ExplainedButton variant="outlined" color="error" why={busy ? 'Something is under way.' : live.length === 0 ? 'None of the selected sessions runs.' : null} onClick={() => { setAsked('cancel'); }}>
          Cancel {live.length > 0 ? live.length : ''}
        </ExplainedButton>
        <ExplainedButton variant="outlined" why={busy ? 'Something is under way.' : replayable.length === 0 ? 'None of the selected sessions has ended with a failed stage.' : null} onClick={() => { setAsked('replay'); }}>
          Replay {replayable.length > 0 ? replayable.length : ''}
        </ExplainedButton>
        <ExplainedButton variant="outlined" why={busy ? 'Something is under way.' : null} aria-haspopup="menu" onClick={(event) => { setMenu(event.currentTarget); }}>Export</ExplainedButton>
        <Button onClick={onClear}>Clear (Esc)</Button>
        <Typography variant="caption" color="text.secondary">New sessions wait while rows are selected.</Typography>
      </Box>
      {progress !== null && <LinearProgress variant="determinate" value={(100 * progress[0]) / Math.max(1, progress[1])} aria-label="Progress" />}
      {told !== null && <Alert severity={told.bad ? 'warning' : 'success'} square onClose={() => { setTold(null); }} sx={{ py: 0 }}>{told.text}</Alert>}
      <Menu anchorEl={menu} open={menu !== null} onClose={() => { setMenu(null); }}>
        <MenuItem onClick={() => { void save('csv'); }}>List as CSV</MenuItem>
        <MenuItem onClick={() => { void save('json'); }}>Whole sessions as JSON</MenuItem>
        <MenuItem onClick={() => { void save('md'); }}>Reports as Markdown</MenuItem>
      </Menu>
      {asked === 'cancel' && (
        <ReasonDialog danger title={`Cancel ${plural(live.length, 'session')}?`} verb={`Cancel ${plural(live.length, 'session')}`} onClose={() => { setAsked(null); }} onConfirm={async (reason) => act(live, cancelOne(reason), 'Cancelled')}>
          <Typography variant="body2">Their running stages stop within a second, tool calls included. What was found so far stays. A cancelled session can’t be resumed.</Typography>
        </ReasonDialog>
      )}
      {asked === 'replay' && (
        <ReasonDialog title={`Replay ${plural(replayable.length, 'session')}?`} verb={`Replay ${plural(replayable.length, 'session')}`} onClose={() => { setAsked(null); }} onConfirm={async (reason) => act(replayable, replayOne(reason), 'Replaying')}>
          <Typography variant="body2">The earliest failed stage of each gets a new attempt; later stages run again on top of it. Earlier attempts stay as they are. Models and tools are called again.</Typography>
        </ReasonDialog>
      )}
    </Box>
  );
}
