import { styleText } from 'node:util';

/** The command did its work. */
export const EXIT_OK = 0;
/** An error, or a check that failed. */
export const EXIT_FAILED = 1;
/** An invalid command line. */
export const EXIT_USAGE = 2;

/** The exit codes of every command. */
export type ExitCode = typeof EXIT_OK | typeof EXIT_FAILED | typeof EXIT_USAGE;

/** The part of a stream that commands use; `process.stdout` satisfies it. */
export interface OutputStream extends NodeJS.WritableStream {
  readonly isTTY?: boolean;
  /** False without colours, for example with `NO_COLOR`. */
  readonly hasColors?: () => boolean;
}

/** Prints the results of a command to one stream and its complaints to another. */
export class Terminal {
  readonly #out: OutputStream;
  readonly #err: OutputStream;

  constructor(out: OutputStream, err: OutputStream) {
    this.#out = out;
    this.#err = err;
  }

  /** Prints a result and the end of its line. */
  print(text: string): void {
    this.#out.write(`${visible(text)}\n`);
  }

  /** Prints text as it is to the standard output. */
  write(text: string): void {
    this.#out.write(text);
  }

  /** Prints an error or a failed check; red on a terminal, unless `NO_COLOR` is set. */
  complain(text: string): void {
    this.#err.write(`${this.#coloured(visible(text))}\n`);
  }

  /** Prints the progress of a command, apart from its results. */
  note(text: string): void {
    this.#err.write(`${visible(text)}\n`);
  }

  #coloured(text: string): string {
    const { isTTY, hasColors } = this.#err;
    const isColoured = isTTY === true && hasColors?.call(this.#err) === true;
    // Without a check of its own: FORCE_COLOR would colour files and pipes.
    return isColoured ? styleText('red', text, { validateStream: false }) : text;
  }
}

/** Control characters, and characters that hide or reorder the text behind them. */
const UNSAFE = /[^\P{Cc}\n\t]|[\u061C\u200B-\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB]/gu;

/** Names of files and fields come from others. Such a character in one could rewrite or hide lines of the terminal. */
function visible(text: string): string {
  return text.replaceAll(UNSAFE, (character) => {
    const code = character.charCodeAt(0).toString(16).padStart(4, '0');
    return `\\u${code}`;
  });
}
