import { authorization, comparable, functions } from './signatures.ts';
import { splitTypes, type StaticType, staticType } from './static-type.ts';

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

/** Prefixes that are parts of the names of functions, and not targets. */
const namespaces = /^(strings|sets|lists|optional|format)\./;

/** An operator or function as a template with an operand for each `$`. */
export interface Template {
  readonly template: string;
  readonly parameters: readonly StaticType[];
  readonly texts: readonly (string | undefined)[];
  readonly result: StaticType;
}

/** Every function and operator. */
export const templates: readonly Template[] = [
  ...[...functions, ...authorization].map(templateOfFunction),
  ...operators.map(templateOfOperator),
];

function templateOfFunction(signature: string): Template {
  const [, head = '', args = '', result = ''] = /^([^(]+)\((.*)\): (.+)$/.exec(signature) ?? [];
  const holes = splitTypes(args);
  const list = holes.map(() => '$').join(', ');
  // Values of optionals and formats have methods; `optional.of` and `format.date` are functions.
  const isMethod = /^(format\.validate|optional<)/.test(head) || isMember(head);
  const all = isMethod ? [head.replace(/\.[^.]+$/, ''), ...holes] : holes;
  return {
    template: isMethod ? `$.${head.replace(/^.*\./, '')}(${list})` : `${head}(${list})`,
    parameters: all.map((each) => staticType(withoutKind(each))),
    texts: all.map(kindOf),
    result: staticType(result),
  };
}

function isMember(head: string): boolean {
  return head.includes('.') && !namespaces.test(head) && head !== 'ip.isCanonical';
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
