import { StateView } from '@tarsy/ui';
import { Button } from '@mui/material';
import { TriangleAlert } from 'lucide-react';
import { Component, type ErrorInfo, type ReactElement, type ReactNode } from 'react';

interface Props {
  children: ReactNode;
}
interface State {
  error: Error | null;
}

/** Error boundary of a page; the navigation survives. After a deployment late imports fail: it offers a reload. */
export class PageBoundary extends Component<Props, State> {
  override state: State = { error: null };

  static getDerivedStateFromError(error: Error): State {
    return { error };
  }

  override componentDidCatch(error: Error, info: ErrorInfo): void {
    console.error(error, info.componentStack);
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    const stale = /dynamically imported module|Importing a module/.test(error.message);
    const view: ReactElement = (
      <StateView
        role="alert"
        icon={<TriangleAlert size={28} />}
        title={stale ? 'New version available' : 'Something went wrong'}
        action={
          <Button
            variant="outlined"
            onClick={() => {
              location.reload();
            }}
          >
            Reload
          </Button>
        }
      >
        {stale ? 'The server was updated after this page was loaded.' : error.message}
      </StateView>
    );
    return view;
  }
}
