import { setTimeout } from 'node:timers/promises';
import grpc from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';

/* The app's second part: follows the ledger over gRPC, and continues where it stopped. */

/**
 * @typedef {object} WatchOptions
 * @property {string} address `host:port` of the Ledger API
 * @property {string} protos folder of the Ledger API's protos
 * @property {string} party whose contracts to watch
 * @property {() => Promise<string>} token
 * @property {(created: { contractId: string, template: string }) => void} onCreated
 */

const AGAIN_MS = 50;

/** Reports each contract once, also across lost connections, until it is stopped. @param {WatchOptions} options */
export function watch({ address, protos, party, token, onCreated }) {
  const definition = loadSync('com/daml/ledger/api/v2/update_service.proto', {
    includeDirs: [protos],
    longs: String,
    oneofs: true,
  });
  const api = /** @type {any} */ (grpc.loadPackageDefinition(definition)).com.daml.ledger.api.v2;
  const client = new api.UpdateService(address, grpc.credentials.createInsecure());
  const stopping = new AbortController();
  let offset = '0';

  const open = async () => {
    const metadata = new grpc.Metadata();
    metadata.set('authorization', `Bearer ${await token()}`);
    const filters = { cumulative: [{ wildcardFilter: {} }] };
    const includeTransactions = {
      eventFormat: { filtersByParty: { [party]: filters } },
      transactionShape: 'TRANSACTION_SHAPE_ACS_DELTA',
    };
    const updateFormat = { includeTransactions };
    return client.getUpdates({ beginExclusive: offset, updateFormat }, metadata);
  };
  const follow = async () => {
    const stream = await open();
    const cancel = () => stream.cancel();
    stopping.signal.addEventListener('abort', cancel);
    try {
      for await (const { transaction, offsetCheckpoint } of stream) {
        for (const { created } of transaction?.events ?? []) {
          if (!created) continue;
          onCreated({ contractId: created.contractId, template: created.templateId.entityName });
        }
        offset = (transaction ?? offsetCheckpoint)?.offset ?? offset;
      }
    } finally {
      stopping.signal.removeEventListener('abort', cancel);
    }
  };
  const following = (async () => {
    while (!stopping.signal.aborted) {
      // A stream that has ended or failed is opened again from its last offset.
      await follow().catch(() => undefined);
      await setTimeout(AGAIN_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
    client.close();
  })();

  return () => {
    stopping.abort();
    return following;
  };
}
