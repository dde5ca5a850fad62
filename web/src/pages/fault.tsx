import { Link } from '@tanstack/react-router';
import { Button } from '../parts/button.tsx';
import { Page } from '../parts/page.tsx';
import { Empty } from '../parts/states.tsx';
import { PATHS } from '../paths.ts';
import * as t from '../texts/shell.tsx';

/** Matches the messages of browsers and of the bundler about a chunk that could not be loaded. */
const IS_PART = /preload|dynamically imported|importing a module/iu;

/** The page that is shown when a page fails: the application has an error, or a chunk could not be loaded. */
export function PageFault({ error }: { readonly error: Error }) {
  const isPart = IS_PART.test(error.message);
  return (
    <Page title={t.thisPageFailed}>
      <Empty title={isPart ? t.aPartOfTheApplicationCould : error.message}>
        <p>
          {t.loadThePageAgainEverythingThat(
            isPart ? t.theServerDoesNotAnswerOr : t.thePageMayBeOlderThan,
          )}
        </p>
        <Button icon="repeat" onClick={() => location.reload()}>
          {t.loadAgain}
        </Button>
      </Empty>
    </Page>
  );
}

export function NotFoundPage() {
  return (
    <Page title={t.pageNotFound}>
      <Empty title={t.thereIsNoPageAtThis}>
        <p>{t.orFindSomethingWithCtrlK(<Link to={PATHS.home}>{t.goToYourFirstPage}</Link>)}</p>
      </Empty>
    </Page>
  );
}
