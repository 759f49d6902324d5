const subdomainMessage =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const underscoreMessage =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')";
const labelMessage =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const namePartMessage =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const labelValueMessage =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const dns1035Message =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const wildcardMessage =
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const configKeyMessage =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

/** Returns the errors of a name in the words of kube-apiserver; empty for a valid name. */
export type NameCheck = (text: string) => string[];

const subdomainPattern = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** Checks the names of most kinds: `my-app.example`. */
export const checkSubdomain: NameCheck = (text) => [
  ...atMost(253, text),
  ...unless(subdomainPattern, text, subdomainMessage),
];

/** Checks search paths of DNS, whose labels may contain underscores: `_tcp.my-app.example`. */
export const checkSubdomainWithUnderscores: NameCheck = (text) => [
  ...atMost(253, text),
  ...unless(
    /^_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*$/,
    text,
    underscoreMessage,
  ),
];

/** Checks host names with a wildcard: `*.example.com`. */
export const checkWildcardSubdomain: NameCheck = (text) => [
  ...atMost(253, text),
  ...unless(
    /^\*\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/,
    text,
    wildcardMessage,
  ),
];

/** Checks names of ports: `http`. */
export const checkPortName: NameCheck = (text) => [
  ...atMost(15, text),
  ...unless(
    /^[-a-z0-9]+$/,
    text,
    'must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
  ),
  ...unless(/[a-z]/, text, 'must contain at least one letter (a-z)'),
  ...unless(/^(?!.*--)/s, text, 'must not contain consecutive hyphens'),
  ...unless(/^(?!-).*(?<!-)$/s, text, 'must not begin or end with a hyphen'),
];

/** Checks names of containers, namespaces, Services and ports: `my-app`. A valid subdomain has a message of its own. */
export const checkDnsLabel: NameCheck = (text) => [
  ...atMost(63, text),
  ...unless(
    /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/,
    text,
    subdomainPattern.test(text) ? 'must not contain dots' : labelMessage,
  ),
];

/** Checks names that must not start with a digit. */
export const checkDns1035Label: NameCheck = (text) => [
  ...atMost(63, text),
  ...unless(/^[a-z]([-a-z0-9]*[a-z0-9])?$/, text, dns1035Message),
];

/** Checks names of StatefulSets, which become a label of their pods. */
export const checkStatefulSetName: NameCheck = (text) => {
  const found = checkSubdomain(text);
  return found.length > 0 ? found : atMost(63, text);
};

/** Checks names of CronJobs: 11 characters must remain for the names of their Jobs. */
export const checkCronJobName: NameCheck = (text) => {
  const found = checkSubdomain(text);
  return found.length > 0 ? found : atMost(52, text);
};

/** Checks names of RBAC kinds: any string that is one segment of a path. */
export const checkPathSegment: NameCheck = (text) => {
  if (text === '.' || text === '..') return [`may not be '${text}'`];
  return ['/', '%']
    .filter((part) => text.includes(part))
    .map((part) => `may not contain '${part}'`);
};

/** Checks keys of labels and annotations, and names of finalizers: `example.org/name`. */
export const checkQualifiedName: NameCheck = (text) => {
  const parts = text.split('/');
  if (parts.length > 2) {
    return [
      "a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
    ];
  }
  const name = parts.at(-1) ?? '';
  return [...checkPrefix(parts), ...checkNamePart(name)];
};

export const checkLabelValue: NameCheck = (text) => [
  ...atMost(63, text, 'bytes'),
  ...unless(/^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/, text, labelValueMessage),
];

/** Checks keys in the data of ConfigMaps and Secrets. */
export const checkConfigKey: NameCheck = (text) => [
  ...atMost(253, text),
  ...unless(/^[-._a-zA-Z0-9]+$/, text, configKeyMessage),
  ...stepsIn(text),
];

/** A key becomes the name of a file. */
function stepsIn(text: string): string[] {
  if (text === '.' || text === '..') return [`must not be '${text}'`];
  return text.startsWith('..') ? ["must not start with '..'"] : [];
}

function checkPrefix(parts: string[]): string[] {
  const [prefix] = parts;
  if (parts.length === 1 || prefix === undefined) return [];
  if (prefix === '') return ['prefix part must be non-empty'];
  return checkSubdomain(prefix).map((message) => `prefix part ${message}`);
}

function checkNamePart(name: string): string[] {
  if (name === '') return ['name part must be non-empty', namePartMessage];
  return [
    ...atMost(63, name, 'bytes').map((message) => `name part ${message}`),
    ...unless(/^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/, name, namePartMessage),
  ];
}

function atMost(
  length: number,
  text: string,
  unit: 'characters' | 'bytes' = 'characters',
): string[] {
  return Buffer.byteLength(text) > length ? [`must be no more than ${length} ${unit}`] : [];
}

function unless(pattern: RegExp, text: string, message: string): string[] {
  return pattern.test(text) ? [] : [message];
}
