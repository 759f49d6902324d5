import type { Readable, Writable } from 'node:stream';
import { CreateError } from '../errors.ts';

/** A question with a line of text as its choice. */
export interface TextQuestion {
  readonly message: string;
  /** The choice to an empty line. */
  readonly initial: string;
  /** Returns why the choice is invalid. */
  readonly validate: (value: string) => string | undefined;
}

/** A question with one of some choices. */
export interface SelectQuestion {
  readonly message: string;
  readonly options: readonly { readonly value: string; readonly hint: string }[];
}

/** Asks questions on a terminal. Throws `CANCELLED` after Ctrl-C. */
export interface Prompts {
  text(question: TextQuestion): Promise<string>;
  select(question: SelectQuestion): Promise<string>;
}

/** The keys and the screen of a terminal. */
export interface TerminalStreams {
  readonly input: Readable;
  readonly output: Writable;
}

/** Loads the prompts of a terminal, which a command line with all choices does not need. */
export async function terminalPrompts(streams: TerminalStreams): Promise<Prompts> {
  const { select, text } = await import('@clack/prompts');
  return {
    async text({ message, initial, validate }) {
      const choice = await text({
        ...streams,
        message,
        placeholder: initial,
        defaultValue: initial,
        validate: (value) => (value === undefined || value === '' ? undefined : validate(value)),
      });
      return chosen(choice);
    },
    async select({ message, options }) {
      return chosen(await select({ ...streams, message, options: [...options] }));
    },
  };
}

function chosen(choice: string | symbol): string {
  if (typeof choice === 'symbol') throw new CreateError('CANCELLED');
  return choice;
}
