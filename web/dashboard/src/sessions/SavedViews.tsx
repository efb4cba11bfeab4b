import {
  Button,
  Dialog,
  DialogActions,
  DialogContent,
  DialogTitle,
  Divider,
  IconButton,
  Menu,
  MenuItem,
  TextField,
  Tooltip,
} from '@mui/material';
import { Bookmark, Trash2 } from 'lucide-react';
import { useState, type ReactElement } from 'react';
import { useAddress } from '../app/useAddress';
import { storedViews, storeViews, withView, type View } from './views';

function NameDialog({ onClose, onName }: { onClose: () => void; onName: (name: string) => void }): ReactElement {
  const [name, setName] = useState('');
  const missing = name.trim() === '';
  return (
    <Dialog open onClose={onClose} aria-labelledby="view-title">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!missing) {
            onName(name.trim());
            onClose();
          }
        }}
      >
        <DialogTitle id="view-title">Save view</DialogTitle>
        <DialogContent>
          <TextField
            autoFocus
            fullWidth
            sx={{ mt: 1 }}
            label="Name"
            value={name}
            onChange={(event) => {
              setName(event.target.value);
            }}
            helperText="Stored in this browser. To share a view, send the page URL."
          />
        </DialogContent>
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="contained" disabled={missing}>
            Save
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

/** Menu of saved views: apply, save, delete. */
export function SavedViews(): ReactElement {
  const [params, change] = useAddress();
  const [views, setViews] = useState<View[]>(storedViews);
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
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
      <Tooltip title="Saved views">
        <IconButton
          aria-label="Saved views"
          aria-haspopup="menu"
          data-testid="views"
          onClick={(event) => {
            setAnchor(event.currentTarget);
          }}
        >
          <Bookmark size={16} />
        </IconButton>
      </Tooltip>
      {anchor !== null && (
        <Menu
          anchorEl={anchor}
          open
          onClose={() => {
            setAnchor(null);
          }}
        >
          {/* An item, though of no use: the menu gives the keyboard to its first that is one. */}
          {views.length === 0 && (
            <MenuItem dense disabled>
              No saved views
            </MenuItem>
          )}
          {views.map((view) => (
            // One item each, so that the arrows reach them; Delete is the keyboard's way to the bin.
            <MenuItem
              key={view.name}
              dense
              selected={view.address === address}
              aria-keyshortcuts="Delete"
              title="Press Delete to remove"
              onClick={() => {
                setAnchor(null);
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
          ))}
          <Divider />
          <MenuItem
            dense
            disabled={address === ''}
            onClick={() => {
              setAnchor(null);
              setNaming(true);
            }}
          >
            Save current filters…{address === '' ? ' (no filters set)' : ''}
          </MenuItem>
        </Menu>
      )}
      {naming && (
        <NameDialog
          onClose={() => {
            setNaming(false);
          }}
          onName={(name) => {
            keep(withView(views, { name, address }));
          }}
        />
      )}
    </>
  );
}
