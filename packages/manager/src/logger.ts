import { checkOptions, invalidOption } from '@keelson/apimachinery';
import { isError } from './is-error.ts';

/** The facts that go with a line of a log: keys are the glossary's words (`controller`, `name`, …). */
export type LogFacts = Readonly<Record<string, unknown>>;

/**
 * What Keelson logs to. The messages are constant, what differs stands in the facts; errors are
 * under `error`. A pino logger satisfies this interface.
 */
export interface Logger {
  debug(facts: LogFacts, message: string): void;
  info(facts: LogFacts, message: string): void;
  warn(facts: LogFacts, message: string): void;
  error(facts: LogFacts, message: string): void;
  /** A logger that adds these facts to every line. */
  child(facts: LogFacts): Logger;
}

const levels = ['debug', 'info', 'warn', 'error', 'silent'] as const;

/** Lines below the level are not written. */
export type LogLevel = (typeof levels)[number];

export interface LoggerOptions {
  /** Default `'info'`. */
  level?: LogLevel;
  /** Takes one line, without its end. Default: standard error. */
  write?: (line: string) => void;
}

/** The logger that a manager has by default: one JSON object a line. Code `INVALID_OPTION`. */
export function createLogger(options: LoggerOptions = {}): Logger {
  checkOptions(options, ['level', 'write'], 'createLogger');
  const { level = 'info', write = writeToStandardError } = options;
  if (!levels.includes(level)) {
    throw invalidOption('createLogger.level', `must be one of ${levels.join(' ')}`);
  }
  return new JsonLogger(levels.indexOf(level), write, {});
}

class JsonLogger implements Logger {
  readonly #level: number;
  readonly #write: (line: string) => void;
  readonly #facts: LogFacts;

  constructor(level: number, write: (line: string) => void, facts: LogFacts) {
    this.#level = level;
    this.#write = write;
    this.#facts = facts;
  }

  debug(facts: LogFacts, message: string): void {
    this.#log('debug', facts, message);
  }

  info(facts: LogFacts, message: string): void {
    this.#log('info', facts, message);
  }

  warn(facts: LogFacts, message: string): void {
    this.#log('warn', facts, message);
  }

  error(facts: LogFacts, message: string): void {
    this.#log('error', facts, message);
  }

  child(facts: LogFacts): Logger {
    return new JsonLogger(this.#level, this.#write, { ...this.#facts, ...facts });
  }

  #log(level: LogLevel, facts: LogFacts, message: string): void {
    if (levels.indexOf(level) < this.#level) return;
    const time = new Date().toISOString();
    this.#write(
      JSON.stringify({ time, level, message, ...this.#facts, ...facts }, errorsAsFacts()),
    );
  }
}

/** JSON knows no errors (they come out as `{}`), no bigints, and no circles. */
function errorsAsFacts(): (key: string, value: unknown) => unknown {
  const parents = new WeakSet<object>();
  return (_key, value) => {
    if (typeof value === 'bigint') return value.toString();
    if (typeof value !== 'object' || value === null) return value;
    if (parents.has(value)) return '(seen above)';
    parents.add(value);
    return isError(value) ? factsOfError(value) : value;
  };
}

function factsOfError(error: Error): LogFacts {
  const { name, message, stack, cause } = error;
  const code = 'code' in error ? { code: error.code } : {};
  return { name, message, ...code, stack, ...(cause === undefined ? {} : { cause }) };
}

function writeToStandardError(line: string): void {
  process.stderr.write(`${line}\n`);
}
