import { refusal } from '../literal/refusal.ts';
import { SchemaBudget } from '../literal/schema-budget.ts';

type Members = Readonly<Record<string, unknown>>;

/**
 * Throws `SCHEMA_INVALID` for a schema of a CRD that cannot be compared: too deep, too large, or with a keyword of a wrong
 * type, which no API server has accepted. `path` names the schema.
 */
export function checkComparable(schema: unknown, path: string): void {
  visit(schema, { path, level: 0, budget: new SchemaBudget() });
}

interface Place {
  readonly path: string;
  readonly level: number;
  readonly budget: SchemaBudget;
}

function visit(value: unknown, { path, level, budget }: Place): void {
  budget.take(path, level);
  const schema = membersOf(value, path);
  const within = (name: string): Place => ({ path: `${path}.${name}`, level: level + 1, budget });
  for (const name of ['enum', 'required', 'x-kubernetes-validations']) {
    if (schema[name] !== undefined && !Array.isArray(schema[name])) {
      throw refusal(`${path}.${name}`, 'a value of a wrong type', 'use a list');
    }
  }
  const { properties, additionalProperties, items } = schema;
  const named = properties === undefined ? {} : membersOf(properties, `${path}.properties`);
  for (const [name, property] of Object.entries(named))
    visit(property, within(`properties.${name}`));
  if (items !== undefined) visit(items, within('items'));
  if (additionalProperties !== undefined && typeof additionalProperties !== 'boolean') {
    visit(additionalProperties, within('additionalProperties'));
  }
}

function membersOf(value: unknown, path: string): Members {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Members;
  throw refusal(path, 'a value of a wrong type', 'use an object');
}
