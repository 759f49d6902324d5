/** Functions that kube-apiserver 1.36 has and this server has not. A rule with one of them is not evaluated. */
const functions: ReadonlySet<string> = new Set([
  'cidr',
  'containsCIDR',
  'containsIP',
  'distinct',
  'existsOne',
  'first',
  'flatten',
  'format',
  'ip',
  'isCIDR',
  'isSemver',
  'last',
  'quote',
  'reverse',
  'semver',
  'slice',
  'sort',
  'sortBy',
  'transformList',
  'transformMap',
  'transformMapEntry',
]);

/** Families of functions whose name looks like a variable: `format.named('dns1123Label')`, `sets.contains(…)`. */
const families: ReadonlySet<string> = new Set(['format', 'ip', 'lists', 'sets', 'strings']);

/** The name of such a function or family in the text of a compilation error that is about it. */
export function missingFunction(error: string | undefined): string | undefined {
  if (error === undefined) return undefined;
  const [, name = ''] = /no matching overload for '(\w+)' applied to/.exec(error) ?? [];
  if (functions.has(name)) return name;
  const [, variable = ''] = /undeclared reference to '(\w+)'/.exec(error) ?? [];
  return families.has(variable) ? variable : undefined;
}
