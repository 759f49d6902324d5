import { nodeUtil } from '../node-util.ts';
import { oneLine } from './terminal-text.ts';

/** A line of a log before it is formatted. */
export type LineFacts = Readonly<Record<string, unknown>>;

const colours = { debug: 'gray', info: 'green', warn: 'yellow', error: 'red' } as const;
/** A value that needs no quotes. */
const PLAIN = /^[^\s"=\\]+$/;

/**
 * Formats a line for people: the time of the day, the level, the message, and the facts as `key=value`. The stack of an
 * error is below it, indented.
 */
export function textLine(
  { time, level, message, ...facts }: LineFacts,
  hasColours: boolean,
): string {
  const below: string[] = [];
  const words = Object.entries(facts).flatMap(([key, value]) => {
    const stack = stackOf(value);
    if (stack !== undefined) below.push(stack);
    return value === undefined ? [] : [`${shownKey(key)}=${shownValue(value)}`];
  });
  const label = levelText(String(level), hasColours);
  const line = [clockOf(String(time)), label, oneLine(messageText(message)), ...words].join(' ');
  return [line, ...below.map(indented)].join('\n');
}

/** The message of a line. Arguments in another order, as of `console`, may pass an object. */
function messageText(message: unknown): string {
  return typeof message === 'string' ? message : (JSON.stringify(message) ?? String(message));
}

function clockOf(time: string): string {
  return time.slice(11, 23);
}

function levelText(level: string, hasColours: boolean): string {
  const label = level.toUpperCase().padEnd(5);
  if (!hasColours || !Object.hasOwn(colours, level)) return label;
  return nodeUtil.styleText(colours[level as keyof typeof colours], label, {
    validateStream: false,
  });
}

function shownKey(key: string): string {
  return oneLine(PLAIN.test(key) ? key : JSON.stringify(key));
}

/** An error is its message and code; its stack is printed below the line. */
function shownValue(value: unknown): string {
  if (typeof value === 'string') return oneLine(PLAIN.test(value) ? value : JSON.stringify(value));
  const { name, message, code } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof name === 'string' && typeof message === 'string') {
    const title = typeof code === 'string' ? `${name} ${code}` : name;
    return oneLine(JSON.stringify(`${title}: ${message}`));
  }
  return oneLine(JSON.stringify(value) ?? String(value));
}

/** The stack of an error, and those of its causes. Its first line repeats the message, so it is left out. */
function stackOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { stack, cause } = value as { readonly stack?: unknown; readonly cause?: unknown };
  if (typeof stack !== 'string') return undefined;
  const frames = stack.split('\n').filter((line) => /^\s+(?:at |…)/.test(line));
  const { message } = (cause ?? {}) as { readonly message?: unknown };
  const below = typeof message === 'string' ? [`caused by: ${message}`] : [];
  return [...frames.map((line) => line.trim()), ...below, stackOf(cause) ?? []].flat().join('\n');
}

function indented(text: string): string {
  return text
    .split('\n')
    .map((line) => `    ${oneLine(line)}`)
    .join('\n');
}
