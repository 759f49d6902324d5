import type { StatusCause } from '@keelson/apimachinery';

/**
 * The causes that a part of the validation found, and the number of checks that it made. kube-apiserver reports the
 * branch of `anyOf` and `oneOf` with the most checks, so that the number decides which causes are reported.
 */
export class Findings {
  readonly #causes = new Map<string, StatusCause>();
  checks = 0;

  static of(...causes: readonly StatusCause[]): Findings {
    const findings = new Findings();
    findings.add(...causes);
    return findings;
  }

  get causes(): StatusCause[] {
    return [...this.#causes.values()];
  }

  get isValid(): boolean {
    return this.#causes.size === 0;
  }

  /** Adds causes. Equal ones are reported once. */
  add(...causes: readonly StatusCause[]): void {
    for (const cause of causes) {
      const key = `${cause.field}\n${cause.reason}\n${cause.message}`;
      if (!this.#causes.has(key)) this.#causes.set(key, cause);
    }
  }

  merge(...others: readonly Findings[]): void {
    for (const other of others) {
      this.add(...other.causes);
      this.checks += other.checks;
    }
  }
}
