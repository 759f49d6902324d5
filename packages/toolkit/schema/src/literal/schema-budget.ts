import { refusal } from './refusal.ts';

const maxLevels = 200;
const maxParts = 100_000;

/** Counts the parts of one schema, so that a nested or multiplied schema is refused instead of exhausting memory. */
export class SchemaBudget {
  #parts = 0;

  /** Counts the part at `path`. Throws `SCHEMA_INVALID` for a part that is too deep, or one too many. */
  take(path: string, level: number): void {
    this.#parts += 1;
    if (level > maxLevels) {
      const at = path.length > 100 ? `${path.slice(0, 100)}…` : path;
      throw refusal(at, `more than ${maxLevels} levels`, openValue);
    }
    if (this.#parts > maxParts) throw refusal(path, `more than ${maxParts} parts`, openValue);
  }
}

const openValue = "accept any value below: 'x-kubernetes-preserve-unknown-fields': true";
