import { lazy, Suspense, type ReactElement, type ReactNode } from 'react';
import { ApiError } from '../api/problem';
import { SIGN_IN_FAILURE } from '../api/singleSignOn';
import { useMe } from './access';
import { Loading } from './States';

const SignInPage = lazy(async () => import('./SignInPage'));

/**
 * Shows the sign-in form if the API requires authentication, else its children. The address does not change, so the
 * requested page opens after the sign-in.
 */
export function AccessGate({ children }: { children: ReactNode }): ReactElement {
  const { error } = useMe();
  return error instanceof ApiError && error.kind === 'unauthorized' ? (
    <Suspense fallback={<Loading what="the sign-in" />}>
      <SignInPage failure={SIGN_IN_FAILURE} />
    </Suspense>
  ) : (
    <>{children}</>
  );
}
