/** Functions that kube-apiserver 1.36 has and this server has not. A rule with one of them is not evaluated. */
export const missingFunctions: readonly string[] = [
  'cidr',
  'containsCIDR',
  'containsIP',
  'format',
  'ip',
  'isCIDR',
  'isSemver',
  'quote',
  'semver',
  'sortBy',
  'transformList',
  'transformMap',
  'transformMapEntry',
];

/** The name of such a function in the text of a compilation error that is about it. */
export function missingFunction(error: string | undefined): string | undefined {
  const [, name] = /no matching overload for '(\w+)' applied to/.exec(error ?? '') ?? [];
  if (name !== undefined && missingFunctions.includes(name)) return name;
  // A receiver that looks like a variable: `format.named('dns1123Label')`.
  return /undeclared reference to 'format'/.test(error ?? '') ? 'format' : undefined;
}
