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
  if (text.includes('*') && new AliasCount().isExcessive(value)) {
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

/** Counts of nodes between which the share of those inside aliases that Go's parser allows falls. */
const SHARE_FALLS_FROM = 400_000;
const SHARE_FALLS_TO = 4_000_000;

/**
 * Counts the nodes of a document as Go's parser decodes them: an alias repeats all nodes of its anchor. Aliases of aliases can
 * grow a document exponentially. Source: `unmarshal` in `decode.go` of go-yaml v2.
 */
class AliasCount {
  readonly #anchors = new Set<object>();
  #nodes = 1;
  #inAliases = 0;

  /** True if too large a part of the nodes is inside aliases. The count ends there. */
  isExcessive(value: unknown, isInAlias = false): boolean {
    if (this.#add(isInAlias)) return true;
    if (typeof value !== 'object' || value === null) return false;
    const isAlias = this.#anchors.has(value);
    if (isAlias && this.#add(true)) return true;
    this.#anchors.add(value);
    const isInside = isInAlias || isAlias;
    const members = Object.values(value);
    if (Array.isArray(value)) return members.some((each) => this.isExcessive(each, isInside));
    return members.some((each) => this.#add(isInside) || this.isExcessive(each, isInside));
  }

  #add(isInAlias: boolean): boolean {
    this.#nodes += 1;
    if (isInAlias) this.#inAliases += 1;
    if (this.#inAliases <= 100 || this.#nodes <= 1000) return false;
    return this.#inAliases / this.#nodes > allowedShare(this.#nodes);
  }
}

function allowedShare(nodes: number): number {
  if (nodes <= SHARE_FALLS_FROM) return 0.99;
  if (nodes >= SHARE_FALLS_TO) return 0.1;
  return 0.99 - (0.89 * (nodes - SHARE_FALLS_FROM)) / (SHARE_FALLS_TO - SHARE_FALLS_FROM);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
