import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** A key for AES-256-GCM, and the ID by which rows refer to the key. */
export interface SealingKey {
  readonly id: string;
  readonly key: Buffer;
}

/** Encrypts secrets before they are stored in the database. */
export interface Sealer {
  /** The ID of the key that encrypts; `null` if secrets are stored unencrypted. */
  readonly currentId: string | null;
  /** Encrypts a secret. @param place names the row: an encrypted secret can be decrypted only for the same row */
  seal(secret: string, place: string): string;
  /** Decrypts a secret with the key that encrypted it; returns an unencrypted secret itself. @throws MissingKeyError */
  open(stored: string, place: string): string;
}

export class MissingKeyError extends Error {
  override readonly name = 'MissingKeyError';
}

/** Sizes for AES-256-GCM in bytes. */
const SIZES = { key: 32, iv: 12, tag: 16 } as const;
/** The format of the setting with the keys: comma-separated `id:key` pairs with the key in base64. */
export const SEALING_KEYS =
  '^[A-Za-z0-9-]{1,32}:[A-Za-z0-9+/]{43}=(,[A-Za-z0-9-]{1,32}:[A-Za-z0-9+/]{43}=)*$';
const PREFIX = 'sealed';
const ALGORITHM = 'aes-256-gcm';
const SEALED = /^sealed:([\w-]+):([\w-]+)$/u;

/** Returns a new key in the format of {@link SEALING_KEYS}. */
export const newSealingKey = (): string =>
  `${randomBytes(4).toString('hex')}:${randomBytes(SIZES.key).toString('base64')}`;

/** Parses the keys of the setting. @param setting in the format of {@link SEALING_KEYS} */
export const readSealingKeys = (setting: string): readonly SealingKey[] =>
  setting.split(',').map((pair) => {
    const [id = '', key = ''] = pair.split(':');
    return { id, key: Buffer.from(key, 'base64') };
  });

/** Returns the ID of the key that encrypted a stored secret; `null` for an unencrypted secret. */
export const sealedBy = (stored: string): string | null => SEALED.exec(stored)?.[1] ?? null;

/** Returns an SQL `like` pattern that matches the secrets encrypted with a key. */
export const sealedLike = (id: string): string => `${PREFIX}:${id}:%`;

/**
 * Returns a sealer that encrypts and decrypts secrets with these keys.
 *
 * @param keys the first key encrypts, and all keys decrypt; without keys, secrets are stored unencrypted
 */
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

/** Stores secrets unencrypted. */
export const UNSEALED: Sealer = createSealer([]);

/** Returns the `place` for the row of a secret. */
export const webhookPlace = (id: string): string => `webhook ${id.toLowerCase()}`;
export const sessionPlace = (idHash: Buffer): string => `session ${idHash.toString('hex')}`;
export const signingKeyPlace = (id: string): string => `signing key ${id}`;
