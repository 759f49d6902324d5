/**
 * The paths of duplicate members in a JSON text; `JSON.parse` silently takes the last one. The text must be valid
 * JSON.
 */
export function duplicateFields(text: string): string[] {
  const found = new Set<string>();
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
      scope.key = JSON.parse(whole) as string;
      if (scope.keys.has(scope.key)) found.add(pathOf(scope));
      scope.keys.add(scope.key);
      expectsKey = false;
    }
  }
  return [...found];
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
