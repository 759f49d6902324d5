import type { Event } from 'js-yaml';

type Yaml = typeof import('js-yaml');

/** A mapping or a list while its events are read. */
interface Frame {
  /** The keys of a mapping so far; `undefined` for a list. */
  readonly keys: Set<string> | undefined;
  /** The position of the value in the text. */
  readonly start: number;
  /** The key whose value comes next. */
  key: string | undefined;
}

/**
 * Returns a line for each repeated key of a YAML text, in the words and the order of Go's strict decoder: `line 3: key
 * "a" already set in map`. The line is that of the value.
 */
export function repeatedKeys(yaml: Yaml, text: string): string[] {
  const found: string[] = [];
  const frames: Frame[] = [];
  const finish = (start: number): void => {
    const { keys, key } = frames.at(-1) ?? {};
    if (keys === undefined || key === undefined) return;
    if (keys.has(key)) {
      found.push(`line ${lineAt(text, start)}: key ${JSON.stringify(key)} already set in map`);
    }
    keys.add(key);
    (frames.at(-1) as Frame).key = undefined;
  };
  for (const event of yaml.parseEvents(text, {})) {
    const parent = frames.at(-1);
    if (event.type === yaml.EVENT_ID.SCALAR && isKey(parent)) {
      parent.key = yaml.getScalarValue(text, event);
      continue;
    }
    const opened = frameOf(yaml, event);
    if (opened !== undefined) frames.push(opened);
    else finish(event.type === yaml.EVENT_ID.POP ? (frames.pop()?.start ?? 0) : startOf(event));
  }
  return found;
}

function isKey(parent: Frame | undefined): parent is Frame {
  return parent?.keys !== undefined && parent.key === undefined;
}

function frameOf({ EVENT_ID }: Yaml, event: Event): Frame | undefined {
  switch (event.type) {
    case EVENT_ID.MAPPING:
      return { keys: new Set(), start: event.start, key: undefined };
    case EVENT_ID.SEQUENCE:
      return { keys: undefined, start: event.start, key: undefined };
    case EVENT_ID.DOCUMENT:
      return { keys: undefined, start: 0, key: undefined };
    default:
      return undefined;
  }
}

function startOf(event: Event): number {
  if ('valueStart' in event) return event.valueStart;
  return 'anchorStart' in event ? event.anchorStart : 0;
}

function lineAt(text: string, position: number): number {
  return text.slice(0, position).split('\n').length;
}
