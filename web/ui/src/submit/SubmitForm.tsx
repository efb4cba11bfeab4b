import { Alert, Box, Button, List, ListItem } from '@mui/material';
import { lazy, Suspense, useMemo, useState, type ReactElement } from 'react';
import { asApiError } from '../api/problem';
import { useDeniedReason } from '../parts/access';
import { Choice } from '../parts/Choice';
import { ExplainedButton } from '../parts/ExplainedButton';
import { Late } from '../parts/Late';
import { Loading } from '../parts/States';
import { maskedAt } from './resubmit';
import { AlertFields } from './AlertFields';
import { PreviewPanel, type DryRunRequest, type Panel } from './PreviewPanel';
import { formatOf, readAlert, readObject, write } from './draft';
import { EDITOR_HEIGHT } from './editorHeight';
import type { SessionLink } from './DryRun';
import { ownAlert, VENDORS, type Preset } from './presets';
import { send, type Submitted } from './send';
import { useAlertTypes } from '../api/queries';
import { Faint } from '../parts/Faint';

const Editor = lazy(async () => import('./Editor'));

const editorPlace = (
  <Box sx={{ height: EDITOR_HEIGHT }}>
    <Loading what="the editor" />
  </Box>
);

const first = (preset: { body: unknown }): string => JSON.stringify(preset.body, null, 2);

/** Edits of a preset. */
interface Edited {
  of: string;
  written: string | null;
  dry: DryRunRequest | null;
  error: string | null;
}
const untouched = (of: string): Edited => ({ of, written: null, dry: null, error: null });

interface Props {
  onSubmitted: (sessions: Submitted[]) => void;
  sessionLink: SessionLink;
  /** Id of the selected preset; null: the first. */
  preset: string | null;
  onPreset: (id: string | null) => void;
  /** Extra first preset with a note. */
  own?: { preset: Preset; note: ReactElement };
}

/** Form with presets, editor, dry run and curl. */
export function SubmitForm({ onSubmitted, sessionLink, preset: wanted, onPreset, own }: Props): ReactElement {
  const types = useAlertTypes();
  const known = useMemo(() => types.data ?? [], [types.data]);
  const presets = useMemo(
    () => [
      ...(own === undefined ? [] : [own.preset]),
      ownAlert(known.find((type) => /terminating.*demo/i.test(type)) ?? known[0] ?? ''),
      ...VENDORS,
    ],
    [known, own],
  );
  const preset = presets.find((one) => one.id === wanted) ?? presets[0];
  const id = preset?.id ?? '';
  const [edited, setEdited] = useState(untouched(id));
  const { written, dry, error } = edited.of === id ? edited : untouched(id);
  const edit = (change: Partial<Edited>): void => {
    setEdited((last) => ({ ...(last.of === id ? last : untouched(id)), ...change }));
  };
  const [panel, setPanel] = useState<Panel>('dry');
  const [busy, setBusy] = useState(false);
  // Replaced when the text changes or an alert is accepted. Until then, a repeated press sends the same request.
  const [idempotencyKey, setIdempotencyKey] = useState(() => crypto.randomUUID());

  const text = written ?? (preset === undefined ? '' : first(preset));
  const source = preset?.source ?? null;
  const draft = useMemo(() => (source === null ? readAlert(text, known) : readObject(text)), [text, known, source]);
  const format = formatOf(text);
  const path = source === null ? '/alerts' : `/webhooks/${source}`;
  const masked = useMemo(() => maskedAt(draft.value), [draft]);
  const mayNot = useDeniedReason('ingest');
  // Until the alert types are loaded, the template names no type and the API would refuse it.
  const early = source === null && written === null && types.isPending;
  const why = busy
    ? 'Sending…'
    : early
      ? 'Loading the alert types…'
      : draft.mistakes.length > 0
        ? `Fix line ${String(draft.mistakes[0]?.line)}: ${String(draft.mistakes[0]?.message)}`
        : null;

  const change = (next: string): void => {
    edit({ written: next, dry: null });
    setIdempotencyKey(crypto.randomUUID());
  };
  const submit = async (): Promise<void> => {
    if ((mayNot ?? why) !== null || draft.value === null) return;
    setBusy(true);
    edit({ error: null });
    try {
      const sessions = await send(source, draft.value, idempotencyKey);
      setIdempotencyKey(crypto.randomUUID());
      onSubmitted(sessions);
    } catch (thrown) {
      const problem = asApiError(thrown);
      const fields = problem.problem.errors?.map((field) => `${field.field} ${field.detail}`).join('; ');
      edit({
        error: `${problem.message} (${problem.code})${fields === undefined || problem.message.includes(fields) ? '' : `: ${fields}`}`,
      });
    } finally {
      setBusy(false);
    }
  };
  const turn = (): void => {
    if (draft.value !== null) change(write(draft.value, format === 'json' ? 'yaml' : 'json'));
  };

  return (
    <Box
      sx={{
        display: 'grid',
        gap: 2,
        gridTemplateColumns: { xs: '1fr', lg: 'minmax(0, 3fr) minmax(0, 2fr)' },
        alignItems: 'start',
      }}
    >
      <Box sx={{ display: 'grid', gap: 1.5 }}>
        {id === own?.preset.id && own.note}
        <Box sx={{ display: 'flex', columnGap: 1, rowGap: 1.5, flexWrap: 'wrap', alignItems: 'center' }}>
          <Choice
            label="Template"
            value={id}
            options={presets.map((one) => [one.id, one.label] as const)}
            onChange={(next) => {
              setEdited(untouched(next));
              onPreset(next === presets[0]?.id ? null : next);
            }}
            sx={{ minWidth: 240, flex: { xs: '1 1 100%', sm: 'none' } }}
          />
          {source === null && known.length > 0 && (
            <Choice
              label="Alert type"
              value={known.find((type) => type === draft.value?.alert_type) ?? ''}
              options={known.map((type) => [type, type] as const)}
              isDisabled={() => draft.value === null}
              onChange={(type) => {
                change(write({ ...draft.value, alert_type: type }, format));
              }}
              sx={{ minWidth: 220, flex: { xs: '1 1 100%', sm: 'none' } }}
            />
          )}
          <ExplainedButton variant="text" why={draft.value === null ? 'Fix the errors first.' : null} onClick={turn}>
            {format === 'json' ? 'Convert to YAML' : 'Convert to JSON'}
          </ExplainedButton>
          {written !== null && (
            <Button
              variant="text"
              onClick={() => {
                edit({ written: null, dry: null });
              }}
            >
              Reset
            </Button>
          )}
        </Box>
        <Faint>
          Sent to <code>{path}</code>. {preset?.hint}
        </Faint>
        {masked.length > 0 && (
          <Alert severity="warning" data-testid="masked">
            Fill in the masked fields before sending: <code>{masked.join(', ')}</code>. Masked values are not stored.
          </Alert>
        )}
        {source === null && (
          <AlertFields
            value={draft.value}
            onChange={(next) => {
              change(write(next, format));
            }}
          />
        )}
        {/* The editor is a hundred kB of code, so the fields are shown first. */}
        <Late until={editorPlace}>
          <Suspense fallback={editorPlace}>
            <Editor
              value={text}
              onChange={change}
              format={format}
              mistakes={draft.mistakes}
              label="Alert as JSON or YAML"
              onSubmit={() => {
                void submit();
              }}
            />
          </Suspense>
        </Late>
        <Box aria-live="polite">
          {draft.mistakes.length > 0 && (
            <Alert severity="error" data-testid="mistakes" sx={{ alignItems: 'center' }}>
              <List dense disablePadding>
                {draft.mistakes.map((mistake, at) => (
                  <ListItem key={at} disableGutters sx={{ py: 0 }}>
                    Line {mistake.line}: {mistake.message}
                  </ListItem>
                ))}
              </List>
            </Alert>
          )}
          {error !== null && <Alert severity="error">{error}</Alert>}
        </Box>
        <Box sx={{ display: 'flex', gap: 1 }}>
          <ExplainedButton
            variant="contained"
            why={mayNot ?? why}
            hint="Ctrl+Enter in the editor"
            onClick={() => {
              void submit();
            }}
            data-testid="submit"
          >
            {busy ? 'Sending…' : 'Submit alert'}
          </ExplainedButton>
          <ExplainedButton
            variant="outlined"
            why={source !== null ? 'Dry run supports alerts only, not vendor payloads.' : why}
            onClick={() => {
              setPanel('dry');
              edit({ dry: draft.value === null ? null : { alert: draft.value, press: (dry?.press ?? 0) + 1 } });
            }}
          >
            Dry run
          </ExplainedButton>
        </Box>
      </Box>
      <PreviewPanel
        panel={panel}
        onPanel={setPanel}
        dry={dry}
        path={path}
        body={draft.value ?? {}}
        sessionLink={sessionLink}
      />
    </Box>
  );
}
