import { Link } from '@tanstack/react-router';
import { Button } from '../parts/button.tsx';
import { Page } from '../parts/page.tsx';
import { Empty } from '../parts/states.tsx';
import { PATHS } from '../paths.ts';

/** Messages of browsers and the bundle about a part that could not be loaded. */
const IS_PART = /preload|dynamically imported|importing a module/iu;

/** A page of ours that failed: an error of the application, or a part of it that could not be loaded. */
export function PageFault({ error }: { readonly error: Error }) {
  const isPart = IS_PART.test(error.message);
  return (
    <Page title="This page failed">
      <Empty title={isPart ? 'A part of the application did not come.' : error.message}>
        <p>
          {isPart
            ? 'The server does not answer, or has another version by now.'
            : 'It may be an older version than the server’s.'}{' '}
          Load it again; what you have sent is kept and goes on.
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
    <Page title="There is no such page">
      <Empty title="This address leads nowhere.">
        <p>
          <Link to={PATHS.home}>Go to your first page</Link>, or find something with Ctrl K.
        </p>
      </Empty>
    </Page>
  );
}
