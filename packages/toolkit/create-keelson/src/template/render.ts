import type { Files } from './template.ts';

/** The names that replace those of the template. */
export interface ProjectNames {
  /** The name of the package, the operator and its namespace: a DNS label. */
  readonly name: string;
  /** The API group, such as `shop.example`. */
  readonly group: string;
  /** The kind in UpperCamelCase, such as `Website`. */
  readonly kind: string;
  /** The plural in the URL, such as `websites`. */
  readonly plural: string;
}

/** The names of the template; `WebsiteList` is the only longer word with one of them. */
const templateName = /\b(?:website-operator|shop\.example|websites?|Website)(?=\b|List\b)/g;

/** Replaces the names of a template in texts and paths, all at once: a new name may contain one of the template. */
export function render(template: Files, names: ProjectNames, version: string): Files {
  const values: Readonly<Record<string, string>> = {
    'website-operator': names.name,
    'shop.example': names.group,
    websites: names.plural,
    website: names.kind.toLowerCase(),
    Website: names.kind,
  };
  const replaced = (text: string): string =>
    text.replace(templateName, (word) => values[word] ?? word);
  return new Map(
    [...template].map(([path, text]) => [replaced(path), finished(path, replaced(text), version)]),
  );
}

function finished(path: string, text: string, version: string): string {
  if (path === 'package.json') return withVersions(text, version);
  return path === 'config/role.yaml' ? withSortedRules(text) : text;
}

/** The packages of Keelson have one version. */
export function withVersions(manifest: string, version: string): string {
  return manifest.replace(/^(\s*"@keelson\/[a-z-]+": )"[^"]*"/gm, `$1"^${version}"`);
}

/** `keelson rbac` sorts the rules by group. */
function withSortedRules(roles: string): string {
  return roles
    .split(/^(?=---\n)/m)
    .map((role) => {
      const [head = '', ...rules] = role.split(/^(?= {2}- apiGroups:)/m);
      return head + rules.toSorted((one, other) => compare(groupOf(one), groupOf(other))).join('');
    })
    .join('');
}

/** Reads the line below `apiGroups:`, which is `- ''` for the core group. */
function groupOf(rule: string): string {
  return /^ +- '?([^'\n]*)/m.exec(rule.slice(rule.indexOf('\n') + 1))?.[1] ?? '';
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
