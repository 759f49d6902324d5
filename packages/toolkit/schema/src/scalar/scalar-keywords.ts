import type { JsonObject } from '@keelson/structural-schema';
import type { StructuralSchema } from '../literal/structural-schema.ts';
import type { ScalarKeywords } from './keywords-with-rules.ts';
import { choiceRule, numberKeywords } from './number-keywords.ts';
import type { Reading } from '../pattern/reading.ts';
import { patternKeyword, textKeywords } from './text-keywords.ts';

/** The keywords of texts and numbers. */
export function scalarKeywords(schema: JsonObject, path: string, reading: Reading): ScalarKeywords {
  const own = byType(schema, path, reading);
  const { enum: values, nullable } = schema;
  if (nullable !== true || !Array.isArray(values) || 'enum' in own.keywords) return own;
  // The server compares null with an enumeration too, and a rule not.
  return {
    keywords: { ...own.keywords, enum: undefined },
    rules: [...own.rules, choiceRule(values)],
  };
}

function byType(schema: JsonObject, path: string, reading: Reading): ScalarKeywords {
  switch (schema['type']) {
    case 'string':
      return textKeywords(schema, path, reading);
    case 'integer':
    case 'number':
      return numberKeywords(schema, path);
    default:
      return { keywords: intOrStringKeywords(schema, path, reading), rules: [] };
  }
}

/** An int-or-string has keywords only by metadata, in the words of a CRD, and the limits of the integers of JavaScript. */
function intOrStringKeywords(schema: JsonObject, path: string, reading: Reading): StructuralSchema {
  if (schema['x-kubernetes-int-or-string'] !== true) return {};
  const names = ['format', 'minLength', 'maxLength', 'minimum', 'maximum'] as const;
  const found = names.filter((name) => schema[name] !== undefined);
  return {
    ...(Object.fromEntries(found.map((name) => [name, schema[name]])) as StructuralSchema),
    ...patternKeyword(schema, path, reading),
  };
}
