/* SQL: the keys of licences that a person created, for the export and the erasure of the person's data. */

/** The parties for which a person with the subject `$1` created keys. */
export const KEY_PARTIES = `select by_party from license_key where by_subject = $1`;

/** The keys that the person with the subject `$1` and the party `$2` created. */
export const KEYS_TO_EXPORT = `
  select 'license_key', to_jsonb(k) - 'hash' from license_key k where k.by_subject = $1 and k.by_party = $2`;

export const KEY_TABLE = 'license_key';
