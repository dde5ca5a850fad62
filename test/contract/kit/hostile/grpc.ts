import { readFileSync } from 'node:fs';
import { createFileRegistry, fromBinary, toBinary } from '@bufbuild/protobuf';
import type { DescMethod } from '@bufbuild/protobuf';
import { reflect } from '@bufbuild/protobuf/reflect';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { Client, credentials, Metadata, status } from '@grpc/grpc-js';
import type { ServiceError } from '@grpc/grpc-js';
import type { Draws } from '../../../../chaos/draws.ts';
import { hostileMessage, mutate } from './messages.ts';
import type { Words } from './words.ts';

const DESCRIPTORS = 'proto/gen/ledger-api.binpb';
/** The time after which the caller gives up a silent stream. It gives up an endless stream after a few elements. */
const STREAM_MS = 250;
const UNARY_MS = 60_000;
const ELEMENTS = 5;

/** The outcome of one call. */
export interface Fate {
  readonly call: string;
  /** The name of the gRPC code; `OK` if an element or an answer arrived. */
  readonly code: string;
  readonly details: string;
}

/** A valid request from which requests with mistakes are made. */
export interface Seed {
  /** The call as `com.daml….CommandService/SubmitAndWait`. */
  readonly call: string;
  readonly bytes: Uint8Array;
}

const nameOf = (method: DescMethod): string => `${method.parent.typeName}/${method.name}`;

/** Returns all methods of the Ledger API, by name. */
export function ledgerMethods(): ReadonlyMap<string, DescMethod> {
  const set = fromBinary(FileDescriptorSetSchema, readFileSync(DESCRIPTORS));
  const methods = [...createFileRegistry(set)]
    .filter((type) => type.kind === 'service')
    .filter(({ typeName }) => typeName.startsWith('com.daml.ledger.api.v2'))
    .flatMap((service) => service.methods);
  return new Map(methods.map((method) => [nameOf(method), method]));
}

/** Returns a request of the method: a seed with mistakes, or an arbitrary message. */
export function hostileRequest(
  method: DescMethod,
  seeds: readonly Seed[],
  words: Words,
  draws: Draws,
): Uint8Array {
  const known = seeds.filter(({ call }) => call === nameOf(method));
  if (known.length > 0 && draws.next() < 0.7) {
    const message = reflect(method.input, fromBinary(method.input, draws.pick(known).bytes));
    mutate(message, words, draws);
    return toBinary(method.input, message.message);
  }
  return toBinary(method.input, hostileMessage(method.input, { words, draws, depth: 0 }).message);
}

const asTheyAre = (bytes: Uint8Array): Buffer => Buffer.from(bytes);
const codeOf = (error: ServiceError): string => status[error.code] ?? String(error.code);

/** A caller with one connection that sends and receives bytes. */
export class RawCaller implements Disposable {
  readonly #client: Client;
  readonly #metadata = new Metadata();

  constructor(address: string, token: string) {
    this.#client = new Client(address, credentials.createInsecure());
    this.#metadata.set('authorization', `Bearer ${token}`);
  }

  call(method: DescMethod, request: Uint8Array): Promise<Fate> {
    return method.methodKind === 'server_streaming'
      ? this.#stream(method, request)
      : this.#unary(method, request);
  }

  #unary(method: DescMethod, request: Uint8Array): Promise<Fate> {
    const call = nameOf(method);
    return new Promise((resolve) => {
      this.#client.makeUnaryRequest(
        `/${call}`,
        asTheyAre,
        asTheyAre,
        request,
        this.#metadata,
        { deadline: Date.now() + UNARY_MS },
        (error) => {
          resolve(
            error === null
              ? { call, code: 'OK', details: '' }
              : { call, code: codeOf(error), details: error.details },
          );
        },
      );
    });
  }

  #stream(method: DescMethod, request: Uint8Array): Promise<Fate> {
    const call = nameOf(method);
    return new Promise((resolve) => {
      const stream = this.#client.makeServerStreamRequest(
        `/${call}`,
        asTheyAre,
        asTheyAre,
        request,
        this.#metadata,
      );
      // The caller uses a timer of its own: if it set a deadline, the participant would answer it.
      const leave = setTimeout(() => stream.cancel(), STREAM_MS);
      let elements = 0;
      stream.on('data', () => {
        elements += 1;
        if (elements >= ELEMENTS) stream.cancel();
      });
      stream.on('error', (error: ServiceError) => {
        clearTimeout(leave);
        const isLeft = error.code === status.CANCELLED;
        resolve({
          call,
          code: isLeft ? 'OK' : codeOf(error),
          details: isLeft ? '' : error.details,
        });
      });
      stream.on('end', () => {
        clearTimeout(leave);
        resolve({ call, code: 'OK', details: '' });
      });
    });
  }

  [Symbol.dispose](): void {
    this.#client.close();
  }
}
