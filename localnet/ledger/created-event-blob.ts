import type { Contract } from './contract.ts';
import { fromJson, toJson } from './lf-json.ts';
import type { Json } from './lf-json.ts';
import type { PackageRegistry } from './package-registry.ts';

const FORMAT = 'tenure-localnet-contract/1';

interface Encoded {
  readonly format: string;
  readonly contractId: string;
  readonly packageId: string;
  readonly module: string;
  readonly entity: string;
  readonly payload: Json;
  readonly signatories: readonly string[];
  readonly observers: readonly string[];
  readonly createdAt: string;
}

/**
 * Encodes a whole contract as bytes, for explicit disclosure. The contract ID contains a hash of all other fields, so
 * an altered blob is detected.
 */
export function encodeBlob(contract: Contract): Uint8Array {
  const { contractId, packageId, template, payload, signatories, observers, createdAt } = contract;
  const encoded: Encoded = {
    format: FORMAT,
    contractId,
    packageId,
    module: template.name.module,
    entity: template.name.entity,
    payload: toJson(template.payload, payload),
    signatories,
    observers,
    createdAt: createdAt.toString(),
  };
  return Buffer.from(JSON.stringify(encoded));
}

/**
 * Decodes a blob. Returns `undefined` if the bytes have another format, or if this network does not know the template.
 */
export function decodeBlob(blob: Uint8Array, registry: PackageRegistry): Contract | undefined {
  try {
    const encoded = JSON.parse(Buffer.from(blob).toString('utf8')) as Encoded;
    if (encoded.format !== FORMAT) return undefined;
    const { contractId, packageId, module, entity, signatories, observers } = encoded;
    const template = registry.templateOf(packageId, module, entity);
    if (template === undefined) return undefined;
    const payload = fromJson(template.payload, encoded.payload);
    const createdAt = BigInt(encoded.createdAt);
    return { contractId, packageId, template, payload, signatories, observers, createdAt };
  } catch {
    return undefined;
  }
}
