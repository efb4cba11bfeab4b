import { Menu } from '@mui/material';
import { useState, type MouseEvent, type ReactElement } from 'react';

interface Props {
  /** The button; it opens the menu. */
  button: (open: (event: MouseEvent<HTMLElement>) => void) => ReactElement;
  /** The items, each with a key; they may close the menu. */
  children: (close: () => void) => readonly (ReactElement | false)[];
}

/** A button with a menu. */
export function MenuButton({ button, children }: Props): ReactElement {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const close = (): void => {
    setAnchor(null);
  };
  return (
    <>
      {button((event) => {
        setAnchor(event.currentTarget);
      })}
      {anchor !== null && (
        <Menu anchorEl={anchor} open onClose={close}>
          {children(close)}
        </Menu>
      )}
    </>
  );
}
