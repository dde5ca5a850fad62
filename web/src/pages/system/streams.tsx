import { addressOf } from '../../api/client.ts';
import { buttonClass } from '../../parts/button.tsx';
import { CopyAs } from '../../parts/copy.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty } from '../../parts/states.tsx';
import { useCaller } from '../../api/caller.tsx';
import { Leases } from './leases.tsx';
import { Pauses } from './pauses.tsx';
import { StreamList } from './stream-list.tsx';
import { Synchronizers } from './synchronizers.tsx';

/** Pages that the API serves itself, outside the application. */
const OUTSIDE = [
  ['/ops/queue/', 'Queue board'],
  ['/docs', 'API reference'],
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
      title="Streams and leases"
      lead="Progress of the ledger streams, the holders of leases, and active pauses."
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
        <Empty title="This page is for the whole deployment.">
          <p>
            Streams, leases, synchronizers and pauses belong to no tenant. The provider’s operators
            take care of them. The page of an operation shows if it waits for one of them.
          </p>
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
