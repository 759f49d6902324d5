import { splitTypes, type StaticType, staticType } from './static-type.ts';

/** A function or operator that the generator calls. */
export interface Signature {
  readonly name: string;
  /** True for `target.name(…)`. */
  readonly member: boolean;
  readonly parameters: readonly StaticType[];
  readonly result: StaticType;
  /** The kinds of strings that the parameters expect, such as `ip`; the generator usually passes one of them. */
  readonly texts: readonly (string | undefined)[];
}

const comparable = ['int', 'uint', 'double', 'bool', 'duration', 'timestamp', 'string', 'bytes'];
const summable = ['int', 'uint', 'double', 'duration'];
const parts =
  'getFullYear getMonth getDayOfYear getDayOfMonth getDate getDayOfWeek getHours getMinutes getSeconds getMilliseconds';

/**
 * The functions of the environment of kube-apiserver 1.36, as its documentation and cel-go declare them: written
 * independently of packages/cel. `string:ip` is a string of the kind `ip`.
 */
const written: readonly string[] = [
  // Strings
  'string.charAt(int): string',
  'string.contains(string): bool',
  'string.startsWith(string): bool',
  'string.endsWith(string): bool',
  'string.indexOf(string): int',
  'string.indexOf(string, int): int',
  'string.lastIndexOf(string): int',
  'string.lastIndexOf(string, int): int',
  'list<string>.join(): string',
  'list<string>.join(string): string',
  'string.lowerAscii(): string',
  'string.upperAscii(): string',
  'string.replace(string, string): string',
  'string.replace(string, string, int): string',
  'string.split(string): list<string>',
  'string.split(string, int): list<string>',
  'string.substring(int): string',
  'string.substring(int, int): string',
  'string.trim(): string',
  'strings.quote(string): string',
  'string:template.format(list<dyn>): string',
  // Regular expressions
  'string.matches(string:pattern): bool',
  'matches(string, string:pattern): bool',
  'string.find(string:pattern): string',
  'string.findAll(string:pattern): list<string>',
  'string.findAll(string:pattern, int): list<string>',
  // Lists
  ...comparable.flatMap((type) => [
    `list<${type}>.isSorted(): bool`,
    `list<${type}>.max(): ${type}`,
    `list<${type}>.min(): ${type}`,
    `list<${type}>.sort(): list<${type}>`,
  ]),
  ...summable.map((type) => `list<${type}>.sum(): ${type}`),
  'list<T>.indexOf(T): int',
  'list<T>.lastIndexOf(T): int',
  'list<T>.slice(int, int): list<T>',
  'list<list<T>>.flatten(): list<T>',
  'list<dyn>.flatten(int): list<dyn>',
  'list<T>.reverse(): list<T>',
  'list<T>.distinct(): list<T>',
  'list<T>.first(): optional<T>',
  'list<T>.last(): optional<T>',
  'lists.range(int:small): list<int>',
  // Sets
  'sets.contains(list<T>, list<T>): bool',
  'sets.equivalent(list<T>, list<T>): bool',
  'sets.intersects(list<T>, list<T>): bool',
  // Conversions
  ...['bytes', 'list<T>', 'map<K, V>', 'string'].flatMap((type) => [
    `size(${type}): int`,
    `${type}.size(): int`,
  ]),
  'type(T): type',
  'dyn(T): dyn',
  'bool(bool): bool',
  'bool(string:number): bool',
  'bytes(bytes): bytes',
  'bytes(string): bytes',
  'double(double): double',
  'double(int): double',
  'double(string:number): double',
  'double(uint): double',
  'duration(duration): duration',
  'duration(int): duration',
  'duration(string:duration): duration',
  'int(int): int',
  'int(double): int',
  'int(duration): int',
  'int(string:number): int',
  'int(timestamp): int',
  'int(uint): int',
  ...['string', 'bool', 'bytes', 'double', 'duration', 'int', 'timestamp', 'uint'].map(
    (type) => `string(${type}): string`,
  ),
  'timestamp(timestamp): timestamp',
  'timestamp(int): timestamp',
  'timestamp(string:timestamp): timestamp',
  'uint(uint): uint',
  'uint(double): uint',
  'uint(int): uint',
  'uint(string:number): uint',
  // Times
  ...parts
    .split(' ')
    .flatMap((part) => [`timestamp.${part}(): int`, `timestamp.${part}(string:zone): int`]),
  'duration.getHours(): int',
  'duration.getMinutes(): int',
  'duration.getSeconds(): int',
  'duration.getMilliseconds(): int',
  // Optionals
  'optional.of(T): optional<T>',
  'optional.ofNonZeroValue(T): optional<T>',
  'optional.none(): optional<T>',
  'optional<T>.value(): T',
  'optional<T>.hasValue(): bool',
  'optional<T>.or(optional<T>): optional<T>',
  'optional<T>.orValue(T): T',
  'optional.unwrap(list<optional<T>>): list<T>',
  'list<optional<T>>.unwrapOpt(): list<T>',
  // Addresses
  'ip(string:ip): ip',
  'isIP(string:ip): bool',
  'ip.isCanonical(string:ip): bool',
  'ip.family(): int',
  'ip.isUnspecified(): bool',
  'ip.isLoopback(): bool',
  'ip.isLinkLocalMulticast(): bool',
  'ip.isLinkLocalUnicast(): bool',
  'ip.isGlobalUnicast(): bool',
  'string(ip): string',
  'cidr(string:cidr): cidr',
  'isCIDR(string:cidr): bool',
  'cidr.containsIP(string:ip): bool',
  'cidr.containsIP(ip): bool',
  'cidr.containsCIDR(string:cidr): bool',
  'cidr.containsCIDR(cidr): bool',
  'cidr.ip(): ip',
  'cidr.prefixLength(): int',
  'cidr.masked(): cidr',
  'string(cidr): string',
  // Quantities
  'quantity(string:quantity): quantity',
  'isQuantity(string:quantity): bool',
  'sign(quantity): int',
  'quantity.sign(): int',
  'quantity.isInteger(): bool',
  'quantity.asInteger(): int',
  'quantity.asApproximateFloat(): double',
  'quantity.compareTo(quantity): int',
  'quantity.isLessThan(quantity): bool',
  'quantity.isGreaterThan(quantity): bool',
  'quantity.add(quantity): quantity',
  'quantity.add(int): quantity',
  'quantity.sub(quantity): quantity',
  'quantity.sub(int): quantity',
  // Versions
  'semver(string:semver): semver',
  'semver(string:semver, bool): semver',
  'isSemver(string:semver): bool',
  'isSemver(string:semver, bool): bool',
  'semver.major(): int',
  'semver.minor(): int',
  'semver.patch(): int',
  'semver.compareTo(semver): int',
  'semver.isLessThan(semver): bool',
  'semver.isGreaterThan(semver): bool',
  // URLs
  'url(string:url): url',
  'isURL(string:url): bool',
  'url.getScheme(): string',
  'url.getHost(): string',
  'url.getHostname(): string',
  'url.getPort(): string',
  'url.getEscapedPath(): string',
  'url.getQuery(): map<string, list<string>>',
  // Formats
  ...(
    'dns1123Label dns1123Subdomain dns1035Label qualifiedName dns1123LabelPrefix dns1123SubdomainPrefix ' +
    'dns1035LabelPrefix labelValue uri uuid byte date datetime'
  )
    .split(' ')
    .map((name) => `format.${name}(): format`),
  'format.named(string:format): optional<format>',
  'format.validate(string:formatted): optional<list<string>>',
];

/** Functions of authorization checks, which a target of dynamic type reaches. */
const authorization: readonly string[] = [
  'dyn.path(string): dyn',
  'dyn.group(string): dyn',
  'dyn.serviceAccount(string, string): dyn',
  'dyn.resource(string): dyn',
  'dyn.subresource(string): dyn',
  'dyn.namespace(string): dyn',
  'dyn.name(string): dyn',
  'dyn.check(string): dyn',
  'dyn.fieldSelector(string): dyn',
  'dyn.labelSelector(string): dyn',
  'dyn.errored(): bool',
  'dyn.error(): string',
  'dyn.allowed(): bool',
  'dyn.reason(): string',
];

/** Operators, with their operands in the place of `$`. */
const operators: readonly string[] = [
  ...['int', 'uint', 'double'].flatMap((type) =>
    ['+', '-', '*', '/'].map((operator) => `$ ${operator} $: ${type}, ${type} -> ${type}`),
  ),
  '$ % $: int, int -> int',
  '$ % $: uint, uint -> uint',
  '-$: int -> int',
  '-$: double -> double',
  '$ + $: string, string -> string',
  '$ + $: bytes, bytes -> bytes',
  '$ + $: list<T>, list<T> -> list<T>',
  '$ + $: duration, duration -> duration',
  '$ + $: timestamp, duration -> timestamp',
  '$ + $: duration, timestamp -> timestamp',
  '$ - $: duration, duration -> duration',
  '$ - $: timestamp, timestamp -> duration',
  '$ - $: timestamp, duration -> timestamp',
  '!$: bool -> bool',
  '$ && $: bool, bool -> bool',
  '$ || $: bool, bool -> bool',
  '$ ? $ : $: bool, T, T -> T',
  ...['==', '!='].map((operator) => `$ ${operator} $: T, T -> bool`),
  ...['<', '<=', '>', '>='].flatMap((operator) =>
    [...comparable.map((type) => [type, type]), ...mixedNumbers()].map(
      ([one, other]) => `$ ${operator} $: ${one}, ${other} -> bool`,
    ),
  ),
  '$ in $: T, list<T> -> bool',
  '$ in $: K, map<K, V> -> bool',
  '$[$]: list<T>, int:small -> T',
  '$[$]: map<K, V>, K -> V',
  '$[?$]: list<T>, int:small -> optional<T>',
  '$[?$]: map<K, V>, K -> optional<V>',
  '$[?$]: optional<list<T>>, int:small -> optional<T>',
  '$[?$]: optional<map<K, V>>, K -> optional<V>',
  '$[$]: optional<list<T>>, int:small -> optional<T>',
  '$[$]: optional<map<K, V>>, K -> optional<V>',
];

function mixedNumbers(): string[][] {
  const numbers = ['int', 'uint', 'double'];
  return numbers.flatMap((one) =>
    numbers.filter((other) => other !== one).map((other) => [one, other]),
  );
}

/** An operator or function as a template whose operands stand in the place of `$`. */
export interface Template {
  readonly template: string;
  readonly parameters: readonly StaticType[];
  readonly texts: readonly (string | undefined)[];
  readonly result: StaticType;
}

/** Every function and operator. */
export const templates: readonly Template[] = [
  ...[...written, ...authorization].map(templateOfFunction),
  ...operators.map(templateOfOperator),
];

function templateOfFunction(signature: string): Template {
  const [, head = '', args = '', result = ''] = /^([^(]+)\((.*)\): (.+)$/.exec(signature) ?? [];
  const [, target = '', method] = /^(.+)\.(@?\w+)$/.exec(head) ?? [];
  const member = method !== undefined && !/^(strings|sets|lists|optional|format)$/.test(target);
  const qualified = head === 'ip.isCanonical' || !member;
  const holes = splitTypes(args);
  const list = holes.map(() => '$').join(', ');
  // The functions of values whose type has the name of a library are methods all the same.
  const method_ = /^(format\.validate|optional<)/.test(head) || (member && !qualified);
  const written_ = method_ ? [head.replace(/\.[^.]+$/, ''), ...holes] : holes;
  return {
    template: method_ ? `$.${head.replace(/^.*\./, '')}(${list})` : `${head}(${list})`,
    parameters: written_.map((each) => staticType(withoutKind(each))),
    texts: written_.map(kindOf),
    result: staticType(result),
  };
}

function templateOfOperator(text: string): Template {
  const [, template = '', args = '', result = ''] =
    /^(.*): ([^:]+(?::\w+[^:]*)?) -> (.+)$/.exec(text) ?? [];
  const holes = splitTypes(args);
  return {
    template,
    parameters: holes.map((each) => staticType(withoutKind(each))),
    texts: holes.map(kindOf),
    result: staticType(result),
  };
}

function withoutKind(written: string): string {
  return written.replace(/:\w+/, '');
}

function kindOf(written: string): string | undefined {
  return /:(\w+)/.exec(written)?.[1];
}
