import { existsSync, readFileSync } from 'node:fs';
import type { Server, ServiceImplementation } from 'nice-grpc';

/** Descriptors of the Ledger API, generated together with the messages. */
const DESCRIPTOR_SET = new URL('../../proto/gen/ledger-api.binpb', import.meta.url);

const asTheyAre = (bytes: Buffer): Buffer => bytes;

/**
 * The reflection service. It is implemented here with bytes instead of message types: requests and answers are passed
 * through unchanged.
 */
const REFLECTION = {
  serverReflectionInfo: {
    path: '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo',
    requestStream: true,
    responseStream: true,
    requestSerialize: asTheyAre,
    requestDeserialize: asTheyAre,
    responseSerialize: asTheyAre,
    responseDeserialize: asTheyAre,
  },
} as const;

/** Loads the reflection library only at the first reflection call, because few networks ever get such a call. */
async function open(names: readonly string[]) {
  const { ServerReflection, ServerReflectionService } = await import('nice-grpc-server-reflection');
  const { requestDeserialize, responseSerialize } = ServerReflectionService.serverReflectionInfo;
  const implementation = ServerReflection(readFileSync(DESCRIPTOR_SET), names);
  return { implementation, requestDeserialize, responseSerialize };
}

/**
 * Adds the reflection service, for people who explore the API. If the descriptors are missing, the network starts
 * without it.
 *
 * @param names of the services that reflection shows
 */
export function addReflection(server: Server, names: readonly string[]): void {
  if (!existsSync(DESCRIPTOR_SET)) return;
  let opened: ReturnType<typeof open> | undefined;
  const service: ServiceImplementation<typeof REFLECTION> = {
    async *serverReflectionInfo(requests, context) {
      opened ??= open(names);
      const { implementation, requestDeserialize, responseSerialize } = await opened;
      const read = async function* () {
        for await (const bytes of requests) yield requestDeserialize(bytes);
      };
      for await (const response of implementation.serverReflectionInfo(read(), context)) {
        yield responseSerialize(response);
      }
    },
  };
  server.add(REFLECTION, service);
}
