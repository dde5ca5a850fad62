import fc from 'fast-check';
import { Asking, AtOnce, Opening, Overtaken, Requesting, Reusing } from './ask-commands.ts';
import type { User, Who } from './licensing-model.ts';
import { Others, Passing, Paying, RequestedElsewhere, TakingBack } from './other-commands.ts';
import { choice, wish } from './wishes.ts';

/** The states in which the users may be when a run begins. */
export const OPENINGS = fc
  .tuple(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max: 5 }))
  .map(([anna, ben]) => [new Opening('anna', anna), new Opening('ben', ben)] as const);

const asking = wish.map((one) => new Asking(one));

export const COMMANDS = [
  asking,
  asking,
  asking,
  asking,
  fc.tuple(wish, choice).map(([one, other]) => new Overtaken(one, other)),
  fc.tuple(wish, choice).map(([one, other]) => new Overtaken(one, other)),
  fc.tuple(wish, wish).map(([one, other]) => new AtOnce(one, other)),
  fc.tuple(wish, wish).map(([one, other]) => new AtOnce(one, other)),
  fc.tuple(choice, fc.option(wish)).map(([recorded, one]) => new Reusing(recorded, one)),
  fc.tuple(choice, choice).map(([life, other]) => new Others(life, other)),
  fc
    .constantFrom<Who>('anna', 'anna', 'ben', 'ben', 'provider')
    .map((caller) => new Requesting(caller)),
  fc.constantFrom<User>('anna', 'ben').map((user) => new RequestedElsewhere(user)),
  fc.tuple(choice, fc.constantFrom(true, true, true, false)).map(([a, b]) => new Paying(a, b)),
  fc.tuple(choice, fc.constantFrom(true, true, true, false)).map(([a, b]) => new Paying(a, b)),
  choice.map((money) => new TakingBack(money)),
  fc.integer({ min: 1, max: 3 }).map((hours) => new Passing(hours)),
];
