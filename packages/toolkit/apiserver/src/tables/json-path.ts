/**
 * The subset of Kubernetes' JSONPath that printer columns use: members, indices, `[*]`, quoted members, escaped dots,
 * and filters that compare a member with a literal. Libraries such as jsonpath-plus use another dialect (`$` roots,
 * script filters).
 */
export type JsonPathStep =
  | { readonly type: 'member'; readonly name: string }
  | { readonly type: 'index'; readonly index: number }
  | { readonly type: 'all' }
  | { readonly type: 'filter'; readonly path: readonly string[]; readonly equals: string };

const steps =
  /\.((?:\\.|[^.[\]\\])+)|\[(-?\d+)\]|\[(\*)\]|\['((?:\\.|[^'\\])*)'\]|\[\?\(@((?:\.(?:\\.|[^.=\s\\])+)+)\s*==\s*(?:"([^"]*)"|'([^']*)'|([\w.-]+))\)\]/y;

/**
 * Parses a path such as `.status.conditions[?(@.type=="Ready")].status`; returns `undefined` if it is not supported.
 */
export function parseJsonPath(text: string): readonly JsonPathStep[] | undefined {
  const found: JsonPathStep[] = [];
  const source = text.replace(/^\{|\}$/g, '').replace(/^\$/, '');
  const pattern = new RegExp(steps);
  while (pattern.lastIndex < source.length) {
    const match = pattern.exec(source);
    if (match === null) return undefined;
    found.push(stepOf(match));
  }
  return found;
}

function stepOf(match: RegExpExecArray): JsonPathStep {
  const [, member, index, all, quoted, filter, double, single, bare] = match;
  if (index !== undefined) return { type: 'index', index: Number(index) };
  if (all !== undefined || member === '*') return { type: 'all' };
  if (filter !== undefined) {
    const path = filter
      .slice(1)
      .split(/(?<!\\)\./)
      .map(unescape);
    return { type: 'filter', path, equals: double ?? single ?? bare ?? '' };
  }
  return { type: 'member', name: unescape(member ?? quoted ?? '') };
}

function unescape(name: string): string {
  return name.replace(/\\(.)/g, '$1');
}

/** Returns all values at a path; none for an unsupported path. */
export function evaluateJsonPath(
  path: readonly JsonPathStep[] | undefined,
  root: unknown,
): unknown[] {
  if (path === undefined) return [];
  return path.reduce<unknown[]>(
    (values, step) => values.flatMap((value) => take(value, step)),
    [root],
  );
}

function take(value: unknown, step: JsonPathStep): unknown[] {
  switch (step.type) {
    case 'member':
      return memberOf(value, step.name);
    case 'index':
      return Array.isArray(value) && value.length > 0 ? [value.at(step.index)] : [];
    case 'all':
      return typeof value === 'object' && value !== null ? Object.values(value) : [];
    case 'filter':
      return Array.isArray(value)
        ? value.filter((item) => String(descend(item, step.path)) === step.equals)
        : [];
  }
}

function descend(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, name) => memberOf(inner, name)[0], value);
}

function memberOf(value: unknown, name: string): unknown[] {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? [Reflect.get(value, name)]
    : [];
}
