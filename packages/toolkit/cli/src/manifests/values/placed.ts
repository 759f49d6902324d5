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

  constructor(
    plain: unknown,
    expression: string,
    { isSpread = false }: { readonly isSpread?: boolean } = {},
  ) {
    this.plain = plain;
    this.isSpread = isSpread;
    this.isBlock = typeof plain === 'object';
    this.#expression = expression;
  }

  /** Whether the members of the value join those around it, and nothing is printed for an empty one. */
  readonly isSpread: boolean;

  /** Returns the action of the template; `indent` is the number of spaces before the lines of a block. */
  action(indent: number): string {
    if (this.isSpread) {
      return `{{- with ${this.#expression} }}{{- toYaml . | nindent ${indent} }}{{- end }}`;
    }
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

/** Places the items of an expression after those of a list: `[first, ...spreadItems(more)]`. */
export function spreadItems<T>({ plain, helm }: Expression<readonly T[]>): T[] {
  return [new Placed(plain, helm, { isSpread: true }) as unknown as T];
}

/** The name of the member that `spreadMembers` adds. */
const SPREAD_MEMBER = '...';

/** Places the members of an expression after those of a map: `{ first, ...spreadMembers(more) }`. */
export function spreadMembers({
  plain,
  helm,
}: Expression<Record<string, string>>): Record<string, string> {
  return { [SPREAD_MEMBER]: new Placed(plain, helm, { isSpread: true }) as unknown as string };
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

/** Places a list as one text, whose items are separated by commas. */
export function placeList({ plain, helm }: Expression<readonly string[]>): string {
  return place({ plain: plain.join(','), helm: `join "," ${helm}` });
}

/** Returns an object with the plain value of each place. Empty lists, maps and texts are left out. */
export function plainObject(value: unknown): unknown {
  if (value instanceof Placed) return value.plain;
  if (Array.isArray(value)) return value.flatMap(plainItems);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => !isEmptyPlace(member));
  return Object.fromEntries(members.flatMap(plainMembers));
}

function plainItems(item: unknown): readonly unknown[] {
  const isSpread = item instanceof Placed && item.isSpread;
  return isSpread ? (item.plain as readonly unknown[]) : [plainObject(item)];
}

function plainMembers([name, member]: [string, unknown]): readonly [string, unknown][] {
  const isSpread = member instanceof Placed && member.isSpread;
  return isSpread ? Object.entries(member.plain as object) : [[name, plainObject(member)]];
}

function isEmptyPlace(member: unknown): boolean {
  if (!(member instanceof Placed) || member.isSpread) return false;
  if (typeof member.plain !== 'object') return member.plain === '';
  return Object.keys(member.plain ?? {}).length === 0;
}
