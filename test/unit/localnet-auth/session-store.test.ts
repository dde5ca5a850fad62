import { describe, expect, test } from 'vitest';
import { SessionStore } from '../../../localnet/auth/session-store.ts';

describe('what a login provider remembers', () => {
  test('is found until its time is over', async () => {
    let nowMs = 0;
    const store = new SessionStore(() => nowMs);
    await store.upsert('short', { uid: 'u' }, 10);
    await store.upsert('long', { uid: 'v' });
    nowMs = 9_999;
    expect(await store.find('short')).toEqual({ uid: 'u' });
    expect(await store.findByUid('u')).toEqual({ uid: 'u' });
    nowMs = 10_000;
    expect(await store.find('short')).toBeUndefined();
    expect(await store.findByUid('u')).toBeUndefined();
    expect(await store.find('long')).toEqual({ uid: 'v' });
    expect(await store.findByUserCode('none')).toBeUndefined();
  });

  test('is consumed, destroyed, and taken back with its grant', async () => {
    const store = new SessionStore(() => 5_000);
    await store.upsert('a', { grantId: 'g' });
    await store.upsert('b', { grantId: 'g' });
    await store.upsert('c', { grantId: 'h' });
    await store.consume('c');
    await store.consume('unknown');
    expect(await store.find('c')).toEqual({ grantId: 'h', consumed: 5 });
    await store.revokeByGrantId('g');
    expect([await store.find('a'), await store.find('b')]).toEqual([undefined, undefined]);
    await store.destroy('c');
    expect(await store.find('c')).toBeUndefined();
  });

  test('is bounded: what was written longest ago makes room', async () => {
    const store = new SessionStore();
    for (let count = 0; count < 5_000; count += 1) await store.upsert(`${count}`, {});
    await store.upsert('0', { uid: 'again' });
    await store.upsert('one more', {});
    expect(await store.find('0')).toEqual({ uid: 'again' });
    expect(await store.find('1')).toBeUndefined();
    expect(await store.find('2')).toEqual({});
  });
});
