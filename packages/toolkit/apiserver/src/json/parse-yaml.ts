import { duplicateFields } from './duplicate-fields.ts';
import { decodeNumbers } from './decode-numbers.ts';
import { isStackOverflow, MAX_NESTING, NestingError, parseJson } from './parse-json.ts';
import { repeatedKeys } from './repeated-keys.ts';
import { goSchema } from './yaml-numbers.ts';

/** A parsed YAML text. */
export interface ParsedYaml {
  readonly value: unknown;
  /** A line for each repeated key; the last one wins. */
  readonly repeated: readonly string[];
}

/**
 * Parses YAML. Tries JSON first, because most YAML bodies are JSON. Reads only the first of several documents. Throws a
 * `SyntaxError`.
 */
export async function parseYaml(text: string): Promise<ParsedYaml> {
  const hasHalves = surrogateEscape.test(text);
  if (!hasHalves && text.trimStart().startsWith('{')) {
    try {
      // Go parses the number as YAML first, and a number beyond the range of doubles becomes a string.
      const value = decodeNumbers(parseJson(text), String);
      if (duplicateFields(text).length === 0) return { value, repeated: [] };
    } catch (error) {
      if (error instanceof NestingError) throw tooDeep();
      // The body is YAML in flow style, which the parser below reads.
    }
  }
  const yaml = await import('js-yaml');
  const schema = goSchema(yaml);
  const load = (json: boolean): unknown =>
    yaml.loadAll(text, { schema, maxDepth: MAX_NESTING, json })[0] ?? null;
  if (hasHalves) checkEscapes(yaml, text);
  const { value, repeats } = parsed(load);
  checkNumbers(text, value);
  if (text.includes('*') && hasMoreNodes(value, MAX_NODES)) {
    throw new SyntaxError('yaml: document contains excessive aliasing');
  }
  return { value, repeated: repeats ? repeatedKeys(yaml, text) : [] };
}

/** Matches the escape of a half of a surrogate pair, of which Go's parser accepts none, also not in pairs. */
const surrogateEscape = /\\(?:u|U0000)[dD][89a-fA-F][\dA-Fa-f]{2}/;

/** Only texts in double quotes have escapes: the parser must not meet an unknown one in place of these. */
function checkEscapes(yaml: typeof import('js-yaml'), text: string): void {
  const marked = text.replaceAll(/\\(?:(?:u|U0000)[dD][89a-fA-F][\dA-Fa-f]{2}|[^])/g, (escape) =>
    escape.length > 2 ? String.raw`\q` : escape,
  );
  try {
    yaml.loadAll(marked, { schema: goSchema(yaml), maxDepth: MAX_NESTING, json: true });
  } catch (error) {
    const { reason, mark } = error as { reason?: string; mark?: { line: number } };
    if (reason !== 'unknown escape sequence') return;
    const line = mark === undefined || mark.line === 0 ? '' : `line ${mark.line + 1}: `;
    throw new SyntaxError(`yaml: ${line}found invalid Unicode character escape code`, {
      cause: error,
    });
  }
}

/** The words of a strict decoder about repeated keys. */
export function repeatedText(repeated: readonly string[]): string {
  return ['yaml: unmarshal errors:', ...repeated].join('\n  ');
}

/** JSON has no infinite numbers. */
function checkNumbers(text: string, value: unknown): void {
  if (!/\.(?:inf|nan)/i.test(text)) return;
  const shown = infiniteNumber(value);
  if (shown !== undefined) throw new SyntaxError(`json: unsupported value: ${shown}`);
}

/** The first infinite number in a value, as Go prints it. */
function infiniteNumber(value: unknown): string | undefined {
  const open: unknown[] = [value];
  while (open.length > 0) {
    const node = open.pop();
    if (Number.isNaN(node)) return 'NaN';
    if (node === Infinity) return '+Inf';
    if (node === -Infinity) return '-Inf';
    if (typeof node === 'object' && node !== null) open.push(...Object.values(node));
  }
  return undefined;
}

function tooDeep(): SyntaxError {
  return new SyntaxError(`yaml: exceeded max depth of ${MAX_NESTING}`);
}

/** Parses with unique keys first, because few texts repeat one. */
function parsed(load: (repeatsKeys: boolean) => unknown): {
  readonly value: unknown;
  readonly repeats: boolean;
} {
  try {
    return { value: load(false), repeats: false };
  } catch (error) {
    const { reason } = error as { reason?: string };
    if (reason === 'duplicated mapping key') {
      return { value: load(true), repeats: true };
    }
    if (isStackOverflow(error) || messageOf(error).startsWith('nesting exceeded')) throw tooDeep();
    throw new SyntaxError(`yaml: ${yamlProblem(error)}`, { cause: error });
  }
}

/** Frequent syntax errors in the words of Go's parser. It reports the line only from the second line on. */
const yamlProblems: Readonly<Record<string, string>> = {
  'bad indentation of a mapping entry': 'mapping values are not allowed in this context',
  'tab characters must not be used in indentation': 'found character that cannot start any token',
};

function yamlProblem(error: unknown): string {
  const { reason, mark } = error as { reason?: string; mark?: { line: number } };
  if (reason === undefined || mark === undefined) return messageOf(error);
  const line = mark.line === 0 ? '' : `line ${mark.line + 1}: `;
  return `${line}${yamlProblems[reason] ?? reason}`;
}

/** Most nodes of a document with aliases, as in Go's parser. Aliases of aliases can grow a document exponentially. */
const MAX_NODES = 400_000;

function hasMoreNodes(value: unknown, most: number): boolean {
  const open: unknown[] = [value];
  let count = 0;
  while (open.length > 0 && count <= most) {
    const node = open.pop();
    count += 1;
    if (typeof node === 'object' && node !== null) {
      for (const each of Object.values(node)) open.push(each);
    }
  }
  return count > most;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
