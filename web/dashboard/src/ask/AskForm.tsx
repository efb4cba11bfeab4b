import { Box } from '@mui/material';
import { askKnowledge, Choice, COLUMN, Faint, type AcceptedMessage } from '@tarsy/ui';
import type { ReactElement, RefObject } from 'react';
import { FilterField } from './FilterField';
import { filterFields, type Collection } from './outputs';
import { QuestionForm } from './QuestionForm';
import { filterMistake, toFilters, type Searched } from './searched';

interface Props {
  /** The conversation that the question continues; null: a new one. */
  conversation: string | null;
  /** Why no question can be asked now; null: one can. */
  why: string | null;
  collections: readonly Collection[];
  searched: Searched;
  /** Edits in the address what is searched. */
  onSearched: (edit: (now: Searched) => Searched) => void;
  field: RefObject<HTMLTextAreaElement | null>;
  onAsked: (accepted: AcceptedMessage) => Promise<void>;
}

/** Form for questions to the knowledge store. The text stays until the question is accepted. */
export function AskForm({ conversation, why, collections, searched, onSearched, field, onAsked }: Props): ReactElement {
  const fields = filterFields(collections, searched.collection);
  const mistake = searched.filters.map((filter) => filterMistake(filter, fields)).find((one) => one !== null) ?? null;
  // Includes a collection from the address that no question has found yet.
  const names = [
    ...new Set([
      ...collections.map(({ name }) => name),
      ...(searched.collection === null ? [] : [searched.collection]),
    ]),
  ];
  const scope = {
    collection: searched.collection ?? undefined,
    filters: toFilters(searched.filters),
    conversation: conversation ?? undefined,
  };
  return (
    <Box sx={{ ...COLUMN, gap: 1.25 }}>
      <QuestionForm
        about={conversation ?? 'ask'}
        why={why}
        mistake={mistake}
        scope={JSON.stringify(scope)}
        placeholder={conversation === null ? 'Ask about your records' : 'Ask a follow-up question'}
        minRows={conversation === null ? 3 : 1}
        maxRows={10}
        note="Answers cite the records they come from."
        field={field}
        send={async (question, key) => askKnowledge({ question, ...scope }, key)}
        onAsked={onAsked}
      >
        <Box
          sx={{
            display: 'grid',
            gap: 1.25,
            gridTemplateColumns: { xs: 'minmax(0, 1fr)', sm: '200px minmax(0, 1fr)' },
            alignItems: 'start',
          }}
        >
          <Choice
            label="Collection"
            value={searched.collection ?? ''}
            options={[['', 'All collections'], ...names.map((name) => [name, name] as const)]}
            onChange={(next) => {
              onSearched((now) => ({ ...now, collection: next === '' ? null : next }));
            }}
            testid="collection"
          />
          <FilterField
            filters={searched.filters}
            fields={fields}
            mistake={mistake}
            onChange={(edit) => {
              onSearched((now) => ({ ...now, filters: edit(now.filters) }));
            }}
          />
        </Box>
      </QuestionForm>
      {conversation === null && collections.length > 0 && (
        <Faint sx={{ overflowWrap: 'anywhere' }}>
          Collections:{' '}
          {collections
            .map(({ name, fields: of }) => `${name} (${of.map((field) => field.name).join(', ')})`)
            .join('; ')}
        </Faint>
      )}
    </Box>
  );
}
