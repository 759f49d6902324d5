import { isDnsLabel, isDnsSubdomain } from '@keelson/apimachinery';
import { CliError } from '../../errors.ts';

/** The names of a kind, as its definition and its code have them. */
export interface KindNames {
  /** In UpperCamelCase, such as `Order`. */
  readonly kind: string;
  readonly group: string;
  readonly version: string;
  readonly plural: string;
}

/** Words that the generated code imports, and that a kind must not have as its name. */
const importedNames: ReadonlySet<string> = new Set([
  'Client',
  'Manager',
  'ManagerOptions',
  'ObjectOf',
  'TestEnvironment',
]);

/** Names that YAML 1.1 or 1.2 reads as another type. */
const yamlWords = /^(?:null|true|false|yes|no|on|off|y|n)$/i;

/** The length of a DNS-1123 subdomain, such as the name of a CustomResourceDefinition. */
const MAX_SUBDOMAIN_LENGTH = 253;

/** Throws `NAME_INVALID` with the first invalid name, its value and the reason. */
export function checkKindNames(names: KindNames): void {
  checkKind(names.kind);
  for (const [option, problem] of [
    ['group', groupProblem(names)],
    ['version', versionProblem(names.version)],
    ['plural', pluralProblem(names.plural)],
  ] as const) {
    if (problem !== undefined) throw invalid(option, names[option], problem);
  }
}

/** Throws `NAME_INVALID` unless the text can be the name of a kind. */
export function checkKind(kind: string): void {
  const problem = kindProblem(kind);
  if (problem !== undefined) throw invalid('kind', kind, problem);
}

/** The English plural of a kind in lower case. */
export function pluralOf(kind: string): string {
  const singular = kind.toLowerCase();
  if (/[^aeiou]y$/.test(singular)) return `${singular.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh)$/.test(singular) ? `${singular}es` : `${singular}s`;
}

/** The kind as the name of a variable: `order`, and `dnsRecord` of `DNSRecord`. */
export function variableOf(kind: string): string {
  return kind.replace(/^(?:[A-Z]+(?=[A-Z][a-z]|\d|$)|[A-Z])/, (start) => start.toLowerCase());
}

function kindProblem(kind: string): string | undefined {
  if (!/^[A-Z][A-Za-z0-9]{0,62}$/.test(kind)) {
    return 'must be in UpperCamelCase: A-Z, a-z and 0-9, at most 63';
  }
  if (importedNames.has(kind) || Object.hasOwn(globalThis, kind)) {
    return 'is a name that TypeScript or the generated code uses';
  }
  return yamlWords.test(kind) ? 'is a word with another meaning in YAML' : undefined;
}

function groupProblem({ group, plural }: KindNames): string | undefined {
  if (group === '') return 'is needed, because the project has no kind yet: pass --group';
  // Such a name without quotes is a number in YAML.
  if (!isDnsSubdomain(group) || !group.includes('.') || !Number.isNaN(Number(group))) {
    return 'must be a DNS name with a dot, such as shop.example';
  }
  if (/(?:^|\.)(?:k8s|kubernetes)\.io$/.test(group)) {
    return 'must not end in k8s.io or kubernetes.io, which Kubernetes reserves';
  }
  const isTooLong = `${plural}.${group}`.length > MAX_SUBDOMAIN_LENGTH;
  return isTooLong
    ? `must have at most ${MAX_SUBDOMAIN_LENGTH} characters with the plural`
    : undefined;
}

function versionProblem(version: string): string | undefined {
  const isVersion = /^v[1-9]\d*(?:(?:alpha|beta)[1-9]\d*)?$/.test(version);
  return isVersion ? undefined : 'must be a version of Kubernetes, such as v1 or v1beta1';
}

function pluralProblem(plural: string): string | undefined {
  if (!isDnsLabel(plural) || !/^[a-z]/.test(plural)) {
    return 'must be a DNS label that begins with a letter: a-z, 0-9 and -, at most 63';
  }
  // The API server reads these words behind `/namespaces/NAME` of a URL as parts of a request for the Namespace.
  if (['finalize', 'namespaces', 'status'].includes(plural)) return 'is a path of Namespaces';
  return yamlWords.test(plural) ? 'is a word with another meaning in YAML' : undefined;
}

function invalid(option: string, value: string, reason: string): CliError {
  return new CliError('NAME_INVALID', { option, value, reason });
}
