// The published JSON Schema of a summary, generated from the contract so that the two cannot differ. assets/schemas/summary.schema.json is its
// committed form; summarySchema.test.ts compares them.
import { z } from 'zod';
import { SummarySchema } from '../contract/summary.ts';

export function summaryJsonSchema(): object {
  const { $schema, ...rest } = z.toJSONSchema(SummarySchema, { target: 'draft-2020-12' });
  return { $schema, $id: 'https://codicil.app/schemas/summary.schema.json', title: 'Codicil summary of one document', ...rest };
}

/** The exact text of the published file. */
export function summarySchemaText(): string {
  return `${JSON.stringify(summaryJsonSchema(), null, 2)}\n`;
}
