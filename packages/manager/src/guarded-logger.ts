import { printableFacts, type LogFacts, type Logger } from './logger.ts';

/** Takes lines: everything of a logger but `child`. */
type Level = Exclude<keyof Logger, 'child'>;

/**
 * Calls the logger of the user, which may throw: on facts that it cannot write, or because its
 * destination is gone. `failed` is called for each line that failed. The line is tried once more
 * with bounded facts, then dropped.
 */
export function guardedLogger(logger: Logger, failed: () => void): Logger {
  return new GuardedLogger(logger, failed);
}

class GuardedLogger implements Logger {
  readonly #logger: Logger;
  readonly #failed: () => void;

  constructor(logger: Logger, failed: () => void) {
    this.#logger = logger;
    this.#failed = failed;
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
    return new GuardedLogger(this.#childOf(facts), this.#failed);
  }

  #log(level: Level, facts: LogFacts, message: string): void {
    if (this.#isTaken(() => this.#logger[level](facts, message))) return;
    this.#failed();
    this.#isTaken(() => this.#logger[level](printableFacts(facts), message));
  }

  #isTaken(write: () => unknown): boolean {
    try {
      const end = write();
      // A logger may be asynchronous although its type does not say so.
      if (end instanceof Promise) end.catch(this.#failed);
      return true;
    } catch {
      return false;
    }
  }

  #childOf(facts: LogFacts): Logger {
    try {
      return this.#logger.child(facts);
    } catch {
      this.#failed();
      return this.#logger;
    }
  }
}
