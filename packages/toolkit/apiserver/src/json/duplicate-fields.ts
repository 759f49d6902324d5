import { withoutLoneSurrogates } from '@keelson/structural-schema';

/**
 * The paths of duplicate members in a JSON text; `JSON.parse` silently takes the last one. The text must be valid
 * JSON.
 */
export function duplicateFields(text: string): string[] {
  const repeated = [...memberNames(text)].filter(({ isRepeated }) => isRepeated);
  return [...new Set(repeated.map(({ path }) => path))];
}

/** The name of a member in a JSON text. */
export interface MemberName {
  /** The path of the member: `spec.containers[0].name`. */
  readonly path: string;
  readonly name: string;
  /** The positions of the name with its quotes. */
  readonly start: number;
  readonly end: number;
  /** True if an earlier member of the same object has the name. */
  readonly isRepeated: boolean;
}

/** Returns the names of all members in the order of a text, which must be valid JSON. */
export function* memberNames(text: string): Generator<MemberName> {
  const scopes: Scope[] = [];
  let expectsKey = false;
  for (const token of text.matchAll(tokens)) {
    const [whole] = token;
    const scope = scopes.at(-1);
    if (whole === '{' || whole === '[') {
      scopes.push(whole === '{' ? { path: pathOf(scope), keys: new Set() } : listScope(scope));
      expectsKey = whole === '{';
    } else if (whole === '}' || whole === ']') {
      scopes.pop();
      expectsKey = false;
    } else if (whole === ',') {
      if (scope?.index !== undefined) scope.index++;
      expectsKey = scope?.keys !== undefined;
    } else if (expectsKey && scope?.keys !== undefined) {
      const name = JSON.parse(withoutLoneSurrogates(whole)) as string;
      scope.key = name;
      const isRepeated = scope.keys.has(name);
      const { index: start } = token;
      yield { path: pathOf(scope), name, start, end: start + whole.length, isRepeated };
      scope.keys.add(name);
      expectsKey = false;
    }
  }
}

interface Scope {
  readonly path: string;
  /** The keys of an object so far. */
  readonly keys?: Set<string>;
  key?: string;
  /** The current index of an array. */
  index?: number;
}

const tokens = /[{}[\],]|"(?:[^"\\]|\\.)*"/g;

function listScope(parent: Scope | undefined): Scope {
  return { path: pathOf(parent), index: 0 };
}

function pathOf(scope: Scope | undefined): string {
  if (scope === undefined) return '';
  if (scope.index !== undefined) return `${scope.path}[${scope.index}]`;
  if (scope.key === undefined) return scope.path;
  return scope.path === '' ? scope.key : `${scope.path}.${scope.key}`;
}
