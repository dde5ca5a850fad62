import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Pool } from 'pg';
import { cloudEvent } from '../../src/app/engine/lanes/events.ts';
import type { EventType, NumberedEvent } from '../../src/domain/event.ts';
import { eventSchemaName } from '../../src/http/routes/events/event-schemas.ts';

/** Returns a schema of the OpenAPI document in which no object may have a member that the schema does not declare. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const parts = Object.entries(schema).map(([key, part]) => [key, closed(part)]);
  const isOpen = 'properties' in schema && 'additionalProperties' in schema;
  return { ...Object.fromEntries(parts), ...(isOpen ? { additionalProperties: false } : {}) };
}

/**
 * Compares all events that no sequencer has numbered with the schemas of their types in the OpenAPI document.
 *
 * @returns the types, and what the schemas reject
 */
export async function judgeEvents(
  pool: Pool,
): Promise<{ readonly types: ReadonlySet<string>; readonly refused: readonly unknown[] }> {
  const document = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as {
    readonly components: { readonly schemas: object };
  };
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ components: closed(document.components) }, 'document');
  const { rows } = await pool.query<{ event: NumberedEvent }>(
    'select e as event from arrival a cross join jsonb_array_elements(a.events) e',
  );
  const sent = rows.map(({ event }) =>
    cloudEvent({ ...event, seq: 1n, at: '2030-01-31T12:00:00.000000Z' }, 'urn:tenure:x'),
  );
  const refused = sent.flatMap((event) => {
    const name = eventSchemaName(event['type'] as EventType);
    const isTyped = ajv.compile({ $ref: `document#/components/schemas/${name}` });
    return isTyped(event) ? [] : [{ event, why: isTyped.errors }];
  });
  return { types: new Set(rows.map(({ event }) => event.type)), refused };
}
