import { Type } from 'typebox';
import { DATA_DIR } from './environment-file.ts';
import { text } from './setting-kinds.ts';

/** Settings of the embedded parts, as documented in `.env.example`. */
export const EMBEDDED_SETTINGS = {
  TENURE_DATA_DIR: text({ default: DATA_DIR, description: 'Folder of everything embedded' }),
  TENURE_MEMORY: Type.String({
    pattern: '^(?:auto|small|large)$',
    must: 'be auto, small or large',
    default: 'auto',
    description:
      'Memory of all embedded processes: small for 450 MiB, large for 600 MiB and less processor time, auto for large where 2 GiB are available',
  }),
};
