import { Box, ToggleButtonGroup, Typography } from '@mui/material';
import {
  Faint,
  toggleButtons,
  updateTriage,
  ExplainedButton,
  Time,
  ToneChip,
  useAction,
  useMe,
  useDeniedReason,
  useSubject,
  type AnswerRating,
  type TriageChange,
  type SessionDetail,
} from '@tarsy/ui';
import { type ReactElement } from 'react';
import { ReplayDialog, replayable } from './Actions';
import { RightCause } from './RightCause';
import { FAULTS, RATINGS } from './ratings';
import { NameDialog } from '../app/NameDialog';

/** Actor of requests without access control. */
const NOBODY = 'api-client';

/** Describes an action: `acknowledged by ann`. Leaves out the name of a request without access control. */
const done = (what: string, by: string | null | undefined): string =>
  by == null || by === NOBODY ? what : `${what} by ${by}`;

const TOGGLE = { py: 0, px: 1, minHeight: 26, textTransform: 'none', color: 'text.primary' } as const;

/** Acknowledge, assign and rate a session. */
export function Triage({ session, onChanged }: { session: SessionDetail; onChanged: () => void }): ReactElement {
  const [dialog, open, close] = useSubject<'assign' | 'replay'>();
  const { busy, error, run } = useAction();
  const mayNot = useDeniedReason('operator');
  const me = useMe().data?.name;
  const { care } = session;
  const why = mayNot ?? (busy ? 'Saving…' : null);
  const say = async (change: TriageChange): Promise<boolean> =>
    run(async () => {
      await updateTriage(session.session_id, change);
      onChanged();
    });
  const seen = care.acknowledged_at_us != null;
  const reviewed = care.reviewed_at_us != null;
  const replayedFrom = session.completed_at_us == null ? undefined : replayable(session)[0];
  const notRight = care.rating === 'partly_right' || care.rating === 'wrong';
  const saying = (change: TriageChange) => (): void => {
    void say(change);
  };
  const opening = (what: 'assign' | 'replay') => (): void => {
    open(what);
  };
  const button = (
    word: string,
    onClick: () => void,
    { variant = 'text', testid }: { variant?: 'text' | 'outlined'; testid?: string } = {},
  ): ReactElement => (
    <ExplainedButton variant={variant} sx={{ py: 0, minHeight: 26 }} why={why} data-testid={testid} onClick={onClick}>
      {word}
    </ExplainedButton>
  );
  return (
    <Box
      role="group"
      aria-label="Triage"
      data-testid="care"
      sx={{ display: 'flex', columnGap: 1.25, rowGap: 0.5, flexWrap: 'wrap', alignItems: 'center', pl: { md: 5 } }}
    >
      {care.acknowledged_at_us != null && (
        <Box sx={{ display: 'flex', gap: 0.75, alignItems: 'baseline' }}>
          <ToneChip tone="good" label={done('acknowledged', care.acknowledged_by)} />
          <Faint>
            <Time us={care.acknowledged_at_us} />
          </Faint>
        </Box>
      )}
      {button(seen ? 'Unacknowledge' : 'Acknowledge', saying({ acknowledged: !seen }), {
        variant: seen ? 'text' : 'outlined',
        testid: 'acknowledge',
      })}
      {care.assignee != null && <ToneChip plain tone="run" label={`assigned to ${care.assignee}`} />}
      {me !== undefined && me !== NOBODY && care.assignee !== me && button('Assign to me', saying({ assignee: me }))}
      {button('Assign…', opening('assign'))}
      {session.final_analysis != null && (
        <Box sx={{ display: 'flex', gap: 0.75, alignItems: 'center' }}>
          <Faint id="rating-label">Rate the answer</Faint>
          <ToggleButtonGroup
            exclusive
            size="small"
            value={care.rating ?? null}
            disabled={mayNot !== null}
            aria-labelledby="rating-label"
            title={
              mayNot ??
              (care.rated_by == null ? undefined : `Rated by ${care.rated_by}. Click again to remove the rating.`)
            }
            onChange={(_, next: AnswerRating | null) => {
              if (!busy) void say({ rating: next });
            }}
          >
            {toggleButtons(RATINGS, TOGGLE)}
          </ToggleButtonGroup>
        </Box>
      )}
      {notRight && (
        <ToggleButtonGroup
          size="small"
          value={care.faults}
          disabled={mayNot !== null}
          aria-label="What was wrong"
          data-testid="faults"
          sx={{ flexWrap: 'wrap' }}
          onChange={(_, next: string[]) => {
            if (!busy) void say({ faults: next });
          }}
        >
          {toggleButtons(FAULTS, TOGGLE)}
        </ToggleButtonGroup>
      )}
      {notRight && (
        <RightCause now={care.right_cause} why={why} onState={async (cause) => say({ right_cause: cause })} />
      )}
      {care.rating === 'wrong' &&
        replayedFrom !== undefined &&
        button('Try again with…', opening('replay'), { variant: 'outlined', testid: 'try-again' })}
      {session.completed_at_us != null && (
        <>
          {reviewed && <ToneChip tone="good" label={done('reviewed', care.reviewed_by)} />}
          {button(reviewed ? 'Mark as not reviewed' : 'Mark reviewed', saying({ reviewed: !reviewed }), {
            testid: 'review',
          })}
        </>
      )}
      {error !== null && (
        <Typography variant="caption" color="error" role="alert">
          {error}
        </Typography>
      )}
      {dialog === 'replay' && replayedFrom !== undefined && (
        <ReplayDialog session={session} first={replayedFrom} onClose={close} onChanged={onChanged} />
      )}
      {dialog === 'assign' && (
        <NameDialog
          title="Assign session"
          verb="Assign"
          help="Leave empty to unassign"
          now={care.assignee ?? ''}
          isOptional
          onClose={close}
          onName={async (name) => say({ assignee: name === '' ? null : name })}
        />
      )}
    </Box>
  );
}
