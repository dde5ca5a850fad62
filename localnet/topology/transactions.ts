import {
  Enums_TopologyChangeOp as ChangeOp,
  TopologyTransaction,
} from '../../proto/gen/com/digitalasset/canton/protocol/v30/topology.ts';
import type { TopologyMapping } from '../../proto/gen/com/digitalasset/canton/protocol/v30/topology.ts';
import { UntypedVersionedMessage } from '../../proto/gen/com/digitalasset/canton/version/v1/untyped_versioned_message.ts';
import { HASH_PURPOSE, cantonHash } from './canton-hash.ts';

/** The version of the messages in the envelope. */
const VERSION = 30;

export type Mapping = NonNullable<TopologyMapping['mapping']>;

/** A topology transaction in the form in which it is signed. */
export interface SerializedTransaction {
  /** The bytes of the transaction in its envelope. */
  readonly bytes: Uint8Array;
  readonly mapping: Mapping;
  /** The hash that signatures cover: 34 bytes. */
  readonly hash: Buffer;
}

/** Serialises a transaction that adds a mapping with serial 1. */
export function serialize(mapping: Mapping): SerializedTransaction {
  const data = TopologyTransaction.encode({
    operation: ChangeOp.ADD_REPLACE,
    serial: 1,
    mapping: { mapping },
  }).finish();
  const bytes = UntypedVersionedMessage.encode({
    wrapper: { $case: 'data', value: data },
    version: VERSION,
  }).finish();
  return { bytes, mapping, hash: hashOf(bytes) };
}

/** Thrown if the bytes of a topology transaction, or its serial number, are malformed. */
export class MalformedTransaction extends Error {
  override readonly name = 'MalformedTransaction';
  readonly field: '' | '.serial';

  constructor(message: string, field: '' | '.serial' = '') {
    super(message);
    this.field = field;
  }
}

/** Reads a transaction that adds a mapping for the first time. Throws {@link MalformedTransaction}. */
export function deserialize(bytes: Uint8Array): SerializedTransaction {
  const { operation, serial, mapping } = decoded(bytes);
  if (mapping?.mapping === undefined) {
    throw new MalformedTransaction('Invalid transaction: Field `mapping` is not set');
  }
  if (operation !== ChangeOp.ADD_REPLACE) {
    throw new MalformedTransaction('Onboarding topology transactions must be Replace operations');
  }
  if (serial !== 1) {
    throw new MalformedTransaction('Onboarding transaction serial must be 1', '.serial');
  }
  return { bytes, mapping: mapping.mapping, hash: hashOf(bytes) };
}

function decoded(bytes: Uint8Array): TopologyTransaction {
  try {
    const { wrapper, version } = UntypedVersionedMessage.decode(bytes);
    if (version !== VERSION || wrapper === undefined) {
      throw new MalformedTransaction(`Invalid transaction: no message of version ${VERSION}`);
    }
    return TopologyTransaction.decode(wrapper.value);
  } catch (error) {
    if (error instanceof MalformedTransaction) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new MalformedTransaction(`Invalid transaction: ${reason}`);
  }
}

const hashOf = (bytes: Uint8Array) => cantonHash(HASH_PURPOSE.topologyTransaction, bytes);
