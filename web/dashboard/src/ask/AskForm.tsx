import { Alert, Box, MenuItem, TextField, Typography } from '@mui/material';
import { askKnowledge, asApiError, ExplainedButton, LONGEST_QUESTION, type AcceptedMessage } from '@tarsy/ui';
import { useRef, useState, type ReactElement, type RefObject } from 'react';
import { useIsWide } from '../app/useIsWide';
import { leaveIfEmpty, useQuestionDraft } from '../app/useQuestionDraft';
import { FilterField } from './FilterField';
import { filterFields, type Collection } from './outputs';
import { filterMistake, toFilters, type Searched } from './searched';

interface Props {
  /** The conversation that the question continues; null: a new one. */
  conversation: string | null;
  /** Why nothing can be asked now; null: it can. */
  why: string | null;
  collections: readonly Collection[];
  searched: Searched;
  /** Edits what is searched, as the address has it. */
  onSearched: (edit: (now: Searched) => Searched) => void;
  field: RefObject<HTMLTextAreaElement | null>;
  onAsked: (accepted: AcceptedMessage) => Promise<void>;
}

/** Asks the knowledge store; the text stays until it is accepted. */
export function AskForm({ conversation, why, collections, searched, onSearched, field, onAsked }: Props): ReactElement {
  const [text, setText] = useQuestionDraft(conversation ?? 'ask');
  const isWide = useIsWide();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  // The same for a repeated try of the same question, so that it is asked once.
  const key = useRef<{ of: string; key: string } | null>(null);
  const fields = filterFields(collections, searched.collection);
  const mistake = searched.filters.map((filter) => filterMistake(filter, fields)).find((one) => one !== null) ?? null;
  const blocked = why ?? (busy ? 'Sending…' : text.trim() === '' ? 'Write a question first.' : mistake);
  // A collection of the address that no question has found yet.
  const names = [
    ...new Set([
      ...collections.map(({ name }) => name),
      ...(searched.collection === null ? [] : [searched.collection]),
    ]),
  ];
  const ask = async (): Promise<void> => {
    if (blocked !== null) return;
    setBusy(true);
    const question = {
      question: text.trim(),
      collection: searched.collection ?? undefined,
      filters: toFilters(searched.filters),
      conversation: conversation ?? undefined,
    };
    const of = JSON.stringify(question);
    if (key.current?.of !== of) key.current = { of, key: crypto.randomUUID() };
    try {
      const accepted = await askKnowledge(question, key.current.key);
      key.current = null;
      setText('');
      setError(null);
      await onAsked(accepted);
    } catch (thrown) {
      setError(asApiError(thrown).message);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Box
      component="form"
      aria-label="Ask a question"
      onSubmit={(event) => {
        event.preventDefault();
        void ask();
      }}
      sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 1.25 }}
    >
      <TextField
        multiline
        minRows={conversation === null ? 3 : 1}
        maxRows={10}
        value={text}
        inputRef={field}
        disabled={why !== null && text === ''}
        placeholder={`${conversation === null ? 'Ask about your records' : 'Ask a follow-up question'}${isWide ? '  ( q )' : ''}`}
        onChange={(event) => {
          setText(event.target.value);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) {
            event.preventDefault();
            void ask();
          }
          leaveIfEmpty(event, text);
        }}
        slotProps={{ htmlInput: { 'aria-label': 'Question', maxLength: LONGEST_QUESTION, 'data-testid': 'question' } }}
      />
      <Box
        sx={{
          display: 'grid',
          gap: 1.25,
          gridTemplateColumns: { xs: 'minmax(0, 1fr)', sm: '200px minmax(0, 1fr)' },
          alignItems: 'start',
        }}
      >
        <TextField
          select
          size="small"
          label="Collection"
          value={searched.collection ?? ''}
          onChange={(event) => {
            onSearched((now) => ({ ...now, collection: event.target.value === '' ? null : event.target.value }));
          }}
          slotProps={{
            select: { displayEmpty: true, SelectDisplayProps: { 'data-testid': 'collection' } as object },
            inputLabel: { shrink: true },
          }}
        >
          <MenuItem value="">All collections</MenuItem>
          {names.map((name) => (
            <MenuItem key={name} value={name}>
              {name}
            </MenuItem>
          ))}
        </TextField>
        <FilterField
          filters={searched.filters}
          fields={fields}
          mistake={mistake}
          onChange={(edit) => {
            onSearched((now) => ({ ...now, filters: edit(now.filters) }));
          }}
        />
      </Box>
      <Box sx={{ display: 'flex', gap: 1.5, alignItems: 'center', flexWrap: 'wrap' }}>
        <ExplainedButton type="submit" variant="contained" why={blocked} data-testid="ask">
          Ask
        </ExplainedButton>
        <Typography variant="caption" color="text.secondary">
          {why ?? `${isWide ? 'Enter sends, Shift+Enter starts a line. ' : ''}Answers cite the records they come from.`}
        </Typography>
      </Box>
      {conversation === null && collections.length > 0 && (
        <Typography variant="caption" color="text.secondary" sx={{ overflowWrap: 'anywhere' }}>
          Collections:{' '}
          {collections
            .map(({ name, fields: of }) => `${name} (${of.map((field) => field.name).join(', ')})`)
            .join('; ')}
        </Typography>
      )}
      {error !== null && <Alert severity="error">{error}</Alert>}
    </Box>
  );
}
