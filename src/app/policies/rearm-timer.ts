import type { TimerKind } from '../../domain/automatic.ts';
import type { Operation } from '../../domain/change.ts';
import type { JsonRecord } from '../../domain/json.ts';
import type { Lifecycle } from '../../domain/lifecycle.ts';
import { fail } from '../../domain/problems.ts';
import type { ContractModel } from '../contract/model.ts';
import { scopeOf, seesLifecycle } from '../ports/ops-scope.ts';
import type { Timer, TimerMove, TimerView } from '../ports/policies.ts';
import { timerState } from '../ports/policies.ts';
import type { WallClock } from '../ports/clocks.ts';
import type { Io } from '../ports/io.ts';
import type { Hosting } from '../ports/ledger.ts';
import type { Store, Tx } from '../ports/transaction.ts';
import type { Act } from '../../domain/act.ts';
import { WorkingSet } from '../engine/lanes/working-set.ts';

export interface RearmTimerDeps {
  readonly model: ContractModel;
  readonly store: Store;
  readonly hosting: Pick<Hosting, 'provider'>;
  readonly wallClock: WallClock;
}

/** The operations that do what a timer of each kind would request. */
const OPERATIONS_OF: Readonly<Record<TimerKind, readonly Operation[]>> = {
  expire: ['expire-license'],
  withdraw: ['withdraw-renewal', 'complete-renewal'],
};

const refused = (message: string, extra: JsonRecord): never =>
  fail('NOT_REARMABLE', message, { extra });

/** Resets a timer as if it had never failed. Its next change gets a command ID that was not used before. */
const anew = ({ generation }: Timer): TimerMove['to'] => ({
  generation: generation + 1,
  failures: 0,
  notBefore: null,
  changeId: null,
  isGivenUp: false,
});

/**
 * Returns the timer with its lifecycle. Locks the lane, so that no other request for the same operations is recorded
 * meanwhile.
 */
async function givenUpTimer(tx: Tx, { id, lane }: Lifecycle): Promise<TimerView> {
  const { lifecycles } = await tx.lock([lane]);
  const of = lifecycles.find((each) => each.id === id);
  const timer = await tx.timer(id);
  if (of === undefined || timer === null) return fail('NOT_FOUND', `${id} has no timer`);
  const state = timerState(timer);
  if (!timer.isGivenUp) refused(`the timer of ${id} is not given up: it is ${state}`, { state });
  const open = await tx.openIn(lane, id, OPERATIONS_OF[timer.kind]);
  if (open !== null) {
    const { operation, commandId, state: at, id: operationId } = open;
    const is = at === 'in-doubt' ? 'in doubt: decide it first' : at;
    refused(`${operation} ${commandId} of ${id} is ${is}`, { state: at, operationId });
  }
  const { contractId, appUser, licenseNum } = of;
  return { ...timer, contractId, appUser, licenseNum, state: of.state };
}

/**
 * Rearms a timer that was given up: if the policy is on, it requests the timer's change again at once.
 *
 * @param id of the timer's lifecycle, or any current or former contract ID of the lifecycle
 * @returns the current timer
 * @throws ProblemError `NOT_FOUND`; `FORBIDDEN` for callers other than the provider; `NOT_REARMABLE` if the timer is
 * not given up, or if such a change by any caller is in progress or in doubt
 */
export async function rearmTimer(
  deps: RearmTimerDeps,
  id: string,
  { by, reason }: Act,
  io: Io,
): Promise<TimerView> {
  const at = new Date(deps.wallClock.nowMs()).toISOString();
  return deps.store.transact(io, async (tx) => {
    const found = await tx.findLifecycle(id);
    if (found === null || !seesLifecycle(scopeOf(by, deps.hosting), found)) {
      return fail('NOT_FOUND', `no timer ${id}`);
    }
    if (found.provider !== by.party) {
      fail('FORBIDDEN', 'only an operator of the provider may start the timer again');
    }
    const seen = await givenUpTimer(tx, found);
    const to = anew(seen);
    const ws = new WorkingSet(deps.model);
    ws.recordAct({
      at,
      byParty: by.party,
      bySubject: by.subject,
      act: 'rearmed',
      changeId: null,
      subject: `timer:${seen.lifecycleId}`,
      from: null,
      to: null,
      reason,
      detail: {
        kind: seen.kind,
        lapsesAt: seen.lapsesAt,
        generation: to.generation,
        failures: seen.failures,
        operationId: seen.changeId,
      },
    });
    ws.wakeClock();
    await tx.moveTimer({ seen, to });
    await tx.save(ws.writes());
    return { ...seen, ...to };
  });
}
