import { Box, Button, Checkbox, FormControlLabel, TextField, Typography } from '@mui/material';
import {
  byStage,
  cancelSession,
  Choice,
  ExplainedButton,
  onText,
  ReasonDialog,
  replayStage,
  statusTone,
  useConfig,
  useDeniedReason,
  useSubject,
  type SessionDetail,
} from '@tarsy/ui';
import { useState, type ReactElement } from 'react';
import { Link } from 'react-router-dom';

const STRATEGIES = ['react', 'react-stage', 'react-final-analysis', 'react-tools', 'react-tools-partial', 'regular'];

const nameOf = (provider: unknown): string[] =>
  provider !== null && typeof provider === 'object' && 'name' in provider && typeof provider.name === 'string'
    ? [provider.name]
    : [];

/** Options of a menu: the names, and an option that changes nothing. */
const unchangedOr = (names: readonly string[]) =>
  [['', 'Unchanged'], ...names.map((name) => [name, name] as const)] as (readonly [string, string])[];

/** Selects a configured provider; a text field without permission to read the configuration. */
function ProviderField({ value, onChange }: { value: string; onChange: (name: string) => void }): ReactElement {
  const { data, isPending } = useConfig({ retry: false });
  const names = data?.llm_providers.flatMap(nameOf) ?? [];
  // Disabled until the configuration is loaded, because the list would replace typed text.
  if (isPending) return <TextField label="Provider" disabled value="" />;
  if (names.length === 0)
    return (
      <TextField
        label="Provider"
        value={value}
        onChange={onText(onChange)}
        helperText="Leave empty to keep the current provider"
      />
    );
  return <Choice label="Provider" value={value} options={unchangedOr(names)} onChange={onChange} />;
}

/** Indexes of the stages that can be replayed: those that completed or failed, in whole or in part. */
export const replayable = (session: SessionDetail): number[] =>
  byStage(session.stages)
    .filter(({ status }) => ['completed', 'failed', 'partial'].includes(status))
    .map(({ index }) => index);

/** Replays a stage, optionally with another provider or strategy. */
export function ReplayDialog({
  session,
  first,
  onClose,
  onChanged,
}: {
  session: SessionDetail;
  first: number;
  onClose: () => void;
  onChanged: () => void;
}): ReactElement {
  const stages = byStage(session.stages);
  const [index, setIndex] = useState(first);
  const isRepeatable = new Set(replayable(session));
  const [provider, setProvider] = useState('');
  const [isForLater, setIsForLater] = useState(true);
  const [strategy, setStrategy] = useState('');
  const later = stages.filter((stage) => stage.index > index).length;
  return (
    <ReasonDialog
      title="Replay from a stage"
      verb="Replay"
      onClose={onClose}
      onConfirm={async (reason) => {
        await replayStage(session.session_id, index, reason, {
          ...(provider.trim() === '' ? {} : { llm_provider: provider.trim() }),
          ...(provider.trim() !== '' && later > 0 && isForLater ? { later_stages: true } : {}),
          ...(strategy === '' ? {} : { iteration_strategy: strategy }),
        });
        onChanged();
      }}
    >
      <Typography variant="body2">
        The stage gets a new attempt
        {later > 0
          ? `, and ${later === 1 ? 'the stage after it runs' : `the ${String(later)} stages after it run`} again`
          : ''}
        . Earlier attempts are kept. Models and tools are called again, at a cost.
      </Typography>
      <Choice
        label="Stage"
        value={index}
        options={stages.map((stage) => [
          stage.index,
          `${String(stage.index + 1)}. ${stage.name} (${statusTone(stage.status).label})`,
        ])}
        isDisabled={(stage) => stage !== undefined && !isRepeatable.has(stage)}
        onChange={setIndex}
        sx={{ mt: 1 }}
      />
      <Box sx={{ display: 'grid', gridTemplateColumns: '1fr 1fr', gap: 1 }}>
        <ProviderField value={provider} onChange={setProvider} />
        <Choice label="Strategy" value={strategy} options={unchangedOr(STRATEGIES)} onChange={setStrategy} />
      </Box>
      {provider.trim() !== '' && later > 0 && (
        <FormControlLabel
          control={
            <Checkbox
              size="small"
              checked={isForLater}
              onChange={(_, checked) => {
                setIsForLater(checked);
              }}
            />
          }
          label="Use this provider for the later stages too"
        />
      )}
    </ReasonDialog>
  );
}

/** Opens the submit form with the session's alert. */
function SubmitAgain({ id }: { id: string }): ReactElement {
  const mayNot = useDeniedReason('ingest');
  if (mayNot !== null)
    return (
      <ExplainedButton variant="outlined" data-testid="submit-again" why={mayNot}>
        Submit again
      </ExplainedButton>
    );
  return (
    <Button variant="outlined" data-testid="submit-again" component={Link} to={`/submit?session=${id}`}>
      Submit again
    </Button>
  );
}

/** Cancel, replay and resubmit; disabled buttons give the reason. */
export function Actions({ session, onChanged }: { session: SessionDetail; onChanged: () => void }): ReactElement {
  const [asked, ask, close] = useSubject<'cancel' | 'replay'>();
  const ended = session.completed_at_us != null;
  const mayNot = useDeniedReason('operator');
  const stages = byStage(session.stages);
  const failed = stages.find(({ branches }) => branches.some(({ current }) => current.status === 'failed'))?.index;
  const first = failed ?? replayable(session)[0];
  return (
    <>
      <ExplainedButton
        variant="outlined"
        data-testid="replay"
        why={
          mayNot ??
          (!ended
            ? 'The session is still running. Stages can be replayed after it ends.'
            : first !== undefined
              ? null
              : session.status === 'cancelled'
                ? 'The session was cancelled. Submit the alert again instead.'
                : 'No stage has run.')
        }
        onClick={() => {
          ask('replay');
        }}
      >
        Replay
      </ExplainedButton>
      <ExplainedButton
        variant="outlined"
        color="error"
        data-testid="cancel"
        why={ended ? 'The session has ended.' : mayNot}
        onClick={() => {
          ask('cancel');
        }}
      >
        Cancel
      </ExplainedButton>
      <SubmitAgain id={session.session_id} />
      {asked === 'cancel' && (
        <ReasonDialog
          danger
          title="Cancel this session?"
          verb="Cancel session"
          onClose={close}
          onConfirm={async (reason) => {
            await cancelSession(session.session_id, reason);
            onChanged();
          }}
        >
          <Typography variant="body2">
            The running stage stops within a second, including its tool call. Results so far are kept. A cancelled
            session cannot be resumed.
          </Typography>
        </ReasonDialog>
      )}
      {asked === 'replay' && first !== undefined && (
        <ReplayDialog session={session} first={first} onClose={close} onChanged={onChanged} />
      )}
    </>
  );
}
