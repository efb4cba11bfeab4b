import { Box, Button, TableCell, TableRow } from '@mui/material';
import { CopyButton, formatCount, mono, pluralize, type DeadJob } from '@tarsy/ui';
import type { ReactElement } from 'react';
import { Link } from 'react-router-dom';
import { ActionButtons } from './ActionButtons';
import { short, type PendingAction } from './actions';
import { TimeCell } from '../Section';

/** The theme's colour for a checkbox of the browser. */
export const ACCENT = { accentColor: 'var(--mui-palette-primary-main)' } as const;

interface Props {
  job: DeadJob;
  mayNot: string | null;
  selected: boolean;
  onSelect: () => void;
  onShow: () => void;
  onAsk: (asked: PendingAction) => void;
}

/** One dead job. */
export function DeadJobRow({ job, mayNot, selected, onSelect, onShow, onAsk }: Props): ReactElement {
  return (
    <TableRow data-testid="dead-job" selected={selected}>
      <TableCell>
        <input
          type="checkbox"
          style={ACCENT}
          aria-label={`Select job ${short(job.job_id)}`}
          checked={selected}
          onChange={onSelect}
        />
      </TableCell>
      <TableCell sx={{ whiteSpace: 'nowrap' }}>
        <span style={{ fontFamily: mono, fontSize: '0.75rem' }}>{short(job.job_id)}</span>
        <CopyButton text={job.job_id} what="job ID" />
      </TableCell>
      <TableCell>{job.queue}</TableCell>
      <TableCell>
        {job.kind}
        {job.session_id != null && (
          <Link to={`/sessions/${job.session_id}`} style={{ marginLeft: 8, color: 'inherit' }}>
            session {job.session_id.slice(-6)}
          </Link>
        )}
      </TableCell>
      <TableCell sx={{ minWidth: 220, maxWidth: 480, overflowWrap: 'anywhere' }}>
        <b>{job.reason}</b> {job.error}
      </TableCell>
      <TableCell>
        {formatCount(job.attempts)} of {formatCount(job.max_attempts)}
        {job.crashes > 0 ? `, ${pluralize(job.crashes, 'crash', 'crashes')}` : ''}
      </TableCell>
      <TimeCell us={job.died_at_us} />
      <TableCell align="right">
        <Box sx={{ display: 'flex', gap: 1, justifyContent: 'flex-end' }}>
          <Button variant="outlined" aria-haspopup="dialog" onClick={onShow}>
            Details
          </Button>
          <ActionButtons jobs={[job]} mayNot={mayNot} onAsk={onAsk} />
        </Box>
      </TableCell>
    </TableRow>
  );
}
