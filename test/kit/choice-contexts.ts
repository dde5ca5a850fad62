import {
  AMULET_RULES_KEY,
  EXPIRE_LOCK_KEY,
  OPEN_ROUND_KEY,
} from '../../localnet/ledger/amulet/two-step-transfer.ts';
import { extraArgs } from '../../localnet/ledger/tokens/metadata.ts';
import type { ExtraArgs } from '../../localnet/ledger/tokens/metadata.ts';

/* Choice contexts in the form in which the token's registry returns them, for tests without a registry. */

/** Returns the choice arguments of a transfer, an allocation and its execution. */
export const transferArguments = (amuletRulesCid: string, openRoundCid: string): ExtraArgs =>
  extraArgs([
    [AMULET_RULES_KEY, { tag: 'AV_ContractId', value: amuletRulesCid }],
    [OPEN_ROUND_KEY, { tag: 'AV_ContractId', value: openRoundCid }],
  ]);

/**
 * Returns the choice arguments of a withdrawal and a cancellation. `isLocked` says that the locked amulet still exists,
 * so that it can be returned.
 */
export const returnArguments = (openRoundCid: string, isLocked: boolean): ExtraArgs =>
  extraArgs([
    [EXPIRE_LOCK_KEY, { tag: 'AV_Bool', value: isLocked }],
    [OPEN_ROUND_KEY, { tag: 'AV_ContractId', value: openRoundCid }],
  ]);
