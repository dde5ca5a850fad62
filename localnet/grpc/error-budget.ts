import { Any } from '../../proto/gen/google/protobuf/any.ts';

/*
 * Size limits of errors. A peer accepts 8 KiB of headers and trailers together. Larger ones make it break the
 * connection, so that every other call on the connection fails as well. The sizes, and the order in which parts are
 * cut, are Canton's (`SerializableErrorComponents.scala`, `ErrorCode.scala`).
 */

/** Maximum size of the serialised status, which the trailer contains in addition to the message. */
const STATUS_BYTES_MAX = 4096;
/** Maximum length of the error's text. */
const CAUSE_CHARS_MAX = 512;
/**
 * Maximum size of the message in the header, in which a non-ASCII character takes three to twelve bytes. Canton has no
 * such limit, so such messages break the connection.
 */
const HEADER_BYTES_MAX = 2048;
const CODE_BYTES = 1;
const TAG_BYTES = 5;
const KEY_CHARS_MAX = 63;
const ID_CHARS_MAX = 256;
/** If fewer bytes than this are left for an entry, the entry is omitted. */
const ENTRY_BYTES_MIN = 8;
const ELLIPSIS = '...';

export const DETAIL = 'type.googleapis.com/google.rpc.';
const packed = (name: string): number =>
  Any.encode({ typeUrl: `${DETAIL}${name}`, value: new Uint8Array() }).finish().length;
const INFO_BYTES = packed('ErrorInfo');
const RESOURCE_BYTES = packed('ResourceInfo');

const bytesOf = (text: string): number => Buffer.byteLength(text);
const headerBytesOf = (text: string): number => encodeURIComponent(text).length;

/** Replaces an incomplete surrogate pair that a cut may have left at the end of a text. */
const whole = (text: string): string => text.toWellFormed();

/** Returns the text of an error as it is sent in the message. */
export function causeOf(text: string): string {
  const cause =
    text.length > CAUSE_CHARS_MAX ? `${text.slice(0, CAUSE_CHARS_MAX)}${ELLIPSIS}` : text;
  let fitting = whole(cause);
  while (headerBytesOf(fitting) > HEADER_BYTES_MAX) {
    fitting = whole(`${fitting.slice(0, Math.floor(fitting.length / 2))}${ELLIPSIS}`);
  }
  return fitting;
}

const cut = (text: string, charsMax: number): string =>
  text.length > charsMax ? whole(`${text.slice(0, charsMax - ELLIPSIS.length)}${ELLIPSIS}`) : text;

/** Returns an ID for an error, cut to the maximum length, because callers may choose IDs of any length. */
export const idOf = (id: string): string => cut(id, ID_CHARS_MAX);

type Entry = readonly [key: string, value: string];

/**
 * Returns the entries that fit. The shortest entries are kept whole; the longer ones share the remaining space and are
 * cut.
 */
function fittingContext(context: Readonly<Record<string, string>>, budget: number): Entry[] {
  const entries = Object.entries(context)
    .map(([key, value]): Entry => [key.replace(/[^(\w)-]/gu, '').slice(0, KEY_CHARS_MAX), value])
    .filter(([key, value]) => key !== '' && value !== '')
    .toSorted(([a, b], [c, d]) => a.length + b.length - (c.length + d.length));
  let free = budget;
  return entries.flatMap(([key, value], index): Entry[] => {
    const most = Math.floor(free / (entries.length - index));
    let [told, said] = [key, value];
    if (key.length + value.length > most) {
      if (most < ENTRY_BYTES_MIN) return [];
      told = cut(key, Math.floor(most / 2));
      said = cut(value, most - told.length);
    }
    const size = bytesOf(told) + bytesOf(said);
    if (size > most) return [];
    free -= size;
    return [[told, said]];
  });
}

interface Resource {
  readonly type: string;
  readonly name: string;
}

/** Returns the resources that fit. A resource is never cut. */
function fittingResources(resources: readonly Resource[], budget: number): Resource[] {
  let free = budget;
  return resources.filter(({ type, name }) => {
    const left = free - (bytesOf(type) + bytesOf(name) + RESOURCE_BYTES);
    if (left < 0) return false;
    free = left;
    return true;
  });
}

/** The parts that an error always contains. */
interface Mandatory {
  readonly texts: readonly string[];
  /** Details in addition to the mandatory ones. */
  readonly details: readonly Any[];
}

/**
 * Cuts an error's context and resources to the space that the mandatory parts leave. Context and resources share this
 * space in proportion to their numbers.
 */
export function fitting(
  error: {
    readonly metadata: Readonly<Record<string, string>>;
    readonly resources: readonly Resource[];
  },
  { texts, details }: Mandatory,
): { readonly metadata: Record<string, string>; readonly resources: readonly Resource[] } {
  const count = Object.keys(error.metadata).length + error.resources.length;
  if (count === 0) return { metadata: {}, resources: [] };
  const mandatory =
    CODE_BYTES +
    TAG_BYTES +
    texts.reduce((sum, text) => sum + bytesOf(text) + TAG_BYTES, 0) +
    details.reduce((sum, detail) => sum + Any.encode(detail).finish().length + TAG_BYTES, 0) +
    INFO_BYTES;
  const budget = STATUS_BYTES_MAX - mandatory - 2 * TAG_BYTES * count;
  const ofResources = Math.trunc((error.resources.length * budget) / count);
  return {
    metadata: Object.fromEntries(fittingContext(error.metadata, budget - ofResources)),
    resources: fittingResources(error.resources, ofResources),
  };
}
