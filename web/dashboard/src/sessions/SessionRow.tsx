import type { SessionLine } from '@tarsy/ui';
import { memo, type ReactElement } from 'react';
import type { Column, Shown } from './columns';
import { ROW } from './virtualRows';

interface Props {
  session: SessionLine;
  /** Position in the list, from 0. */
  index: number;
  selected: boolean;
  /** Whether j and k stand here. */
  current: boolean;
  columns: readonly Column[];
  shown: Shown;
}

/**
 * One row: plain elements, no styles of its own. While the list is scrolled a row that goes out of view is filled
 * with another session, and only what differs is written; the others stay as they are.
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
