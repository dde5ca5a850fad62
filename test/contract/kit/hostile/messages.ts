import { create, ScalarType } from '@bufbuild/protobuf';
import type { DescField, DescMessage } from '@bufbuild/protobuf';
import { reflect } from '@bufbuild/protobuf/reflect';
import type { ReflectList, ReflectMap, ReflectMessage } from '@bufbuild/protobuf/reflect';
import type { Draws } from '../../../../chaos/draws.ts';
import { bytesFor, integerFor, textFor } from './words.ts';
import type { Words } from './words.ts';

/* Messages that the descriptors permit, but that no sensible client would send. */

const DEPTH_MAX = 7;
const LIST_MAX = 3;
/** A number that is no value of any enumeration. */
const NO_SUCH_VALUE = 99;
/** Limits for seconds and nanoseconds, and for years and days, that are within the range of protobuf's own types. */
const WITHIN_32_BITS = 2n ** 31n - 1n;

interface Making {
  readonly words: Words;
  readonly draws: Draws;
  readonly depth: number;
}

const UNSIGNED: ReadonlySet<ScalarType> = new Set([
  ScalarType.UINT32,
  ScalarType.UINT64,
  ScalarType.FIXED32,
  ScalarType.FIXED64,
]);
const SHORT: ReadonlySet<ScalarType> = new Set([
  ScalarType.INT32,
  ScalarType.SINT32,
  ScalarType.SFIXED32,
  ScalarType.UINT32,
  ScalarType.FIXED32,
]);

const positive = (value: bigint): bigint => (value < 0n ? -value - 1n : value);

function scalarFor(type: ScalarType, name: string, { words, draws }: Making): unknown {
  if (type === ScalarType.STRING) return textFor(name, words, draws);
  if (type === ScalarType.BYTES) return bytesFor(words, draws);
  if (type === ScalarType.BOOL) return draws.next() < 0.5;
  if (type === ScalarType.DOUBLE || type === ScalarType.FLOAT) {
    return draws.pick([0, -1, 0.5, Infinity, NaN]);
  }
  const drawn = integerFor(words, draws);
  const signed = UNSIGNED.has(type) ? positive(drawn) : drawn;
  if (!SHORT.has(type)) return signed;
  return Number(signed % WITHIN_32_BITS);
}

const enumFor = (values: readonly { readonly number: number }[], { draws }: Making): number =>
  draws.next() < 0.1 ? NO_SUCH_VALUE : draws.pick(values).number;

const inside = (making: Making): Making => ({ ...making, depth: making.depth + 1 });

function fillList(list: ReflectList, field: DescField & { fieldKind: 'list' }, making: Making) {
  const count = making.draws.between(0, LIST_MAX);
  for (let n = 0; n < count; n += 1) {
    if (field.listKind === 'message') list.add(hostileMessage(field.message, inside(making)));
    else if (field.listKind === 'enum') list.add(enumFor(field.enum.values, making));
    else list.add(scalarFor(field.scalar, field.name, making));
  }
}

function fillMap(map: ReflectMap, field: DescField & { fieldKind: 'map' }, making: Making) {
  const count = making.draws.between(0, LIST_MAX);
  for (let n = 0; n < count; n += 1) {
    const key = scalarFor(field.mapKey, field.name, making) as string;
    if (field.mapKind === 'message') map.set(key, hostileMessage(field.message, inside(making)));
    else if (field.mapKind === 'enum') map.set(key, enumFor(field.enum.values, making));
    else map.set(key, scalarFor(field.scalar, field.name, making));
  }
}

/** Gives a field a different value. */
export function spoil(message: ReflectMessage, field: DescField, making: Making): void {
  message.clear(field);
  if (field.fieldKind === 'list') fillList(message.get(field), field, making);
  else if (field.fieldKind === 'map') fillMap(message.get(field), field, making);
  else if (field.fieldKind === 'enum') message.set(field, enumFor(field.enum.values, making));
  else if (field.fieldKind === 'scalar') {
    message.set(field, scalarFor(field.scalar, field.name, making));
  } else if (making.depth < DEPTH_MAX) {
    message.set(field, hostileMessage(field.message, inside(making)));
  }
}

/** Returns an arbitrary message of this type. */
export function hostileMessage(desc: DescMessage, making: Making): ReflectMessage {
  const message = reflect(desc, create(desc));
  for (const member of message.members) {
    const isThere = making.draws.next() < 0.65;
    if (!isThere) continue;
    spoil(message, member.kind === 'oneof' ? making.draws.pick(member.fields) : member, making);
  }
  return message;
}

/** Returns all fields of a message and of the messages in it, whether they are set or not. */
function sitesOf(message: ReflectMessage): (readonly [ReflectMessage, DescField])[] {
  return message.fields.flatMap((field) => {
    const here = [[message, field] as const];
    if (field.fieldKind === 'message' && message.isSet(field)) {
      return [...here, ...sitesOf(message.get(field))];
    }
    if (field.fieldKind === 'list' && field.listKind === 'message') {
      const items = [...message.get(field)] as ReflectMessage[];
      return [...here, ...items.flatMap(sitesOf)];
    }
    return here;
  });
}

/** Clears or replaces one to three fields of a valid message. */
export function mutate(message: ReflectMessage, words: Words, draws: Draws): void {
  const count = draws.between(1, 3);
  for (let n = 0; n < count; n += 1) {
    const [owner, field] = draws.pick(sitesOf(message));
    const isSet = owner.isSet(field);
    if (isSet && draws.next() < 0.2) owner.clear(field);
    else spoil(owner, field, { words, draws, depth: 3 });
  }
}
