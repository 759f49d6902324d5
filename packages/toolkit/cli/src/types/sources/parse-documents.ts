import { CliError } from '../../errors.ts';
import { isDefinition, isJsonObject } from '../definition/custom-kind.ts';

/** More nested documents are refused by the parser. */
const MAX_DEPTH = 500;

/**
 * Returns the CustomResourceDefinitions of a text with YAML documents or JSON, also those in a `List`. Documents of
 * other kinds are ignored. Throws `SOURCE_INVALID` with the name of the source.
 */
export async function parseDocuments(text: string, source: string): Promise<readonly unknown[]> {
  const documents = await anyDocuments(text, source);
  return documents.flatMap((document) => itemsOf(document));
}

/** Returns all documents of a text in YAML or JSON. Throws `SOURCE_INVALID` with the name of the source. */
export async function anyDocuments(text: string, source: string): Promise<readonly unknown[]> {
  try {
    const documents = text.trimStart().startsWith('{') ? parseJson(text) : undefined;
    return documents ?? (await parseYaml(text, source));
  } catch (cause) {
    const [reason] = (cause instanceof Error ? cause.message : String(cause)).split('\n', 1);
    throw new CliError('SOURCE_INVALID', { source, reason }, { cause });
  }
}

/** False for most YAML files of a folder: those of other kinds, and templates that are not valid YAML. */
export function mayDefine(text: string): boolean {
  return text.includes('CustomResourceDefinition');
}

/** Returns undefined for a text that is not JSON: YAML may also begin with a brace. */
function parseJson(text: string): readonly unknown[] | undefined {
  try {
    return [JSON.parse(text)];
  } catch {
    return undefined;
  }
}

async function parseYaml(text: string, source: string): Promise<readonly unknown[]> {
  const { loadAll, Schema, timestampTag, YAML11_SCHEMA } = await import('js-yaml');
  // kubectl reads YAML 1.1, in which 0644 is octal and y is true; timestamps stay strings, because JSON has none.
  const schema = new Schema(YAML11_SCHEMA.tags.filter((tag) => tag !== timestampTag));
  return loadAll(text, { schema, filename: source, maxDepth: MAX_DEPTH });
}

function itemsOf(document: unknown): readonly unknown[] {
  if (!isJsonObject(document)) return [];
  const { kind, items } = document;
  const isList = kind === 'List' || kind === 'CustomResourceDefinitionList';
  return (isList && Array.isArray(items) ? items : [document]).filter((one) => isDefinition(one));
}
