import type { Pool } from 'pg';
import { createSealer } from '../domain/sealing.ts';
import type { HttpDeps } from '../http/kit/deps.ts';
import { createKeptAnswers } from '../store/callers/kept-answers.ts';
import { createPreviews } from '../store/desk/previews.ts';
import { createPauses } from '../store/engine/pauses.ts';
import { createWebhooks } from '../store/webhooks/webhooks.ts';
import type { Config } from './config.ts';
import { openLicenseProduct } from './product-side.ts';

/** Opens the tables that only the API uses. @param pool the caller closes it */
export const openApiTables = (pool: Pool, config: Pick<Config, 'secretKeys' | 'books'>) =>
  ({
    ...openLicenseProduct(pool, config),
    webhooks: createWebhooks(pool, createSealer(config.secretKeys)),
    pauses: createPauses(pool),
    previews: createPreviews(pool),
    keptAnswers: createKeptAnswers(pool),
  }) satisfies Partial<HttpDeps>;
