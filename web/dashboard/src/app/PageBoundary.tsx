import { StateView } from '@tarsy/ui';
import { Button } from '@mui/material';
import { TriangleAlert } from 'lucide-react';
import { Component, type ErrorInfo, type ReactNode } from 'react';
import { isOfLostPart, LostPart } from './LostPart';

interface Props {
  /** Path of the page. An error disappears when the path changes. */
  path: string;
  children: ReactNode;
}
interface State {
  error: Error | null;
}

/** Error boundary of a page. The navigation stays usable. */
export class PageBoundary extends Component<Props, State> {
  override state: State = { error: null };

  static getDerivedStateFromError(error: Error): State {
    return { error };
  }

  override componentDidCatch(error: Error, info: ErrorInfo): void {
    console.error(error, info.componentStack);
  }

  override componentDidUpdate(before: Props): void {
    if (before.path !== this.props.path && this.state.error !== null) this.setState({ error: null });
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    if (isOfLostPart(error)) return <LostPart />;
    return (
      <StateView
        role="alert"
        icon={<TriangleAlert size={28} />}
        title="Something went wrong"
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
        {error.message}
      </StateView>
    );
  }
}
