import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** A key of AES-256-GCM under the ID by which rows name it. */
export interface SealingKey {
  readonly id: string;
  readonly key: Buffer;
}

/** Encrypts secrets before the database has them. */
export interface Sealer {
  /** The ID of the key that seals; `null`: secrets are stored in clear. */
  readonly currentId: string | null;
  /** @param place names the row: a sealed secret opens in no other row */
  seal(secret: string, place: string): string;
  /** Opens a secret of any of the keys, and returns a secret in clear unchanged. @throws MissingKeyError */
  open(stored: string, place: string): string;
}

export class MissingKeyError extends Error {
  override readonly name = 'MissingKeyError';
}

/** In bytes, of AES-256-GCM. */
const SIZES = { key: 32, iv: 12, tag: 16 } as const;
/** The format of the setting: `id:key` pairs with the key in base64, comma separated. */
export const SEALING_KEYS =
  '^[A-Za-z0-9-]{1,32}:[A-Za-z0-9+/]{43}=(,[A-Za-z0-9-]{1,32}:[A-Za-z0-9+/]{43}=)*$';
const PREFIX = 'sealed';
const ALGORITHM = 'aes-256-gcm';
const SEALED = /^sealed:([\w-]+):([\w-]+)$/u;

/** A new key in the format of the setting. */
export const newSealingKey = (): string =>
  `${randomBytes(4).toString('hex')}:${randomBytes(SIZES.key).toString('base64')}`;

/** @param setting as {@link SEALING_KEYS} describes it */
export const readSealingKeys = (setting: string): readonly SealingKey[] =>
  setting.split(',').map((pair) => {
    const [id = '', key = ''] = pair.split(':');
    return { id, key: Buffer.from(key, 'base64') };
  });

/** The ID of the key of a stored secret; `null` for one in clear. */
export const sealedBy = (stored: string): string | null => SEALED.exec(stored)?.[1] ?? null;

/** SQL `like` pattern of secrets that a key sealed. */
export const sealedLike = (id: string): string => `${PREFIX}:${id}:%`;

/** @param keys the first key seals, and all keys open; none: secrets are stored in clear */
export function createSealer(keys: readonly SealingKey[]): Sealer {
  const [current] = keys;
  return {
    currentId: current?.id ?? null,
    seal(secret, place) {
      if (current === undefined) return secret;
      const iv = randomBytes(SIZES.iv);
      const cipher = createCipheriv(ALGORITHM, current.key, iv).setAAD(Buffer.from(place));
      const sealed = Buffer.concat([
        iv,
        cipher.update(secret, 'utf8'),
        cipher.final(),
        cipher.getAuthTag(),
      ]);
      return `${PREFIX}:${current.id}:${sealed.toString('base64url')}`;
    },
    open(stored, place) {
      const [, id, text] = SEALED.exec(stored) ?? [];
      if (id === undefined || text === undefined) return stored;
      const found = keys.find((key) => key.id === id);
      if (found === undefined) {
        throw new MissingKeyError(
          `a secret of ${place} was sealed with key ${id}, which is not set`,
        );
      }
      const sealed = Buffer.from(text, 'base64url');
      const decipher = createDecipheriv(ALGORITHM, found.key, sealed.subarray(0, SIZES.iv))
        .setAAD(Buffer.from(place))
        .setAuthTag(sealed.subarray(-SIZES.tag));
      const opened = decipher.update(sealed.subarray(SIZES.iv, -SIZES.tag));
      return Buffer.concat([opened, decipher.final()]).toString('utf8');
    },
  };
}

/** Leaves secrets in clear. */
export const UNSEALED: Sealer = createSealer([]);

/** The `place` of a secret's row. */
export const webhookPlace = (id: string): string => `webhook ${id.toLowerCase()}`;
export const sessionPlace = (idHash: Buffer): string => `session ${idHash.toString('hex')}`;
export const signingKeyPlace = (id: string): string => `signing key ${id}`;
