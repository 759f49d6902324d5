/** The logger that handlers and the package write to; the logger of a manager and pino satisfy it. */
export interface WebhookLogger {
  debug(facts: Readonly<Record<string, unknown>>, message: string): void;
  info(facts: Readonly<Record<string, unknown>>, message: string): void;
  warn(facts: Readonly<Record<string, unknown>>, message: string): void;
  error(facts: Readonly<Record<string, unknown>>, message: string): void;
  /** A logger that adds these facts to every line. */
  child(facts: Readonly<Record<string, unknown>>): WebhookLogger;
}
