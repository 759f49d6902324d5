import { checkOptions, ignoreRejection, invalidOption } from '@keelson/apimachinery';
import { isError } from './error-text.ts';
import { Printable } from './printable.ts';

/** The facts of a log line, with keys such as `controller`, `namespace` and `name`. */
export type LogFacts = Readonly<Record<string, unknown>>;

/**
 * The logger that Keelson writes to; a pino logger satisfies it. Messages are constant, everything that varies is
 * in the facts, and errors are under the key `err`.
 */
export interface Logger {
  /** Writes a line that helps to debug, such as a skipped object. */
  debug(facts: LogFacts, message: string): void;
  /** Writes a line about a normal change of state. */
  info(facts: LogFacts, message: string): void;
  /** Writes a line about a state that may need attention, such as a watch that is not live. */
  warn(facts: LogFacts, message: string): void;
  /** Writes a line about a failure, with the error under `err`. */
  error(facts: LogFacts, message: string): void;
  /** A logger that adds these facts to every line. */
  child(facts: LogFacts): Logger;
}

const levels = ['debug', 'info', 'warn', 'error', 'silent'] as const;

/** The lowest level that a logger writes; `'silent'` writes nothing. */
export type LogLevel = (typeof levels)[number];

export type LineLevel = Exclude<LogLevel, 'silent'>;

/** The lowest level of the default logger, and the destination of its lines. */
export interface LoggerOptions {
  /** The lowest level that is written. Default `'info'`. */
  level?: LogLevel;
  /** Writes one line, which has no line feed. Default: to standard error. */
  write?: (line: string) => void;
}

/**
 * Makes the default logger of a manager, which writes one JSON object per line and never throws. A line is bounded
 * in depth, number of values and length, and contains printable characters only. Throws `INVALID_OPTION`.
 */
export function createLogger(options: LoggerOptions = {}): Logger {
  checkOptions(options, ['level', 'write'], 'createLogger');
  const { level = 'info', write = writeToStandardError } = options;
  if (!levels.includes(level)) {
    throw invalidOption('createLogger.level', `must be one of ${levels.join(' ')}`);
  }
  return jsonLogger(levels.indexOf(level), write, []);
}

/** Makes a logger that passes the lines of every level to `log`. */
export function loggerOf(
  log: (level: LineLevel, facts: LogFacts, message: string) => void,
  child: (facts: LogFacts) => Logger,
): Logger {
  return {
    debug: (facts, message) => log('debug', facts, message),
    info: (facts, message) => log('info', facts, message),
    warn: (facts, message) => log('warn', facts, message),
    error: (facts, message) => log('error', facts, message),
    child,
  };
}

/** Writes the facts of the parents first, then those of the line; a later value of a key replaces an earlier one. */
function jsonLogger(
  least: number,
  write: (line: string) => void,
  parents: readonly LogFacts[],
): Logger {
  const log = (level: LineLevel, facts: LogFacts, message: string): void => {
    if (levels.indexOf(level) < least) return;
    const line = lineOf(level, message, [...parents, facts]);
    try {
      // A destination may be asynchronous, although the type of `write` is synchronous.
      ignoreRejection(write(line));
    } catch {
      // The line is dropped: an error of `write` must not end the work that the line describes.
    }
  };
  return loggerOf(log, (facts) => jsonLogger(least, write, [...parents, copyOf(facts)]));
}

/** Members of a line that facts cannot overwrite. */
const reserved: ReadonlySet<string> = new Set(['time', 'level', 'message']);
/** Characters that move, hide or reorder text on a terminal, and that `JSON.stringify` does not escape. */
const unsafe = /[\u007F-\u009F\u061C\u200B-\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB]/g;

function lineOf(level: LogLevel, message: string, all: readonly LogFacts[]): string {
  const printable = new Printable();
  const line = Object.create(null) as Record<string, unknown>;
  line['time'] = new Date().toISOString();
  line['level'] = level;
  line['message'] = printable.of(message);
  for (const facts of all) {
    for (const [key, value] of Object.entries(printableFacts(facts, printable))) {
      line[reserved.has(key) ? `facts.${key}` : key] = value;
    }
  }
  return JSON.stringify(line).replace(unsafe, escaped);
}

/**
 * A bounded copy of facts that every logger can write. An error that is passed as the facts becomes the fact `err`,
 * as with pino.
 */
export function printableFacts(facts: unknown, printable: Printable = new Printable()): LogFacts {
  if (typeof facts !== 'object' || facts === null) return { facts: printable.of(facts) };
  try {
    if (isError(facts)) return { err: printable.of(facts) };
    const isList = Array.isArray(facts) || ArrayBuffer.isView(facts);
    return isList ? { facts: printable.of(facts) } : printable.members(facts);
  } catch {
    return { facts: '(cannot be read)' };
  }
}

/** Copies the facts of a child, so that later changes to the object do not count, as with pino. */
function copyOf(facts: LogFacts): LogFacts {
  try {
    return isError(facts) ? facts : { ...facts };
  } catch {
    return printableFacts(facts);
  }
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function writeToStandardError(line: string): void {
  const { stderr } = process;
  // A closed pipe (EPIPE) emits an `error` event, which ends the process if it has no listener.
  if (!stderr.listeners('error').includes(ignore)) stderr.on('error', ignore);
  stderr.write(`${line}\n`, () => {
    // The listener stays while other lines wait, as for a pipe that is not read.
    if ((stderr.writableLength ?? 0) === 0) stderr.off('error', ignore);
  });
}

function ignore(): void {}
