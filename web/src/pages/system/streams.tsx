import { addressOf } from '../../api/client.ts';
import { buttonClass } from '../../parts/button.tsx';
import { CopyAs } from '../../parts/copy.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty } from '../../parts/states.tsx';
import { useCaller } from '../../api/caller.tsx';
import * as t from '../../texts/system.tsx';
import { Leases } from './leases.tsx';
import { Pauses } from './pauses.tsx';
import { StreamList } from './stream-list.tsx';
import { Synchronizers } from './synchronizers.tsx';

/** Pages that the API serves itself, outside the application. */
const OUTSIDE = [
  ['/ops/queue/', t.queueBoard],
  ['/docs', t.apiReference],
] as const;

function Outside() {
  return OUTSIDE.map(([href, words]) => (
    <a key={href} className={buttonClass('quiet')} href={href} target="_blank" rel="noopener">
      <Icon name="link" />
      {words}
    </a>
  ));
}

/** The page of the deployment's streams, leases and pauses. */
export function StreamsPage() {
  const isTenants = useCaller().operatorOf === 'tenant';
  return (
    <Page
      title={t.streamsAndLeases}
      lead={t.progressOfTheLedgerStreamsThe}
      acts={
        isTenants ? undefined : (
          <>
            <Outside />
            <CopyAs url={addressOf('/ops/streams', {})} cli="tenure ops streams" />
          </>
        )
      }
    >
      {isTenants ? (
        <Empty title={t.thisPageIsForTheWhole}>
          <p>{t.streamsLeasesSynchronizersAnd}</p>
        </Empty>
      ) : (
        <>
          <Pauses />
          <StreamList />
          <Synchronizers />
          <Leases />
        </>
      )}
    </Page>
  );
}
