import { CodedError, errorDocs } from '@keelson/apimachinery';
import { CliError } from '../errors.ts';
import { printedError } from './printed-error.ts';
import type { Terminal } from './terminal.ts';

/** Collects the errors of single files, so that one file does not stop the others. */
export class Failures {
  readonly #errors: unknown[] = [];

  get isEmpty(): boolean {
    return this.#errors.length === 0;
  }

  /** Keeps an error that names its file, or each one of an `AggregateError`. */
  add(error: unknown): void {
    this.#errors.push(...errorsIn(error));
  }

  /** Runs an action for one file. Keeps the error if it fails, with the name of the file, and returns undefined then. */
  async attempt<T>(action: () => T | Promise<T>, source?: string): Promise<T | undefined> {
    try {
      return await action();
    } catch (error) {
      this.add(source === undefined ? error : placed(error, source));
      return undefined;
    }
  }

  /** Prints a line for each error, and for each code where its entry is. */
  report(terminal: Terminal): void {
    for (const error of this.#errors) terminal.complain(`error: ${printedError(error)}`);
    const codes = new Set(
      this.#errors.filter((error) => error instanceof CodedError).map(({ code }) => code),
    );
    for (const code of codes) terminal.complain(`  keelson why ${code}, or ${errorDocs(code)}`);
  }

  /** Throws the errors as one `AggregateError`, if there are any. */
  throwAny(): void {
    if (!this.isEmpty) throw new AggregateError(this.#errors, 'some files failed');
  }
}

/** Adds the name of the file to an error that names none. */
function placed(error: unknown, source: string): unknown {
  if (!(error instanceof CliError)) return error;
  const { code, facts, cause } = error;
  if (facts['source'] !== undefined || facts['file'] !== undefined) return error;
  return new CliError(code, { source, ...facts }, { cause });
}

function errorsIn(error: unknown): readonly unknown[] {
  return error instanceof AggregateError ? (error.errors as readonly unknown[]) : [error];
}
