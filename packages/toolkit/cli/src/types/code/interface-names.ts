/** A longer name is cut; a number keeps it unique. */
const MAX_NAME_LENGTH = 200;

/** The names that one module declares or imports. Each is an identifier, and no two are equal. */
export class InterfaceNames {
  readonly #taken = new Set<string>();
  /** The number that was last added to each name. */
  readonly #numbers = new Map<string, number>();

  /** Returns the name, or the name with the lowest number from 2 that makes it unique. */
  take(wanted: string): string {
    const base = wanted.slice(0, MAX_NAME_LENGTH);
    let name = base;
    for (let number = this.#numbers.get(base) ?? 1; this.#taken.has(name);) {
      number += 1;
      this.#numbers.set(base, number);
      name = `${base}${number}`;
    }
    this.#taken.add(name);
    return name;
  }

  /** Returns a unique name for the objects of a property: the name of the owner and that of the property. */
  takeMember(owner: string, property: string): string {
    return this.take(`${owner}${pascalCase(property)}`);
  }
}

function pascalCase(name: string): string {
  const words = name.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  const joined = words.map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`).join('');
  return joined === '' ? 'Value' : joined;
}
