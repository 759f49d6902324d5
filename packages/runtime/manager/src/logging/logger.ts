import {
  checkOptions,
  ignoreRejection,
  ignoreRejections,
  invalidOption,
  isPromised,
  promiseOf,
} from '@keelson/apimachinery';
import { isError } from './error-text.ts';
import { Printable } from './printable.ts';
import { escapeHidden } from './terminal-text.ts';
import { type LineFacts, textLine } from './text-line.ts';

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
  /**
   * The lowest level that the logger writes. It is optional: pino and `createLogger` have it, and `logLevel` of a
   * controller needs it.
   */
  level?: string | undefined;
}

const levels = ['debug', 'info', 'warn', 'error', 'silent'] as const;

/** The lowest level that a logger writes; `'silent'` writes nothing. */
export type LogLevel = (typeof levels)[number];

type LineLevel = Exclude<LogLevel, 'silent'>;

/** The lowest level of the default logger, and the destination of its lines. */
export interface LoggerOptions {
  /** The lowest level that is written. Default `'info'`. */
  level?: LogLevel;
  /**
   * `'json'`: one JSON object per line. `'text'`: lines for people, with the stacks of errors below them. Default:
   * `'text'` if standard error is a terminal and `write` is not given, else `'json'`.
   */
  format?: 'json' | 'text';
  /** Writes one line; only a line of `'text'` with a stack has line feeds. Default: to standard error. */
  write?: (line: string) => void;
}

/**
 * Makes the default logger of a manager, which writes JSON or, on a terminal, text, and never throws. A line is bounded
 * in depth, number of values and length, and contains printable characters only. Frames of Keelson and Node.js in stacks
 * are folded. Throws `INVALID_OPTION`.
 *
 * @example
 * ```ts
 * import { createLogger, createManager } from '@keelson/manager';
 *
 * export const manager = createManager({
 *   logger: createLogger({ level: 'debug', format: 'json', write: (line) => console.log(line) }),
 * });
 * ```
 */
export function createLogger(options: LoggerOptions = {}): Logger {
  checkOptions(options, ['level', 'format', 'write'], 'createLogger');
  const { level = 'info', format = defaultFormat(options), write = writeToStandardError } = options;
  checkLevel(level, 'createLogger.level');
  if (format !== 'json' && format !== 'text') {
    throw invalidOption('createLogger.format', 'must be json or text');
  }
  const hasColours = options.write === undefined && isColoured();
  const formatted = format === 'json' ? jsonLine : (line: LineFacts) => textLine(line, hasColours);
  return levelLogger({ own: level, parent: undefined }, { write, formatted }, []);
}

/** Throws `INVALID_OPTION` for a value that is not a level. */
export function checkLevel(level: unknown, where: string): void {
  if (levels.includes(level as LogLevel)) return;
  throw invalidOption(where, `must be one of ${levels.join(' ')}`);
}

/** Changes the level of a logger. Throws `INVALID_OPTION` for an unknown level, and for a logger without `level`. */
export function setLogLevel(logger: Logger, level: unknown, where: string): void {
  checkLevel(level, where);
  if (logger.level === undefined) throw invalidOption(where, 'needs a logger with `level`');
  logger.level = level as LogLevel;
}

/**
 * Wraps the user's logger so that an error it throws never reaches the caller. Calls `failed` for each write
 * that fails. A failed line is written once more with bounded facts, then dropped. A logger of `createLogger` needs no
 * guard and is returned as it is.
 */
export function guardedLogger(logger: Logger, failed: () => void): Logger {
  return neverThrows in logger ? logger : guarded(logger, failed);
}

function guarded(logger: Logger, failed: () => void): Logger {
  const log = (level: LineLevel, facts: LogFacts, message: string): void => {
    if (isWritten(() => logger[level](facts, message), failed)) return;
    failed();
    isWritten(() => logger[level](printableFacts(facts), message), failed);
  };
  const child = (facts: LogFacts): Logger => guarded(childOf(logger, facts, failed), failed);
  const get = (): string | undefined => {
    try {
      const level: unknown = logger.level;
      if (typeof level === 'string') return level;
      if (level !== undefined) ignoreRejections(level);
    } catch {
      failed();
    }
    return undefined;
  };
  const set = (level: string | undefined): void => {
    logger.level = level;
  };
  return loggerOf(log, child, { get, set });
}

function isWritten(write: () => unknown, failed: () => void): boolean {
  try {
    const result = write();
    // A user's logger may be asynchronous, although the type of `Logger` is synchronous.
    if (isPromised(result)) promiseOf(result).catch(failed);
    return true;
  } catch {
    return false;
  }
}

/** The child of a logger, or the logger itself if `child` throws or returns no logger. */
function childOf(logger: Logger, facts: LogFacts, failed: () => void): Logger {
  try {
    const child: unknown = logger.child(facts);
    if (typeof child === 'object' && child !== null && !isPromised(child)) return child as Logger;
    ignoreRejections(child);
  } catch {
    // The parent writes the lines of the child.
  }
  failed();
  return logger;
}

/** The level of a logger; `own` is `undefined` for one that follows its parent. */
interface Level {
  own: LogLevel | undefined;
  readonly parent: Level | undefined;
}

interface Destination {
  readonly write: (line: string) => void;
  readonly formatted: (line: LineFacts) => string;
}

/** True if standard error is a terminal with colours. A file or a pipe does not have `hasColors`. */
function isColoured(): boolean {
  const { stderr }: { readonly stderr: { readonly hasColors?: () => boolean } } = process;
  return stderr.hasColors?.() === true;
}

function defaultFormat({ write }: LoggerOptions): 'json' | 'text' {
  return write === undefined && process.stderr.isTTY ? 'text' : 'json';
}

/** Makes a logger that passes the lines of every level to `log`. */
function loggerOf(
  log: (level: LineLevel, facts: LogFacts, message: string) => void,
  child: (facts: LogFacts) => Logger,
  level: LevelAccess,
): Logger {
  const logger: Logger = {
    debug: (facts, message) => log('debug', facts, message),
    info: (facts, message) => log('info', facts, message),
    warn: (facts, message) => log('warn', facts, message),
    error: (facts, message) => log('error', facts, message),
    child,
  };
  return Object.defineProperty(logger, 'level', { ...level, enumerable: true });
}

/** Reads and changes the level of a logger. */
interface LevelAccess {
  readonly get: () => string | undefined;
  readonly set: (level: string | undefined) => void;
}

/** Marks a logger of `createLogger`. A copy of it with other methods has no mark. */
const neverThrows: unique symbol = Symbol('neverThrows');

/** Writes the facts of the parents first, then those of the line; a later value of a key replaces an earlier one. */
function levelLogger(least: Level, destination: Destination, parents: readonly LogFacts[]): Logger {
  const get = (): LogLevel => {
    let { own, parent } = least;
    while (own === undefined && parent !== undefined) ({ own, parent } = parent);
    return own ?? 'info';
  };
  const log = (level: LineLevel, facts: LogFacts, message: string): void => {
    if (levels.indexOf(level) < levels.indexOf(get())) return;
    try {
      const line = destination.formatted(lineOf(level, message, [...parents, facts]));
      // A destination may be asynchronous, although the type of `write` is synchronous.
      ignoreRejection(destination.write(line));
    } catch {
      // The line is dropped: its error must not end the work that the line describes.
    }
  };
  const child = (facts: LogFacts): Logger =>
    levelLogger({ own: undefined, parent: least }, destination, [...parents, copyOf(facts)]);
  const set = (level: string | undefined): void => {
    checkLevel(level, 'logger.level');
    least.own = level as LogLevel;
  };
  return Object.defineProperty(loggerOf(log, child, { get, set }), neverThrows, { value: true });
}

/** Members of a line that facts cannot overwrite. */
const reserved: ReadonlySet<string> = new Set(['time', 'level', 'message']);

function lineOf(level: LogLevel, message: string, all: readonly LogFacts[]): LineFacts {
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
  return line;
}

function jsonLine(line: LineFacts): string {
  return escapeHidden(JSON.stringify(line));
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

function writeToStandardError(line: string): void {
  const { stderr } = process;
  // A closed pipe (EPIPE) emits an `error` event after the callback of the write, and ends the process without a listener.
  if (stderr.listenerCount('error') === 0) stderr.on('error', ignore);
  stderr.write(`${line}\n`);
}

function ignore(): void {}
