import { Link } from '@tanstack/react-router';
import { Button } from '../parts/button.tsx';
import { Page } from '../parts/page.tsx';
import { Empty } from '../parts/states.tsx';
import { PATHS } from '../paths.ts';

/** Matches the messages of browsers and of the bundler about a chunk that could not be loaded. */
const IS_PART = /preload|dynamically imported|importing a module/iu;

/** The page that is shown when a page fails: the application has an error, or a chunk could not be loaded. */
export function PageFault({ error }: { readonly error: Error }) {
  const isPart = IS_PART.test(error.message);
  return (
    <Page title="This page failed">
      <Empty title={isPart ? 'A part of the application could not be loaded.' : error.message}>
        <p>
          {isPart
            ? 'The server does not answer, or it runs another version now.'
            : 'The page may be older than the server.'}{' '}
          Load the page again. Everything that you have sent is kept and continues.
        </p>
        <Button icon="repeat" onClick={() => location.reload()}>
          Load again
        </Button>
      </Empty>
    </Page>
  );
}

export function NotFoundPage() {
  return (
    <Page title="Page not found">
      <Empty title="There is no page at this address.">
        <p>
          <Link to={PATHS.home}>Go to your first page</Link>, or find something with Ctrl K.
        </p>
      </Empty>
    </Page>
  );
}
