import { expect, test } from 'vitest';
import type { LedgerClock } from '../../src/app/ports/clocks.ts';
import type { RequestedChange } from '../../src/app/engine/requests/change-request.ts';
import type { Operation } from '../../src/domain/change.ts';
import { trusted } from '../../src/domain/ids.ts';
import type { JsonRecord } from '../../src/domain/json.ts';
import { textAt } from '../../src/domain/json.ts';
import type { LifecycleKind } from '../../src/domain/lifecycle.ts';
import { ProblemError } from '../../src/domain/problems.ts';
import { isoAfter } from '../../src/domain/time.ts';
import { createWallLedgerClock } from '../../src/ledger/ledger-clock.ts';
import type { QuietOptions } from './kit/quiet-system.ts';
import { QuietSystem } from './kit/quiet-system.ts';

/*
 * Processes of Tenure whose clocks are ahead of the ledger's. A fact that would do harm if it were assumed too early is
 * assumed only when the ledger has reported it.
 */

const WINDOW_MS = 30_000;
const DIFFERENCE_MS = 10_000;

/** Returns a clock with this error. It learns from record times as any other clock does. */
const aheadBy =
  (ms: number, asked: number[] = []) =>
  (nowMs: () => number): LedgerClock => ({
    ...createWallLedgerClock(
      { nowMs: () => nowMs() + ms },
      { clockDifferenceMs: DIFFERENCE_MS, toleranceMs: 0, steadyMs: nowMs },
    ),
    ask: (untilMs) => void asked.push(untilMs),
  });

async function openLicense(clocks: NonNullable<QuietOptions['clocks']>) {
  const system = await QuietSystem.open({ clocks });
  const { provider, users } = system.ledger;
  let commands = 0;
  const idOf = (kind: LifecycleKind): string =>
    system.contents.lifecycles().find((life) => life.kind === kind && life.endedAt === null)?.id ??
    '';
  const ask = (
    operation: Operation,
    target: string | null,
    body: JsonRecord = {},
    by = provider,
  ): Promise<RequestedChange> => {
    commands += 1;
    const commandId = trusted<RequestedChange['change']['commandId']>(`command-${commands}`);
    return system.ask(by, { operation, commandId, target, body });
  };
  await ask('request-install', null, { provider }, users[0]);
  await system.settle();
  await ask('accept-install-request', idOf('install-request'));
  await system.settle();
  await ask('create-license', idOf('install'));
  await system.settle();
  const renew = (): Promise<RequestedChange> =>
    ask('renew-license', idOf('license'), {
      licenseFeeCc: '100',
      description: 'one more term',
      licenseExtensionMicros: String(30 * 86_400_000_000),
      prepareUntilMicros: String((WINDOW_MS - 1_000) * 1_000),
      settleBeforeMicros: String(WINDOW_MS * 1_000),
    });
  const requests = () =>
    [...system.ledger.network.participants['app-provider'].activeContracts(provider)].filter(
      ({ template }) => template.name.entity === 'LicenseRenewalRequest',
    ).length;
  return {
    system,
    ask,
    renew,
    idOf,
    requests,
    [Symbol.asyncDispose]: () => system[Symbol.asyncDispose](),
  };
}

const codeOf = async (asked: Promise<unknown>): Promise<unknown> =>
  asked.then(
    () => 'taken',
    (error: unknown) =>
      error instanceof ProblemError
        ? [error.details.code, error.details.extra?.['ledgerTimeAwaited']]
        : error,
  );

test('six renewals at once are one request, however far the clock of the projector is ahead', async () => {
  for (const aheadMs of [0, 45_000, 3_600_000]) {
    await using at = await openLicense((nowMs) => ({ projector: aheadBy(aheadMs)(nowMs) }));
    for (let n = 0; n < 6; n += 1) await at.renew();
    await at.system.settle();
    expect(at.requests(), `${aheadMs} ms ahead`).toBe(1);
    expect(await at.system.findings()).toEqual([]);
  }
});

test('an API whose clock is ahead opens no second request, and has the ledger say its time', async () => {
  const asked: number[] = [];
  await using at = await openLicense((nowMs) => ({ api: aheadBy(45_000, asked)(nowMs) }));
  await at.renew();
  await at.system.settle();
  const renewal = at.system.contents.lifecycles().find(({ kind }) => kind === 'renewal');
  const closesMs = Date.parse(textAt(renewal!.context, 'settleBefore')!);
  const closesAt = isoAfter(closesMs);
  at.system.pass(WINDOW_MS / 2);
  expect(await codeOf(at.renew())).toEqual(['STEP_NOT_ALLOWED', closesAt]);
  expect(asked).toEqual([closesMs]);
  expect(at.requests()).toBe(1);

  // Only this clock says that the time has passed, and that is not sufficient, however long it takes.
  at.system.pass(10 * WINDOW_MS);
  expect(await codeOf(at.renew())).toEqual(['STEP_NOT_ALLOWED', closesAt]);
  // Any report of the ledger with a later time is sufficient.
  await at.ask('comment-license', at.idOf('license'), { body: 'still there?' });
  await at.system.settle();
  expect(await codeOf(at.renew())).toBe('taken');
  await at.system.settle();
  expect(at.requests()).toBe(2);
  expect(await at.system.findings()).toEqual([]);
});

test('a window that only our own clock takes for closed is still paid in', async () => {
  await using at = await openLicense((nowMs) => ({ api: aheadBy(45_000)(nowMs) }));
  await at.renew();
  await at.system.settle();
  const body = { allocationContractId: `00${'a'.repeat(136)}` };
  // Tenure searches for the allocation, so it treats the window as open.
  const completed = at.ask('complete-renewal', at.idOf('renewal'), body);
  expect(await codeOf(completed)).toEqual(['ALLOCATION_NOT_FOUND', undefined]);
});
