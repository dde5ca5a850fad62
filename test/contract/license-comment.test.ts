import { expect, it } from 'vitest';
import { forFile } from '../kit/for-file.ts';
import { change } from './kit/commands.ts';
import { PROVIDER_ADMIN, USER_ADMIN } from './kit/identities.ts';
import { archive, create, LICENSING } from './kit/licensing.ts';
import { openNetwork } from './kit/network.ts';
import { refusalOf } from './kit/refusal.ts';
import { activeIds, createdOf, nowMicros, transact } from './kit/steps.ts';
import { int64, party, readRecord, record, text, timestamp } from './kit/values.ts';

/* A comment on a licence: only the party that comments controls it, and both parties of the licence see it. */

const COMMENT = {
  packageId: LICENSING,
  moduleName: 'Licensing.LicenseComment',
  entityName: 'LicenseComment',
};

const network = await forFile(openNetwork());
const userSide = network.as(USER_ADMIN);
const providerSide = network.as(PROVIDER_ADMIN);
const sides = await network.sides({ provider: PROVIDER_ADMIN });

const createdAt = nowMicros();
const comment = (commenter: string) =>
  create(
    COMMENT,
    record({
      provider: party(sides.provider),
      user: party(sides.user),
      licenseNum: int64(1n),
      commenter: party(commenter),
      body: text('Is it on? \u{1f600}'),
      createdAt: timestamp(createdAt),
    }),
  );

it('needs its commenter’s signature and no other, and both sides see it', async () => {
  for (const [clients, commenter] of [
    [userSide, sides.user],
    [providerSide, sides.provider],
  ] as const) {
    const made = await transact(clients, change(comment(commenter), { actAs: [commenter] }));
    const created = createdOf(made, COMMENT);
    expect(created.signatories).toEqual([commenter]);
    expect([...created.signatories, ...created.observers].sort()).toEqual(
      [sides.provider, sides.user].sort(),
    );
    expect(Object.values(readRecord(created.createArguments) as object)).toEqual([
      sides.provider,
      sides.user,
      1n,
      commenter,
      'Is it on? \u{1f600}',
      createdAt,
    ]);
    await expect.poll(() => activeIds(userSide, sides.user)).toContain(created.contractId);
    await expect.poll(() => activeIds(providerSide, sides.provider)).toContain(created.contractId);
  }
});

it('cannot be made in another’s name, nor taken back by another', async () => {
  const forged = transact(userSide, change(comment(sides.provider), { actAs: [sides.user] }));
  expect(await refusalOf(forged)).toMatchObject({ reason: 'DAML_AUTHORIZATION_ERROR' });
  const mine = change(comment(sides.user), { actAs: [sides.user] });
  const { contractId } = createdOf(await transact(userSide, mine), COMMENT);
  await expect.poll(() => activeIds(providerSide, sides.provider)).toContain(contractId);
  const theirs = change(archive(COMMENT, contractId), { actAs: [sides.provider] });
  expect(await refusalOf(transact(providerSide, theirs))).toMatchObject({
    reason: 'DAML_AUTHORIZATION_ERROR',
  });
  await transact(userSide, change(archive(COMMENT, contractId), { actAs: [sides.user] }));
  expect(await activeIds(userSide, sides.user)).not.toContain(contractId);
});
