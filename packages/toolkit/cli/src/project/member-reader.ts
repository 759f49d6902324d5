import { CliError } from '../errors.ts';

/** Reads the members of a JSON object. A wrong member throws `INVALID_PROJECT` with its name. */
export class MemberReader {
  readonly #file: string;
  readonly #path: string;
  readonly #members: ReadonlyMap<string, unknown>;

  /** `path` is the name of the object in messages; `''` for the whole file. */
  constructor(file: string, path: string, object: unknown) {
    this.#file = file;
    this.#path = path;
    if (typeof object !== 'object' || object === null || Array.isArray(object)) {
      throw new CliError('INVALID_PROJECT', { file, member: path, reason: 'must be an object' });
    }
    // A map, because the file may have members such as __proto__.
    this.#members = new Map(Object.entries(object));
  }

  /** Throws `INVALID_PROJECT` for a member that is not in the list. */
  expectOnly(known: readonly string[]): void {
    const unknown = [...this.#members.keys()].find((name) => !known.includes(name));
    if (unknown !== undefined) throw this.invalid(unknown, `must be one of ${known.join(' ')}`);
  }

  has(name: string): boolean {
    return this.#members.has(name);
  }

  /** Returns a text that passes the check, or the default if the member is missing. */
  text(name: string, fallback: string | undefined, check: (text: string) => string | null): string {
    return this.#value(name, fallback, (value) => {
      const problem = typeof value === 'string' ? check(value) : 'must be a string';
      if (problem !== null) throw this.invalid(name, problem);
      return value as string;
    });
  }

  /** Returns a port, or the default if the member is missing. */
  port(name: string, fallback: number): number {
    return this.#value(name, fallback, (value) => {
      const isPort = Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 65_535;
      if (!isPort) throw this.invalid(name, 'must be an integer from 1 to 65535');
      return Number(value);
    });
  }

  /** Returns the texts of a list that pass the check; a missing member is an empty list. */
  texts(name: string, check: (text: string) => string | null): readonly string[] {
    return this.#value(name, [], (value) => {
      if (!Array.isArray(value)) throw this.invalid(name, 'must be a list of strings');
      const items = new MemberReader(
        this.#file,
        this.#pathOf(name),
        Object.fromEntries(value.entries()),
      );
      return value.map((_, index) => items.text(String(index), undefined, check));
    });
  }

  /** Returns the reader of a member that is an object, or undefined if the member is missing. */
  object(name: string): MemberReader | undefined {
    if (!this.#members.has(name)) return undefined;
    return new MemberReader(this.#file, this.#pathOf(name), this.#members.get(name));
  }

  /** Makes the error of a member. */
  invalid(name: string, reason: string): CliError {
    const facts = { file: this.#file, member: this.#pathOf(name), reason };
    return new CliError('INVALID_PROJECT', facts);
  }

  #value<T>(name: string, fallback: T | undefined, read: (value: unknown) => T): T {
    if (this.#members.has(name) || fallback === undefined) return read(this.#members.get(name));
    return read(fallback);
  }

  #pathOf(name: string): string {
    return this.#path === '' ? name : `${this.#path}.${name}`;
  }
}
