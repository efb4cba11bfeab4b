import { Alert, Box, Button, FormControl, InputLabel, List, ListItem, MenuItem, Select, Tab, Tabs, Typography } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useMemo, useState, type ReactElement } from 'react';
import { accessKey } from '../api/access';
import { asApiError } from '../api/problem';
import { alertTypes, sendWebhook, submitAlert } from '../api/sessions';
import { Code } from '../parts/Code';
import { useWhyNot } from '../parts/access';
import { ExplainedButton } from '../parts/Explained';
import { Loading } from '../parts/States';
import { curl } from './curl';
import { formatOf, readAlert, readObject, write } from './draft';
import { DryRun, type SessionLink } from './DryRun';
import { ownAlert, VENDORS } from './presets';

const Editor = lazy(async () => import('./Editor'));

/** What came of a submission. */
export interface Submitted { sessionId: string; alertId: string | null; duplicate: boolean }

const first = (preset: { body: unknown }): string => JSON.stringify(preset.body, null, 2);

async function submit(source: string | null, value: unknown, key: string): Promise<Submitted[]> {
  if (source === null) {
    const answer = await submitAlert(value, key);
    return [{ sessionId: answer.session_id, alertId: answer.alert_id, duplicate: answer.status === 'duplicate' }];
  }
  const answer = await sendWebhook(source, value);
  return (answer.results ?? []).flatMap((result) =>
    typeof result.session_id === 'string' ? [{ sessionId: result.session_id, alertId: result.alert_id ?? null, duplicate: result.status === 'duplicate' }] : [],
  );
}

/** Presets, editor, dry run, curl; tells its user what was accepted. */
export function SubmitForm({ onSubmitted, sessionLink }: { onSubmitted: (sessions: Submitted[]) => void; sessionLink: SessionLink }): ReactElement {
  const types = useQuery({ queryKey: ['alert-types'], queryFn: async ({ signal }) => alertTypes(signal) });
  const known = useMemo(() => types.data ?? [], [types.data]);
  const presets = useMemo(() => [ownAlert(known.find((type) => /terminating.*demo/i.test(type)) ?? known[0] ?? ''), ...VENDORS], [known]);
  const [presetId, setPresetId] = useState('alert');
  const preset = presets.find((one) => one.id === presetId) ?? presets[0];
  const [written, setWritten] = useState<string | null>(null);
  const [panel, setPanel] = useState<'dry' | 'curl'>('dry');
  const [dry, setDry] = useState<{ alert: Record<string, unknown>; press: number } | null>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  // Made anew once something was accepted: until then a repeated press is the same request.
  const [idempotencyKey, setIdempotencyKey] = useState(() => crypto.randomUUID());

  const text = written ?? (preset === undefined ? '' : first(preset));
  const source = preset?.source ?? null;
  const draft = useMemo(() => (source === null ? readAlert(text, known) : readObject(text)), [text, known, source]);
  const format = formatOf(text);
  const mayNot = useWhyNot('ingest');
  const why = busy ? 'It is being sent.' : draft.mistakes.length > 0 ? `Mend first: line ${String(draft.mistakes[0]?.line)}, ${String(draft.mistakes[0]?.message)}` : null;

  const change = (next: string): void => {
    setWritten(next);
    setDry(null);
    setIdempotencyKey(crypto.randomUUID());
  };
  const send = async (): Promise<void> => {
    if ((mayNot ?? why) !== null || draft.value === null) return;
    setBusy(true);
    setError(null);
    try {
      const sessions = await submit(source, draft.value, idempotencyKey);
      setIdempotencyKey(crypto.randomUUID());
      onSubmitted(sessions);
    } catch (thrown) {
      const problem = asApiError(thrown);
      const fields = problem.problem.errors?.map((field) => `${field.field} ${field.detail}`).join('; ');
      setError(`${problem.message} (${problem.code})${fields === undefined || problem.message.includes(fields) ? '' : `: ${fields}`}`);
    } finally {
      setBusy(false);
    }
  };
  const turn = (): void => {
    if (draft.value !== null) change(write(draft.value, format === 'json' ? 'yaml' : 'json'));
  };

  return (
    <Box sx={{ display: 'grid', gap: 2, gridTemplateColumns: { xs: '1fr', lg: 'minmax(0, 3fr) minmax(0, 2fr)' }, alignItems: 'start' }}>
      <Box sx={{ display: 'grid', gap: 1.5 }}>
        <Box sx={{ display: 'flex', columnGap: 1, rowGap: 1.5, flexWrap: 'wrap', alignItems: 'center' }}>
          <FormControl size="small" sx={{ minWidth: 240 }}>
            <InputLabel id="preset-label">Begin with</InputLabel>
            <Select labelId="preset-label" label="Begin with" value={preset?.id ?? ''} onChange={(event) => { setPresetId(event.target.value); setWritten(null); setDry(null); setError(null); }}>
              {presets.map((one) => <MenuItem key={one.id} value={one.id}>{one.label}</MenuItem>)}
            </Select>
          </FormControl>
          {source === null && known.length > 0 && (
            <FormControl size="small" sx={{ minWidth: 220 }} disabled={draft.value === null}>
              <InputLabel id="type-label">Alert type</InputLabel>
              <Select
                labelId="type-label" label="Alert type" value={known.find((type) => type === draft.value?.alert_type) ?? ''}
                onChange={(event) => { change(write({ ...draft.value, alert_type: event.target.value }, format)); }}
              >
                {known.map((type) => <MenuItem key={type} value={type}>{type}</MenuItem>)}
              </Select>
            </FormControl>
          )}
          <ExplainedButton variant="text" why={draft.value === null ? 'The text must be valid first.' : null} onClick={turn}>
            {format === 'json' ? 'As YAML' : 'As JSON'}
          </ExplainedButton>
          {written !== null && <Button variant="text" onClick={() => { setWritten(null); setDry(null); }}>Start over</Button>}
        </Box>
        <Typography variant="caption" color="text.secondary">
          Goes to <code>{source === null ? '/alerts' : `/webhooks/${source}`}</code>. {preset?.hint}
        </Typography>
        <Suspense fallback={<Loading what="the editor" />}>
          <Editor value={text} onChange={change} format={format} mistakes={draft.mistakes} label="Alert as JSON or YAML" onSubmit={() => { void send(); }} />
        </Suspense>
        <Box aria-live="polite">
          {draft.mistakes.length > 0 && (
            <Alert severity="error" data-testid="mistakes" sx={{ '& .MuiAlert-message': { py: 0.5 } }}>
              <List dense disablePadding>
                {draft.mistakes.map((mistake, at) => <ListItem key={at} disableGutters sx={{ py: 0 }}>Line {mistake.line}: {mistake.message}</ListItem>)}
              </List>
            </Alert>
          )}
          {error !== null && <Alert severity="error">{error}</Alert>}
        </Box>
        <Box sx={{ display: 'flex', gap: 1 }}>
          <ExplainedButton variant="contained" why={mayNot ?? why} hint="Ctrl-Enter in the editor" onClick={() => { void send(); }} data-testid="submit">
            {busy ? 'Sending…' : 'Submit alert'}
          </ExplainedButton>
          <ExplainedButton
            variant="outlined"
            why={source !== null ? 'A vendor’s payload is mapped by the API; the dry run knows alerts only.' : why}
            onClick={() => { setPanel('dry'); setDry((last) => (draft.value === null ? null : { alert: draft.value, press: (last?.press ?? 0) + 1 })); }}
          >
            Dry run
          </ExplainedButton>
        </Box>
      </Box>
      <Box sx={{ border: 1, borderColor: 'divider', borderRadius: 1, bgcolor: 'background.paper' }}>
        <Tabs value={panel} onChange={(_, next: 'dry' | 'curl') => { setPanel(next); }} aria-label="Before sending">
          <Tab value="dry" label="Dry run" id="tab-dry" aria-controls="panel-before" />
          <Tab value="curl" label="curl" id="tab-curl" aria-controls="panel-before" />
        </Tabs>
        <Box id="panel-before" role="tabpanel" aria-labelledby={`tab-${panel}`} sx={{ p: 2, borderTop: 1, borderColor: 'divider' }}>
          {panel === 'curl'
            ? <Code text={curl(location.origin, source === null ? '/alerts' : `/webhooks/${source}`, draft.value ?? {}, accessKey() !== null)} what="curl command" lines={40} />
            : dry === null
              ? <Typography variant="body2" color="text.secondary">Press <b>Dry run</b> to see which chain, stages and tools this alert would set off, whether it would be counted on a session that runs already, whether its runbook can be had now, and what such sessions took and cost lately. Nothing is submitted.</Typography>
              : <DryRun {...dry} sessionLink={sessionLink} />}
        </Box>
      </Box>
    </Box>
  );
}
