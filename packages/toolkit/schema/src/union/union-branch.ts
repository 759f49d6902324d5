import {
  escapeFieldName,
  jsonText,
  type JsonObject,
  type JsonValue,
} from '@keelson/structural-schema';
import { refusal } from '../literal/refusal.ts';

/** One object type of a union. */
export interface Branch {
  readonly properties: JsonObject;
  readonly required: readonly JsonValue[];
  /** The values of the discriminator. */
  readonly values: readonly JsonValue[];
  readonly schema: JsonObject;
}

/** The facts that the rules of a union need. */
export interface Place {
  readonly branches: readonly Branch[];
  /** The discriminator in rules. */
  readonly field: string;
  /** The type of the discriminator. */
  readonly type: string;
  readonly path: string;
}

/** The values as a list of CEL, whose literals of type double have a fraction or an exponent. */
export function listIn(branches: readonly Pick<Branch, 'values'>[], type: string): string {
  const literals = branches
    .flatMap(({ values }) => values)
    .map((value) => {
      const text = jsonText(value);
      return type === 'number' && /^-?\d+$/.test(text) ? `${text}.0` : text;
    });
  return `[${literals.join(',')}]`;
}

/** The values in words. */
export function choiceOf(branches: readonly Branch[]): string {
  return branches
    .flatMap(({ values }) => values)
    .map(String)
    .join(' or ');
}

/** Returns the name of a property in CEL rules. Throws `SCHEMA_INVALID` for one that rules cannot read. */
export function nameInRules(name: string, path: string): string {
  const escaped = escapeFieldName(name);
  if (escaped !== undefined) return escaped;
  const cure = 'use letters, digits, dashes and underscores in the names of a union';
  throw refusal(`${path}.properties.${name}`, 'a name that CEL rules cannot read', cure);
}
