import { expect, test } from 'vitest';
import * as listener from '../../../src/queue/signals.ts';
import * as sender from '../../../src/store/channels.ts';

test('the relay listens where the store tells of due effects', () => {
  expect(listener.EFFECTS_CHANNEL).toBe(sender.EFFECTS_CHANNEL);
});
