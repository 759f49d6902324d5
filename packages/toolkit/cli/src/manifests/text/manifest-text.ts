import { dump } from 'js-yaml';
import { Placed, plainObject } from '../values/placed.ts';
import { yamlHeader } from './generated-mark.ts';

/** Formats a value as YAML that readers of YAML 1.1, such as kubectl, and of YAML 1.2 read alike. */
export function yamlOf(value: unknown): string {
  return dump(value, { noRefs: true, lineWidth: -1 });
}

/** Formats objects as YAML documents with the plain value of each place. */
export function documentsText(objects: readonly unknown[]): string {
  return yamlHeader + objects.map((object) => yamlOf(plainObject(object))).join('---\n');
}

/** Formats an object as a Helm template: an action at each place, and no action in any other text. */
export function templateOf(object: unknown): string {
  const places: Placed[] = [];
  const mark = unusedMark(object);
  const text = yamlOf(withMarks(object, (found) => `${mark}${places.push(found) - 1}`));
  return withoutActions(text)
    .split('\n')
    .map((line) => withAction(line, mark, places))
    .join('\n');
}

/** Returns the text such that Helm prints it unchanged. */
export function withoutActions(text: string): string {
  return text.replaceAll('{{', '{{ "{{" }}');
}

function unusedMark(object: unknown): string {
  const text = yamlOf(plainObject(object));
  let mark = 'place';
  while (text.includes(mark)) mark += 'x';
  return mark;
}

function withMarks(value: unknown, markOf: (found: Placed) => string): unknown {
  if (value instanceof Placed) return markOf(value);
  if (Array.isArray(value)) return value.map((item) => withMarks(item, markOf));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, withMarks(member, markOf)]),
  );
}

/** A mark is a whole scalar, so it ends its line. */
function withAction(line: string, mark: string, places: readonly Placed[]): string {
  const at = line.indexOf(mark);
  const place = at === -1 ? undefined : places[Number(line.slice(at + mark.length))];
  if (place === undefined) return line;
  // The members of a list item begin after its dash.
  const indent = /^[ -]*/.exec(line)?.[0].length ?? 0;
  // The line of a spread has the dash of a list or the name of a member, and the action prints lines of their own.
  if (place.isSpread) return place.action(/^ */.exec(line)?.[0].length ?? 0);
  const before = place.isBlock ? line.slice(0, at).trimEnd() : line.slice(0, at);
  return `${before}${place.isBlock ? ' ' : ''}${place.action(indent + 2)}`;
}
