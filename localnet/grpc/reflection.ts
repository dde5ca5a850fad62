import { existsSync, readFileSync } from 'node:fs';
import type { Server, ServiceImplementation } from 'nice-grpc';

/** Descriptors of the Ledger API, generated beside the messages. */
const DESCRIPTOR_SET = new URL('../../proto/gen/ledger-api.binpb', import.meta.url);

const asTheyAre = (bytes: Buffer): Buffer => bytes;

/** The reflection service, with messages as bytes. */
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

/** Loads the reflection library on the first question, because hardly any network gets one. */
async function open(names: readonly string[]) {
  const { ServerReflection, ServerReflectionService } = await import('nice-grpc-server-reflection');
  const { requestDeserialize, responseSerialize } = ServerReflectionService.serverReflectionInfo;
  const implementation = ServerReflection(readFileSync(DESCRIPTOR_SET), names);
  return { implementation, requestDeserialize, responseSerialize };
}

/**
 * Adds the reflection service, for people who explore the API. A network also starts if the descriptors are missing.
 *
 * @param names of the services that are shown
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
