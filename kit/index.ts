import { fileURLToPath } from 'node:url';
import { startLocalnet as startNetwork } from '../localnet/localnet.ts';
import type { StartLocalnet } from './api.ts';
import { openLocalnet } from './open-localnet.ts';
import { networkOptions } from './options.ts';

export type * from './api.ts';

/** Folder of the Ledger API's protos, `com/daml/ledger/api/v2/…`, for clients that load them at run time. */
export const protoFolder: string = fileURLToPath(new URL('../proto', import.meta.url));

/** See {@link StartLocalnet}. */
export const startLocalnet: StartLocalnet = async (options = {}) => {
  const network = await startNetwork(networkOptions(options));
  try {
    return await openLocalnet(network, options);
  } catch (error) {
    await network.stop();
    throw error;
  }
};
