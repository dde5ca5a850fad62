import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ProblemError } from '../api/problem.ts';
import { Page } from './page.tsx';
import { Empty, Shown } from './states.tsx';
import type { Path } from '../paths.ts';

interface OneProps<T> {
  readonly of: UseQueryResult<T, ProblemError>;
  /** The page's title until the answer arrives, such as "Licence". */
  readonly name: string;
  readonly list: { readonly to: Path; readonly name: string };
  readonly children: (data: T) => ReactNode;
}

/** Shows one thing that was read by its identifier, with the states of the read: loading, not found, failed. */
export function One<T>({ of, name, list, children }: OneProps<T>) {
  if (of.data !== undefined) return <Shown of={of}>{children}</Shown>;
  return (
    <Page title={name} crumb={<Link to={list.to}>{list.name}</Link>}>
      {of.error?.status === 404 ? (
        <Empty title="Not found.">
          <p>
            Nothing has this identifier, or you have no permission to see it.{' '}
            <Link to={list.to}>To the list</Link>, or find it with Ctrl K.
          </p>
        </Empty>
      ) : (
        <Shown of={of}>{children}</Shown>
      )}
    </Page>
  );
}
