import { Typography } from '@mui/material';
import { formatCount, pluralize, ReasonDialog } from '@tarsy/ui';
import { useState, type ReactElement } from 'react';
import { ActionProgress } from '../ActionProgress';
import type { Outcome } from '../../sessions/bulk';
import { runAction, WORD, type PendingAction } from './actions';

interface Props {
  asked: PendingAction;
  onClose: () => void;
  /** Called when the action ends, also after an error. */
  onChanged: () => void;
  onDone: (outcome: Outcome) => void;
}

/** Asks for the reason of an action on jobs and shows its progress. */
export function ConfirmDialog({ asked, onClose, onChanged, onDone }: Props): ReactElement {
  const [done, setDone] = useState<number | null>(null);
  const {
    verb,
    jobs: { length: number },
  } = asked;
  const one = number === 1;
  const word = WORD[verb];
  const confirm = async (reason: string): Promise<void> => {
    setDone(0);
    try {
      onDone(await runAction(asked, reason, setDone));
    } finally {
      setDone(null);
      onChanged();
    }
  };
  return (
    <ReasonDialog
      title={one ? `${word} this job?` : `${word} ${pluralize(number, 'job')}?`}
      verb={one ? word : `${word} ${pluralize(number, 'job')}`}
      danger={verb === 'discard'}
      onClose={onClose}
      onConfirm={confirm}
    >
      <Typography variant="body2">
        {verb === 'requeue'
          ? `${one ? 'The job runs' : 'The jobs run'} again with all attempts. Completed work is not repeated.`
          : `${one ? 'The job is' : 'The jobs are'} deleted permanently. ${one ? 'Its session is' : 'Their sessions are'} not changed.`}
      </Typography>
      {!one && done !== null && (
        <ActionProgress done={done} all={number}>
          {formatCount(done)} of {formatCount(number)}
        </ActionProgress>
      )}
    </ReasonDialog>
  );
}
