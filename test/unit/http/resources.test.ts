import { expect, test } from 'vitest';
import { NEWEST_MODEL } from '../../../src/app/licensing/model.ts';
import { LIFECYCLE_KINDS } from '../../../src/domain/licensing.ts';
import { templateFqn } from '../../../src/domain/ledger.ts';
import * as resources from '../../../src/http/kit/resources.ts';

const ofKind = new Map(
  Object.values(resources).flatMap((each) =>
    typeof each === 'object' ? [[each.kind, each] as const] : [],
  ),
);

test.each(LIFECYCLE_KINDS)('callers and messages of the core have one word for %s', (kind) => {
  const word = ofKind.get(kind)?.word;
  expect(word).toBe(NEWEST_MODEL.lifecycle(kind).word);
  expect(templateFqn(NEWEST_MODEL.templateOf(kind))).toMatch(new RegExp(`:${word}$`, 'u'));
});
