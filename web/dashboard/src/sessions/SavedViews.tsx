import { Divider, MenuItem } from '@mui/material';
import { TipButton } from '@tarsy/ui';
import { Bookmark, Trash2 } from 'lucide-react';
import { useState, type ReactElement } from 'react';
import { useAddress } from '../app/useAddress';
import { storedViews, storeViews, withView, type View } from './views';
import { NameDialog } from '../app/NameDialog';
import { MenuButton } from '../app/MenuButton';

/** Menu of saved views: apply, save, delete. */
export function SavedViews(): ReactElement {
  const [params, change] = useAddress();
  const [views, setViews] = useState<View[]>(storedViews);
  const [naming, setNaming] = useState(false);
  const keep = (next: View[]): void => {
    setViews(next);
    storeViews(next);
  };
  const drop = (view: View): void => {
    keep(views.filter((one) => one !== view));
  };
  const address = params.toString();
  return (
    <>
      <MenuButton
        button={(open) => (
          <TipButton tip="Saved views" aria-haspopup="menu" data-testid="views" onClick={open}>
            <Bookmark size={16} />
          </TipButton>
        )}
      >
        {(close) => [
          // A disabled item rather than a text, because the menu gives the focus to its first item.
          views.length === 0 && (
            <MenuItem key="none" dense disabled>
              No saved views
            </MenuItem>
          ),
          ...views.map((view) => (
            // One item each, so that the arrow keys reach them. The Delete key does the same as the bin button.
            <MenuItem
              key={`view ${view.name}`}
              dense
              selected={view.address === address}
              aria-keyshortcuts="Delete"
              title="Press Delete to remove"
              onClick={() => {
                close();
                change(() => new URLSearchParams(view.address), {});
              }}
              onKeyDown={(event) => {
                if (event.key !== 'Delete') return;
                event.currentTarget.parentElement?.focus();
                drop(view);
              }}
            >
              <span style={{ flex: 1, marginRight: 16 }}>{view.name}</span>
              <Trash2
                size={14}
                role="img"
                aria-label={`Delete view ${view.name}`}
                onClick={(event) => {
                  event.stopPropagation();
                  drop(view);
                }}
              />
            </MenuItem>
          )),
          <Divider key="divider" />,
          <MenuItem
            key="save"
            dense
            disabled={address === ''}
            onClick={() => {
              close();
              setNaming(true);
            }}
          >
            Save current filters…{address === '' ? ' (no filters set)' : ''}
          </MenuItem>,
        ]}
      </MenuButton>
      {naming && (
        <NameDialog
          title="Save view"
          verb="Save"
          help="Stored in this browser. To share a view, send the page URL."
          onClose={() => {
            setNaming(false);
          }}
          onName={async (name) => {
            keep(withView(views, { name, address }));
            return Promise.resolve(true);
          }}
        />
      )}
    </>
  );
}
