const members = ['verbs', 'apiGroups', 'resources', 'resourceNames', 'nonResourceURLs'] as const;

/** Returns the path of the first member of a rule that is unknown or not a list of strings; undefined for a rule. */
export function wrongMemberOf(rule: unknown): string | undefined {
  if (typeof rule !== 'object' || rule === null || Array.isArray(rule)) return '';
  const given = rule as Readonly<Record<string, unknown>>;
  if (!areTexts(given['verbs'])) return '.verbs';
  const unknown = Object.keys(given).find((name) => !members.some((known) => known === name));
  if (unknown !== undefined) return `.${unknown}`;
  const wrong = members.find((name) => given[name] != null && !areTexts(given[name]));
  return wrong && `.${wrong}`;
}

function areTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}
