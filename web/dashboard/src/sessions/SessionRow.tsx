import type { SessionLine } from '@tarsy/ui';
import { memo, type ReactElement } from 'react';
import type { Column, Shown } from './columns';
import { ROW } from './virtualRows';

interface Props {
  session: SessionLine;
  /** Position in the list, from 0. */
  index: number;
  selected: boolean;
  /** Whether the cursor of the keys j and k is here. */
  current: boolean;
  columns: readonly Column[];
  shown: Shown;
}

/**
 * One row, of plain elements without own styles. While the list scrolls, a row that leaves the view is reused for
 * another session, so that only the differences are written.
 */
export const SessionRow = memo(({ session, index, selected, current, columns, shown }: Props): ReactElement => (
  <div
    role="row"
    className="line"
    aria-rowindex={index + 2}
    aria-selected={selected}
    data-testid="session-row"
    data-id={session.session_id}
    data-cursor={current}
    style={{ top: index * ROW }}
  >
    {columns.map((column) => (
      <div key={column.id} role="cell" className={column.right === true ? 'cell right' : 'cell'}>
        {column.cell(session, shown, selected)}
      </div>
    ))}
  </div>
));
SessionRow.displayName = 'Line';
