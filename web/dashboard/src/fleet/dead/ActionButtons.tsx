import { ExplainedButton, type DeadJob } from '@tarsy/ui';
import type { ReactElement } from 'react';
import { WORD, type PendingAction } from './actions';

/** Buttons for the actions on dead jobs. */
export function ActionButtons({
  jobs,
  count = '',
  mayNot,
  onAsk,
}: {
  jobs: readonly DeadJob[];
  /** Text after each verb. */
  count?: string;
  mayNot: string | null;
  onAsk: (asked: PendingAction) => void;
}): ReactElement {
  return (
    <>
      {(['requeue', 'discard'] as const).map((verb) => (
        <ExplainedButton
          key={verb}
          variant="outlined"
          color={verb === 'discard' ? 'error' : undefined}
          why={mayNot}
          onClick={() => {
            onAsk({ verb, jobs });
          }}
        >
          {WORD[verb]} {count}
        </ExplainedButton>
      ))}
    </>
  );
}
