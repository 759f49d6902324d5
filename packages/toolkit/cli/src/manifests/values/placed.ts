/** A value that the chart computes when it is installed, and that is fixed elsewhere. */
export interface Expression<T> {
  /** The value outside of the chart, which is also the default of the chart. */
  readonly plain: T;
  /** What Helm evaluates, such as `.Values.replicas`. */
  readonly helm: string;
}

/**
 * A place in a Kubernetes object that the chart fills. It is typed as its value, so that objects of typed kinds can hold
 * it; only `plainObject` and `templateOf` read it.
 */
export class Placed {
  readonly plain: unknown;
  /** Whether the value is a list or a map on lines of its own. */
  readonly isBlock: boolean;
  readonly #expression: string;

  constructor(plain: unknown, expression: string) {
    this.plain = plain;
    this.isBlock = typeof plain === 'object';
    this.#expression = expression;
  }

  /** Returns the action of the template; `indent` is the number of spaces before the lines of a block. */
  action(indent: number): string {
    if (this.isBlock) return `{{- toYaml ${this.#expression} | nindent ${indent} }}`;
    if (typeof this.plain === 'number') return `{{ ${this.#expression} | int }}`;
    return `{{ ${this.#expression} | quote }}`;
  }
}

/** Places the value of an expression. */
export function place<T>({ plain, helm }: Expression<T>): T {
  // Read again by `plainObject` and `templateOf` alone.
  return new Placed(plain, helm) as unknown as T;
}

/** Places a text that consists of constant parts and expressions. */
export function placeText(...parts: readonly (string | Expression<string>)[]): string {
  const plain = parts.map((part) => (typeof part === 'string' ? part : part.plain)).join('');
  const format = parts.map((part) =>
    typeof part === 'string' ? part.replaceAll('%', '%%') : '%s',
  );
  const found = parts.flatMap((part) => (typeof part === 'string' ? [] : [part.helm]));
  return place({ plain, helm: `printf ${[JSON.stringify(format.join('')), ...found].join(' ')}` });
}

/** Returns an object with the plain value of each place. Empty lists and maps are left out. */
export function plainObject(value: unknown): unknown {
  if (value instanceof Placed) return value.plain;
  if (Array.isArray(value)) return value.map(plainObject);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => !isEmptyPlace(member));
  return Object.fromEntries(members.map(([name, member]) => [name, plainObject(member)]));
}

function isEmptyPlace(member: unknown): boolean {
  if (!(member instanceof Placed) || typeof member.plain !== 'object') return false;
  return Object.keys(member.plain ?? {}).length === 0;
}
