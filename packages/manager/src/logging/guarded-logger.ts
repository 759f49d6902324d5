import { loggerOf, printableFacts, type LineLevel, type LogFacts, type Logger } from './logger.ts';

/**
 * Calls the logger of the user, which may throw: on facts that it cannot write, or because its
 * destination is gone. `failed` is called for each line that failed. The line is tried once more
 * with bounded facts, then dropped.
 */
export function guardedLogger(logger: Logger, failed: () => void): Logger {
  const log = (level: LineLevel, facts: LogFacts, message: string): void => {
    if (isTaken(() => logger[level](facts, message), failed)) return;
    failed();
    isTaken(() => logger[level](printableFacts(facts), message), failed);
  };
  return loggerOf(log, (facts) => guardedLogger(childOf(logger, facts, failed), failed));
}

function isTaken(write: () => unknown, failed: () => void): boolean {
  try {
    const end = write();
    // A logger may be asynchronous although its type does not say so.
    if (end instanceof Promise) end.catch(failed);
    return true;
  } catch {
    return false;
  }
}

/** Without the facts if the logger cannot take them. */
function childOf(logger: Logger, facts: LogFacts, failed: () => void): Logger {
  try {
    return logger.child(facts);
  } catch {
    failed();
    return logger;
  }
}
