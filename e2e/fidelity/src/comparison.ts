import { isDeepStrictEqual } from 'node:util';
import { NormalForm } from './normal-form.ts';
import type { Answer } from './player.ts';

/** A place where two bodies differ. A member that one of them does not have is undefined. */
export interface Place {
  /** Names of members and indexes, between dots. */
  readonly path: string;
  readonly left: unknown;
  readonly right: unknown;
}

/** How two answers to one step differ. */
export interface Difference {
  readonly chapter: string;
  readonly step: string;
  readonly request: string;
  readonly statuses: readonly [number, number];
  /** Every place where the bodies differ, uncut. */
  readonly places: readonly Place[];
}

/** How far two recordings agree. */
export interface Agreement {
  readonly steps: number;
  readonly sameStatus: number;
  readonly sameBody: number;
  readonly differences: readonly Difference[];
}

/** The answers of one server, chapter by chapter. */
export type Recording = Readonly<Record<string, readonly Answer[]>>;

/** How many places of a step are printed. */
const mostPlaces = 6;

/** The first places as `path: one ≠ other`, long values cut: for people to read, never to compare. */
export function linesOf(places: readonly Place[]): string[] {
  return places
    .slice(0, mostPlaces)
    .map(({ path, left, right }) => `${path || '(body)'}: ${short(left)} ≠ ${short(right)}`);
}

/** Compares two recordings of the same conversation. */
export function compare(left: Recording, right: Recording): Agreement {
  let steps = 0;
  let sameStatus = 0;
  let sameBody = 0;
  const differences: Difference[] = [];
  for (const [chapter, answers] of Object.entries(left)) {
    const [one, other] = [new NormalForm(), new NormalForm()];
    for (const [index, answer] of answers.entries()) {
      const counterpart = right[chapter]?.[index];
      if (counterpart === undefined) continue;
      steps += 1;
      const places = answer.statusOnly ? [] : placesOf(answer, counterpart, one, other);
      const status = answer.status === counterpart.status;
      if (status) sameStatus += 1;
      if (status && places.length === 0) sameBody += 1;
      else {
        const statuses = [answer.status, counterpart.status] as const;
        const { step, request } = answer;
        differences.push({ chapter, step, request, statuses, places });
      }
    }
  }
  return { steps, sameStatus, sameBody, differences };
}

function placesOf(left: Answer, right: Answer, one: NormalForm, other: NormalForm): Place[] {
  const places: Place[] = [];
  collect(one.of(left.body, left.step), other.of(right.body, right.step), '', places);
  collect(one.of(left.warnings), other.of(right.warnings), 'warnings', places);
  return places;
}

function collect(left: unknown, right: unknown, path: string, places: Place[]): void {
  if (isDeepStrictEqual(left, right)) return;
  const bothObjects = isObject(left) && isObject(right);
  if (!bothObjects || Array.isArray(left) !== Array.isArray(right)) {
    places.push({ path, left, right });
    return;
  }
  for (const name of new Set([...Object.keys(left), ...Object.keys(right)])) {
    const inner = path === '' ? name : `${path}.${name}`;
    collect(Reflect.get(left, name), Reflect.get(right, name), inner, places);
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function short(value: unknown): string {
  const text = value === undefined ? '(absent)' : JSON.stringify(value);
  return text.length > 160 ? `${text.slice(0, 160)}…` : text;
}
