import { cut } from './cut-text.ts';
import { isRecord } from './record.ts';

/** Levels of nested objects and lists; deeper ones are left out. */
const MAX_DEPTH = 6;
/** Items of one list, and members of one object. */
const MAX_ITEMS = 100;
/** Characters of one text. */
const MAX_TEXT = 4096;
/** Characters of all texts. */
const MAX_TEXTS = 65_536;

/** Copies a JSON value of a server that an error keeps. Further items and long texts are cut. */
export function boundedCopy(value: unknown): unknown {
  let left = MAX_TEXTS;
  const text = (given: string): string => {
    const kept = cut(given, Math.min(MAX_TEXT, Math.max(left, 1)));
    left -= kept.length;
    return kept;
  };
  const copy = (given: unknown, depth: number): unknown => {
    if (typeof given === 'string') return text(given);
    if (typeof given !== 'object' || given === null) return given;
    if (depth === MAX_DEPTH || left <= 0) return undefined;
    if (Array.isArray(given)) {
      return given.slice(0, MAX_ITEMS).map((item: unknown) => copy(item, depth + 1));
    }
    if (!isRecord(given)) return undefined;
    const members = Object.entries(given).slice(0, MAX_ITEMS);
    return Object.fromEntries(members.map(([key, item]) => [text(key), copy(item, depth + 1)]));
  };
  return copy(value, 0);
}
