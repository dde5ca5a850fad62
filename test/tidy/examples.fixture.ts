import type { Pool } from 'pg';
import { setup } from 'xstate';
import type { GoneEvent, OutcomeEvent } from '../../machines/machine-kit.ts';
import { defineLifecycle, runElsewhere } from '../../machines/machine-kit.ts';
import type { RequestChangeDeps } from '../../src/app/engine/requests/change-request.ts';
import type { WorkingSet } from '../../src/app/engine/lanes/working-set.ts';
import type { Io, Log } from '../../src/app/ports/io.ts';
import type { Leases } from '../../src/app/ports/leases.ts';
import type { Caller } from '../../src/domain/caller.ts';
import type { Change } from '../../src/domain/change.ts';
import type { Lifecycle } from '../../src/domain/lifecycle.ts';

/*
 * Declarations that examples in docstrings use without defining them. This file is compiled together with the examples,
 * and never run.
 */

declare const types: {
  input: { readonly validUntil: string };
  events:
    | { readonly type: 'voucher.redeem'; readonly changeId: string }
    | { readonly type: 'ledger.voucherRedeemed' }
    | { readonly type: 'ledger.voucherRevoked' }
    | OutcomeEvent
    | GoneEvent;
};

export const voucher = defineLifecycle({
  kind: 'voucher',
  version: 1,
  migrations: [],
  machine: setup({
    types,
    actions: { 'redeem-voucher': runElsewhere },
  }).createMachine({ id: 'voucher' }),
  actions: [{ name: 'redeem', event: 'voucher.redeem', role: 'either', verb: 'redeem' }],
});

export declare const change: Change;
export declare const lifecycle: Lifecycle;
export declare const caller: Caller;
export declare const deps: RequestChangeDeps;
export declare const ws: WorkingSet;
export declare const io: Io;
export declare const stopping: AbortSignal;
export declare const pool: Pool;
export declare const leases: Leases;
export declare const holder: string;
export declare const log: Log;
export declare const listen: (onMessage: () => void) => () => void;
export declare const lookAfterWhatIsDue: (epoch?: bigint) => Promise<void>;
