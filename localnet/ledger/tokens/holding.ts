import { list, numeric, optional, party, record, text, timestamp } from '../lf-types.ts';
import type { LfValue } from '../lf-types.ts';
import { definePackage, typeNamer } from '../package-definition.ts';
import type { InterfaceDefinition } from '../package-definition.ts';
import { RelTime } from '../standard-library.ts';
import { Metadata } from './metadata.ts';

const PACKAGE_NAME = 'splice-api-token-holding-v1';
const named = typeNamer(PACKAGE_NAME);

/** Identifies a token by its administrator and by the name that the administrator has given it. */
export const InstrumentId = record(named('Splice.Api.Token.HoldingV1:InstrumentId'), {
  admin: party,
  id: text,
});
export type InstrumentId = LfValue<typeof InstrumentId>;

const Lock = record(named('Splice.Api.Token.HoldingV1:Lock'), {
  holders: list(party),
  expiresAt: optional(timestamp),
  expiresAfter: optional(RelTime),
  context: optional(text),
});

const View = record(named('Splice.Api.Token.HoldingV1:HoldingView'), {
  owner: party,
  instrumentId: InstrumentId,
  amount: numeric(10),
  lock: optional(Lock),
  meta: Metadata,
});
export type HoldingView = LfValue<typeof View>;

/** An amount of a token that a party owns. */
export const Holding: InterfaceDefinition<HoldingView> = {
  kind: 'interface',
  name: named('Splice.Api.Token.HoldingV1:Holding'),
  view: View,
  choices: [],
};

export const tokenHoldingPackage = definePackage({
  name: PACKAGE_NAME,
  version: '1.0.0',
  publishedId: '718a0f77e505a8de22f188bd4c87fe74101274e9d4cb1bfac7d09aec7158d35b',
  interfaces: [Holding],
});
