import { ignoreRejection, isPromised, promiseOf } from '@keelson/apimachinery';
import { loggerOf, printableFacts, type LineLevel, type LogFacts, type Logger } from './logger.ts';

/**
 * Wraps the user's logger so that an error it throws never reaches the caller. Calls `failed` for each write
 * that fails. A failed line is written once more with bounded facts, then dropped.
 */
export function guardedLogger(logger: Logger, failed: () => void): Logger {
  const log = (level: LineLevel, facts: LogFacts, message: string): void => {
    if (isWritten(() => logger[level](facts, message), failed)) return;
    failed();
    isWritten(() => logger[level](printableFacts(facts), message), failed);
  };
  const child = (facts: LogFacts): Logger => guardedLogger(childOf(logger, facts, failed), failed);
  const get = (): string | undefined => {
    try {
      const level: unknown = logger.level;
      if (typeof level === 'string') return level;
      if (level !== undefined) ignoreRejection(level);
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
    ignoreRejection(child);
  } catch {
    // The parent writes the lines of the child.
  }
  failed();
  return logger;
}
